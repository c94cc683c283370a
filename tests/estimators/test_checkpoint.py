"""An interrupted fit resumes from its checkpoint to the same model."""

import json

import numpy as np
import pytest

from segboost import ModelFileError, StructBoostClassifier
from segboost.tasks.multiclass import MulticlassTask
from tests.estimators.tables import CASES, table

cases = pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)


class BrokenOffError(RuntimeError):
    """Raised by the callbacks of these tests."""


def break_off_at(iteration):
    def callback(step):
        if step.iteration == iteration:
            raise BrokenOffError

    return callback


def same(model, other):
    assert model.ensemble_.hypotheses == other.ensemble_.hypotheses
    assert len(model.ensemble_.stages) == len(other.ensemble_.stages)
    for one, two in zip(model.ensemble_.stages, other.ensemble_.stages, strict=True):
        assert np.array_equal(one, two)
    assert model.certificate_ == other.certificate_
    assert [s.objective for s in model.history_] == [s.objective for s in other.history_]
    return True


@cases
@pytest.mark.parametrize("method", ["default", "literal"])
@pytest.mark.parametrize("at", [1, 5])
def test_an_interrupted_fit_ends_with_the_same_model(case, method, at, tmp_path):
    folder = tmp_path / "checkpoint"
    params = {"method": method, "checkpoint": folder}
    with pytest.raises(BrokenOffError):
        case.fitted(callback=break_off_at(at), **params)
    steps = []
    resumed = case.fitted(callback=steps.append, **params)
    whole = case.fitted(method=method)
    assert steps[0].iteration == at + 1
    # A round that is solved again reports twice; the history keeps the second step.
    found = {step.iteration: step.objective for step in steps}
    assert found == {step.iteration: step.objective for step in whole.history_[at:]}
    assert same(resumed, whole)
    assert np.array_equal(resumed.predict(case.test), whole.predict(case.test))


@cases
def test_a_fit_to_the_optimum_is_the_same_from_every_checkpoint(case, tmp_path):
    params = {"n_iterations": 200, "C": 8.0}
    whole = case.fitted(**params)
    assert whole.certificate_.reason == "optimal"
    for at in (whole.n_iter_ // 2, whole.n_iter_):
        folder = tmp_path / str(at)
        with pytest.raises(BrokenOffError):
            case.fitted(callback=break_off_at(at), checkpoint=folder, **params)
        assert same(case.fitted(checkpoint=folder, **params), whole)


@cases
def test_writing_a_checkpoint_changes_nothing_and_a_finished_one_is_read_back(case, tmp_path):
    plain = case.fitted()
    assert same(case.fitted(checkpoint=tmp_path / "c"), plain)
    assert same(case.fitted(checkpoint=tmp_path / "c"), plain)


def test_a_finished_checkpoint_continues_with_more_rounds(tmp_path):
    case = CASES[0]
    case.fitted(n_iterations=4, checkpoint=tmp_path)
    more = case.fitted(n_iterations=9, checkpoint=tmp_path)
    assert more.n_iter_ > 4
    assert [s.iteration for s in more.history_] == list(range(1, more.n_iter_ + 1))


@pytest.mark.parametrize(
    "change", ["features", "labels", "C", "slack", "learner", "seed", "weight"]
)
def test_a_checkpoint_of_another_run_is_refused(change, tmp_path):
    X, y = table()
    params = {"C": 20.0, "n_iterations": 3, "random_state": 0, "checkpoint": tmp_path}
    StructBoostClassifier(**params).fit(X, y)
    other_X, other_y, weight = X.copy(), y.copy(), None
    if change == "features":
        other_X[7, 2] += 1e-9
    elif change == "labels":
        other_y[7] = (y[7] + 1) % 3
    elif change == "weight":
        weight = np.arange(1, len(y) + 1)
    else:
        params |= {
            "C": {"C": 21.0},
            "slack": {"slack": "one"},
            "learner": {"weak_learner": "tree"},
            "seed": {"random_state": 1},
        }[change]
    with pytest.raises(ModelFileError, match="belongs to other data or parameters") as caught:
        StructBoostClassifier(**params).fit(other_X, other_y, weight)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("cost", [(1.0, 2.0, 3.0), (1.0, 3.0, 2.0)])
def test_another_cost_is_another_run(cost, tmp_path):
    """Costs that only show once w is not zero must count too."""
    X, y = table()
    one, two, three = cost
    base = np.array([[0, 1, 4], [1, 0, 4], [4, 4, 0.0]])
    changed = np.array([[0, one, 4], [two / 2, 0, 4], [4, three, 0.0]])
    params = {"C": 20.0, "n_iterations": 3, "random_state": 0, "checkpoint": tmp_path}
    StructBoostClassifier(cost_matrix=base, **params).fit(X, y)
    with pytest.raises(ModelFileError, match="other data or parameters"):
        StructBoostClassifier(cost_matrix=changed, **params).fit(X, y)


def test_a_model_folder_is_not_a_checkpoint(tmp_path):
    X, y = table()
    model = StructBoostClassifier(n_iterations=3).fit(X, y)
    model.save(tmp_path)
    with pytest.raises(ModelFileError, match="checkpoint"):
        StructBoostClassifier(n_iterations=3, checkpoint=tmp_path).fit(X, y)


def test_a_damaged_checkpoint_is_refused(tmp_path):
    case = CASES[0]
    case.fitted(checkpoint=tmp_path)
    text = (tmp_path / "model.json").read_text()
    (tmp_path / "model.json").write_text(text[: len(text) // 2])
    with pytest.raises(ModelFileError, match="not JSON"):
        case.fitted(checkpoint=tmp_path)
    document = json.loads(text)
    document["content"]["fingerprint"] = "0"
    (tmp_path / "model.json").write_text(json.dumps(document))
    with pytest.raises(ModelFileError, match="checksum"):
        case.fitted(checkpoint=tmp_path)


def test_a_warm_start_writes_checkpoints_too(tmp_path):
    case, folder = CASES[0], tmp_path / "checkpoint"
    whole = case.fitted(n_iterations=3, warm_start=True)
    whole.set_params(n_iterations=8).fit(*case.data)
    model = case.fitted(n_iterations=3, warm_start=True)
    model.set_params(n_iterations=8, checkpoint=folder, callback=break_off_at(6))
    with pytest.raises(BrokenOffError):
        model.fit(*case.data)
    steps = []
    resumed = case.fitted(n_iterations=8, checkpoint=folder, callback=steps.append)
    assert [step.iteration for step in steps] == [7, 8]
    assert same(resumed, whole)


def test_learners_without_a_repr_can_be_resumed(tmp_path):
    """An object's address must not count: it differs between processes."""

    class Own:
        def bind(self, features, outputs):
            from segboost.weak.stump import DecisionStump

            return DecisionStump().bind(features, outputs)

    case = CASES[0]
    case.fitted(n_iterations=3, weak_learner=Own(), checkpoint=tmp_path)
    kept = [Own() for _ in range(10)]
    assert case.fitted(n_iterations=5, weak_learner=kept[-1], checkpoint=tmp_path).n_iter_ > 3


def test_the_general_estimator_sees_other_labels(tmp_path):
    X, y = table()
    general = next(c for c in CASES if c.name == "general")
    general.fitted(checkpoint=tmp_path)
    with pytest.raises(ModelFileError, match="other data"):
        general.make(checkpoint=tmp_path).fit(MulticlassTask(X, (y + 1) % 3, 3))
