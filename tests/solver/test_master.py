"""Both forms of the master LP against linprog, on problems that grow and shrink."""

from types import SimpleNamespace

import highspy
import numpy as np
import pytest
from scipy.optimize import linprog

from segboost.solver.master import SOLVED, DualMaster, MasterError, PrimalMaster
from tests.contracts.limits import time_limit

FORMS = [DualMaster, PrimalMaster]
forms = pytest.mark.parametrize("form", FORMS)


class Dense:
    """The same problem kept as plain arrays and solved from scratch each time."""

    def __init__(self, C, n_blocks):
        self.C, self.n_blocks = C, n_blocks
        self.block = np.empty(0, int)
        self.loss = np.empty(0)
        self.entries = np.empty((0, 0))

    def solve(self):
        n_cuts, n_columns = self.entries.shape
        slack = np.zeros((n_cuts, self.n_blocks))
        slack[np.arange(n_cuts), self.block] = 1.0
        cost = np.concatenate([np.ones(n_columns), np.full(self.n_blocks, self.C)])
        return linprog(cost, A_ub=-np.hstack([self.entries, slack]), b_ub=-self.loss).fun


def check(solution, dense):
    """Feasible on both sides with equal values: a certificate of optimality by itself."""
    w, xi, lam = solution.weights, solution.slack, solution.multipliers
    assert (w >= 0).all()
    assert (xi >= 0).all()
    assert (lam >= 0).all()
    assert w.shape == (dense.entries.shape[1],)
    assert xi.shape == (dense.n_blocks,)
    assert lam.shape == dense.loss.shape
    scale = 1.0 + abs(solution.objective)
    assert (dense.entries @ w + xi[dense.block] >= dense.loss - 1e-7 * scale).all()
    assert (lam @ dense.entries <= 1 + 1e-7).all()
    assert (np.bincount(dense.block, lam, dense.n_blocks) <= dense.C * (1 + 1e-7)).all()
    assert w.sum() + dense.C * xi.sum() == pytest.approx(solution.objective, abs=1e-7 * scale)
    assert lam @ dense.loss == pytest.approx(solution.objective, abs=1e-7 * scale)


def grow(rng, masters, dense):
    """Make the same random addition or removal in all of them."""
    action = rng.choice(["cuts", "columns", "remove"], p=[0.5, 0.3, 0.2])
    if action == "cuts":
        n = int(rng.integers(1, 5))
        block = rng.integers(0, dense.n_blocks, n)
        loss = rng.random(n)
        entries = rng.normal(0, 0.5, (n, dense.entries.shape[1])) * (
            rng.random((n, dense.entries.shape[1])) < 0.7
        )
        for master in masters:
            master.add_cuts(block, loss, entries)
        dense.block = np.append(dense.block, block)
        dense.loss = np.append(dense.loss, loss)
        dense.entries = np.vstack([dense.entries, entries])
    elif action == "columns":
        entries = rng.normal(0, 0.5, (len(dense.loss), int(rng.integers(1, 4))))
        for master in masters:
            master.add_columns(entries)
        dense.entries = np.hstack([dense.entries, entries])
    elif len(dense.loss) > 2:
        gone = np.sort(rng.choice(len(dense.loss), int(rng.integers(1, 3)), replace=False))
        for master in masters:
            master.remove_cuts(gone)
        dense.block, dense.loss = np.delete(dense.block, gone), np.delete(dense.loss, gone)
        dense.entries = np.delete(dense.entries, gone, axis=0)


@pytest.mark.parametrize("seed", range(12))
def test_mixed_growth_agrees_with_linprog(seed):
    rng = np.random.default_rng(seed)
    C, n_blocks = float(rng.choice([0.1, 1.0, 30.0])), int(rng.integers(1, 5))
    masters = [form(C, n_blocks) for form in FORMS]
    dense = Dense(C, n_blocks)
    for step in range(40):
        grow(rng, masters, dense)
        if step % 2 == 0 and len(dense.loss):
            expected = dense.solve()
            for master in masters:
                solution = master.solve()
                assert solution.objective == pytest.approx(expected, rel=1e-7, abs=1e-9)
                check(solution, dense)
        if step % 7 == 3:
            for master in masters:
                master.refresh()


@forms
def test_an_example_by_hand(form):
    """One block, two cuts, C = 10: w = (2, 0) meets 0.5 w_0 ≥ 1; the second column costs more."""
    master = form(10.0, 1)
    master.add_cuts(np.array([0, 0]), np.array([1.0, 0.2]), np.empty((2, 0)))
    first = master.solve()
    assert first.objective == pytest.approx(10.0)
    assert first.slack == pytest.approx([1.0])
    assert first.multipliers == pytest.approx([10.0, 0.0])
    master.add_columns(np.array([[0.5, 0.25], [0.5, 0.0]]))
    solution = master.solve()
    assert solution.weights == pytest.approx([2.0, 0.0])
    assert solution.slack == pytest.approx([0.0])
    assert solution.multipliers == pytest.approx([2.0, 0.0])
    assert solution.objective == pytest.approx(2.0)


@forms
def test_a_block_without_a_cut_has_no_slack(form):
    master = form(3.0, 4)
    master.add_cuts(np.array([2]), np.array([0.5]), np.empty((1, 0)))
    solution = master.solve()
    assert solution.slack == pytest.approx([0, 0, 0.5, 0])
    assert solution.objective == pytest.approx(1.5)


@forms
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_raise_and_never_hang(form, value):
    one = np.ones(1)
    for loss, entry in ((value, 0.5), (1.0, value)):
        master = small(form)
        with time_limit(10), pytest.raises(MasterError):
            master.add_cuts(np.array([0]), loss * one, np.array([[entry]]))
    master = small(form)
    with time_limit(10), pytest.raises(MasterError):
        master.add_columns(np.array([[value], [0.0]]))
    # The previous content is unchanged.
    assert small(form).solve().objective == pytest.approx(master.solve().objective)


def small(form):
    master = form(1.0, 2)
    master.add_cuts(np.array([0, 1]), np.array([1.0, 1.0]), np.empty((2, 0)))
    master.add_columns(np.array([[0.5], [0.25]]))
    return master


@forms
def test_dump_and_load_continue_with_the_same_bits(form):
    rng = np.random.default_rng(4)
    dense = Dense(5.0, 3)
    first = form(5.0, 3)
    for _ in range(25):
        grow(rng, [first], dense)
    first.solve()
    second = form(5.0, 3)
    second.load({name: np.array(a) for name, a in first.dump().items()})
    first.refresh()
    for _ in range(20):
        grow(rng, [first, second], dense)
        one, other = first.solve(), second.solve()
        assert np.array_equal(one.weights, other.weights)
        assert np.array_equal(one.multipliers, other.multipliers)
        assert one.objective == other.objective
        check(other, dense)


@forms
@pytest.mark.parametrize("last", ["cuts", "columns"])
def test_refresh_forgets_all_that_load_does_not_restore(form, last, monkeypatch):
    """The simplex variant too: it depends on what was added last, which no dump holds."""
    rng = np.random.default_rng(7)
    first = form(5.0, 2)
    first.add_cuts(np.array([0, 1]), np.ones(2), np.empty((2, 0)))
    first.add_columns(rng.normal(size=(2, 3)))
    if last == "cuts":
        first.add_cuts(np.array([1]), np.ones(1), rng.normal(size=(1, 3)))
    first.solve()
    second = form(5.0, 2)
    second.load({name: np.array(a) for name, a in first.dump().items()})
    first.refresh()
    variants = []
    run = form._run

    def record(master, strategy):
        variants.append(strategy)
        return run(master, strategy)

    monkeypatch.setattr(form, "_run", record)
    one, other = first.solve(), second.solve()
    assert variants[0] == variants[1]
    assert np.array_equal(one.weights, other.weights)


class Failing:
    """A stand-in for HiGHS that fails a given number of times and records its calls."""

    def __init__(self, failures):
        self.failures, self.calls = failures, []

    def setOptionValue(self, name, value):  # noqa: N802
        self.calls.append(value)

    def clearSolver(self):  # noqa: N802
        self.calls.append("clear")

    def run(self):
        self.failures -= 1

    def getModelStatus(self):  # noqa: N802
        return highspy.HighsModelStatus.kUnknown if self.failures >= 0 else SOLVED[0]

    def getSolution(self):  # noqa: N802
        return "solved"

    def modelStatusToString(self, status):  # noqa: N802
        return "Unknown"


@pytest.mark.parametrize(
    ("failures", "calls"), [(0, [4]), (1, [4, 1]), (2, [4, 1, "clear", 1])], ids=str
)
def test_a_failed_solve_is_repeated_with_the_other_variant_and_from_scratch(failures, calls):
    master = DualMaster(1.0, 1)
    master._highs = Failing(failures)
    assert master._run(4) == "solved"
    assert master._highs.calls == calls
    master._highs = Failing(3)
    with pytest.raises(MasterError, match="its status is 'Unknown'"):
        master._run(4)


@forms
def test_rounding_below_zero_is_removed(form, monkeypatch):
    master = form(10.0, 2)
    master.add_cuts(np.array([0, 1]), np.array([1.0, 1.0]), np.empty((2, 0)))
    master.add_columns(np.array([[0.5], [0.5]]))
    found = master.solve()
    for tiny in (-1e-12, 1e-12):
        rounded = SimpleNamespace(
            row_dual=np.full(master._highs.getNumRow(), tiny),
            col_value=np.full(master._highs.getNumCol(), tiny),
        )
        monkeypatch.setattr(master, "_run", lambda strategy, rounded=rounded: rounded)
        for name in ("weights", "slack", "multipliers"):
            values = getattr(master.solve(), name)
            assert (values >= 0).all()
            assert len(values) == len(getattr(found, name))


def test_the_first_cuts_of_a_block_share_one_row():
    master = DualMaster(1.0, 3)
    master.add_cuts(np.array([2, 2, 0]), np.ones(3), np.empty((3, 0)))
    assert master._highs.getNumRow() == 2
    master.add_cuts(np.array([0, 1]), np.ones(2), np.empty((2, 0)))
    assert master._highs.getNumRow() == 3


@forms
def test_without_cuts_the_value_is_zero(form):
    found = form(1.0, 2).solve()
    assert found.objective == 0
    assert found.slack.tolist() == [0, 0]
    assert len(found.multipliers) == len(found.weights) == 0
