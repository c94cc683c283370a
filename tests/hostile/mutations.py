"""Random changes to the files of a model folder, with or without updated checksums."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile

import numpy as np

from segboost.storage import folder as storage

NUMBERS = [0, -1, 1, 2**31, 2**63, 10**12, 1e308, -1e-300, 10**400, 0.5]
TEXTS = [
    "",
    "x",
    "../secret",
    "/",
    "\0",
    "é" * 300,
    "os:system",
    "__import__",
    "nan",
    "<U1000000000",
]
ODD = [None, True, [], {}, [[]], [None] * 3, {"a": {}}]


def blind(rng, data: bytes) -> bytes:
    """Change random bytes."""
    data = bytearray(data)
    kind = rng.integers(6)
    at = int(rng.integers(max(1, len(data))))
    if kind == 0 and data:
        data[at] ^= 1 << int(rng.integers(8))
    elif kind == 1:
        for place in rng.integers(len(data) or 1, size=int(rng.integers(1, 20))):
            data[place : place + 1] = bytes([int(rng.integers(256))])
    elif kind == 2:
        del data[at:]
    elif kind == 3:
        data[at:at] = rng.bytes(int(rng.integers(1, 100)))
    elif kind == 4:
        end = at + int(rng.integers(1, 200))
        data[at:at] = data[at:end]
    else:
        return rng.bytes(int(rng.integers(0, 400)))
    return bytes(data)


def change_json(rng, value):
    """Return a JSON document with one of its values, at any depth, changed, removed or added."""
    places = list(_places(value))
    holder, key = places[int(rng.integers(len(places)))]
    choice = rng.integers(6)
    if choice == 0:
        holder[key] = _pick(rng, NUMBERS)
    elif choice == 1:
        holder[key] = _pick(rng, TEXTS)
    elif choice == 2:
        holder[key] = json.loads(json.dumps(_pick(rng, ODD)))
    elif choice == 3:
        del holder[key]
    elif choice == 4 and isinstance(holder, dict):
        holder[_pick(rng, TEXTS)] = holder[key]
    else:
        other, place = places[int(rng.integers(len(places)))]
        holder[key] = json.loads(json.dumps(other[place]))
    return value


def _places(value):
    """Yield the (container, key) pairs of a document, at most five per list."""
    if isinstance(value, dict):
        for key in value:
            yield value, key
            yield from _places(value[key])
    elif isinstance(value, list):
        for key in range(min(len(value), 5)):
            yield value, key
            yield from _places(value[key])


def _pick(rng, choices):
    return choices[int(rng.integers(len(choices)))]


def change_arrays(rng, packed: bytes) -> bytes:
    """Change shape, type, values or name of an array, or give it a false header."""
    with np.load(io.BytesIO(packed)) as archive:
        arrays = dict(archive)
    name = _pick(rng, sorted(arrays))
    array = arrays[name]
    choice = rng.integers(9)
    if choice == 0:
        arrays[name] = array.reshape(-1)[: array.size // 2]
    elif choice == 1:
        arrays[name] = array[None]
    elif choice == 2:
        arrays[name] = array.astype(_pick(rng, ["f4", "i1", "?", "U4", "c16", "u8", ">f8", "i8"]))
    elif choice == 3 and array.size:
        flat = array.reshape(-1).copy()
        with np.errstate(all="ignore"):
            wild = np.array(_pick(rng, [-1, 10**6, 2**62, np.nan, np.inf, 1e300]))
            flat[int(rng.integers(flat.size))] = wild.astype(flat.dtype)
        arrays[name] = flat.reshape(array.shape)
    elif choice == 4:
        del arrays[name]
    elif choice == 5:
        arrays[_pick(rng, ["x", "../x", "which", "kind9_feature"])] = arrays.pop(name)
    elif choice == 6:
        arrays[name] = np.tile(array.reshape(-1), 3)
    elif choice == 7:
        return _falsify_header(rng, arrays, name)
    else:
        arrays[name] = np.zeros((0, 3))
    return storage._pack(arrays)


def _falsify_header(rng, arrays, name):
    """Return the arrays, one with a header that declares a wrong size, objects or nonsense."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, array, allow_pickle=False)
            data = member.getvalue()
            if key == name:
                shape = _pick(rng, ["(10000000000,)", "(99999999999, 99999999999)", "(-1,)"])
                text = _pick(
                    rng,
                    [
                        f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}",
                        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
                        "{'descr': '<U999999999', 'fortran_order': True, 'shape': (1,), }",
                        "(" * 5000,
                        "__import__('os').system('true')",
                    ],
                )
                head = text.encode() + b"\n"
                data = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + data[128:]
            archive.writestr(f"{key}.npy", data)
    return buffer.getvalue()


def mutate(rng, folder) -> bool:
    """Change one file below a folder; return whether its checksums were updated."""
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    path = files[int(rng.integers(len(files)))]
    update_checksums = rng.random() < 0.5 and path.name != "table.json"
    if not update_checksums:
        if path.suffix == ".json" and rng.random() < 0.3:
            document = change_json(rng, json.loads(path.read_text()))
            path.write_text(json.dumps(document))
        else:
            path.write_bytes(blind(rng, path.read_bytes()))
        return False
    place = path.parent
    document = json.loads((place / "model.json").read_text())
    if path.suffix == ".json":
        document.pop("sha256")
        document = change_json(rng, document)
    else:
        packed = change_arrays(rng, path.read_bytes())
        path.write_bytes(packed)
        document["arrays"]["sha256"] = hashlib.sha256(packed).hexdigest()
    write_with_checksums(place, document)
    if place != folder:
        _rename_part(folder, place)
    return True


def write_with_checksums(folder, document):
    document.pop("sha256", None)
    digest = storage._try_checksum(document)
    (folder / "model.json").write_text(json.dumps({**document, "sha256": digest}))


def _rename_part(folder, place):
    """Rename the sub-folder of a CRF to match its new content, also in the document."""
    name = f"crf-{hashlib.sha256((place / 'model.json').read_bytes()).hexdigest()}"
    document = json.loads((folder / "model.json").read_text())
    length = len(document["content"]["crf"])
    name = name[:length]
    place.rename(folder / name)
    document["content"]["crf"] = name
    write_with_checksums(folder, document)
