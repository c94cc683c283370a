"""The small quadratic programme of a structured SVM's working set, solved to high precision.

Primal, over the weights θ and one slack per block:

    ``min ½‖θ‖² + C Σ_b ξ_b   s.t.  g_c·θ ≥ ℓ_c − ξ_block(c),  ξ ≥ 0,  θ_j ≥ 0 for j ∈ J``

Dual: ``max ℓᵀλ − ½‖θ(λ)‖²`` with λ ≥ 0, ``Σ_{c∈b} λ_c ≤ C`` and ``θ(λ) = Gᵀλ``, its entries in J
clipped at zero (the effect of the optimal multipliers of θ_j ≥ 0). The cuts of a block are nearly
parallel, which makes coordinate ascent slow; an interior-point method takes about a dozen steps
for any cuts, each at the cost of one small Cholesky factorisation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segboost._types import BoolArray, FloatArray, IntArray
from segboost.baselines.interior import StandardForm, interior_point


@dataclass(frozen=True, eq=False)
class QuadraticSolution:
    """Primal and dual solutions with the bounds they prove.

    Parameters
    ----------
    theta : ndarray of shape (d,)
        Feasible: non-negative in J.
    multipliers : ndarray of shape (n,)
        λ, feasible.
    objective, lower_bound : float
        The primal value at `theta` and the dual value at `multipliers`, both evaluated directly.
    """

    theta: FloatArray
    multipliers: FloatArray
    objective: float
    lower_bound: float


@dataclass(frozen=True, eq=False)
class QuadraticProgramme:
    """The cuts of a working set and the constants of the problem.

    Parameters
    ----------
    normals : ndarray of shape (n, d)
        g, one row per cut.
    loss : ndarray of shape (n,)
        ℓ.
    block : ndarray of int, shape (n,)
        The block of each cut, in any order.
    C : float
    nonnegative : ndarray of bool, shape (d,)
        The set J.
    """

    normals: FloatArray
    loss: FloatArray
    block: IntArray
    C: float
    nonnegative: BoolArray

    def objective(self, theta: FloatArray) -> float:
        """Return the primal value with the best slacks."""
        shortfall = np.zeros(int(self.block.max(initial=-1)) + 1)
        np.maximum.at(shortfall, self.block, self.loss - self.normals @ theta)
        return float(0.5 * theta @ theta + self.C * shortfall.sum())

    def feasible(self, multipliers: FloatArray) -> FloatArray:
        """Return λ clipped at zero, with blocks that exceed C scaled down to C."""
        clipped = np.maximum(multipliers, 0.0)
        total = np.bincount(self.block, clipped)
        return clipped * (self.C / np.maximum(total, self.C))[self.block]

    def weights(self, multipliers: FloatArray) -> FloatArray:
        """Return θ(λ)."""
        return self.projected(multipliers @ self.normals)

    def projected(self, theta: FloatArray) -> FloatArray:
        """Return θ with its entries in J clipped at zero."""
        return np.where(self.nonnegative, np.maximum(theta, 0.0), theta)

    def lower_bound(self, multipliers: FloatArray) -> float:
        """Return the dual value of feasible multipliers: no θ does better."""
        theta = self.weights(multipliers)
        return float(self.loss @ multipliers - 0.5 * theta @ theta)


def solve(programme: QuadraticProgramme, precision: float = 1e-11) -> QuadraticSolution:
    """Solve the programme until primal and dual agree to about the relative `precision`.

    If rounding does not allow that, the best solution found is returned; its bounds are still
    valid.
    """
    multipliers = np.zeros(len(programme.loss))
    candidates = []
    # Without a positive loss θ = 0 needs no slack at all.
    if programme.loss.max(initial=0.0) > 0:
        basis = _Basis.of(programme)
        order = np.argsort(programme.block, kind="stable")
        form, unit, length = _standard_form(programme, basis, order)
        theta, lam = interior_point(form, precision)
        multipliers[order] = unit * lam
        candidates.append(programme.projected(basis.lift(unit * length * theta)))
    multipliers = programme.feasible(multipliers)
    candidates.append(programme.weights(multipliers))
    # The iterate and the weights of its multipliers differ only by rounding, which a large C
    # magnifies; the better of the two is kept.
    best = min(candidates, key=programme.objective)
    return QuadraticSolution(
        best, multipliers, programme.objective(best), programme.lower_bound(multipliers)
    )


def _standard_form(
    programme: QuadraticProgramme, basis: _Basis, order: IntArray
) -> tuple[StandardForm, float, float]:
    """Return the programme with sorted cuts of at most unit length, and the units t and γ.

    With γ the length of the longest g and any t, ``θ = tγθ'`` and ``ξ = tγ²ξ'`` turn the
    objective into ``t²γ²(½‖θ'‖² + (C/t) Σ ξ')``, the losses into ``ℓ/(tγ²)`` and λ into tλ'. The t
    chosen makes the smaller of the price and the largest loss 1, so that neither regime (slack
    is cheap, slack is unaffordable) drives the weights to tiny numbers.
    """
    G = basis.normals[order]
    _, first = np.unique(programme.block[order], return_index=True)
    length = float(np.sqrt(np.einsum("cj,cj->c", G, G).max())) or 1.0
    unit = min(programme.C, float(programme.loss.max()) / length**2)
    form = StandardForm(
        G / length,
        programme.loss[order] / (unit * length**2),
        programme.C / unit,
        first.astype(np.intp),
        basis.nonnegative,
    )
    return form, unit, length


@dataclass(frozen=True, eq=False)
class _Basis:
    """The cuts in at most n free columns, with the same inner products.

    The free weights of the solution, those outside J, lie in the span of the cuts: ``θ = Qz``.
    """

    normals: FloatArray
    nonnegative: BoolArray
    Q: FloatArray | None
    J: BoolArray

    @classmethod
    def of(cls, programme: QuadraticProgramme) -> _Basis:
        G, J = programme.normals, programme.nonnegative
        n = G.shape[0]
        if np.count_nonzero(~J) <= n:
            return cls(G, J, None, J)
        Q, R = np.linalg.qr(G[:, ~J].T)
        reduced = np.repeat([False, True], [n, np.count_nonzero(J)])
        return cls(np.hstack([R.T, G[:, J]]), reduced, Q, J)

    def lift(self, weights: FloatArray) -> FloatArray:
        """Return the weights of the full problem."""
        if self.Q is None:
            return weights
        full = np.empty(self.J.size)
        full[self.J] = weights[self.nonnegative]
        full[~self.J] = self.Q @ weights[~self.nonnegative]
        return full
