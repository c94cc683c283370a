"""Methods of the hierarchy table: three forms of StructBoost, and the AdaBoost family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from segboost._types import AnyArray
from segboost.datasets.images.sun8 import SUN8_TREE
from segboost.pipelines.experiments.methods.adaboost_fits import fit_ecc, fit_mh
from segboost.pipelines.experiments.methods.boosting_figures import (
    certificate_figures,
    objective_curve,
)
from segboost.pipelines.experiments.protocol.table_method import Candidate, TableMethod
from segboost.tasks.taxonomy import Taxonomy

Form = Literal["tree", "augmented", "flat"]
C_CHOICES: Mapping[Form, tuple[float, ...]] = {
    "tree": (3.0, 5.0, 8.0, 14.0, 40.0, 100.0),
    "augmented": (0.5, 1.0, 2.0, 3.0, 5.0, 14.0),
    "flat": (5.0, 8.0, 14.0, 40.0, 100.0, 250.0),
}
"""Six values each, as in the paper; validation picks values inside these ranges.

The forms need a different |w| for the same margins: the tree loss is up to twice the 0/1
loss, and the label-augmented form has one weak learner for all classes.
"""
SVM_C_CHOICES = (0.02, 0.1, 1.0, 1e8)
"""Values of C for the SVMs of Ada.ECC-SVM; the paper uses the last one."""
ROUND_CHOICES = (200, 500, 1000, 2000)
"""Numbers of stumps; the paper uses 500."""


@dataclass(frozen=True)
class HierarchyEffort:
    """Training effort: the number of rounds, and the settings of the SVMs.

    Parameters
    ----------
    rounds : int
        Rounds of StructBoost-tree and -flat; each adds one weak learner per node or class.
    augmented_rounds : int
        Rounds of the label-augmented form, which adds one weak learner per round.
    svm_price : float
        C of StructBoost's linear SVMs, before it is divided by the number of rows.
    components : int
        Number of principal components given to the label-augmented form, whose table has
        classes × nodes times as many entries as the others'.
    gap : float
        Relative precision of the cutting planes.
    """

    rounds: int = 30
    augmented_rounds: int = 100
    svm_price: float = 0.1
    components: int = 100
    gap: float = 1e-2


def hierarchy_methods(effort: HierarchyEffort, quick: bool = False) -> list[TableMethod]:
    """Return the rows of the table.

    Parameters
    ----------
    effort : HierarchyEffort
    quick : bool
        Two candidates each and few rounds: a check that everything works.
    """
    rounds = [{"rounds": r} for r in ((20, 40) if quick else ROUND_CHOICES)]
    svms = [
        {"svm_C": C, "rounds": 20 if quick else 200}
        for C in (SVM_C_CHOICES[1:3] if quick else SVM_C_CHOICES)
    ]
    return [
        _structboost("StructBoost-tree", "tree", effort, quick),
        _structboost("StructBoost-augmented", "augmented", effort, quick),
        _structboost("StructBoost-flat", "flat", effort, quick),
        TableMethod("Ada.ECC-SVM", svms, fit_ecc_svm, losses, curves=staged_losses),
        TableMethod("Ada.ECC", rounds, fit_ecc, losses, curves=staged_losses),
        TableMethod("Ada.MH", rounds, fit_mh, losses, curves=staged_losses),
    ]


def losses(model: Any, X: AnyArray, y: AnyArray) -> dict[str, float]:
    """Return the mean tree loss and the error rate."""
    return _losses(model.predict(X), y)


def staged_losses(model: Any, X: AnyArray, y: AnyArray) -> dict[str, AnyArray]:
    """Return the tree loss and the error after every round."""
    stages = [_losses(predictions, y) for predictions in model.staged_predict(X)]
    return {name: np.array([s[name] for s in stages]) for name in ("tree_loss", "error")}


def boost_curves(model: Any, X: AnyArray, y: AnyArray) -> dict[str, AnyArray]:
    """Return the losses and the objective after every round."""
    return {**staged_losses(model, X, y), "objective": objective_curve(model)}


def fit_structboost(
    X: AnyArray, y: AnyArray, candidate: Candidate, seed: int, form: Form, effort: Mapping[str, Any]
) -> Any:
    """Fit one of the three forms with linear SVMs as weak learners."""
    from segboost import HierarchicalStructBoostClassifier, StructBoostClassifier
    from segboost.weak.linear_svm import LinearSVM

    shared: dict[str, Any] = {
        "C": candidate["C"],
        "n_iterations": effort["augmented_rounds" if form == "augmented" else "rounds"],
        "weak_learner": LinearSVM(C=effort["svm_price"]),
        "gap": effort["gap"],
        "random_state": seed,
    }
    if form == "flat":
        return StructBoostClassifier(**shared).fit(X, y)
    if form == "tree":
        return HierarchicalStructBoostClassifier(SUN8_TREE, **shared).fit(X, y)
    model = HierarchicalStructBoostClassifier(SUN8_TREE, coding="augmented", **shared)
    return Projected(model, X, y, effort["components"])


class Projected:
    """A classifier on the principal components of its training rows."""

    def __init__(self, model: Any, X: AnyArray, y: AnyArray, components: int) -> None:
        from sklearn.decomposition import PCA

        n = min(components, *X.shape)
        self.projection = PCA(n, svd_solver="full").fit(X)
        self.model = model.fit(self.projection.transform(X), y)
        self.history_ = model.history_
        self.certificate_ = model.certificate_
        self.n_iter_ = model.n_iter_

    def predict(self, X: AnyArray) -> AnyArray:
        """Return the classes, shape (N,)."""
        return self.model.predict(self.projection.transform(X))

    def staged_predict(self, X: AnyArray) -> Any:
        """Yield the classes after every round."""
        yield from self.model.staged_predict(self.projection.transform(X))


def fit_ecc_svm(X: AnyArray, y: AnyArray, candidate: Candidate, seed: int) -> Any:
    """Fit AdaBoost.ECC with linear SVMs."""
    from segboost.baselines import AdaBoostECC
    from segboost.weak.linear_svm import LinearSVM

    learner: Any = LinearSVM(C=candidate["svm_C"])
    return AdaBoostECC(candidate["rounds"], weak_learner=learner, random_state=seed).fit(X, y)


def _structboost(name: str, form: Form, effort: HierarchyEffort, quick: bool) -> TableMethod:
    C_candidates = [{"C": C} for C in (C_CHOICES[form][1:3] if quick else C_CHOICES[form])]
    options = {"form": form, "effort": asdict(effort)}
    return TableMethod(
        name,
        C_candidates,
        partial(fit_structboost, **options),  # type: ignore[arg-type]
        losses,
        parameters=options,
        curves=boost_curves,
        describe=certificate_figures,
    )


def _losses(predictions: AnyArray, y: AnyArray) -> dict[str, float]:
    taxonomy = Taxonomy.make(SUN8_TREE)
    classes = sorted(map(str, taxonomy.leaves))
    height = taxonomy.loss(classes)
    said, true = np.searchsorted(classes, predictions), np.searchsorted(classes, y)
    return {"tree_loss": float(height[true, said].mean()), "error": float(np.mean(said != true))}
