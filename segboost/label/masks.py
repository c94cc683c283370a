"""Partial masks on disk: labelled pixels have the value of their class, all others are void."""

from __future__ import annotations

import hashlib
import io
import stat
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from segboost._types import ByteArray
from segboost.datasets.images.masks import read_values
from segboost.io.errors import ImageFileError
from segboost.io.legend import VOID
from segboost.label.classes import DEFAULT, ClassList
from segboost.label.images import FolderImage
from segboost.pipelines.segmentation.images.working_size import resize_labels
from segboost.storage.whole_file import write_whole

UNPAINTED = "none"
"""The version of a mask that does not exist."""


class ConflictError(Exception):
    """The mask was changed elsewhere after it was read."""

    def __init__(self, version: str) -> None:
        super().__init__("the mask was changed after it was read")
        self.version = version


class MaskFolder:
    """The masks of a folder, each with a version: the digest of its file.

    Masks have the size of their image even if it is edited at a smaller size: only the pixels that
    change in the editor change in the file.

    Parameters
    ----------
    folder : Path
    classes : callable
        Returns the current classes; values without a class read as void.
    """

    def __init__(self, folder: Path, classes: Callable[[], ClassList] = lambda: DEFAULT) -> None:
        self.folder = folder
        self.classes = classes
        self._lock = threading.Lock()
        self._digests: dict[Path, tuple[tuple[int, int, int], str]] = {}

    def path(self, image: FolderImage) -> Path:
        """Return the path of the mask of an image."""
        return self.folder / f"{image.path.stem}.png"

    def version(self, image: FolderImage) -> str:
        """Return the digest of a mask's file, or `UNPAINTED`.

        Raises
        ------
        ImageFileError
            If something other than a regular file is in its place, or it cannot be read.
        """
        path = self.path(image)
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):
                raise ImageFileError(f"{path} is not a file: remove it")
            # Saving renames a new file into place, so at least one of these changes.
            stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
            known = self._digests.get(path)
            if known is None or known[0] != stamp:
                known = stamp, hashlib.sha256(path.read_bytes()).hexdigest()[:32]
                self._digests[path] = known
            return known[1]
        except FileNotFoundError:
            return UNPAINTED
        except NotADirectoryError:
            raise ImageFileError(f"{path.parent} is not a folder: remove it") from None
        except OSError as error:
            reason = str(error.strerror).lower()
            raise ImageFileError(f"{path}: {reason}", temporary=True) from None

    def read(self, image: FolderImage) -> ByteArray:
        """Return a mask in the size of its image; all void if nothing is labelled.

        Raises
        ------
        ImageFileError
            If the file is not a mask.
        ValueError
            If its size differs from the image's.
        """
        path = self.path(image)
        if self.version(image) == UNPAINTED:
            return np.full(image.shape, VOID, np.uint8)
        mask = self._values(path)
        if mask.shape != image.shape:
            tall, wide = mask.shape
            raise ValueError(
                f"{path} is {wide}×{tall}, but its image is {image.width}×{image.height}: "
                "remove the mask"
            )
        return mask

    def _values(self, path: Path) -> ByteArray:
        values = read_values(path).values
        if values.max(initial=0) > VOID:
            raise ImageFileError(f"{path}: expected mask values 0 … 255: remove the file")
        known: ByteArray = self.classes().void_table()[values]
        return known

    def shown(self, image: FolderImage) -> tuple[ByteArray, str]:
        """Return a mask at its size in the editor, with its version."""
        with self._lock:
            small = resize_labels(self.read(image), image.shown_shape)
            return small.astype(np.uint8), self.version(image)

    def save(self, image: FolderImage, shown: ByteArray, version: str) -> str:
        """Save an edited mask; return the new version.

        Parameters
        ----------
        image : FolderImage
        shown : ndarray of uint8, shape `image.shown_shape`
            Values of classes, and 255.
        version : str
            The version that was edited.

        Raises
        ------
        ConflictError
            If the mask was changed in the meantime; it is left unchanged.
        """
        allowed = (*self.classes().values, VOID)
        if shown.shape != image.shown_shape or not np.isin(shown, allowed).all():
            raise ValueError(
                "a mask must contain only values of classes and 255, and have the size that was "
                "sent"
            )
        with self._lock:
            now = self.version(image)
            if now != version:
                raise ConflictError(now)
            self._write(image, self._merge(image, shown))
            return self.version(image)

    def _merge(self, image: FolderImage, shown: ByteArray) -> ByteArray:
        if image.shape == image.shown_shape:
            return shown
        old = self.read(image)
        changed = resize_labels(old, image.shown_shape) != shown
        where = resize_labels(changed.astype(np.uint8), image.shape).astype(bool)
        return np.where(where, resize_labels(shown, image.shape), old).astype(np.uint8)

    def _write(self, image: FolderImage, mask: ByteArray) -> None:
        path = self.path(image)
        if (mask == VOID).all():
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, encode_mask(mask, self.classes()))

    def forget_removed(self, images: Sequence[FolderImage]) -> None:
        """Rewrite the masks that contain values without a class, which already read as void."""
        for image in images:
            with self._lock:
                if image.problem or self.version(image) == UNPAINTED:
                    continue
                try:
                    stored, known = read_values(self.path(image)).values, self.read(image)
                except ValueError:
                    continue  # the error is shown when the image is opened
                if not np.array_equal(stored, known):
                    self._write(image, known)


def encode_mask(mask: ByteArray, classes: ClassList = DEFAULT) -> bytes:
    """Return a mask as a palette PNG, which any reader takes as indices: 1 is class 1, 255 void."""
    palette = np.zeros((256, 3), np.uint8)
    for entry in classes.classes:
        palette[entry.value] = entry.colour
    height, width = mask.shape
    picture = Image.frombytes("P", (width, height), np.ascontiguousarray(mask).tobytes())
    picture.putpalette(palette.tobytes())
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def unpack_runs(data: bytes, size: int) -> ByteArray:
    """Decode runs, each a byte for the value and four (little-endian) for the length.

    Raises
    ------
    ValueError
        If the runs do not fill `size` exactly.
    """
    if len(data) % 5:
        raise ValueError("the data is not a sequence of five-byte runs")
    runs = np.frombuffer(data, np.dtype([("value", "u1"), ("length", "<u4")]))
    if int(runs["length"].sum(dtype=np.uint64)) != size:
        raise ValueError(f"the runs do not fill {size} pixels")
    return np.repeat(runs["value"], runs["length"])
