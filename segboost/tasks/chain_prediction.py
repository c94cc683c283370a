"""Shared code of the sequence labellers: input checks, prediction and accuracy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from segboost._types import AnyArray, FloatArray, IntArray
from segboost.table_cells.label_values import refuse_odd_labels
from segboost.tasks.chain import check_sequences
from segboost.tasks.viterbi import best_paths


class ChainPrediction(ABC):
    """Mixin for estimators with `classes_`, `class_order_` and `n_features_in_`.

    Learning and decoding number the labels in the order in which they first appear in the training
    data, so that ties and random choices do not depend on the names of the labels: renaming labels
    renames the predictions. `class_order_` holds the index into `classes_` of each label, in this
    order.
    """

    classes_: AnyArray
    class_order_: IntArray
    n_features_in_: int

    @abstractmethod
    def _ordered_scores(self, sequence: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return emissions, shape (T, K), and transitions, shape (K, K), in `class_order_`."""

    def chain_scores(self, sequence: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the learned scores: emissions, shape (T, K), and transitions, shape (K, K).

        The labels are in the order of `classes_`.
        """
        emission, transition = self._ordered_scores(self._check_width(sequence))
        place = np.argsort(self.class_order_)
        return emission[:, place], transition[np.ix_(place, place)]

    def predict(self, X: Sequence[npt.ArrayLike]) -> list[AnyArray]:
        """Return the labels of highest score of every sequence.

        Parameters
        ----------
        X : sequence of array-like of shape (T_i, d)

        Returns
        -------
        list of ndarray of shape (T_i,)
        """
        check_is_fitted(self)
        found = []
        for sequence in check_sequences(X):
            emission, transition = self._ordered_scores(self._check_width(sequence))
            ends = np.array([0, len(sequence)], np.intp)
            path = best_paths(np.ascontiguousarray(emission), transition, ends)
            found.append(self.classes_[self.class_order_[path]])
        return found

    def score(self, X: Sequence[npt.ArrayLike], y: Sequence[npt.ArrayLike]) -> float:
        """Return the share of correctly labelled tokens."""
        found, truth = self.predict(X), [np.asarray(labels) for labels in y]
        right = [np.asarray(a == b) for a, b in zip(found, truth, strict=True)]
        return float(np.mean(np.concatenate(right)))

    def _start_fit(
        self, X: Sequence[npt.ArrayLike], y: Sequence[npt.ArrayLike]
    ) -> tuple[list[FloatArray], list[IntArray]]:
        """Set `classes_`, `class_order_` and `n_features_in_`.

        Returns
        -------
        sequences : list of ndarray of shape (T_i, d)
        labels : list of ndarray of int, shape (T_i,)
            The position of each label in `class_order_`.
        """
        arrays = check_sequences(X)
        if y is None:
            raise ValueError("y is None: expected the labels of every sequence")
        labels: list[AnyArray] = [np.asarray(part) for part in y]
        if len(labels) != len(arrays):
            raise ValueError(f"y has {len(labels)} sequences, X has {len(arrays)}")
        _check_labels(labels, arrays)
        before = self._known_order()
        self.classes_, first, joined = np.unique(
            np.concatenate(labels), return_index=True, return_inverse=True
        )
        if len(self.classes_) < 2:
            raise ValueError(f"y needs at least 2 classes, got {len(self.classes_)}")
        if before is None or len(before) != len(self.classes_):
            before = np.argsort(first)
        self.class_order_ = before
        self.n_features_in_ = arrays[0].shape[1]
        numbers = np.argsort(self.class_order_)[joined].astype(np.intp)
        return arrays, np.split(numbers, np.cumsum([len(a) for a in labels])[:-1])

    def _known_order(self) -> IntArray | None:
        """Return the label order of the earlier fit that this one continues, or None."""
        return None

    def _check_width(self, sequence: npt.ArrayLike) -> FloatArray:
        check_is_fitted(self)
        array = check_sequences([sequence])[0]
        if array.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {array.shape[1]} features, the model was fitted with {self.n_features_in_}"
            )
        return array


def _check_labels(labels: Sequence[AnyArray], arrays: Sequence[FloatArray]) -> None:
    """Raise ValueError for labels that do not fit their sequences or are not classes."""
    for number, (part, array) in enumerate(zip(labels, arrays, strict=True)):
        if part.shape != (len(array),):
            raise ValueError(f"y[{number}] has shape {part.shape}, expected ({len(array)},)")
        if part.dtype.kind == "f" and not (part == np.rint(part)).all():
            raise ValueError(f"y[{number}] must hold classes: whole numbers or text")
        if part.dtype.kind == "f" and not np.isfinite(part).all():
            raise ValueError(f"y[{number}] must be finite: it contains infinity")
    # Joining them would turn numbers into text.
    refuse_odd_labels(np.concatenate([part.astype(object) for part in labels]))
