"""An online structured SVM on a budget, with LaRank steps as in Struck.

    F(x, y) = Σ_s β_s k(φ_s, φ(x, y)),   Σ_y β_i(y) = 0 for every pattern i,   β_i(y_i) ≤ C

A pattern is a frame with its candidates; a support vector is one of its candidates. A step moves
weight between two support vectors of the same pattern to increase the dual value

    D = −Σ_s Δ_s β_s − ½ Σ_st β_s β_t k(φ_s, φ_t)

References
----------
A. Bordes et al., Solving multiclass support vector machines with LaRank, ICML 2007.
S. Hare, A. Saffari, P. Torr, Struck: structured output tracking with kernels, ICCV 2011.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from segboost._types import FloatArray

Kernel = Callable[[FloatArray, FloatArray], FloatArray]
"""A function of arrays of shapes (n, d) and (m, d) that returns kernel values, shape (n, m)."""

TINY = 1e-8


def gaussian_kernel(sigma: float) -> Kernel:
    """Return k(a, b) = exp(−σ ‖a − b‖²)."""

    def kernel(a: FloatArray, b: FloatArray) -> FloatArray:
        squared = (a**2).sum(1)[:, None] + (b**2).sum(1)[None] - 2 * a @ b.T
        return np.asarray(np.exp(-sigma * np.maximum(squared, 0.0)))

    return kernel


def linear_kernel(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return k(a, b) = a·b."""
    return a @ b.T


@dataclass(eq=False)
class Pattern:
    """A frame: features, shape (P, d), and losses of its candidates; the first is correct."""

    features: FloatArray
    loss: FloatArray


@dataclass(eq=False)
class _Support:
    pattern: Pattern
    candidate: int
    beta: float = 0.0
    gradient: float = 0.0


@dataclass(eq=False)
class LaRank:
    """The current support vectors and the steps that change them.

    Parameters
    ----------
    kernel : Kernel
    C : float
    budget : int
        Maximum number of support vectors.
    rng : numpy.random.Generator
        Draws old patterns for further steps.
    """

    kernel: Kernel
    C: float
    budget: int
    rng: np.random.Generator
    _support: list[_Support] = field(default_factory=list)
    _gram: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def betas(self) -> FloatArray:
        """β of the support vectors."""
        return np.array([s.beta for s in self._support])

    @property
    def vectors(self) -> FloatArray:
        """Features of the support vectors, shape (S, d)."""
        return np.stack([s.pattern.features[s.candidate] for s in self._support])

    @property
    def dual_value(self) -> float:
        """D at the current support vectors, by which tests certify that every step gains."""
        beta = self.betas
        loss = np.array([s.pattern.loss[s.candidate] for s in self._support])
        return float(-(loss @ beta) - 0.5 * beta @ self._gram @ beta)

    def pattern_sums(self) -> list[float]:
        """Return Σ_y β_i(y) of every pattern; all are zero, which the tests certify."""
        sums: dict[int, float] = {}
        for s in self._support:
            sums[id(s.pattern)] = sums.get(id(s.pattern), 0.0) + s.beta
        return list(sums.values())

    def scores(self, features: FloatArray) -> FloatArray:
        """Return F, shape (P,), of candidates with features of shape (P, d)."""
        if not self._support:
            return np.zeros(len(features))
        return self.kernel(features, self.vectors) @ self.betas

    def add(self, pattern: Pattern, steps: int = 10) -> None:
        """Add a pattern: one step on it, then `steps` rounds of steps on old patterns."""
        gradient = self._gradients(pattern)
        right = self._find(pattern, 0, gradient[0])
        wrong = int(np.argmin(gradient))
        self._step(right, self._find(pattern, wrong, gradient[wrong]))
        self._keep_budget()
        for _ in range(steps):
            self._process_old()
            self._keep_budget()
            for _ in range(steps):
                self._optimise()

    def _gradients(self, pattern: Pattern) -> FloatArray:
        """Return ∂D/∂β of all candidates of a pattern: −Δ(y) − F(x, y)."""
        return -pattern.loss - self.scores(pattern.features)

    def _process_old(self) -> None:
        """Step on an old pattern, whose most violated candidate may become a support vector."""
        pattern = self._random_pattern()
        gradient = self._gradients(pattern)
        up = [s for s in self._support if s.pattern is pattern and s.beta < self._ceiling(s)]
        if up:
            wrong = int(np.argmin(gradient))
            first = max(up, key=lambda s: s.gradient)
            self._step(first, self._find(pattern, wrong, gradient[wrong]))

    def _optimise(self) -> None:
        """Step between two support vectors of an old pattern."""
        pattern = self._random_pattern()
        own = [s for s in self._support if s.pattern is pattern]
        up = [s for s in own if s.beta < self._ceiling(s)]
        if up:
            self._step(max(up, key=lambda s: s.gradient), min(own, key=lambda s: s.gradient))

    def _random_pattern(self) -> Pattern:
        patterns = list({id(s.pattern): s.pattern for s in self._support}.values())
        return patterns[int(self.rng.integers(len(patterns)))]

    def _ceiling(self, support: _Support) -> float:
        return self.C if support.candidate == 0 else 0.0

    def _find(self, pattern: Pattern, candidate: int, gradient: float) -> _Support:
        """Return the support vector of a candidate, creating it with weight zero if necessary."""
        for s in self._support:
            if s.pattern is pattern and s.candidate == candidate:
                return s
        new = _Support(pattern, candidate, 0.0, float(gradient))
        self._support.append(new)
        row = self.kernel(pattern.features[[candidate]], self.vectors)[0]
        n = len(self._support)
        gram = np.zeros((n, n))
        gram[: n - 1, : n - 1] = self._gram
        gram[n - 1], gram[:, n - 1] = row, row
        self._gram = gram
        return new

    def _step(self, up: _Support, down: _Support) -> None:
        """Move the optimal amount of weight from `down` to `up`."""
        if up is down or up.gradient - down.gradient < 1e-5:
            self._drop_unused()
            return
        i, j = self._support.index(up), self._support.index(down)
        curvature = self._gram[i, i] + self._gram[j, j] - 2 * self._gram[i, j]
        best = (up.gradient - down.gradient) / max(float(curvature), TINY)
        amount = min(best, self._ceiling(up) - up.beta)
        self._move(i, j, amount)
        self._drop_unused()

    def _move(self, i: int, j: int, amount: float) -> None:
        self._support[i].beta += amount
        self._support[j].beta -= amount
        change = amount * (self._gram[i] - self._gram[j])
        for s, by in zip(self._support, change, strict=True):
            s.gradient -= float(by)

    def _keep_budget(self) -> None:
        """Remove the negative support vectors whose removal changes F least."""
        while len(self._support) > self.budget:
            best, change = None, np.inf
            for j, s in enumerate(self._support):
                if s.beta >= 0:
                    continue
                i = self._right_of(s)
                by = s.beta**2 * (self._gram[i, i] + self._gram[j, j] - 2 * self._gram[i, j])
                if by < change:
                    best, change = (i, j), float(by)
            if best is None:
                return
            i, j = best
            self._move(i, j, self._support[j].beta)
            self._support[j].beta = 0.0
            self._drop_unused()

    def _right_of(self, support: _Support) -> int:
        for i, s in enumerate(self._support):
            if s.pattern is support.pattern and s.candidate == 0:
                return i
        raise AssertionError("a pattern with negative support vectors must have a positive one")

    def _drop_unused(self) -> None:
        keep = [i for i, s in enumerate(self._support) if abs(s.beta) >= TINY]
        if len(keep) < len(self._support):
            self._support = [self._support[i] for i in keep]
            self._gram = self._gram[np.ix_(keep, keep)]
