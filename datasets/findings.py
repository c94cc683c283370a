"""What the verification of a data set found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CHECKING = "checking files"
"""The stage that verification reports."""


@dataclass(frozen=True)
class Finding:
    """One thing about one file.

    Parameters
    ----------
    name : str
        The image it is about.
    level : {"missing", "odd"}
        What is missing or broken makes a set unusable; what is odd is worth knowing.
    text : str
    """

    name: str
    level: Literal["missing", "odd"]
    text: str


@dataclass(frozen=True)
class Verification:
    """What was found in a data set; `counts` tells its size where it has no such parts."""

    dataset: str
    n_train: int
    n_test: int
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
    counts: str = ""

    @property
    def size(self) -> str:
        """What there is, in words."""
        return self.counts or f"{self.n_train} training and {self.n_test} test images"

    @property
    def usable(self) -> bool:
        """True where nothing is missing or broken."""
        return all(finding.level != "missing" for finding in self.findings)
