"""A primal-dual interior-point method for the quadratic programme of a structured SVM.

    ``min ½‖θ‖² + C Σ_b ξ_b   s.t.  s = Gθ + ξ_block − ℓ ≥ 0,  ξ ≥ 0,  θ_J ≥ 0``

with multipliers λ of s, ν of ξ and μ of θ_J; ``θ = Gᵀλ + μ`` and ``Σ_{c∈b} λ_c + ν_b = C``. If
these equations hold, the duality gap is ``λ·s + ν·ξ + μ·θ_J``. The starting point need not satisfy
them; every step reduces the residual. Steps follow Mehrotra's predictor-corrector method.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from segboost._types import BoolArray, FloatArray, IntArray

PATIENCE = 30
"""Number of steps without a smaller gap after which rounding is assumed to have stopped progress.
The first steps may widen the gap while they centre the starting point."""


@dataclass(frozen=True, eq=False)
class StandardForm:
    """The programme in suitable units, with its cuts sorted by block.

    Parameters
    ----------
    normals : ndarray of shape (n, d)
        G; rows of length at most about 1.
    loss : ndarray of shape (n,)
        ℓ, at least one of them positive.
    price : float
        C.
    first : ndarray of int, shape (B,)
        The first cut of each block; every block has at least one cut.
    nonnegative : ndarray of bool, shape (d,)
        The set J.
    """

    normals: FloatArray
    loss: FloatArray
    price: float
    first: IntArray
    nonnegative: BoolArray

    @property
    def sizes(self) -> IntArray:
        """Number of cuts of every block."""
        return np.diff(np.append(self.first, self.loss.size))


@dataclass(frozen=True, eq=False)
class _Point:
    """An iterate, or a direction from one, with all complementary parts."""

    theta: FloatArray
    xi: FloatArray
    s: FloatArray
    lam: FloatArray
    nu: FloatArray
    mu: FloatArray


def interior_point(form: StandardForm, precision: float = 1e-11) -> tuple[FloatArray, FloatArray]:
    """Return weights θ, shape (d,), and multipliers λ, shape (n,), to a relative gap `precision`.

    If rounding stops progress before that, the best iterate is returned.
    """
    point = best = _start(form)
    least = np.inf
    idle = 0
    while idle < PATIENCE:
        error = _gap(form, point) + _infeasibility(form, point)
        if error < 0.9 * least:
            best, least, idle = point, error, 0
        if error <= precision * (0.5 * point.theta @ point.theta + form.price * point.xi.sum()):
            break
        idle += 1
        try:
            point = _step(form, point, careful=idle > 2)
        except (LinAlgError, ValueError):
            # The system is singular or has overflowed: rounding prevents further progress.
            break
    return best.theta, best.lam


def _start(form: StandardForm) -> _Point:
    """Return a positive point whose products λs, νξ and μθ are of similar size."""
    top = float(form.loss.max())
    nu: FloatArray = np.asarray(form.price / (form.sizes + 1.0), np.float64)
    lam = np.repeat(nu, form.sizes)
    theta = np.where(form.nonnegative, top, 0.0)
    mu = np.full(np.count_nonzero(form.nonnegative), float(nu.mean()))
    return _Point(theta, np.full(nu.size, top), np.full(lam.size, top), lam, nu, mu)


def _gap(form: StandardForm, z: _Point) -> float:
    return float(sum(p @ q for p, q in _pairs(form, z)))


def _infeasibility(form: StandardForm, z: _Point) -> float:
    """Return the possible contribution of the violated equations to the gap."""
    r_theta, r_xi, r_s = _residuals(form, z)
    worst = np.maximum.reduceat(np.abs(r_s), form.first)
    in_theta = 0.5 * r_theta @ r_theta + np.abs(r_theta) @ np.abs(z.theta)
    return float(form.price * worst.sum() + in_theta + np.abs(r_xi) @ z.xi)


def _residuals(form: StandardForm, z: _Point) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return θ − Gᵀλ − μ, C − Σλ − ν and Gθ + ξ − ℓ − s."""
    r_theta = z.theta - z.lam @ form.normals
    r_theta[form.nonnegative] -= z.mu
    r_xi = form.price - np.add.reduceat(z.lam, form.first) - z.nu
    r_s = form.normals @ z.theta + np.repeat(z.xi, form.sizes) - form.loss - z.s
    return r_theta, r_xi, r_s


def _step(form: StandardForm, z: _Point, careful: bool) -> _Point:
    """Return the next iterate: predict, choose the centring, correct, stay inside.

    A `careful` step only aims at half the mean product; unlike the correction, it cannot cycle.
    """
    newton = _Newton(form, z)
    pairs = _pairs(form, z)
    n_pairs = sum(p.size for p, _ in pairs)
    aim = _gap(form, z) / n_pairs
    if careful:
        direction = newton.direction(*(0.5 * aim - p * q for p, q in pairs))
    else:
        guess = newton.direction(*(-p * q for p, q in pairs))
        ahead = _gap(form, _moved(z, guess, _longest(form, z, guess))) / n_pairs
        target = aim * (ahead / aim) ** 3
        products = zip(pairs, _pairs(form, guess), strict=True)
        direction = newton.direction(*(target - p * q - dp * dq for (p, q), (dp, dq) in products))
    return _moved(z, direction, min(1.0, 0.995 * _longest(form, z, direction, 2.0)))


def _pairs(form: StandardForm, z: _Point) -> tuple[tuple[FloatArray, FloatArray], ...]:
    """Return the complementary pairs (λ, s), (ν, ξ) and (μ, θ_J)."""
    return (z.lam, z.s), (z.nu, z.xi), (z.mu, z.theta[form.nonnegative])


class _Newton:
    """The linear system of one iterate, reduced to the weights and factored.

    With ``D = λ/s`` and, in block b, ``E = Σ D``, ``u = Σ D g``, ``ḡ = u/E`` and ``h = ν/ξ``:

        ``M = I + diag(μ/θ)_J + Σ_c D_c (g_c − ḡ)(g_c − ḡ)ᵀ + Σ_b u uᵀ h / (E (E + h))``

    Centring the cuts of a block avoids the difference of two huge matrices that would otherwise
    result from eliminating ξ.
    """

    def __init__(self, form: StandardForm, z: _Point) -> None:
        self.form, self.z = form, z
        G, first = form.normals, form.first
        self.D = z.lam / z.s
        self.u = np.add.reduceat(self.D[:, None] * G, first)
        E = np.add.reduceat(self.D, first)
        h = z.nu / z.xi
        self.total = E + h
        centred = G - np.repeat(self.u / E[:, None], form.sizes, axis=0)
        centred *= np.sqrt(self.D)[:, None]
        rest = self.u * np.sqrt(h / (E * self.total))[:, None]
        M = centred.T @ centred + rest.T @ rest
        diagonal = np.ones(G.shape[1])
        diagonal[form.nonnegative] += z.mu / z.theta[form.nonnegative]
        M[np.diag_indices_from(M)] += diagonal
        self.r_theta, self.r_xi, self.r_s = _residuals(form, z)
        self.factor = cho_factor(M, lower=True, check_finite=True)

    def direction(self, k_s: FloatArray, k_xi: FloatArray, k_J: FloatArray) -> _Point:
        """Return the move that changes λs, νξ and μθ by these amounts, to first order.

        It also satisfies the linear equations.
        """
        form, z, J = self.form, self.z, self.form.nonnegative
        q = k_s / z.s - self.D * self.r_s
        t = (np.add.reduceat(q, form.first) + k_xi / z.xi - self.r_xi) / self.total
        right = q @ form.normals - t @ self.u - self.r_theta
        right[J] += k_J / z.theta[J]
        theta = cho_solve(self.factor, right)
        xi = t - self.u @ theta / self.total
        towards = form.normals @ theta + np.repeat(xi, form.sizes)
        s = towards + self.r_s
        lam = q - self.D * towards
        return _Point(
            theta,
            xi,
            s,
            lam,
            (k_xi - z.nu * xi) / z.xi,
            (k_J - z.mu * theta[J]) / z.theta[J],
        )


def _longest(form: StandardForm, z: _Point, move: _Point, cap: float = 1.0) -> float:
    """Return the longest step, at most `cap`, that keeps all non-negative parts non-negative."""
    sides = zip(_pairs(form, z), _pairs(form, move), strict=True)
    worst = max(
        float((-d / v).max(initial=0.0))
        for values, moves in sides
        for v, d in zip(values, moves, strict=True)
    )
    return min(cap, 1.0 / worst) if worst > 0 else cap


def _moved(z: _Point, move: _Point, length: float) -> _Point:
    return _Point(
        z.theta + length * move.theta,
        z.xi + length * move.xi,
        z.s + length * move.s,
        z.lam + length * move.lam,
        z.nu + length * move.nu,
        z.mu + length * move.mu,
    )
