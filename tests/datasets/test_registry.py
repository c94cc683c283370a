from __future__ import annotations

import pytest

from segboost.datasets import (
    DatasetError,
    dataset_info,
    find_data_root,
    list_datasets,
    load_dataset,
)
from tests.datasets.files import graz, photograph, save, square


def test_every_data_set_has_a_description():
    assert list_datasets()[0] == "synthetic"
    assert list_datasets() == (
        "synthetic", "graz02", "synthetic-classes", "camvid", "folders",
    )  # fmt: skip
    for name in list_datasets(None):
        info = dataset_info(name)
        assert info.name == name
        assert info.summary
        assert info.details
    with pytest.raises(DatasetError, match=r"choose synthetic, graz02, .*camvid, folders"):
        dataset_info("imagenet")


def test_the_default_is_synthetic():
    assert load_dataset(n_train=1, n_test=0).name == "synthetic"


def test_missing_options_of_a_set_are_named(monkeypatch, tmp_path):
    monkeypatch.delenv("SEGBOOST_DATA", raising=False)
    with pytest.raises(DatasetError, match=r"needs --category \(bike, car, people\)"):
        load_dataset("graz02")
    with pytest.raises(DatasetError, match="--data-root or the variable SEGBOOST_DATA"):
        load_dataset("graz02", category="bike")
    with pytest.raises(DatasetError, match="needs --masks"):
        load_dataset("folders", images=tmp_path)


def test_the_data_root_comes_from_the_option_or_the_variable(monkeypatch, tmp_path):
    (tmp_path / "a").mkdir()
    monkeypatch.setenv("SEGBOOST_DATA", str(tmp_path))
    assert find_data_root() == tmp_path
    assert find_data_root(tmp_path / "a") == tmp_path / "a"
    with pytest.raises(DatasetError, match="does not exist"):
        find_data_root(tmp_path / "b")


def test_names_lead_to_loaders(tmp_path):
    graz(tmp_path / "cars", "carsgraz", count=4)
    data = load_dataset("graz02", data_root=tmp_path, category="car", partial=True)
    assert [item.name for item in data.train] == ["carsgraz_001", "carsgraz_003"]
    save(photograph(0), tmp_path / "i" / "a.png")
    save(square(1), tmp_path / "m" / "a.png")
    assert len(load_dataset("folders", images=tmp_path / "i", masks=tmp_path / "m").train) == 1


def test_sets_of_another_kind_are_not_loaded_as_images_with_masks():
    assert list_datasets("table") == ("libsvm",)
    with pytest.raises(DatasetError, match="libsvm has no images with masks: choose synthetic"):
        load_dataset("libsvm", category="wine")
