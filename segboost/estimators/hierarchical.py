"""The classifier for classes arranged in a taxonomy."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping
from typing import Any, Literal

import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from segboost._types import FloatArray, IntArray, Slack
from segboost.estimators.base import Method
from segboost.estimators.multiclass import CodedClassifier
from segboost.estimators.training import Callback
from segboost.tasks.hierarchy import LabelAugmentedTask, hierarchy_task
from segboost.tasks.label_codes import LabelCodeTask
from segboost.tasks.taxonomy import Taxonomy
from segboost.weak.base import WeakLearner


class HierarchicalStructBoostClassifier(CodedClassifier):
    """Multi-class boosting that minimises the tree loss of a taxonomy.

    The loss Δ(y, y') is the height of the lowest common ancestor; ψ(x, y) = φ(x) ⊗ Γ(y) with one
    entry of Γ for every node of the tree except the root, so that classes share the learners of
    their ancestors. With ``coding="augmented"``, ψ(x, y) = φ(x ⊗ Γ(y)) instead: one weight vector
    for all classes.

    Parameters
    ----------
    taxonomy : mapping or Taxonomy, optional
        Nested mappings whose leaves are lists of classes, ``{"root": {"indoor": ["kitchen"],
        …}}``, or a mapping from node to parent. By default the tree is flat: 0/1 loss.
    coding : "tree" or "augmented"
    C, n_iterations, weak_learner, slack, gap, epsilon_cg, epsilon_cp, method, n_jobs, warm_start, \
random_state, callback, checkpoint, probability, boosted_trees
        As in `StructBoostClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
    taxonomy_ : Taxonomy
    ensemble_ : Ensemble
    history_ : list of Step
    certificate_ : Certificate
    feature_importances_ : ndarray of shape (d,)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = {"iris": {"setosa": [0], "others": [1, 2]}}
    >>> model = HierarchicalStructBoostClassifier(tree, C=50, random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    def __init__(
        self,
        taxonomy: Mapping[Hashable, Any] | Taxonomy | None = None,
        coding: Literal["tree", "augmented"] = "tree",
        C: float = 100.0,
        n_iterations: int = 200,
        weak_learner: str | WeakLearner = "stump",
        slack: Slack | Literal["auto"] = "auto",
        gap: float = 1e-3,
        epsilon_cg: float = 1e-3,
        epsilon_cp: float | None = None,
        method: Method = "default",
        n_jobs: int | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        callback: Callback | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        probability: bool = False,
        boosted_trees: int = 0,
    ) -> None:
        super().__init__(
            C=C,
            n_iterations=n_iterations,
            weak_learner=weak_learner,
            slack=slack,
            gap=gap,
            epsilon_cg=epsilon_cg,
            epsilon_cp=epsilon_cp,
            method=method,
            n_jobs=n_jobs,
            warm_start=warm_start,
            random_state=random_state,
            callback=callback,
            checkpoint=checkpoint,
        )
        self.taxonomy = taxonomy
        self.coding = coding
        self.probability = probability
        self.boosted_trees = boosted_trees

    def tree_loss(self, y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> float:
        """Return the mean height of the lowest common ancestor of true and predicted classes.

        Raises
        ------
        ValueError
            If a class did not occur in training; the message names it.
        """
        loss = self.taxonomy_.loss(self.classes_.tolist())
        true, predicted = (
            self._class_numbers("y_true", y_true),
            self._class_numbers("y_pred", y_pred),
        )
        return float(loss[true, predicted].mean())

    @property
    def feature_importances_(self) -> FloatArray:
        """Each feature's share of the total weight w, shape (d,); sums to 1 unless w = 0."""
        if self.coding == "tree":
            return super().feature_importances_
        check_is_fitted(self)
        # The augmented features are the d given ones, repeated for every node.
        width = len(self.taxonomy_.nodes) * self._n_codes
        total = self.ensemble_.importances(0, width).reshape(-1, self._n_codes).sum(axis=0)
        total = self._by_column(total)
        return total / total.sum() if total.sum() > 0 else total

    def _class_numbers(self, name: str, values: Any) -> list[int]:
        number = {label: i for i, label in enumerate(self.classes_.tolist())}
        # NumPy scalars hash the same but look odd in messages.
        labels = [v.item() if hasattr(v, "item") else v for v in values]
        unknown = [v for v in labels if v not in number]
        if unknown:
            raise ValueError(f"{name} contains {unknown[0]!r}, which is not a class of the model")
        return [number[v] for v in labels]

    def _task(
        self, X: Any, y: IntArray | None, sample_weight: Any = None
    ) -> LabelCodeTask | LabelAugmentedTask:
        names = self.classes_.tolist()
        if y is not None:
            self.taxonomy_ = self._make_taxonomy(names)
        if self.coding == "tree":
            return hierarchy_task(X, y, self.taxonomy_, names, sample_weight)
        if self.coding == "augmented":
            codes, loss = self.taxonomy_.codes(names), self.taxonomy_.loss(names)
            return LabelAugmentedTask(X, y, codes, loss, sample_weight)
        raise ValueError(f"coding must be 'tree' or 'augmented', got {self.coding!r}")

    def _takes_sparse(self) -> bool:
        return self.coding == "tree" and super()._takes_sparse()

    def _make_taxonomy(self, names: list[Hashable]) -> Taxonomy:
        if self.taxonomy is None:
            return Taxonomy(dict.fromkeys(names, ("root",)))
        return Taxonomy.make(self.taxonomy)
