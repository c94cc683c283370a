"""Report bad input files as usage errors: one line and exit status 2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer


@contextmanager
def as_usage_error() -> Iterator[None]:
    """Turn a ValueError or OSError into a usage error (exit status 2)."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise typer.BadParameter(" ".join(str(error).split())) from None
