"""The allowed outcomes of reading arbitrary bytes."""

from collections.abc import Callable
from typing import Any

from segboost.datasets import DatasetError


def outcome(read: Callable[[], Any]) -> Any:
    """Return the result, or the one-line message of a DatasetError, the only allowed error."""
    try:
        return read()
    except DatasetError as error:
        message = str(error)
    assert message.startswith("a")
    assert "\n" not in message
    return message
