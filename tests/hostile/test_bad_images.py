"""`segment` gives a mask or a one-line error for every image of the corpus."""

from __future__ import annotations

import csv
import os
import re

import numpy as np
import pytest
from PIL import Image

from segboost.cli.main import run
from segboost.datasets import ImageFileError, read_image
from segboost.features import extract_features
from segboost.io.image_files import decode_image
from segboost.pipelines.batch.inputs import find_images
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from tests.contracts.limits import time_limit
from tests.hostile import corpus
from tests.pipelines.segmentation.tiny_models import trained


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save_segmenter(trained().model, tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return corpus.write(tmp_path_factory.mktemp("corpus") / "images")


@pytest.fixture(scope="module")
def outcome(folder, model, tmp_path_factory, request):
    """Return the rows of results.csv by name, the captured output, and the folder of the masks."""
    output = tmp_path_factory.mktemp("masks")
    capture = request.config.pluginmanager.getplugin("capturemanager")
    capture.read_global_capture()
    with time_limit(900):
        status = run(["segment", str(folder), "--model", str(model), "--output", str(output)])
    printed = capture.read_global_capture()
    assert status == 1
    path = output / "results.csv"
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    return rows, printed, output


def test_nothing_is_skipped(outcome, folder):
    rows, _, _ = outcome
    assert set(rows) == {p.name for p in folder.iterdir()}


@pytest.mark.parametrize("name", [*corpus.GOOD, "\udcff\udcfe.png"])
def test_readable_images_are_segmented(outcome, name):
    rows, _, output = outcome
    assert rows[name]["status"] == "done"
    size = Image.open(output / f"{os.path.splitext(name)[0]}.png").size
    expected = {
        "rotated.jpg": (corpus.HEIGHT, corpus.WIDTH),
        "one_pixel.png": (1, 1),
        "one_row.png": (40, 1),
    }
    assert size == expected.get(name, (corpus.WIDTH, corpus.HEIGHT))


REASONS = {**{name: reason for name, (_, reason) in corpus.BAD.items()}, **corpus.SPECIAL}


@pytest.mark.parametrize("name", REASONS)
def test_unreadable_images_are_listed_with_a_reason(outcome, name):
    rows, printed, output = outcome
    assert re.search(REASONS[name], rows[name]["status"])
    assert "\n" not in rows[name]["status"]
    assert not (output / f"{os.path.splitext(name)[0]}.png").exists()
    shown = name if name.isprintable() else repr(name)
    (line,) = [text for text in printed[1].splitlines() if f"failed: {shown}:" in text]
    assert re.search(REASONS[name], line)


def test_there_is_one_line_per_image_and_no_traceback(outcome):
    _, printed, _ = outcome
    notes = [line for line in printed[1].splitlines() if line.startswith("note: ")]
    # An alpha channel and further frames are left out, and 16 bits are scaled.
    assert [n.split(":")[1].strip() for n in notes] == ["alpha.png", "animated.gif", "wide.png"]
    assert len(printed[1].splitlines()) == len(REASONS) + len(notes)
    assert "Traceback" not in printed[0] + printed[1]


def test_the_first_frame_of_an_animation_is_used(outcome, tmp_path):
    (tmp_path / "a.gif").write_bytes(corpus.GOOD["animated.gif"])
    first = np.asarray(Image.open(tmp_path / "a.gif").convert("RGB"))
    np.testing.assert_array_equal(read_image(tmp_path / "a.gif"), first)


@pytest.mark.parametrize("name", corpus.GOOD)
def test_bytes_are_read_like_files(folder, name):
    np.testing.assert_array_equal(decode_image(corpus.GOOD[name]), read_image(folder / name))


@pytest.mark.parametrize("name", corpus.BAD)
def test_bytes_are_refused_like_files(folder, name):
    with pytest.raises(ImageFileError) as of_bytes:
        decode_image(corpus.BAD[name][0])
    with pytest.raises(ImageFileError) as of_file:
        read_image(folder / name)
    assert str(of_file.value) == f"{folder / name}: {of_bytes.value}"


@pytest.mark.parametrize("name", ["loop.png", "nowhere.png", "pipe.png"])
def test_special_files_named_directly_are_refused(folder, name):
    with time_limit(120), pytest.raises(ImageFileError, match=corpus.SPECIAL[name]):
        read_image(find_images([str(folder / name)])[0])


def test_cyclic_folders_are_visited_once(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / name).symlink_to(tmp_path)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "x.png").write_bytes(corpus.PNG)
    with time_limit(120):
        assert find_images([f"{tmp_path}/**/*.png"]) == [tmp_path / "deep" / "x.png"]


def test_missing_permission_is_reported(tmp_path):
    """Runs in a child process as the user nobody, since root may read everything."""
    (tmp_path / "closed.png").write_bytes(corpus.PNG)
    (tmp_path / "closed.png").chmod(0)
    tmp_path.chmod(0o755)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            read_image(tmp_path / "closed.png")
        except ImageFileError as error:
            # A parent folder may also be unreadable.
            status = 0 if str(error).endswith("permission denied") else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("preset", ["classic", "paper", "default", "fast"])
def test_an_image_whose_padding_would_take_gigabytes_is_refused(preset):
    for shape in ((2, 60_000, 3), (60_000, 2, 3)):
        with pytest.raises(ValueError, match="too thin"):
            extract_features(np.zeros(shape, np.uint8), preset)
