"""What the verbs on tables share: bad input is misuse, told in one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer


@contextmanager
def as_usage_error() -> Iterator[None]:
    """Turn the ValueError or OSError of bad input into the exit status of misuse."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise typer.BadParameter(" ".join(str(error).split())) from None
