"""Settings: presets by name and as objects, and resolved settings."""

from __future__ import annotations

import json

import pytest

from segboost.features.presets import PRESETS, find_preset
from segboost.pipelines.segmentation.config.segmentation_config import (
    OLD_NAMES,
    SegmentationConfig,
)

OWN = {"base": "paper", "name": "mine", "groups": [{"kind": "position"}]}


@pytest.mark.parametrize("preset", [*PRESETS, OWN], ids=str)
def test_resolved_settings_are_the_same_settings(preset):
    config = SegmentationConfig.from_dict({"preset": preset, "seed": 3})
    document = json.loads(json.dumps(config.resolved()))
    again = SegmentationConfig.from_dict(document)
    assert again.resolved() == document
    assert again.uses_context == config.uses_context
    assert again.potentials == config.potentials
    assert find_preset(again.preset).to_config() == find_preset(config.preset).to_config()
    assert document["preset"]["superpixels"]["kind"] in ("graph", "quickshift")
    assert isinstance(document["context"], bool)


def test_a_custom_preset_is_stored_in_full():
    config = SegmentationConfig.from_dict({"preset": OWN})
    assert config.preset_name == "mine"
    assert config.preset["groups"][-1] == {"kind": "position"}
    assert len(config.preset["groups"]) == 15
    assert SegmentationConfig.from_dict(config.to_dict()) == config


def test_the_paper_has_its_own_potentials():
    paper = SegmentationConfig.from_dict({"preset": "paper"})
    assert paper.potentials.contrasts == ()
    assert not paper.uses_context
    assert SegmentationConfig.from_dict({"preset": "classic"}).uses_context


def test_a_custom_preset_has_the_settings_of_its_base():
    for base in PRESETS:
        own = SegmentationConfig.from_dict({"preset": {"base": base, "groups": []}}).resolved()
        wanted = SegmentationConfig.from_dict({"preset": base}).resolved()
        assert {**own, "preset": None} == {**wanted, "preset": None}


def test_a_crf_needs_potentials():
    with pytest.raises(ValueError, match="a CRF needs potentials"):
        SegmentationConfig.from_dict({"context": False})


def test_functions_and_folders_of_a_preset_are_listed():
    groups = [
        {"kind": "function", "name": "a", "function": "os:getcwd"},
        {"kind": "folder", "name": "b", "folder": "depth"},
    ]
    config = SegmentationConfig.from_dict({"preset": {"base": "paper", "groups": groups}})
    assert config.imports == ("os:getcwd", "depth")
    assert SegmentationConfig().imports == ()
    config.refuse_imports(config.imports)
    with pytest.raises(ValueError, match="the preset names a folder"):
        config.refuse_imports(["os:getcwd"])


@pytest.mark.parametrize("preset", [5, None, ["paper"], "best", {}, {"groups": []}])
def test_invalid_presets_are_refused(preset):
    with pytest.raises(ValueError, match="preset"):
        SegmentationConfig.from_dict({"preset": preset})


@pytest.mark.parametrize(("old", "new"), OLD_NAMES.items())
def test_old_names_of_settings_are_read_with_a_warning(old, new, caplog):
    config = SegmentationConfig.from_dict({old: {"n_trees": 7}})
    assert getattr(config, new).n_trees == 7
    assert f"the setting {old!r} is now called {new!r}" in caplog.text
    with pytest.raises(ValueError, match=f"both {new!r} and its old name {old!r}"):
        SegmentationConfig.from_dict({old: {}, new: {}})
