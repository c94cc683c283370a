"""Findings of the verification of a data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CHECKING = "checking files"
"""The stage that verification reports."""


@dataclass(frozen=True)
class Finding:
    """One finding about one file.

    Parameters
    ----------
    name : str
        The image it is about.
    level : {"missing", "odd"}
        A missing or broken file makes the set unusable; an odd finding does not.
    text : str
    """

    name: str
    level: Literal["missing", "odd"]
    text: str


@dataclass(frozen=True)
class Verification:
    """All findings of a data set; `counts` gives its size if that is not just train and test."""

    dataset: str
    n_train: int
    n_test: int
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
    counts: str = ""

    @property
    def size(self) -> str:
        """The size of the data set, in words."""
        return self.counts or f"{self.n_train} training and {self.n_test} test images"

    @property
    def usable(self) -> bool:
        """Whether nothing is missing or broken."""
        return all(finding.level != "missing" for finding in self.findings)
