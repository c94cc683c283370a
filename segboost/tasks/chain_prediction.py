"""What sequence labellers share: checks of their input, prediction and accuracy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from segboost._types import AnyArray, FloatArray, IntArray
from segboost.tasks.chain import check_sequences
from segboost.tasks.viterbi import best_paths


class ChainPrediction(ABC):
    """Mixin for estimators with `classes_`, `n_features_in_` and `chain_scores`."""

    classes_: AnyArray
    n_features_in_: int

    @abstractmethod
    def chain_scores(self, sequence: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the learned scores: emissions, shape (T, K), and transitions, shape (K, K)."""

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
            emission, transition = self.chain_scores(sequence)
            ends = np.array([0, len(sequence)], np.intp)
            path = best_paths(np.ascontiguousarray(emission), transition, ends)
            found.append(self.classes_[path])
        return found

    def score(self, X: Sequence[npt.ArrayLike], y: Sequence[npt.ArrayLike]) -> float:
        """Return the share of correctly labelled tokens."""
        found, truth = self.predict(X), [np.asarray(labels) for labels in y]
        right = [np.asarray(a == b) for a, b in zip(found, truth, strict=True)]
        return float(np.mean(np.concatenate(right)))

    def _start_fit(
        self, X: Sequence[npt.ArrayLike], y: Sequence[npt.ArrayLike]
    ) -> tuple[list[FloatArray], list[IntArray]]:
        """Set `classes_` and `n_features_in_`; return the sequences and their class indices."""
        arrays = check_sequences(X)
        labels: list[Any] = [np.asarray(part) for part in y]
        if len(labels) != len(arrays):
            raise ValueError(f"y has {len(labels)} sequences, X has {len(arrays)}")
        self.classes_, joined = np.unique(np.concatenate(labels), return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y needs at least 2 classes, got {len(self.classes_)}")
        self.n_features_in_ = arrays[0].shape[1]
        return arrays, np.split(joined.astype(np.intp), np.cumsum([len(a) for a in labels])[:-1])

    def _check_width(self, sequence: npt.ArrayLike) -> FloatArray:
        check_is_fitted(self)
        array = check_sequences([sequence])[0]
        if array.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {array.shape[1]} features, the model was fitted with {self.n_features_in_}"
            )
        return array
