"""The allowed outcomes of reading arbitrary bytes."""

from collections.abc import Callable
from typing import Any

from segboost.datasets import DatasetError

SOURCE = "given.file"
"""The file name that is passed to the reader; error messages begin with it."""


def outcome(read: Callable[[], Any]) -> Any:
    """Return the result, or the one-line message of a DatasetError, the only allowed error."""
    try:
        return read()
    except DatasetError as error:
        message = str(error)
    assert message.startswith((f"{SOURCE} ", f"{SOURCE},", f"{SOURCE}:"))
    assert "\n" not in message
    return message
