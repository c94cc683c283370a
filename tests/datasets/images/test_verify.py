from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from skimage import data as photographs

from segboost.datasets import ArraySource, LabelledImage, SegmentationDataset, load_synthetic
from segboost.datasets.images.duplicates import find_near_duplicates, fingerprint
from segboost.datasets.images.verify import verify_dataset, verify_folders, verify_graz02
from tests.datasets.files import GRAZ_PALETTE, graz, photograph, save, square


def texts(report):
    return {(f.name, f.level): f.text for f in report.findings}


@pytest.fixture
def folders(tmp_path):
    for i, name in enumerate("abcd"):
        save(photograph(i), tmp_path / "images" / f"{name}.png")
        save(square(255), tmp_path / "masks" / f"{name}.png")
    return tmp_path / "images", tmp_path / "masks"


def test_sound_folders_have_no_findings(folders):
    report = verify_folders(*folders)
    assert report.usable
    assert report.findings == ()
    assert report.n_train + report.n_test == 4


def test_every_problem_is_reported_by_file(folders):
    images, masks = folders
    (masks / "a.png").unlink()
    save(square(255).T, masks / "b.png")
    (images / "c.png").write_bytes(b"")
    save(square(7), masks / "d.png")
    report = verify_folders(images, masks)
    assert not report.usable
    found = texts(report)
    assert "no mask" in found["a.png", "missing"]
    assert "16×12" in found["b", "missing"]
    assert "is empty" in found["c", "missing"]
    assert "unclear mask values 7" in found["d", "missing"]
    assert len(found) == 4


def test_masks_of_two_kinds_are_reported(folders):
    save(square(1), folders[1] / "a.png")
    assert "255 may be" in texts(verify_folders(*folders))["masks", "missing"]


def test_unusual_findings_leave_a_set_usable(folders):
    save(square(0), folders[1] / "b.png")
    shutil.copy(folders[0] / "c.png", folders[0] / "d.png")
    report = verify_folders(*folders)
    found = texts(report)
    assert report.usable
    assert found["b", "odd"] == "no foreground"
    assert found["d", "odd"].startswith("the same file as c")
    assert len(found) == 2


def test_duplicates_across_the_split():
    def item(name, seed):
        return LabelledImage(name, ArraySource(photograph(seed)), ArraySource(square(1)))

    data = SegmentationDataset("x", (item("a", 0), item("b", 1)), (item("c", 0), item("d", 2)))
    report = verify_dataset(data)
    assert [f.name for f in report.findings] == ["c"]
    assert report.findings[0].text == "the same file as a, across the split (data leak)"


def test_a_photograph_saved_again_looks_the_same(tmp_path):
    original = photographs.astronaut()
    Image.fromarray(original).resize((300, 300)).save(tmp_path / "a.jpg", quality=60)
    again = np.asarray(Image.open(tmp_path / "a.jpg"))
    shifted = np.roll(original, 40, axis=1)
    prints = [fingerprint(i) for i in (original, photographs.coffee(), again, shifted)]
    assert find_near_duplicates(prints) == [(0, 2)]
    flat = [fingerprint(np.full((20, 20, 3), v, np.uint8)) for v in (10, 200)]
    assert find_near_duplicates(flat) == []
    assert find_near_duplicates([]) == []


def test_graz02_file_by_file(tmp_path):
    folder = tmp_path / "people"
    graz(folder, "person", skip_masks=(202, 298, 11))
    (folder / "person_005.image.png").unlink()
    save(square(2, 4, 6), folder / "person_020.mask.0.png", GRAZ_PALETTE)
    save(square(0, 4, 6), folder / "person_021.mask.0.png", GRAZ_PALETTE)
    shutil.copy(folder / "person_003.image.png", folder / "person_004.image.png")
    calls = []
    report = verify_graz02(tmp_path, "people", lambda r: calls.append((r.done, r.total)))
    found = texts(report)
    assert not report.usable
    assert found["person_005", "missing"] == "no image file"
    assert found["person_011", "missing"] == "no mask file"
    assert "never annotated" in found["person_202", "odd"]
    assert "occluded" in found["person_020", "odd"]
    assert found["person_021", "odd"] == "no foreground"
    assert "across the split" in found["person_004", "odd"]
    assert len(found) == 7
    assert calls[-1] == (296, 296)


def test_a_missing_category(tmp_path):
    report = verify_graz02(tmp_path, "car")
    assert not report.usable
    assert "unpack" in report.findings[0].text


def test_the_synthetic_set_is_sound():
    assert verify_dataset(load_synthetic(6, 4)).findings == ()


@pytest.mark.data
def test_the_same_photograph_in_both_parts_of_graz02():
    root = os.environ.get("SEGBOOST_DATA")
    if not root or not (Path(root) / "graz02").is_dir():
        pytest.skip("SEGBOOST_DATA is not set or holds no graz02")
    report = verify_graz02(root, "bike")
    assert report.usable
    across = [f for f in report.findings if "across the split" in f.text]
    assert [f.name for f in across] == ["bike_202"]
    assert "bike_165" in across[0].text
    assert {f.name for f in report.findings} == {"bike_198", "bike_199", "bike_200", "bike_202"}
