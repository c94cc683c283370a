"""Parts of large pages as models see them: position, and scores of the whole page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from segboost._types import FloatArray
from segboost.features.page import PagePart


@dataclass(frozen=True, eq=False)
class PageScores:
    """First-stage scores over a page, estimated from some of its blocks.

    Parameters
    ----------
    mean : ndarray of shape (T,)
        Means weighted by area; with several classes, of their probabilities.
    quantiles : ndarray of shape (4,), optional
        Quantiles of the best score. This and the following are not used with several classes.
    centre : ndarray of shape (2,), optional
        Centre of the likely foreground: row and column as shares of the page's sides.
    own : mapping of group to ndarray of shape (2, d)
        Histograms of the likely foreground and background.
    """

    mean: FloatArray
    quantiles: FloatArray | None = None
    centre: FloatArray | None = None
    own: Mapping[str, FloatArray] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class PageView:
    """A part of a large page, with the scores of the whole page.

    Parameters
    ----------
    part : PagePart
    scores : PageScores, optional
        Required by models with a second stage over context.
    core : (slice, slice), optional
        Rows and columns of the part that are wanted; all by default. Borders are not refined
        elsewhere.
    """

    part: PagePart
    scores: PageScores | None = None
    core: tuple[slice, slice] | None = None

    def at(self, top: int, left: int, core: tuple[slice, slice] | None = None) -> PageView:
        """Return the view of another part of the same page."""
        return replace(self, part=self.part.at(top, left), core=core)
