"""What readers may do with bytes that nobody promised anything about."""

from collections.abc import Callable
from typing import Any

from segboost.datasets import DatasetError


def outcome(read: Callable[[], Any]) -> Any:
    """Return what was read, or the message of the one error that is allowed, a line of text."""
    try:
        return read()
    except DatasetError as error:
        message = str(error)
    assert message.startswith("a")
    assert "\n" not in message
    return message
