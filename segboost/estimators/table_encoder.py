"""The encoder of tables with text categories and missing values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from segboost._types import AnyArray, FloatArray, IntArray
from segboost.estimators.column_codes import (
    ColumnCode,
    NumberColumn,
    Style,
    TextColumn,
    code_from_json,
    code_to_json,
)
from segboost.estimators.mixed_columns import check_columns, column_of_text, mixed_columns
from segboost.estimators.text_checks import check_text


class TableEncoder(TransformerMixin, BaseEstimator):
    """Turn tables with text categories and missing values into plain numbers.

    Text columns become one column of zeros and ones per category. Columns of numbers with missing
    values become two, see `NumberColumn`. The estimators fit an encoder themselves if needed.

    Parameters
    ----------
    style : "split" or "linear"
        How missing numbers are encoded: for stumps and trees, or for linear weak learners.

    Attributes
    ----------
    codes_ : list of NumberColumn and TextColumn, one per column
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, "red"], [None, "blue"]], dtype=object)
    >>> TableEncoder("linear").fit_transform(X)
    array([[1., 0., 0., 1.],
           [1., 1., 1., 0.]])
    """

    def __init__(self, style: Style = "split") -> None:
        self.style = style

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the codes of the columns of X, shape (N, d); y is ignored."""
        if self.style not in ("split", "linear"):
            raise ValueError(f"style must be 'split' or 'linear', got {self.style!r}")
        columns = self._columns(X, reset=True)
        check_text(X, columns)
        return self.learn(columns)

    def transform(self, X: Any) -> FloatArray:
        """Return the codes of X, shape (N, n): float64 without gaps."""
        check_is_fitted(self)
        return self.encode(self._columns(X, reset=False))

    def learn(self, columns: Sequence[AnyArray]) -> Self:
        """Learn the codes of columns as `mixed_columns` returns them."""
        self.codes_: list[ColumnCode] = [
            TextColumn.of(c) if c.dtype == object else NumberColumn.of(c) for c in columns
        ]
        self.n_features_in_ = len(columns)
        return self

    def encode(self, columns: Sequence[AnyArray]) -> FloatArray:
        """Return the codes of columns as `mixed_columns` returns them, shape (N, n)."""
        codes: list[FloatArray] = []
        for q, (code, column) in enumerate(zip(self.codes_, columns, strict=True)):
            if isinstance(code, TextColumn):
                codes += code.encode(column_of_text(column), self.style)
                continue
            if column.dtype == object:
                text = next(v for v in column.tolist() if v is not None)
                raise ValueError(f"column {q + 1} of X must hold numbers, got {text!r}")
            codes += code.encode(column, self.style)
        return np.column_stack(codes)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any:
        """Return the names of the codes: ``colour=red``, ``age``, ``age (missing)``."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", input_features)
        if names is None:
            names = [f"x{q}" for q in range(self.n_features_in_)]
        both = zip(names, self.codes_, strict=True)
        return np.array([f"{n}{s}" for n, c in both for s in c.names(self.style)], dtype=object)

    @property
    def sources(self) -> IntArray:
        """The column that each code stands for, shape (n,)."""
        counts = [len(code.names(self.style)) for code in self.codes_]
        return np.repeat(np.arange(len(counts)), counts)

    def to_json(self) -> dict[str, Any]:
        """Return JSON values that `from_json` takes."""
        return {"style": self.style, "codes": [code_to_json(code) for code in self.codes_]}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> TableEncoder:
        """Return the encoder that `to_json` described; ValueError or KeyError if it is invalid."""
        encoder = cls(document["style"])
        if encoder.style not in ("split", "linear"):
            raise ValueError(f"unknown style {encoder.style!r}")
        encoder.codes_ = [code_from_json(code) for code in document["codes"]]
        encoder.n_features_in_ = len(encoder.codes_)
        return encoder

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: missing values are allowed."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _columns(self, X: Any, reset: bool) -> list[AnyArray]:
        columns = mixed_columns(X)
        if columns is None:
            X = validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan")
            return list(X.T)
        validate_data(self, X, reset=reset, skip_check_array=True)
        return check_columns(columns)
