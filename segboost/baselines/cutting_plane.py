"""The L2-regularised structured SVM over any task, by cutting planes with a certified gap.

The score of an atom is linear in the features of its channel (see `LinearScores`):

    ``min ½‖θ‖² + C Σ_b ξ_b   s.t.  g·θ ≥ loss − ξ_b  for every cut of every block b, ξ ≥ 0``
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from segboost._interrupt import interrupts_unwrapped
from segboost._types import BoolArray, FloatArray, Slack
from segboost.baselines.feature_cuts import FeatureCuts, LinearScores
from segboost.baselines.quadratic import QuadraticProgramme, QuadraticSolution, solve
from segboost.solver.atoms import Recall, Task
from segboost.solver.cutting_plane import RECALL_SHARE
from segboost.solver.steps import relative_gap


@dataclass(frozen=True)
class SVMStep:
    """The state after one round: one quadratic programme and at most two oracle calls.

    Parameters
    ----------
    objective : float
        ``½‖θ‖² + C Σ_b ξ_b`` at the best θ so far: an upper bound.
    lower_bound : float
        Best dual value so far: no θ does better.
    gap : float
        ``(objective − lower_bound) / objective``.
    n_cuts : int
        Size of the working set.
    seconds : float
        Wall-clock time since the start.
    """

    objective: float
    lower_bound: float
    gap: float
    n_cuts: int
    seconds: float


@dataclass(frozen=True)
class SVMCertificate:
    """How good the returned weights provably are.

    The optimum lies between `lower_bound` and `objective`, provably so if the task's oracle is
    `exact`; otherwise `gap` is an estimate. `converged` says whether the requested gap was reached.
    """

    objective: float
    lower_bound: float
    gap: float
    exact: bool
    converged: bool


class SVMCuttingPlane:
    """The solver; iterate over `steps` to run it, and stop at any time.

    Parameters
    ----------
    task : Task
        Its channels provide the features and its oracle the cuts.
    C : float
        Price of slack.
    gap : float
        Relative gap to reach.
    max_iterations : int
        Maximum number of rounds.
    slack : "one", "each" or int
        A single slack, one per example, or that many blocks; the optimum is the same.
    nonnegative_binary : bool
        Whether weights of "binary" channels must be non-negative, as submodular energies require.
    centre : float
        Weight of the best known point in the query point of the oracle (in-out stabilisation).
    patience : int
        Number of solves for which a cut may stay inactive before it is dropped.

    Attributes
    ----------
    theta : ndarray of shape (d,)
        The best weights so far, which attain the upper bound.
    history : list of SVMStep
    """

    def __init__(
        self,
        task: Task,
        C: float = 1.0,
        gap: float = 1e-3,
        max_iterations: int = 1000,
        slack: Slack = "one",
        nonnegative_binary: bool = True,
        centre: float = 0.3,
        patience: int = 10,
    ) -> None:
        _check(C, gap, max_iterations, centre, patience)
        self.task, self.C, self.gap, self.slack = task, float(C), gap, slack
        self.max_iterations, self.centre, self.patience = max_iterations, centre, patience
        self.map = LinearScores(task.channels)
        self.nonnegative: BoolArray = np.repeat(
            [nonnegative_binary and c.outputs == "binary" for c in task.channels],
            np.diff(self.map.columns),
        )
        self.theta = np.zeros(self.map.n_weights)
        self.history: list[SVMStep] = []
        self._upper, self._lower = np.inf, 0.0
        self._n_blocks = task.n_blocks(slack)
        self._cuts = FeatureCuts.empty(self.map.n_weights)

    def steps(self) -> Iterator[SVMStep]:
        """Yield a step per round until the gap or the maximum number of rounds is reached."""
        start = time.perf_counter()
        if not np.isfinite(self._upper):
            self._ask(self.theta)
        while len(self.history) < self.max_iterations:
            solution = self._solve()
            if relative_gap(self._upper, self._lower) > self.gap:
                self._query(solution.theta)
            gap = relative_gap(self._upper, self._lower)
            seconds = time.perf_counter() - start
            step = SVMStep(self._upper, self._lower, gap, self._cuts.loss.size, seconds)
            self.history.append(step)
            yield step
            if gap <= self.gap:
                return

    def certificate(self) -> SVMCertificate:
        """Return the bounds proved so far."""
        gap = relative_gap(self._upper, self._lower)
        return SVMCertificate(
            float(self._upper), self._lower, gap, bool(self.task.exact), gap <= self.gap
        )

    def _solve(self) -> QuadraticSolution:
        cuts = self._cuts
        solution = solve(
            QuadraticProgramme(cuts.normals, cuts.loss, cuts.block, self.C, self.nonnegative)
        )
        self._lower = max(self._lower, solution.lower_bound)
        cuts.purge(solution.multipliers, self.patience)
        return solution

    def _query(self, theta: FloatArray) -> None:
        """Query the oracle near the best point; if that cuts off too little, at the solution."""
        slack = self._cuts.slack(theta, self._n_blocks).sum()
        if self._recall(theta):
            return
        inner = (1.0 - self.centre) * theta + self.centre * self.theta
        self._ask(inner)
        raised = self._cuts.slack(theta, self._n_blocks).sum() - slack
        if self.C * raised <= 0.1 * self.gap * self._upper and self.centre > 0:
            self._ask(theta)

    def _recall(self, theta: FloatArray) -> bool:
        """Add cuts of known outputs if they are violated enough; return whether any was added."""
        if not isinstance(self.task, Recall):
            return False
        cuts = self.task.recall(self.map.scores(theta), self.slack)
        if cuts is None:
            return False
        normals = self.map.normals(cuts.weights)
        known = self._cuts.slack(theta, self._n_blocks)[cuts.block]
        raised = np.maximum(cuts.loss - normals @ theta - known, 0.0)
        if self.C * raised.sum() < RECALL_SHARE * (self._upper - self._lower):
            return False
        useful = raised > 0
        self._cuts.add(normals[useful], cuts.loss[useful], cuts.block[useful])
        return True

    def _ask(self, theta: FloatArray) -> None:
        """Call the oracle at θ: add its cuts to the working set and update the upper bound."""
        scores = self.map.scores(theta)
        cuts = self.task.separate(scores, self.slack)
        normals = self.map.normals(cuts.weights)
        violation = np.maximum(cuts.loss - normals @ theta, 0.0).sum()
        value = float(0.5 * theta @ theta + self.C * violation)
        if value < self._upper:
            self._upper, self.theta = value, theta
        self._cuts.add(normals, cuts.loss, cuts.block)


def drain(solver: SVMCuttingPlane, callback: Callable[[SVMStep], object] | None = None) -> bool:
    """Run the solver to its end, calling `callback` with every step; warn if the gap stays open.

    Ctrl-C after the first step ends the run with the best weights so far, and a warning.

    Returns
    -------
    bool
        Whether the run was interrupted.
    """
    # The matrices are small: on a busy machine BLAS threads would mostly wait for each other.
    try:
        with interrupts_unwrapped(), threadpool_limits(1, user_api="blas"):
            for step in solver.steps():
                if callback is not None:
                    callback(step)
    except KeyboardInterrupt:
        if not solver.history:
            raise
        warnings.warn(
            f"interrupted after {len(solver.history)} iterations; the model holds the best "
            "weights so far",
            ConvergenceWarning,
            stacklevel=3,
        )
        return True
    certificate = solver.certificate()
    if not certificate.converged:
        warnings.warn(
            f"the relative gap is {certificate.gap:.2g} after {len(solver.history)} iterations, "
            f"above {solver.gap:g}; raise max_iterations or gap",
            ConvergenceWarning,
            stacklevel=3,
        )
    return False


def _check(C: float, gap: float, max_iterations: int, centre: float, patience: int) -> None:
    if not (np.isfinite(C) and C > 0):
        raise ValueError(f"C must be a finite number above 0, got {C!r}")
    if not 0 < gap < 1:
        raise ValueError(f"gap must be a number between 0 and 1, got {gap!r}")
    if max_iterations < 1:
        raise ValueError(f"max_iterations must be at least 1, got {max_iterations!r}")
    if not 0 <= centre < 1:
        raise ValueError(f"centre must be a number in [0, 1), got {centre!r}")
    if patience < 1:
        raise ValueError(f"patience must be at least 1, got {patience!r}")
