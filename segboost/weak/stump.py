"""Decision stumps: one feature, one threshold, either polarity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse

from segboost._types import AnyArray, FloatArray, Outputs
from segboost.weak.base import Candidate
from segboost.weak.binning import BinnedMatrix, bin_features
from segboost.weak.checks import check_outputs, check_weights, column_of, is_binary, read_array
from segboost.weak.splitting import Cut, best_stumps

if TYPE_CHECKING:
    from segboost.weak.sparse_stump import BoundSparseStump


@dataclass(frozen=True)
class Stump:
    """``polarity · (+1 if x[feature] > threshold else −1)``, or the same with 1 and 0.

    Parameters
    ----------
    feature : int
    threshold : float
        -inf makes the stump constant.
    polarity : {1, -1}
        -1 swaps the two outputs.
    outputs : {"signed", "binary"}
        Whether the outputs are ±1, or 1 and 0.

    Examples
    --------
    >>> import numpy as np
    >>> Stump(feature=0, threshold=0.5, polarity=-1).predict(np.array([[0.0], [1.0]]))
    array([ 1., -1.])
    """

    feature: int
    threshold: float
    polarity: int = 1
    outputs: Outputs = "signed"

    kind: ClassVar[str] = "stump"

    def predict(self, features: AnyArray) -> FloatArray:
        """Return the responses, shape (N,), for features of shape (N, d)."""
        above = column_of(features, self.feature) > self.threshold
        if self.outputs == "binary":
            return (above if self.polarity > 0 else ~above).astype(np.float64)
        return np.where(above, float(self.polarity), -float(self.polarity))

    def feature_shares(self, n_features: int) -> FloatArray:
        """Return 1 for the feature used, else 0, shape (n_features,); all 0 for a constant."""
        shares = np.zeros(n_features)
        shares[self.feature] = np.isfinite(self.threshold)
        return shares

    @classmethod
    def pack(cls, hypotheses: Sequence[Stump]) -> dict[str, AnyArray]:
        """Return the stumps as one array per field."""
        return {
            "feature": np.array([h.feature for h in hypotheses], dtype=np.int64),
            "threshold": np.array([h.threshold for h in hypotheses], dtype=np.float64),
            "polarity": np.array([h.polarity for h in hypotheses], dtype=np.int8),
            "binary": np.array([is_binary(h.outputs) for h in hypotheses], dtype=bool),
        }

    @classmethod
    def unpack(cls, arrays: Mapping[str, AnyArray]) -> list[Stump]:
        """Return the stumps that `pack` stored; ValueError if the arrays do not fit."""
        feature = read_array(arrays, "feature", "i", (None,))
        shape = feature.shape
        threshold = read_array(arrays, "threshold", "f", shape, finite=False)
        polarity = read_array(arrays, "polarity", "i", shape)
        binary = read_array(arrays, "binary", "b", shape)
        if (feature < 0).any():
            raise ValueError("stored stumps have a negative feature index")
        if not np.isin(polarity, (-1, 1)).all():
            raise ValueError("stored stumps have a polarity other than 1 and -1")
        if not (np.isfinite(threshold) | np.isneginf(threshold)).all():
            raise ValueError("stored stumps have a threshold that is NaN or +inf")
        return [
            cls(int(f), float(t), int(p), "binary" if b else "signed")
            for f, t, p, b in zip(feature, threshold, polarity, binary, strict=True)
        ]


@dataclass(frozen=True)
class DecisionStump:
    """Weak learner: the best stump over all features, thresholds and polarities.

    Features are binned once; the search is exact over the thresholds between bins and includes
    the constants. Ties, scores within 1e-12 of Σ|W|, go to the lowest feature, then to the lowest
    threshold, then to the positive polarity.

    Parameters
    ----------
    max_bins : int
        Maximum number of bins per feature, from 2 to 256. A feature with no more distinct values
        than this keeps all its thresholds.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> bound = DecisionStump().bind(X, "signed")
    >>> bound.best(np.array([[-1.0], [2.0], [1.0]]))[0].hypothesis
    Stump(feature=0, threshold=0.5, polarity=1, outputs='signed')
    """

    max_bins: int = 255

    def bind(
        self, features: AnyArray | BinnedMatrix | Any, outputs: Outputs = "signed"
    ) -> BoundStump | BoundSparseStump:
        """Bin the features, shape (N, d), dense or a SciPy sparse matrix."""
        if sparse.issparse(features):
            # Imported here so that dense tables do not load the sparse kernels.
            from segboost.weak.sparse_stump import BoundSparseStump, bin_sparse

            return BoundSparseStump(bin_sparse(features, self.max_bins), check_outputs(outputs))
        return BoundStump(bin_features(features, self.max_bins), check_outputs(outputs))


@dataclass(frozen=True, eq=False)
class BoundStump:
    """Stumps bound to binned features."""

    binned: BinnedMatrix
    outputs: Outputs

    exact: ClassVar[bool] = True

    def best(self, weights: FloatArray) -> list[Candidate]:
        """Return the stump that maximises ``W·φ`` for each column of `weights`, shape (N, K)."""
        weights = check_weights(weights, self.binned.n_rows)
        cuts = best_stumps(self.binned, weights, self.outputs)
        return [self._candidate(cut, w) for cut, w in zip(cuts, weights.T, strict=True)]

    def _candidate(self, cut: Cut, weights: FloatArray) -> Candidate:
        threshold = self.binned.threshold(cut.feature, cut.cut)
        stump = Stump(cut.feature, threshold, cut.polarity, self.outputs)
        responses = cut.responses(self.binned.codes, self.outputs)
        return Candidate(stump, responses, float(weights @ responses))
