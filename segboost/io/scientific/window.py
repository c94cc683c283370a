"""A rectangular part of a page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Window:
    """Rows and columns of a page; `bottom` and `right` are exclusive."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def rows(self) -> slice:
        """The rows."""
        return slice(self.top, self.bottom)

    @property
    def columns(self) -> slice:
        """The columns."""
        return slice(self.left, self.right)

    def within(self, other: Window) -> tuple[slice, slice]:
        """Return the slices of this window in the array of another window that contains it."""
        return (
            slice(self.top - other.top, self.bottom - other.top),
            slice(self.left - other.left, self.right - other.left),
        )
