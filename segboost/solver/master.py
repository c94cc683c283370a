"""The restricted master LP on one live HiGHS object. No other module imports the LP library.

The problem over the current cuts c and columns j, with entries ``A_cj = a_c·φ_j``:

    primal   min 1ᵀw + C Σ_b ξ_b   s.t.  Σ_j A_cj w_j ≥ loss_c − ξ_b(c),   w, ξ ≥ 0
    dual     max Σ_c λ_c loss_c    s.t.  Σ_c λ_c A_cj ≤ 1 for every j,  Σ_{c∈b} λ_c ≤ C,   λ ≥ 0

Whichever form is solved, a solution has w ≥ 0, ξ ≥ 0 and λ ≥ 0: the LP library's sign
conventions stay inside this module.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import highspy
import numpy as np

from segboost._types import AnyArray, FloatArray, Int32Array, IntArray

Arrays = dict[str, AnyArray]

INFINITY = highspy.kHighsInf
FEASIBILITY = 1e-9
VIOLATION = 2 * FEASIBILITY
"""A cut separates a point if it is violated by more than this. A violation below the LP's own
tolerance would not move its solution, and the same cut would be found forever."""
DUAL_SIMPLEX, PRIMAL_SIMPLEX = 1, 4
# A problem without cuts, in which no output has a loss, is empty: its value is 0.
SOLVED = (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kModelEmpty)


class MasterError(RuntimeError):
    """The LP library could not solve a master problem, which is always feasible and bounded."""


@dataclass(frozen=True, eq=False)
class MasterSolution:
    """A solution of the restricted master.

    Parameters
    ----------
    weights : ndarray of shape (n_columns,)
        w ≥ 0.
    slack : ndarray of shape (n_blocks,)
        ξ ≥ 0; zero for blocks without a cut.
    multipliers : ndarray of shape (n_cuts,)
        λ ≥ 0, in the order in which the cuts were added, without removed ones.
    objective : float
    """

    weights: FloatArray
    slack: FloatArray
    multipliers: FloatArray
    objective: float


class Master(Protocol):
    """Protocol of a restricted master: add cuts, add columns, solve."""

    def add_columns(self, entries: FloatArray) -> None:
        """Add columns with their entries A, shape (n_cuts, n_new)."""
        ...

    def add_cuts(self, block: IntArray, loss: FloatArray, entries: FloatArray) -> None:
        """Add cuts with their entries A, shape (n_new, n_columns)."""
        ...

    def remove_cuts(self, cuts: IntArray) -> None:
        """Remove the cuts at these positions."""
        ...

    def solve(self) -> MasterSolution:
        """Solve from the last basis."""
        ...

    def dump(self) -> Arrays:
        """Return the problem and its basis as arrays, for a checkpoint."""
        ...

    def load(self, arrays: Arrays) -> None:
        """Restore the problem and the basis returned by `dump`."""
        ...

    def refresh(self) -> None:
        """Discard all state except the problem and its basis.

        What follows then depends only on what `dump` returns, so that a continued run and a
        resumed run take the same steps.
        """
        ...


class _LiveProblem:
    """Base of both forms: the HiGHS object, its options, error handling and basis."""

    _PLACES: tuple[str, ...] = ()
    _strategy: int = DUAL_SIMPLEX

    def __init__(self) -> None:
        self._highs = highspy.Highs()
        settings: dict[str, bool | int | float | str] = {
            "output_flag": False,
            "threads": 1,
            "presolve": "off",
            "simplex_scale_strategy": 0,
            "primal_feasibility_tolerance": FEASIBILITY,
            "dual_feasibility_tolerance": FEASIBILITY,
        }
        for option, value in settings.items():
            check_status(self._highs.setOptionValue(option, value), f"option {option}")

    def _run(self, strategy: int) -> Any:
        """Solve with the given simplex variant, then the other one, then from scratch."""
        for attempt in (strategy, PRIMAL_SIMPLEX + DUAL_SIMPLEX - strategy, None):
            if attempt is None:
                check_status(self._highs.clearSolver(), "clearSolver")
            self._highs.setOptionValue("simplex_strategy", attempt or DUAL_SIMPLEX)
            self._highs.run()
            if self._highs.getModelStatus() in SOLVED:
                return self._highs.getSolution()
        raise MasterError(
            "the LP solver could not solve the master problem; its status is "
            f"'{self._highs.modelStatusToString(self._highs.getModelStatus())}'"
        )

    def _objective(self) -> float:
        return float(self._highs.getObjectiveValue())

    def refresh(self) -> None:
        """Discard factors, edge weights and solution; keep the problem and its basis."""
        basis = self._highs.getBasis()
        check_status(self._highs.clearSolver(), "clearSolver")
        if basis.valid:
            check_status(self._highs.setBasis(basis), "setBasis")
        self._strategy = DUAL_SIMPLEX

    def dump(self) -> Arrays:
        """Return the LP, its basis, and the positions of our cuts and columns in it."""
        lp, basis = self._highs.getLp(), self._highs.getBasis()
        matrix = lp.a_matrix_
        return {
            "cost": np.array(lp.col_cost_),
            "lower": np.array(lp.row_lower_),
            "upper": np.array(lp.row_upper_),
            "by_row": np.array(matrix.format_ == highspy.MatrixFormat.kRowwise),
            "start": np.array(matrix.start_, dtype=np.int32),
            "index": np.array(matrix.index_, dtype=np.int32),
            "value": np.array(matrix.value_),
            "column_status": np.array([int(s) for s in basis.col_status], dtype=np.int8),
            "row_status": np.array([int(s) for s in basis.row_status], dtype=np.int8),
            **{name: getattr(self, f"_{name}").copy() for name in self._PLACES},
        }

    def load(self, arrays: Arrays) -> None:
        """Restore the state returned by `dump`."""
        for name in self._PLACES:
            setattr(self, f"_{name}", arrays[name].copy())
        check_status(self._highs.passModel(_problem(arrays)), "passModel")
        basis = highspy.HighsBasis()
        basis.col_status = [highspy.HighsBasisStatus(int(s)) for s in arrays["column_status"]]
        basis.row_status = [highspy.HighsBasisStatus(int(s)) for s in arrays["row_status"]]
        basis.valid = True
        check_status(self._highs.setBasis(basis), "setBasis")
        self._strategy = DUAL_SIMPLEX


class DualMaster(_LiveProblem):
    """The dual form: weak learners are rows, cuts are columns.

    New cuts leave the basis primal feasible (the primal simplex continues), new learners leave it
    dual feasible (the dual simplex continues). A block gets its row with its first cut.
    """

    _PLACES = ("block_row", "column_row")

    def __init__(self, C: float, n_blocks: int) -> None:
        super().__init__()
        self._C = C
        self._block_row = np.full(n_blocks, -1, dtype=np.int64)
        self._column_row = np.empty(0, dtype=np.int64)
        self._strategy = PRIMAL_SIMPLEX

    def add_columns(self, entries: FloatArray) -> None:
        """Add the rows ``Σ_c λ_c A_cj ≤ 1``."""
        _check_finite(entries)
        n_new = entries.shape[1]
        first = self._highs.getNumRow()
        add_rows(self._highs, np.full(n_new, -INFINITY), np.ones(n_new), entries.T)
        self._column_row = np.append(self._column_row, np.arange(first, first + n_new))
        self._strategy = DUAL_SIMPLEX

    def add_cuts(self, block: IntArray, loss: FloatArray, entries: FloatArray) -> None:
        """Add the variables λ_c ≥ 0 with cost −loss_c (the LP library minimises)."""
        _check_finite(loss, entries)
        self._add_block_rows(np.unique(block[self._block_row[block] < 0]))
        n_new, width = entries.shape
        row = np.empty((n_new, width + 1), dtype=np.int32)
        row[:, :width] = self._column_row
        row[:, width] = self._block_row[block]
        value = np.column_stack([entries, np.ones(n_new)])
        add_columns(self._highs, -loss, row, value)
        self._strategy = PRIMAL_SIMPLEX

    def _add_block_rows(self, blocks: IntArray) -> None:
        if len(blocks) == 0:
            return
        first = self._highs.getNumRow()
        empty = np.empty((len(blocks), 0))
        add_rows(self._highs, np.full(len(blocks), -INFINITY), np.full(len(blocks), self._C), empty)
        self._block_row[blocks] = np.arange(first, first + len(blocks))

    def remove_cuts(self, cuts: IntArray) -> None:
        """Remove variables; removing nonbasic variables at zero keeps the basis valid."""
        check_status(self._highs.deleteCols(len(cuts), cuts.astype(np.int32)), "deleteCols")

    def solve(self) -> MasterSolution:
        """Solve; w and ξ are the multipliers of the rows."""
        solution = self._run(self._strategy)
        dual = -np.array(solution.row_dual)
        slack = np.zeros(len(self._block_row))
        known = self._block_row >= 0
        slack[known] = np.maximum(dual[self._block_row[known]], 0.0)
        return MasterSolution(
            np.maximum(dual[self._column_row], 0.0),
            slack,
            np.maximum(np.array(solution.col_value), 0.0),
            -self._objective(),
        )


class PrimalMaster(_LiveProblem):
    """The primal form, as in the paper: weights and slacks are columns, cuts are rows."""

    _PLACES = ("column_at",)

    def __init__(self, C: float, n_blocks: int) -> None:
        super().__init__()
        self._n_blocks = n_blocks
        self._column_at = np.empty(0, dtype=np.int64)
        nothing = np.empty((n_blocks, 0))
        add_columns(self._highs, np.full(n_blocks, C), nothing.astype(np.int32), nothing)
        self._strategy = PRIMAL_SIMPLEX

    def add_columns(self, entries: FloatArray) -> None:
        """Add the variables w_j ≥ 0 of cost 1."""
        _check_finite(entries)
        n_cuts, n_new = entries.shape
        rows = np.broadcast_to(np.arange(n_cuts, dtype=np.int32), (n_new, n_cuts))
        first = self._highs.getNumCol()
        add_columns(self._highs, np.ones(n_new), rows, entries.T)
        self._column_at = np.append(self._column_at, np.arange(first, first + n_new))
        self._strategy = PRIMAL_SIMPLEX

    def add_cuts(self, block: IntArray, loss: FloatArray, entries: FloatArray) -> None:
        """Add the rows ``Σ_j A_cj w_j + ξ_b ≥ loss_c``."""
        _check_finite(loss, entries)
        at = np.broadcast_to(self._column_at, entries.shape)
        columns = np.column_stack([at, block]).astype(np.int32)
        values = np.column_stack([entries, np.ones(len(block))])
        add_rows(self._highs, loss, np.full(len(block), INFINITY), values, columns)
        self._strategy = DUAL_SIMPLEX

    def remove_cuts(self, cuts: IntArray) -> None:
        """Remove rows."""
        check_status(self._highs.deleteRows(len(cuts), cuts.astype(np.int32)), "deleteRows")

    def solve(self) -> MasterSolution:
        """Solve; λ are the multipliers of the rows."""
        solution = self._run(self._strategy)
        value = np.maximum(np.array(solution.col_value), 0.0)
        return MasterSolution(
            value[self._column_at],
            value[: self._n_blocks],
            np.maximum(np.array(solution.row_dual), 0.0),
            self._objective(),
        )


def add_rows(
    highs: Any,
    lower: FloatArray,
    upper: FloatArray,
    values: FloatArray,
    columns: Int32Array | None = None,
) -> None:
    """Add rows of dense values, shape (n_rows, width), at `columns` (by default 0 … width − 1)."""
    if columns is None:
        columns = np.broadcast_to(np.arange(values.shape[1], dtype=np.int32), values.shape)
    starts, index, value = _compressed(columns, values)
    status = highs.addRows(len(values), lower, upper, len(value), starts, index, value)
    check_status(status, "addRows")


def add_columns(highs: Any, cost: FloatArray, rows: Int32Array, values: FloatArray) -> None:
    """Add columns x ≥ 0 of dense values, shape (n_columns, height), at the LP rows `rows`."""
    n = len(cost)
    starts, index, value = _compressed(rows, values)
    status = highs.addCols(
        n, cost, np.zeros(n), np.full(n, INFINITY), len(value), starts, index, value
    )
    check_status(status, "addCols")


def _compressed(index: Int32Array, value: FloatArray) -> tuple[Int32Array, Int32Array, FloatArray]:
    """Return starts, indices and values of the non-zero entries."""
    keep = value != 0.0
    starts = np.concatenate([[0], np.cumsum(keep.sum(axis=1))[:-1]]).astype(np.int32)
    if len(value) == 0:
        starts = np.empty(0, dtype=np.int32)
    return starts, np.ascontiguousarray(index[keep], dtype=np.int32), value[keep]


def _problem(arrays: Arrays) -> Any:
    """Return the LP stored by `dump`; all columns are x ≥ 0."""
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(arrays["cost"]), len(arrays["upper"])
    lp.col_cost_ = arrays["cost"]
    lp.col_lower_ = np.zeros(lp.num_col_)
    lp.col_upper_ = np.full(lp.num_col_, INFINITY)
    lp.row_lower_, lp.row_upper_ = arrays["lower"], arrays["upper"]
    formats = highspy.MatrixFormat
    lp.a_matrix_.format_ = formats.kRowwise if arrays["by_row"] else formats.kColwise
    lp.a_matrix_.num_col_, lp.a_matrix_.num_row_ = lp.num_col_, lp.num_row_
    lp.a_matrix_.start_ = arrays["start"]
    lp.a_matrix_.index_ = arrays["index"]
    lp.a_matrix_.value_ = arrays["value"]
    return lp


def _check_finite(*values: FloatArray) -> None:
    """Raise before NaN reaches the LP library, which would silently drop such entries."""
    if not all(np.isfinite(v).all() for v in values):
        raise MasterError(
            "a cut or a column contains NaN or infinity; check the losses and atom weights of the "
            "task and the responses of the weak learner"
        )


def check_status(status: Any, what: str) -> None:
    """Raise if HiGHS rejected a call: it returns a status instead of raising an exception."""
    if status == highspy.HighsStatus.kError:
        raise MasterError(f"the LP library rejected {what}; check that all values are finite")
