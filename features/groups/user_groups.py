"""User-defined feature groups: a function or a folder of ``.npy`` files."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from segboost._types import Float32Array, Int32Array
from segboost.features.groups.base import Range
from segboost.features.image import RGB
from segboost.features.image_context import ImageContext
from segboost.features.superpixels.adjacency import region_means

UserFunction = Callable[[RGB, Int32Array], npt.ArrayLike]
"""(image (H, W, 3) float32 in [0, 1], superpixels (H, W)) → features, shape (P, d)."""


@dataclass(frozen=True)
class FunctionGroup:
    """Features computed by a user's function.

    Parameters
    ----------
    name : str
    function : callable or str
        ``function(image, superpixels) → array (P, d)``, or its import path
        ``"package.module:function"``. Only an import path can be written to a configuration.
    names : tuple of str
        The names of the columns; numbers by default.

    Examples
    --------
    >>> import numpy as np
    >>> def brightness(image, superpixels):
    ...     sums = np.bincount(superpixels.ravel(), image.mean(axis=2).ravel())
    ...     return sums / np.bincount(superpixels.ravel())
    >>> FunctionGroup("brightness", brightness).name
    'brightness'
    """

    name: str
    function: UserFunction | str
    names: tuple[str, ...] = ()

    def compute(self, context: ImageContext) -> Float32Array:
        """Return the function's features after checking their shape."""
        function = self.function
        if isinstance(function, str):
            function = import_function(function)
        # The function gets its own copies, so that it cannot change the input of other groups.
        values = function(context.rgb.copy(), context.labels.copy())
        return check_features(values, context.count, f"group {self.name!r}")

    def columns(self, width: int) -> tuple[str, ...]:
        """Return the names that the user gave, or numbers."""
        return _named(self.name, self.names, width)

    def value_range(self) -> Range | None:
        """Return None: the results of a user's function stay float32."""
        return None

    def to_config(self) -> dict[str, Any]:
        """Return the name and the import path of the function."""
        if not isinstance(self.function, str):
            raise ValueError(
                f"group {self.name!r}: only a function given as 'package.module:function' can be "
                "saved in a configuration"
            )
        return {
            "kind": "function",
            "name": self.name,
            "function": self.function,
            "names": list(self.names),
        }


@dataclass(frozen=True)
class FolderGroup:
    """Features from ``FOLDER/NAME.npy``, where NAME is the image's name without extension.

    A file contains one row per superpixel, shape (P, d), or a map, shape (H, W, d), which is
    averaged over each superpixel.
    """

    name: str
    folder: str
    names: tuple[str, ...] = field(default=())

    def compute(self, context: ImageContext) -> Float32Array:
        """Return the features from the file of this image."""
        path = Path(self.folder) / f"{context.name}.npy"
        if not context.name or not path.is_file():
            raise ValueError(f"group {self.name!r}: expected a file {path}, one per image")
        values = np.load(path, allow_pickle=False)
        if values.ndim == 3 and values.shape[:2] == context.labels.shape:
            values = region_means(context.labels, values.astype(np.float64), context.count)
        return check_features(values, context.count, f"group {self.name!r}: {path}")

    def columns(self, width: int) -> tuple[str, ...]:
        """Return the names that the user gave, or numbers."""
        return _named(self.name, self.names, width)

    def value_range(self) -> Range | None:
        """Return None: the content of a file stays float32."""
        return None

    def to_config(self) -> dict[str, Any]:
        """Return the name and the folder."""
        return {
            "kind": "folder",
            "name": self.name,
            "folder": self.folder,
            "names": list(self.names),
        }


def refuse_imports(groups: Iterable[Mapping[str, Any]], allow: Collection[str], what: str) -> None:
    """Raise ValueError if groups use a function or a folder that the caller did not allow.

    Files may come from untrusted sources: a function is imported, or a folder read, only if the
    caller names it as well.

    Parameters
    ----------
    groups : iterable of mapping
        Configurations of groups.
    allow : collection of str
        Functions as ``"package.module:function"``, and paths of folders.
    what : str
        The source of the configurations, for the message: ``"the model"``.
    """
    allow = (allow,) if isinstance(allow, str) else allow
    folders = {os.path.realpath(name) for name in allow}
    for group in groups:
        if group.get("kind") == "function" and group.get("function") not in allow:
            raise ValueError(_refusal(what, "a function to import", group.get("function")))
        folder = group.get("folder")
        if group.get("kind") == "folder" and os.path.realpath(str(folder)) not in folders:
            raise ValueError(_refusal(what, "a folder to read", folder))


def _refusal(what: str, kind: str, name: Any) -> str:
    return (
        f"{what} names {kind}, which is not allowed by default; if you trust it, pass "
        f"--allow-import {str(name)[:200]!r}, or allow_import in Python"
    )


def check_features(values: npt.ArrayLike, count: int, what: str) -> Float32Array:
    """Return the values as float32, shape (P, d); raise ValueError if they are invalid."""
    array = np.asarray(values)
    if array.ndim == 1:
        array = array[:, None]
    expected = f"{what}: expected finite numbers of shape ({count}, d)"
    if array.ndim != 2 or array.shape[0] != count or array.shape[1] == 0:
        raise ValueError(f"{expected}, got shape {np.shape(values)}")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{expected}, got dtype {array.dtype}")
    if not np.isfinite(array).all():
        raise ValueError(f"{expected}, got NaN or infinity")
    return array.astype(np.float32)


def import_function(where: str) -> UserFunction:
    """Return the function with the import path ``"package.module:function"``."""
    module, _, name = where.partition(":")
    if not module or not name:
        raise ValueError(f"function: expected 'package.module:function', got {where!r}")
    try:
        function: UserFunction = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"function: {where!r} cannot be imported: {error}") from None
    if not callable(function):
        raise ValueError(f"function: {where!r} is not callable")
    return function


def _named(group: str, names: tuple[str, ...], width: int) -> tuple[str, ...]:
    if names and len(names) != width:
        raise ValueError(f"group {group!r}: expected {len(names)} columns, got {width}")
    return names or tuple(f"column {n}" for n in range(width))
