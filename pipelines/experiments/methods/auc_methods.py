"""Methods of the AUC table: three formulations of StructBoost, RankBoost and the ranking SVM."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from segboost._types import AnyArray, Slack
from segboost.pipelines.experiments.methods.boosting_figures import (
    certificate_figures,
    objective_curve,
)
from segboost.pipelines.experiments.protocol.table_method import Candidate, TableMethod

C_CHOICES = (3.0, 8.0, 20.0, 50.0, 130.0, 350.0)
SVM_CHOICES = (1.0, 10.0, 100.0, 1e3, 1e4, 1e5)
ROUND_CHOICES = (25, 50, 100, 200)
ROUNDS, GAP = 200, 1e-2
FORMS: dict[str, Slack] = {"m-slack": "each", "1-slack": "one"}
"""The paper's two formulations; the default lies between them."""
DEFAULT, RANKBOOST, RANKING_SVM = "StructBoost", "RankBoost", "ranking SVM"


class TimedRanker:
    """A ranker and the CPU time at which each of its rounds finished."""

    def __init__(self, **parameters: Any) -> None:
        from segboost import StructBoostRanker

        self.cpu: list[float] = []
        self.model = StructBoostRanker(**parameters, callback=self._note)

    def fit(self, X: AnyArray, y: AnyArray) -> TimedRanker:
        """Fit the ranker."""
        self._start = time.process_time()
        self.model.fit(X, y)
        return self

    def predict(self, X: AnyArray) -> AnyArray:
        """Return the scores."""
        return self.model.predict(X)

    def _note(self, step: Any) -> None:
        self.cpu.append(time.process_time() - self._start)


def tuned_methods(quick: bool = False) -> list[TableMethod]:
    """Return the methods whose parameters are chosen on the validation part."""
    C_candidates = _each("C", C_CHOICES, quick)
    return [
        _ranker(DEFAULT, "auto", C_candidates, quick),
        TableMethod(RANKBOOST, _each("rounds", ROUND_CHOICES, quick), fit_rankboost, auc),
        TableMethod(RANKING_SVM, _each("C", SVM_CHOICES, quick), fit_ranking_svm, auc),
    ]


def paper_formulation(form: str, C: float, quick: bool = False) -> TableMethod:
    """Return one of the paper's formulations, with the C chosen for the default."""
    return _ranker(form, FORMS[form], [{"C": C}], quick)


def auc(model: Any, X: AnyArray, y: AnyArray) -> dict[str, float]:
    """Return the area under the ROC curve; y is 1 for the positive class and 0 for the rest."""
    from segboost.baselines.rank_rounds import ordered_share

    return {"auc": ordered_share(model.predict(X), y)}


def ranker_curves(model: TimedRanker, X: AnyArray, y: AnyArray) -> dict[str, AnyArray]:
    """Return objective, CPU seconds and test AUC after every round."""
    from segboost.baselines.rank_rounds import ordered_share

    staged = model.model.staged_predict(X)
    return {
        "objective": objective_curve(model.model),
        "seconds": np.array(model.cpu),
        "auc": np.array([ordered_share(scores, y) for scores in staged]),
    }


def ranker_certificate(model: TimedRanker) -> dict[str, float]:
    """Return the values of the optimality certificate."""
    return certificate_figures(model.model)


def fit_ranker(
    X: AnyArray, y: AnyArray, candidate: Candidate, seed: int, slack: Any, rounds: int, gap: float
) -> TimedRanker:
    """Fit StructBoost for the AUC, on stumps."""
    return TimedRanker(
        C=candidate["C"], n_iterations=rounds, slack=slack, gap=gap, random_state=seed
    ).fit(X, y)


def fit_rankboost(X: AnyArray, y: AnyArray, candidate: Candidate, seed: int) -> Any:
    """Fit RankBoost."""
    from segboost.baselines import RankBoost

    return RankBoost(candidate["rounds"]).fit(X, y)


def fit_ranking_svm(X: AnyArray, y: AnyArray, candidate: Candidate, seed: int) -> Any:
    """Fit the linear ranking SVM; C weights the mean loss of a pair."""
    from segboost.baselines import RankingSVM

    return RankingSVM(candidate["C"], gap=1e-2).fit(X, y)


def _each(name: str, values: Sequence[float], quick: bool) -> list[Candidate]:
    """Return one candidate per value; only two of them for a quick run."""
    return [{name: value} for value in (values[1:3] if quick else values)]


def _ranker(name: str, slack: Any, C_candidates: Sequence[Candidate], quick: bool) -> TableMethod:
    options: dict[str, Any] = {
        "slack": slack,
        "rounds": 20 if quick else ROUNDS,
        "gap": 1e-2 if quick else GAP,
    }
    fit = partial(fit_ranker, **options)
    return TableMethod(
        name,
        C_candidates,
        fit,
        auc,
        parameters=options,
        curves=ranker_curves,
        describe=ranker_certificate,
    )
