import json

import numpy as np
import pytest

from segboost.features import (
    PRESETS,
    FeatureGroup,
    FolderGroup,
    FunctionGroup,
    ImageContext,
    Slic,
    compute_group,
    extract_features,
    find_preset,
    group_from_config,
    preset_from_config,
)
from segboost.features.groups.base import COLOUR, PatchGroup, WordGroup
from segboost.features.groups.user_groups import refuse_imports

IMAGE = np.random.default_rng(0).integers(0, 256, (12, 16, 3), dtype=np.uint8)
LABELS = np.repeat(np.repeat([[0, 1], [2, 3]], 6, axis=0), 8, axis=1)


def mean_red(image, superpixels):
    """Return a user-defined group: mean red values."""
    sums = np.bincount(superpixels.ravel(), image[..., 0].ravel())
    return sums / np.bincount(superpixels.ravel())


def test_paper_has_14_groups_of_its_sizes():
    names = [group.name for group in PRESETS["paper"].groups]
    sizes = (4, 8, 12, 16)
    patches = [f"{kind}{size}" for kind in ("gist", "lbp", "hog") for size in sizes]
    assert names == ["words", "colour", *patches]


@pytest.mark.parametrize("name", ["default", "fast"])
def test_network_presets_need_no_codebook(name):
    preset = PRESETS[name]
    assert preset.groups[0].to_config()["kind"] == "network"
    assert not preset.needs_codebook


def test_classic_has_the_14_groups_first():
    kinds = [group.to_config()["kind"] for group in PRESETS["classic"].groups[:14]]
    assert kinds == ["words", "colour", *["gist"] * 4, *["lbp"] * 4, *["hog"] * 4]


@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda p: p.name)
def test_presets_survive_json(preset):
    again = preset_from_config(json.loads(json.dumps(preset.to_config())))
    assert again.to_config() == preset.to_config()
    assert again.superpixels == preset.superpixels
    assert all(isinstance(group, FeatureGroup) for group in again.groups)


def test_classic_has_hand_made_groups_only():
    classic = PRESETS["classic"]
    names = [group.name for group in classic.groups]
    patches = [f"{kind}{size}" for kind in ("gist", "lbp", "hog") for size in (48, 96, 160, 256)]
    more = ["words4", "position", "neighbourhood", "shape"]
    assert names == ["words", "colour", *patches, *more]
    assert classic.superpixels.max_count == 950


def test_a_preset_may_add_to_another():
    entry = {"kind": "network", "name": "deep", "layers": ["stage5"]}
    own = preset_from_config({"base": "paper", "groups": [entry]})
    assert own.groups[:-1] == find_preset("paper").groups
    assert own.groups[-1].name == "deep"
    assert own.superpixels == find_preset("paper").superpixels
    other = preset_from_config({"base": "paper", "superpixels": {"kind": "slic"}})
    assert other.superpixels == Slic()
    assert find_preset(own.to_config()).to_config() == own.to_config()


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"base": "best"}, "preset: expected"),
        ({"superpixels": [], "groups": []}, "'superpixels' to be an object"),
        ({"superpixels": {"kind": "slic"}, "groups": 5}, "'groups' to be a list"),
        ({"superpixels": {"kind": "slic"}, "groups": [5]}, "group: expected an object"),
        ({"base": "paper", "colour": 1}, "got 'colour'"),
    ],
)
def test_errors_in_presets_are_named(config, message):
    with pytest.raises(ValueError, match=message):
        preset_from_config(config)


def test_functions_and_folders_named_in_a_file_must_be_allowed(tmp_path):
    function = {"kind": "function", "name": "a", "function": "os:getcwd"}
    folder = {"kind": "folder", "name": "b", "folder": str(tmp_path / "x" / ".." / "depth")}
    allowed = ["os:getcwd", str(tmp_path / "depth")]
    refuse_imports([function, folder, {"kind": "colour"}], allowed, "the model")
    refuse_imports([function], "os:getcwd", "the model")
    for group, other in ((function, "os:getcwd2"), (folder, str(tmp_path)), (function, "os")):
        with pytest.raises(ValueError, match="not allowed by default; if you trust it"):
            refuse_imports([group], [other], "the model")
    with pytest.raises(ValueError, match="the preset names a folder to read"):
        refuse_imports([folder], (), "the preset")


def test_function_group():
    group = FunctionGroup("red", mean_red)
    features = compute_group(group, ImageContext(IMAGE, LABELS))
    wanted = [IMAGE[:6, :8], IMAGE[:6, 8:], IMAGE[6:, :8], IMAGE[6:, 8:]]
    wanted = [part[..., 0].mean() / 255 for part in wanted]
    np.testing.assert_allclose(features.values[:, 0], wanted, rtol=1e-5)
    assert features.columns == ("column 0",)
    assert features.values.dtype == np.float32


def test_function_named_in_a_configuration(tmp_path, monkeypatch):
    (tmp_path / "my_features.py").write_text(
        "import numpy as np\n"
        "def area(image, superpixels):\n"
        "    return np.bincount(superpixels.ravel())[:, None]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    entry = {"kind": "function", "name": "area", "function": "my_features:area", "names": ["px"]}
    group = group_from_config(entry)
    assert group.to_config() == entry
    found = compute_group(group, ImageContext(IMAGE, LABELS))
    np.testing.assert_array_equal(found.values[:, 0], [48] * 4)
    assert found.columns == ("px",)


def test_folder_group_takes_rows_and_maps(tmp_path):
    rows = np.arange(8.0).reshape(4, 2)
    np.save(tmp_path / "rows.npy", rows)
    np.save(tmp_path / "map.npy", LABELS[..., None] * 10.0)
    group = group_from_config({"kind": "folder", "name": "mine", "folder": str(tmp_path)})
    np.testing.assert_array_equal(group.compute(ImageContext(IMAGE, LABELS, "rows")), rows)
    found = group.compute(ImageContext(IMAGE, LABELS, "map"))
    np.testing.assert_array_equal(found[:, 0], [0, 10, 20, 30])


def test_user_groups_run_with_the_others():
    preset = find_preset("paper").only("colour", "hog8").with_groups(FunctionGroup("red", mean_red))
    features = extract_features(IMAGE, preset, superpixels=LABELS)
    assert list(features.groups) == ["colour", "hog8", "red"]
    with pytest.raises(ValueError, match="only a function given as"):
        preset.to_config()


def test_user_function_cannot_change_the_image_or_the_superpixels():
    """Groups after it and the caller see the same as before."""

    def spoil(image, superpixels):
        image[:] = 0
        superpixels[:] = 0
        return np.zeros(4)

    image, labels = IMAGE.astype(np.float32) / 255, LABELS.astype(np.int32)
    colour, red = find_preset("paper").only("colour"), FunctionGroup("red", mean_red)
    plain = extract_features(image.copy(), colour.with_groups(red), superpixels=labels.copy())
    spoiled = colour.with_groups(FunctionGroup("spoil", spoil), red)
    after = extract_features(image, spoiled, superpixels=labels)
    np.testing.assert_array_equal(after["red"], plain["red"])
    np.testing.assert_array_equal(after.superpixels, LABELS)
    np.testing.assert_array_equal(image, IMAGE.astype(np.float32) / 255)
    np.testing.assert_array_equal(labels, LABELS)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (np.zeros(3), r"got shape \(3,\)"),
        (np.zeros((4, 0)), r"got shape \(4, 0\)"),
        (np.zeros((4, 2, 2)), "got shape"),
        (np.full((4, 1), np.nan), "got NaN"),
        (np.array(["a"] * 4), "got dtype"),
        (np.zeros(4, object), "got dtype object"),
    ],
)
def test_invalid_results_of_a_user_function_are_refused(values, text):
    group = FunctionGroup("mine", lambda image, superpixels: values)
    with pytest.raises(ValueError, match=r"group 'mine': expected finite numbers.*" + text):
        group.compute(ImageContext(IMAGE, LABELS))


def test_folder_group_errors(tmp_path):
    group = FolderGroup("mine", str(tmp_path))
    with pytest.raises(ValueError, match=r"group 'mine': expected a file .*gone\.npy"):
        group.compute(ImageContext(IMAGE, LABELS, "gone"))
    np.save(tmp_path / "short.npy", np.zeros((3, 1)))
    with pytest.raises(ValueError, match=r"short\.npy: expected finite numbers of shape \(4, d\)"):
        group.compute(ImageContext(IMAGE, LABELS, "short"))
    np.save(tmp_path / "pickled.npy", np.array([{}]), allow_pickle=True)
    with pytest.raises(ValueError, match="allow_pickle=False"):
        group.compute(ImageContext(IMAGE, LABELS, "pickled"))


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"kind": "sunflower"}, "group: expected a kind among"),
        ({"kind": "hog", "size": 10, "smallest": 4}, "size: expected a multiple of 4"),
        ({"kind": "hog"}, "group of kind 'hog'"),
        ({"kind": "colour", "bins": 4}, "group: expected a kind among"),
        ({"kind": "folder", "name": "x"}, "group of kind 'folder'"),
    ],
)
def test_bad_group_configurations(entry, text):
    with pytest.raises(ValueError, match=text):
        group_from_config(entry)


@pytest.mark.parametrize("where", ["nowhere", "no_such_module:f", "json:no_such", "json:__name__"])
def test_functions_that_cannot_be_imported(where):
    with pytest.raises(ValueError, match="function: "):
        FunctionGroup("mine", where).compute(ImageContext(IMAGE, LABELS))


def test_other_misuse_is_named():
    with pytest.raises(
        ValueError, match=r"preset: expected .*classic, paper or an object, got 'best'"
    ):
        find_preset("best")
    with pytest.raises(ValueError, match="has no group 'hog5'"):
        find_preset("paper").only("hog5")
    with pytest.raises(ValueError, match="got 'colour' twice"):
        find_preset("paper").with_groups(COLOUR)
    with pytest.raises(ValueError, match="kind: expected 'hog', 'lbp' or 'gist'"):
        PatchGroup("sift", 8, 8)
    with pytest.raises(ValueError, match="preset: expected 'superpixels' to be an object"):
        preset_from_config({})
    with pytest.raises(ValueError, match="codebook: visual words need a codebook"):
        WordGroup().compute(ImageContext(IMAGE, LABELS))
    with pytest.raises(ValueError, match="dtype: expected 'float32' or 'uint8'"):
        extract_features(IMAGE, dtype="float16")
    with pytest.raises(ValueError, match="group 'mine': expected 2 columns, got 1"):
        FunctionGroup("mine", mean_red, ("a", "b")).columns(1)
