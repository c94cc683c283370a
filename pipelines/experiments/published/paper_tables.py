"""The AUC and the multi-class table of the StructBoost paper.

C. Shen, G. Lin, A. van den Hengel, "StructBoost: Boosting methods for predicting structured
output variables", IEEE TPAMI 36(10), 2014. Means and standard deviations over 5 repeats. The data
sets svmguide4, pendigits and mnist of the tables are not measured here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from segboost.pipelines.experiments.protocol.table_protocol import Spread

AUC_SETS = ("wine", "glass", "svmguide2", "vowel", "dna", "segment", "satimage")
MULTICLASS_SETS = ("glass", "svmguide2", "vowel", "dna", "segment", "satimage", "usps")


@dataclass(frozen=True)
class PaperAUC:
    """A row of the AUC table: seconds, and the AUC on training and test data."""

    seconds: Spread
    train: Spread
    test: Spread


def _auc(*values: float) -> PaperAUC:
    seconds, by, train, train_by, test, test_by = values
    return PaperAUC(Spread(seconds, by), Spread(train, train_by), Spread(test, test_by))


PAPER_AUC: Mapping[str, Mapping[str, PaperAUC]] = {
    "wine": {
        "m-slack": _auc(13, 1, 1.000, 0.000, 0.994, 0.005),
        "1-slack": _auc(3, 1, 1.000, 0.000, 0.994, 0.006),
    },
    "glass": {
        "m-slack": _auc(20, 1, 0.967, 0.011, 0.849, 0.028),
        "1-slack": _auc(6, 1, 0.955, 0.030, 0.844, 0.039),
    },
    "svmguide2": {
        "m-slack": _auc(332, 6, 0.988, 0.003, 0.905, 0.036),
        "1-slack": _auc(106, 8, 0.988, 0.003, 0.905, 0.036),
    },
    "vowel": {
        "m-slack": _auc(4051, 116, 0.999, 0.001, 0.968, 0.013),
        "1-slack": _auc(952, 139, 0.999, 0.001, 0.967, 0.013),
    },
    "dna": {"1-slack": _auc(1598, 643, 0.998, 0.000, 0.992, 0.003)},
    "segment": {"1-slack": _auc(475, 42, 1.000, 0.000, 0.999, 0.001)},
    "satimage": {"1-slack": _auc(37769, 6331, 0.999, 0.000, 0.997, 0.002)},
}
"""The paper's rows by data set and form; m-slack did not finish on the last three sets."""

_ERRORS = {
    "StructBoost-stump": "35.8 6.2  21.0 3.9  17.5 2.2  6.2 0.7  2.9 0.7  12.1 0.7  6.9 0.6",
    "StructBoost-per": "37.3 6.2  22.7 4.8  6.8 1.8  6.6 0.6  3.8 0.7  11.4 1.1  4.1 0.6",
    "Ada.ECC": "32.7 4.9  23.3 4.0  20.6 1.5  7.6 1.2  2.9 0.8  12.8 0.7  8.4 0.7",
    "Ada.MH": "32.3 5.0  21.9 4.5  18.8 2.1  7.1 0.6  3.7 0.7  12.7 0.9  7.4 0.5",
    "SSVM": "38.8 8.7  21.9 5.9  25.6 2.5  6.9 0.9  5.3 1.0  14.9 0.1  5.8 0.3",
    "1-vs-all SVM": "40.8 7.0  17.7 3.5  54.4 2.2  6.3 0.5  7.7 0.8  17.5 0.4  5.4 0.5",
}
"""Mean and deviation of the test error in per cent, in the order of MULTICLASS_SETS."""


def _spreads(text: str) -> dict[str, Spread]:
    values = [float(value) for value in text.split()]
    pairs = zip(values[::2], values[1::2], strict=True)
    return {name: Spread(*pair) for name, pair in zip(MULTICLASS_SETS, pairs, strict=True)}


PAPER_ERRORS: Mapping[str, Mapping[str, Spread]] = {
    method: _spreads(text) for method, text in _ERRORS.items()
}
"""Test error in per cent, by method and set."""
