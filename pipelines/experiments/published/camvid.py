"""Published results on CamVid's 11 classes, 233 test images of 480×360, in per cent.

From the table of V. Badrinarayanan, A. Kendall, R. Cipolla, "SegNet", IEEE TPAMI 39(12), 2017, and
the papers that it cites: P. Sturgess et al., BMVC 2009; J. Tighe, S. Lazebnik, IJCV 2013;
L. Ladický et al., ECCV 2010; P. Kontschieder et al., ICCV 2011; S. Rota Bulò, P. Kontschieder,
CVPR 2014.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PublishedRow:
    """A method with its figures in per cent; None if a figure was not published."""

    method: str
    mean_recall: float
    accuracy: float
    mean_iou: float | None = None


CAMVID_ROWS = (
    PublishedRow("Structured Random Forests", 51.4, 72.5),
    PublishedRow("Super Parsing", 51.2, 83.3),
    PublishedRow("Neural Decision Forests", 56.1, 82.1),
    PublishedRow("Boosting", 59.8, 76.4),
    PublishedRow("Boosting + pairwise CRF", 59.9, 79.8),
    PublishedRow("Boosting + higher-order CRF", 59.2, 83.8),
    PublishedRow("Boosting + detectors + CRF", 62.5, 83.8),
    PublishedRow("SegNet, 3,500 further training images", 71.2, 90.4, 60.1),
)
