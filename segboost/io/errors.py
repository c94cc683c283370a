"""Image file errors with one-line messages that name the file."""

from __future__ import annotations

from PIL import UnidentifiedImageError


class ImageFileError(ValueError):
    """An image or mask file that cannot be used; the one-line message names it.

    Parameters
    ----------
    message : str
    temporary : bool
        Whether the system failed rather than the content, so that a later attempt may succeed.
    """

    def __init__(self, message: str, temporary: bool = False) -> None:
        super().__init__(message)
        self.temporary = temporary


def is_temporary(error: Exception) -> bool:
    """Whether an error may be temporary: a failure of disk, network or memory."""
    if isinstance(error, ImageFileError):
        return error.temporary
    # Pillow's errors about content are OSErrors without a number.
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and bool(error.errno))


def explain(error: Exception) -> str:
    """Return the reason for an error, in one line, without the path."""
    if isinstance(error, ImageFileError):
        return str(error)
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, UnidentifiedImageError):
        return "not an image that can be read (PNG, JPEG, ...)"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    reason = " ".join(str(error).split()) or type(error).__name__
    return f"broken image: {reason}"
