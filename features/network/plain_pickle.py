"""Pickles of tensors, interpreted without running anything.

Python's own unpickler calls any function that a file names. This one knows only the instructions
that the weights of a network need, and makes numbers, strings, containers and descriptions of
tensors. Names of functions stay strings: they are never looked up, so they can never be called.
"""

from __future__ import annotations

import pickletools
from dataclasses import dataclass
from typing import Any, BinaryIO

DTYPES = {"torch FloatStorage": "<f4", "torch LongStorage": "<i8"}
"""The storages that tensors may have, with the NumPy type of their elements."""
_DICT = "collections OrderedDict"
_TENSOR = "torch._utils _rebuild_tensor_v2"


class PickleError(ValueError):
    """A pickle that is damaged or holds anything other than tensors."""


@dataclass(frozen=True)
class Storage:
    """A block of numbers later in the file: its key, element type and length."""

    key: str
    dtype: str
    count: int


@dataclass(frozen=True)
class TensorView:
    """A tensor as a strided view of a storage; offset and strides count elements."""

    storage: Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True)
class _Name:
    """The name of an object that a pickle would import."""

    text: str


_MARK = object()
_PUSH = frozenset({"BININT", "BININT1", "BININT2", "LONG1", "BINUNICODE"})
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}
_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


def read_pickle(file: BinaryIO) -> Any:
    """Return the value of the pickle at the file's position, which moves to its end.

    Returns
    -------
    None, bool, int, str, tuple, list, dict, Storage or TensorView
        Containers hold the same; an ordered dictionary becomes a dict.

    Raises
    ------
    PickleError
        For every other instruction, every other name, and a file that ends too early.
    """
    machine = _Machine()
    try:
        for code, argument, _ in pickletools.genops(file):
            if code.name == "STOP":  # always reached: `genops` raises at the end of the file
                break
            machine.step(code.name, argument)
    except PickleError:
        raise
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise PickleError(f"damaged pickle: {error}") from None
    return machine.result()


class _Machine:
    """The stack and the memory of one pickle."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memory: dict[int, Any] = {}

    def result(self) -> Any:
        if len(self.stack) != 1:
            raise PickleError(f"damaged pickle: {len(self.stack)} values at its end")
        return self.stack[0]

    def step(self, name: str, argument: Any) -> None:
        """Carry out one instruction."""
        if name in _PUSH:
            self.stack.append(argument)
        elif name in _CONSTANTS:
            self.stack.append(_CONSTANTS[name])
        elif name in _TUPLES:
            self.stack.append(tuple(reversed([self.stack.pop() for _ in range(_TUPLES[name])])))
        elif name in _STEPS:
            _STEPS[name](self, argument)
        else:
            raise PickleError(f"a pickle of tensors does not have the instruction {name}")

    def since_mark(self) -> list[Any]:
        items: list[Any] = []
        while (item := self.stack.pop()) is not _MARK:
            items.append(item)
        return items[::-1]

    def pop_pair(self) -> list[Any]:
        """Remove and return a key and, above it on the stack, its value."""
        value, key = self.stack.pop(), self.stack.pop()
        return [key, value]

    def put(self, place: int) -> None:
        self.memory[place] = self.stack[-1]

    def get(self, place: int) -> None:
        self.stack.append(self.memory[place])

    def name(self, text: str) -> None:
        if text not in (_DICT, _TENSOR, *DTYPES):
            raise PickleError(f"a pickle of tensors does not use {text!r}")
        self.stack.append(_Name(text))

    def set_items(self, items: list[Any]) -> None:
        if not isinstance(self.stack[-1], dict) or len(items) % 2:
            raise PickleError("damaged pickle: items for something that is not a dictionary")
        self.stack[-1].update(zip(items[::2], items[1::2], strict=True))

    def append_items(self, items: list[Any]) -> None:
        if not isinstance(self.stack[-1], list):
            raise PickleError("damaged pickle: items for something that is not a list")
        self.stack[-1].extend(items)

    def call(self) -> None:
        """Replace a name and its arguments by the object that they describe."""
        arguments, name = self.stack.pop(), self.stack.pop()
        if name == _Name(_DICT) and arguments == ():
            self.stack.append({})
        elif name == _Name(_TENSOR):
            self.stack.append(_tensor(*arguments))
        else:
            raise PickleError(f"a pickle of tensors does not call {name!r}")

    def storage(self) -> None:
        kind, name, key, _device, count, view = self.stack.pop()
        if kind != "storage" or not isinstance(name, _Name) or view is not None:
            raise PickleError("damaged pickle: expected the description of a storage")
        self.stack.append(Storage(_of(str, key), DTYPES[name.text], _of(int, count)))

    def leave_out_state(self) -> None:
        """Drop the attributes of a dictionary: version numbers of the network's parts."""
        self.stack.pop()
        if not isinstance(self.stack[-1], dict):
            raise PickleError("a pickle of tensors does not set the state of objects")


def _tensor(
    storage: Any, offset: Any, shape: Any, strides: Any, _gradient: Any, _hooks: Any
) -> TensorView:
    if len(_of(tuple, shape)) != len(_of(tuple, strides)):
        raise PickleError(f"damaged pickle: a tensor of shape {shape} has strides {strides}")
    return TensorView(
        _of(Storage, storage),
        _of(int, offset),
        tuple(_of(int, n) for n in shape),
        tuple(_of(int, n) for n in strides),
    )


def _of(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise PickleError(f"damaged pickle: expected {kind.__name__}, got {value!r}")
    return value


_STEPS: dict[str, Any] = {
    "PROTO": lambda machine, version: None,
    "MARK": lambda machine, _: machine.stack.append(_MARK),
    "GLOBAL": _Machine.name,
    "BINPUT": _Machine.put,
    "LONG_BINPUT": _Machine.put,
    "BINGET": _Machine.get,
    "LONG_BINGET": _Machine.get,
    "TUPLE": lambda machine, _: machine.stack.append(tuple(machine.since_mark())),
    "EMPTY_DICT": lambda machine, _: machine.stack.append({}),
    "EMPTY_LIST": lambda machine, _: machine.stack.append([]),
    "SETITEM": lambda machine, _: machine.set_items(machine.pop_pair()),
    "SETITEMS": lambda machine, _: machine.set_items(machine.since_mark()),
    "APPENDS": lambda machine, _: machine.append_items(machine.since_mark()),
    "REDUCE": lambda machine, _: machine.call(),
    "BINPERSID": lambda machine, _: machine.storage(),
    "BUILD": lambda machine, _: machine.leave_out_state(),
}
