"""The allowed outcomes of reading arbitrary bytes."""

from collections.abc import Callable
from typing import Any

from segboost.datasets import DatasetError


def outcome(read: Callable[[], Any]) -> Any:
    """Return the result, or the message of the only allowed error, one line of text."""
    try:
        return read()
    except DatasetError as error:
        message = str(error)
    assert message.startswith("a")
    assert "\n" not in message
    return message
