"""Merging of the most similar neighbours until few enough regions remain."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from segboost._types import Float32Array, FloatArray, Int64Array, IntArray
from segboost.features.kernel import kernel
from segboost.features.setting_checks import Number, check_settings
from segboost.features.superpixels.adjacency import (
    Contacts,
    find_contacts,
    region_means,
    weighted_count,
)
from segboost.features.superpixels.connectivity import Labels, in_reading_order

# The fraction of the regions that one round may join. Small rounds are closer to joining one best
# pair at a time; this fraction loses nothing measurable.
_ROUND = 0.2


@dataclass(frozen=True)
class MergeCost:
    """Cost of joining two regions: ``d · (|A||B| / (|A| + |B|))^size_power``.

    d mixes the difference of the mean colours and the mean contrast along the common boundary,
    ``d = (1 − contrast_share) ‖μ_A − μ_B‖ + contrast_share · contrast``. A power of ½ is Ward's
    criterion (the square root of the added variance); larger powers favour equal areas.
    """

    size_power: float = 0.75
    contrast_share: float = 0.4

    def __post_init__(self) -> None:
        check_settings(self, {"size_power": Number(0, 4), "contrast_share": Number(0, 1)}, "cost")


@dataclass(frozen=True, eq=False)
class _Regions:
    """The state of a merge.

    Areas, shape (n,), mean colours, shape (n, channels), contacts, and the current region of each
    initial region.
    """

    area: FloatArray
    colour: FloatArray
    contacts: Contacts
    of_first: Int64Array

    def costs(self, cost: MergeCost) -> FloatArray:
        one, other = self.contacts.low, self.contacts.high
        step = np.sqrt(((self.colour[one] - self.colour[other]) ** 2).sum(axis=1))
        contrast = self.contacts.contrast / self.contacts.length
        mass = self.area[one] * self.area[other] / (self.area[one] + self.area[other])
        mixed = (1 - cost.contrast_share) * step + cost.contrast_share * contrast
        return np.asarray(mixed * mass**cost.size_power)


def merge_regions(
    labels: Labels,
    colours: Float32Array,
    max_regions: int,
    min_area: int = 1,
    max_area: float = np.inf,
    cost: MergeCost | None = None,
) -> Labels:
    """Join touching regions until there are at most `max_regions`.

    Regions below `min_area` are joined first, regardless of `max_area`. If `max_area` leaves too
    many regions, it is doubled: only the bound on the count always holds.

    Parameters
    ----------
    labels : ndarray of int32, shape (H, W)
        Connected regions 0 … P−1.
    colours : ndarray of float32, shape (H, W, channels)
        The values compared: colour, and position if regions should be compact.

    Returns
    -------
    ndarray of int32, shape (H, W)
        Connected regions, numbered in reading order.
    """
    cost = MergeCost() if cost is None else cost
    count = int(labels.max()) + 1
    state = _Regions(
        area=np.bincount(labels.ravel(), minlength=count).astype(np.float64),
        colour=region_means(labels, colours, count),
        contacts=find_contacts(labels, colours),
        of_first=np.arange(count),
    )
    while state.area.size > 1 and (state.area < min_area).any():
        small = state.area < min_area
        touches = small[state.contacts.low] | small[state.contacts.high]
        order = np.argsort(np.where(touches, state.costs(cost), np.inf), kind="stable")
        state = _merge_round(state, order[: touches.sum()], state.area.size, np.inf)
    while state.area.size > max_regions:
        surplus = state.area.size - max_regions
        quota = min(surplus, max(1, int(_ROUND * state.area.size)))
        order = np.argsort(state.costs(cost), kind="stable")
        before = state.area.size
        state = _merge_round(state, order, quota, max_area)
        if state.area.size == before:
            max_area *= 2
    return in_reading_order(state.of_first[labels])


def _merge_round(state: _Regions, order: IntArray, quota: int, max_area: float) -> _Regions:
    """Join up to `quota` pairs in the given order of contacts, each region at most once."""
    contacts = state.contacts
    target = _pair_up(order, contacts.low, contacts.high, state.area, quota, max_area)
    kept, new = np.unique(target, return_inverse=True)
    area = weighted_count(new, state.area, kept.size)
    sums = [weighted_count(new, column * state.area, kept.size) for column in state.colour.T]
    return replace(
        state,
        area=area,
        colour=np.stack(sums, axis=1) / area[:, None],
        contacts=_renumber(contacts, new, kept.size),
        of_first=new[state.of_first],
    )


def _renumber(contacts: Contacts, new: IntArray, count: int) -> Contacts:
    """Return the contacts between the joined regions."""
    one, other = new[contacts.low], new[contacts.high]
    apart = one != other
    keys = np.minimum(one, other)[apart] * count + np.maximum(one, other)[apart]
    pairs, inverse = np.unique(keys, return_inverse=True)
    low, high = np.divmod(pairs, count)
    return Contacts(
        low,
        high,
        weighted_count(inverse, contacts.length[apart], pairs.size),
        weighted_count(inverse, contacts.contrast[apart], pairs.size),
    )


@kernel
def _pair_up(
    order: IntArray,
    low: Int64Array,
    high: Int64Array,
    area: FloatArray,
    quota: int,
    max_area: float,
) -> Int64Array:
    """Return the region that each region joins (itself if it joins none), shape (n,)."""
    target = np.arange(area.size)
    taken = np.zeros(area.size, np.bool_)
    for contact in order:
        if quota == 0:
            break
        a = low[contact]
        b = high[contact]
        if not taken[a] and not taken[b] and area[a] + area[b] <= max_area:
            taken[a] = True
            taken[b] = True
            target[b] = a
            quota -= 1
    return target
