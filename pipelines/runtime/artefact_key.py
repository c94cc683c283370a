"""Keys of artefacts: digests of everything a stage's result depends on."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from typing import Any

import numpy as np

from segboost._types import AnyArray

STAGE = re.compile(r"[a-z0-9][a-z0-9_-]*")
"""Pattern of stage names, which are used as folder names."""
_BLOCK = 1 << 20


@dataclass(frozen=True)
class KeyParts:
    """Everything that a stage's result depends on, in addition to the stage itself.

    Parameters
    ----------
    parameters : mapping of str to JSON values
        Numbers, strings, booleans, None, and lists, dictionaries and dataclasses of them. NumPy
        scalars are treated as plain numbers.
    inputs : tuple of str
        Keys of the artefacts, files and arrays that the stage reads, in order.
    schema : int
        Increased when the stage's code changes so that the same parameters give another result.
    """

    parameters: Mapping[str, Any] = field(default_factory=dict)
    inputs: tuple[str, ...] = ()
    schema: int = 1

    def key(self, stage: str) -> str:
        """Return ``sha256(stage, schema, parameters, inputs)`` as 64 hexadecimal digits.

        Examples
        --------
        >>> one = KeyParts({"C": 10.0, "n": 50}).key("crf")
        >>> one == KeyParts({"n": 50, "C": 10.0}).key("crf")
        True
        >>> one == KeyParts({"n": 50, "C": 1.0}).key("crf")
        False
        """
        content = [check_stage(stage), self.schema, self.parameters, list(self.inputs)]
        return hashlib.sha256(canonical_json(content).encode()).hexdigest()


def check_stage(stage: str) -> str:
    """Return the name; ValueError unless it is a valid folder name on any system."""
    if not STAGE.fullmatch(stage):
        raise ValueError(f"a stage's name may contain only a-z, 0-9, - and _, got {stage!r}")
    return stage


def canonical_json(value: Any) -> str:
    """Return the canonical JSON text of a value: sorted keys, no spaces, no NaN.

    Raises
    ------
    ValueError
        For values that JSON cannot represent: NaN, infinities, keys that are not strings, objects.
    """
    plain = _plain(value)
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False)


def file_key(path: str | os.PathLike[str]) -> str:
    """Return the sha256 of a file's bytes; its name and date do not matter."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def array_key(*arrays: AnyArray) -> str:
    """Return the sha256 of dtypes, shapes and values of arrays; memory layout does not matter."""
    digest = hashlib.sha256()
    for array in arrays:
        if array.dtype.hasobject:
            raise ValueError("cannot make a key of an array of Python objects")
        digest.update(f"{array.dtype.str}{array.shape};".encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping) and all(isinstance(k, str) for k in value):
        return {k: _plain(v) for k, v in value.items()}
    raise ValueError(f"parameters of a key must be plain JSON values, got {value!r}")
