"""Verification of the SUN scenes."""

from __future__ import annotations

from segboost.datasets.images.verify_scenes import verify_sun8
from tests.datasets.files import photograph, save
from tests.datasets.images.test_sun8 import CLASSES


def test_scenes_are_opened_one_by_one(tmp_path):
    assert not verify_sun8(tmp_path).usable
    for i, name in enumerate(CLASSES):
        save(photograph(i), tmp_path / "sun8" / name / "a.png")
    reports = []
    report = verify_sun8(tmp_path, lambda r: reports.append((r.done, r.total)))
    assert report.usable
    assert report.size == "8 images, 8 classes"
    assert reports == [(i, 8) for i in range(1, 9)]
    (tmp_path / "sun8" / "park" / "a.png").write_bytes(b"")
    broken = verify_sun8(tmp_path)
    assert [f.name for f in broken.findings] == ["park/a.png"]
