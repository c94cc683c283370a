"""File readers, given many changed files, return a result or raise their one error type."""

from __future__ import annotations

import io
import json
import warnings

import numpy as np
import pytest

from segboost.datasets import DatasetError, ImageFileError
from segboost.datasets.images.masks import read_mask
from segboost.datasets.tables.csv_format import parse_csv
from segboost.datasets.tables.idx_format import parse_idx
from segboost.datasets.tables.libsvm_format import parse_libsvm
from segboost.datasets.tables.npz_format import parse_npz
from segboost.datasets.tables.taxonomy_files import read_taxonomy
from segboost.io.image_files import decode_image
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from tests.contracts.limits import time_limit
from tests.hostile import corpus
from tests.hostile.mutations import blind, change_json

CASES = 400

LIBSVM = b"+1 1:0.5 3:-2e-3 7:1\n-1 2:1 # comment\n\n2 1:nan 2:3\n" * 5
CSV = b'a,b,"c d",y\n1,2.5,-3e4,cat\n0,,1,"do""g"\n' * 4
IDX = bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2, *range(12)])
TAXONOMY = json.dumps({"r": {"s": ["a", "b"], "t": {"u": ["c"], "d": []}}}).encode()
LINES = b"a s\nb s\ns r\nt r\nc t\n"
CONFIG = json.dumps(SegmentationConfig().to_dict()).encode()


def npz():
    buffer = io.BytesIO()
    np.savez(buffer, X=np.arange(12.0).reshape(4, 3), y=np.array(["a", "b", "a", "c"]))
    return buffer.getvalue()


def in_file(read, name):
    def parse(data, folder):
        path = folder / name
        path.write_bytes(data)
        return read(path)

    return parse


def of_config(data, folder):
    path = folder / "settings.json"
    path.write_bytes(data)
    return SegmentationConfig.from_dict(SegmentationConfig.read_document(path))


READERS = {
    "libsvm": (LIBSVM, lambda d, _: parse_libsvm(d, "file"), DatasetError),
    "csv": (CSV, lambda d, _: parse_csv(d, "file"), DatasetError),
    "idx": (IDX, lambda d, _: parse_idx(d, "file"), DatasetError),
    "npz": (npz(), lambda d, _: parse_npz(d, "file"), DatasetError),
    "taxonomy": (TAXONOMY, in_file(read_taxonomy, "t.json"), DatasetError),
    "taxonomy lines": (LINES, in_file(read_taxonomy, "t.txt"), DatasetError),
    "config": (CONFIG, of_config, ValueError),
    "png": (corpus.PNG, lambda d, _: decode_image(d), ImageFileError),
    "jpeg": (corpus.JPEG, lambda d, _: decode_image(d), ImageFileError),
    "gif": (corpus.GOOD["animated.gif"], lambda d, _: decode_image(d), ImageFileError),
    "mask": (corpus.GOOD["grey.png"], in_file(read_mask, "m.png"), ImageFileError),
}


def try_one(read, data, folder, error):
    """Return whether the data could be read; errors of other types are raised."""
    try:
        read(data, folder)
    except error as caught:
        if "\n" in str(caught):
            raise AssertionError(f"more than one line: {caught}") from None
        return False
    return True


@pytest.mark.parametrize("name", READERS)
def test_changed_files_are_read_or_refused(name, tmp_path):
    data, read, error = READERS[name]
    rng = np.random.default_rng(len(name))
    ends = {True: 0, False: 0}
    with time_limit(300), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(CASES):
            changed = data
            for _ in range(int(rng.integers(1, 4))):
                changed = blind(rng, changed)
            ends[try_one(read, changed, tmp_path, error)] += 1
    assert ends[False] > CASES / 10


@pytest.mark.parametrize("name", ["config", "taxonomy"])
def test_changed_documents_are_read_or_refused(name, tmp_path):
    data, read, error = READERS[name]
    rng = np.random.default_rng(7)
    ends = {True: 0, False: 0}
    with time_limit(300):
        for _ in range(CASES):
            changed = json.dumps(change_json(rng, json.loads(data))).encode()
            ends[try_one(read, changed, tmp_path, error)] += 1
    assert ends[False] > CASES / 10
