"""Settings in model folders that would make every image hang or fail are refused at load."""

from __future__ import annotations

import copy
import json

import pytest

from segboost.features.presets import CLASSIC, DEFAULT, PAPER, preset_from_config
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.config.stage_settings import BorderSettings, PotentialSettings
from segboost.pipelines.segmentation.model.segmenter_files import load_segmenter, save_segmenter
from segboost.storage.folder import ModelFileError, read_folder, write_folder
from tests.pipelines.segmentation.tiny_models import trained

WRONG = ["x", "nan", None, [], {}, True, -1, 10**9, 10**400, 1e308, float("nan")]
WIDE = {"most_foreground", "most_background", "n_columns", "seed", "l2", "min_curvature"}
WIDE |= {"linear_below", "ramp_width", "beta", "C_choices", "contrasts"}


def _is_large(value):
    return isinstance(value, int | float) and value >= 10**9


def numbers(document, path=()):
    """Yield the path of every number of a JSON document."""
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in items:
        if isinstance(value, dict | list):
            yield from numbers(value, (*path, key))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield (*path, key)


def put(document, path, value):
    changed = copy.deepcopy(document)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return changed


def presets():
    quick = {"kind": "slic", "n_segments": 100, "compactness": 1.0, "sigma": 0.0}
    configs = [p.to_config() for p in (DEFAULT, CLASSIC, PAPER)]
    return [*configs, {**PAPER.to_config(), "name": "slic", "superpixels": quick}]


@pytest.mark.parametrize(
    "preset", presets(), ids=lambda p: f"{p['name']}-{p['superpixels']['kind']}"
)
def test_every_number_of_a_preset_has_a_type_and_a_range(preset):
    assert preset_from_config(preset).to_config() == preset
    found = list(numbers(preset))
    assert len(found) > 3
    for path in found:
        for value in WRONG:
            with pytest.raises(ValueError, match=r": expected|cannot be read|got"):
                preset_from_config(put(preset, path, value))


@pytest.mark.parametrize("make", [SegmentationConfig, BorderSettings, PotentialSettings])
def test_every_number_of_the_settings_has_a_type_and_a_range(make):
    base = make()
    document = json.loads(json.dumps(base.to_dict() if hasattr(base, "to_dict") else vars(base)))
    assert make.from_dict(document) == base
    for path in numbers(document):
        for value in WRONG:
            # Large values of these are harmless; C may be None, which means that it is chosen.
            if WIDE & set(path) and _is_large(value):
                continue
            if path == ("C",) and value is None:
                continue
            with pytest.raises(ValueError, match="must be"):
                make.from_dict(put(document, path, value))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("preset", "superpixels", "sigma"), 1e6),
        (("preset", "superpixels", "cost"), 1),
        (("preset", "superpixels", "max_ratio"), "x"),
        (("preset", "superpixels", "cost"), {"size_power": 1e9, "contrast_share": 0.4}),
        (("preset", "groups", 0, "steps"), 10**9),
        (("preset", "groups", 0, "kind"), ["words"]),
        (("offset",), "nan"),
        (("offset",), "1.5"),
        (("potentials", "beta"), "1"),
        (("potentials", "contrasts"), "123"),
        (("config", "borders", "width"), 10**9),
        (("config", "longest_side"), 10**12),
    ],
)
def test_a_segmenter_with_a_bad_setting_is_refused_at_load(tmp_path, path, value):
    folder = save_segmenter(trained().model, tmp_path / "model")
    document, arrays = read_folder(folder, "segmenter")
    groups = document["preset"]["groups"]
    groups.sort(key=lambda g: g["kind"] != "words")
    assert groups[0]["kind"] == "words"
    write_folder(folder, "segmenter", put(document, path, value), arrays)
    with pytest.raises(ModelFileError) as error:
        load_segmenter(folder)
    assert "\n" not in str(error.value)
