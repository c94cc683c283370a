"""Table input of the estimators: plain numbers are used as they are, all else is encoded."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import (
    _check_y,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from segboost._types import AnyArray, FloatArray
from segboost.estimators.base import BaseStructBoost
from segboost.estimators.boosted_scores import BoostedScores
from segboost.estimators.column_codes import Style
from segboost.estimators.mixed_columns import check_columns, check_magnitude, mixed_columns
from segboost.estimators.table_encoder import TableEncoder
from segboost.estimators.text_checks import check_text
from segboost.table_cells.label_values import refuse_odd_labels
from segboost.weak.ramp import RampLearner
from segboost.weak.registry import WEAK_LEARNERS
from segboost.weak.sampled_trees import SampledTrees
from segboost.weak.stump import DecisionStump
from segboost.weak.tree import ShallowTree

DTYPES = (np.float64, np.float32, np.uint8)
_DENSE_LEARNERS = (ShallowTree, SampledTrees, RampLearner)
"""The weak learners that bin their features, which must be dense."""


class TableInput(BaseStructBoost):
    """Base of the estimators whose input is a table, with or without text and missing values.

    Complete tables of numbers and sparse tables are used as they are. For others, `encoder_` holds
    the codes of the columns; it is part of the model, like the trees whose scores are additional
    columns (`scores_`).
    """

    n_features_in_: int
    encoder_: TableEncoder | None = None
    medians_: FloatArray | None = None
    scores_: BoostedScores | None = None

    def _training_rows(self, X: Any, y: Any) -> tuple[AnyArray, AnyArray]:
        """Return the rows and labels to learn, shapes (m, n) and (m,); fit an encoder if needed."""
        refuse_odd_labels(y)
        known = self.encoder_ if self.warm_start else None
        self.encoder_ = self.medians_ = None
        if sparse.issparse(X):
            rows, y = validate_data(self, X, y, accept_sparse="csc", dtype=np.float64)
            check_magnitude(rows)
            return sparse.csc_array(rows), y
        columns = mixed_columns(X)
        if columns is None:
            rows, y = validate_data(self, X, y, dtype=DTYPES, ensure_all_finite="allow-nan")
            check_magnitude(rows)
            if known is None and not _has_gaps(rows):
                self.medians_ = np.median(rows, axis=0).astype(np.float64)
                return rows, y
            columns = _float_columns(rows)
        else:
            validate_data(self, X, reset=True, skip_check_array=True)
            check_text(X, columns)
            if y is None:
                raise ValueError("y is None: this estimator requires a label for every row")
            y = _check_y(y, estimator=self)
            check_consistent_length(X, y)
        # A continued fit keeps its codes: its weak learners refer to them.
        self.encoder_ = known or TableEncoder(self._style()).learn(check_columns(columns))
        return self._encoded(columns), y

    def _new_rows(self, X: Any) -> AnyArray:
        """Return the rows to predict, shape (m, n)."""
        check_is_fitted(self)
        if sparse.issparse(X):
            if self.encoder_ is None and self.scores_ is None:
                rows = validate_data(self, X, reset=False, accept_sparse="csc", dtype=np.float64)
                check_magnitude(rows)
                return sparse.csc_array(rows)
            X = X.toarray()  # the model was fitted on a dense table of this width
        columns = mixed_columns(X)
        if columns is None:
            fillable = self.encoder_ is not None or self.medians_ is not None
            finite: Any = "allow-nan" if fillable else True
            rows = validate_data(self, X, reset=False, dtype=DTYPES, ensure_all_finite=finite)
            columns = None if self.encoder_ is None else _float_columns(rows)
        else:
            validate_data(self, X, reset=False, skip_check_array=True)
            check_columns(columns)
        if columns is not None:
            rows = self._encoded(columns)
        check_magnitude(rows)
        # Training data had no gaps: the median is the only estimate.
        return _filled(rows, self.medians_) if _has_gaps(rows) else rows

    def _by_column(self, importances: FloatArray) -> FloatArray:
        """Return importances of codes and scores as those of the given columns, shape (d,)."""
        if self.scores_ is not None:
            n = len(importances) - self.scores_.n_scores
            importances = importances[:n] + importances[n:] @ self.scores_.shares(n)
        if self.encoder_ is None:
            return importances
        total = np.zeros(self.n_features_in_)
        np.add.at(total, self.encoder_.sources, importances)
        return total

    @property
    def _n_codes(self) -> int:
        n = self.n_features_in_ if self.encoder_ is None else len(self.encoder_.sources)
        return n if self.scores_ is None else n + self.scores_.n_scores

    def _encoded(self, columns: list[AnyArray]) -> FloatArray:
        """Return the codes of columns, or the columns themselves if there is no encoder."""
        if self.encoder_ is not None:
            rows = self.encoder_.encode(columns)
        else:
            for q, column in enumerate(columns):
                if column.dtype == object:
                    raise ValueError(f"column {q + 1} of X holds text: expected numbers")
            rows = np.column_stack(columns)
            if self.medians_ is None and _has_gaps(rows):
                raise ValueError(
                    "X has missing values (NaN), which this older model cannot fill: fit it again"
                )
        check_magnitude(rows)
        return rows

    def _style(self) -> Style:
        splits = ("stump", "tree")
        if isinstance(self.weak_learner, str):
            return "split" if self.weak_learner in splits else "linear"
        return "split" if isinstance(self.weak_learner, DecisionStump | ShallowTree) else "linear"

    def _takes_sparse(self) -> bool:
        """Whether a fit with these parameters takes sparse tables."""
        learner = self.weak_learner
        kind = WEAK_LEARNERS.get(learner, object) if isinstance(learner, str) else type(learner)
        n_trees: int = getattr(self, "boosted_trees", 0)
        return not (issubclass(kind, _DENSE_LEARNERS) or bool(n_trees))

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: missing values are allowed, and sparse tables if possible."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self._takes_sparse()
        return tags


def _has_gaps(rows: AnyArray) -> bool:
    return rows.dtype.kind == "f" and bool(np.isnan(rows).any())


def _filled(rows: AnyArray, medians: FloatArray | None) -> AnyArray:
    filled = rows.copy()
    gaps = np.isnan(rows)
    filled[gaps] = np.broadcast_to(np.asarray(medians), rows.shape)[gaps]
    return filled


def _float_columns(rows: AnyArray) -> list[AnyArray]:
    return list(rows.astype(np.float64).T)
