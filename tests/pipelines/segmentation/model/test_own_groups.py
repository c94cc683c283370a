"""Models with user-defined groups: functions, folders and networks."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest

from segboost.features import FolderGroup, FunctionGroup, Preset, find_preset
from segboost.features.groups.base import COLOUR
from segboost.features.network.group import NetworkGroup
from segboost.features.network.runtime import open_session
from segboost.features.superpixels.methods import GraphMerging
from segboost.pipelines import SegmentationPipeline
from segboost.pipelines.segmentation.model.segmenter_files import load_segmenter, save_segmenter
from segboost.storage.folder import ModelFileError, read_folder, write_folder
from tests.features.network import networks
from tests.pipelines.segmentation.tiny_models import SETTINGS, tiny_data, trained

FEW = GraphMerging(max_count=60)
FUNCTION = "users_own_features:brightness"
PAIRS = [item.load() for item in tiny_data().train]
IMAGE = tiny_data().test[0].image()


@pytest.fixture
def brightness(monkeypatch):
    """Return a module of a user, with a function whose width can be changed."""
    module = types.ModuleType("users_own_features")
    module.width = 1

    def function(image, superpixels):
        sums = np.bincount(superpixels.ravel(), image.mean(axis=2).ravel())
        mean = sums / np.bincount(superpixels.ravel())
        return np.tile(mean[:, None], (1, module.width))

    module.brightness = function
    monkeypatch.setitem(sys.modules, "users_own_features", module)
    return module


def fitted(preset, **options):
    plain = {"context": False, "group_classifiers": True, "borders": {"refine": False}}
    settings = {**SETTINGS, **plain}
    pipeline = SegmentationPipeline(preset, C=10.0, settings=settings, **options)
    return pipeline.fit([image for image, _ in PAIRS], [mask for _, mask in PAIRS])


def test_a_user_defined_function(brightness, tmp_path):
    preset = Preset("mine", FEW, (COLOUR, FunctionGroup("bright", FUNCTION)))
    model = fitted(preset)
    folder = model.save(tmp_path / "model")
    with pytest.raises(ModelFileError, match="names a function to import, which is not allowed"):
        SegmentationPipeline.load(folder)
    with pytest.raises(ModelFileError, match="users_own_features:brightness"):
        SegmentationPipeline.load(folder, allow_import=["users_own_features:other"])
    again = SegmentationPipeline.load(folder, allow_import=[FUNCTION])
    assert (again.predict_scores(IMAGE) == model.predict_scores(IMAGE)).all()
    assert again.model_.widths == {"colour": 112, "bright": 1}
    brightness.width = 2
    with pytest.raises(
        ValueError, match="group 'bright': expected 1 columns as in training, got 2"
    ):
        again.predict(IMAGE)


def test_a_preset_given_as_a_mapping_needs_permission(brightness):
    preset = Preset("mine", FEW, (COLOUR, FunctionGroup("bright", FUNCTION))).to_config()
    with pytest.raises(ValueError, match="the preset names a function to import"):
        fitted(preset)
    assert fitted(preset, allow_import=[FUNCTION]).model_.preset.name == "mine"


def test_a_folder_of_features(tmp_path):
    place = tmp_path / "depth"
    place.mkdir()
    # Images given as arrays are named by numbers.
    names = [item.name for item in fitted_names()]
    for name, (image, _) in zip(names, PAIRS, strict=True):
        np.save(place / f"{name}.npy", image[..., :1].astype(np.float32))
    preset = Preset("mine", FEW, (COLOUR, FolderGroup("depth", str(place))))
    model = fitted(preset).model_
    folder = save_segmenter(model, tmp_path / "model")
    with pytest.raises(ModelFileError, match="names a folder to read, which is not allowed"):
        load_segmenter(folder)
    again = load_segmenter(folder, [str(place)])
    found = again.predict(PAIRS[0][0], names[0])
    assert (found.scores == model.predict(PAIRS[0][0], names[0]).scores).all()
    with pytest.raises(ValueError, match="group 'depth': expected a file"):
        again.predict(IMAGE, "elsewhere")


def fitted_names():
    from segboost.pipelines.segmentation.images.array_images import label_arrays

    return label_arrays([image for image, _ in PAIRS], [mask for _, mask in PAIRS])


def test_a_user_supplied_network(tmp_path):
    file = tmp_path / "net.onnx"
    file.write_bytes(networks.pooling(4))
    group = NetworkGroup("net", layers=("pooled",), scales=(1, 2), file=str(file))
    model = fitted(Preset("mine", FEW, (COLOUR, group)))
    folder = model.save(tmp_path / "model")
    wanted = model.predict_scores(IMAGE)
    assert (SegmentationPipeline.load(folder).predict_scores(IMAGE) == wanted).all()

    copy = folder / "net.onnx"
    file.rename(copy)
    open_session.cache_clear()  # as in a new process
    assert (SegmentationPipeline.load(folder).predict_scores(IMAGE) == wanted).all()

    copy.write_bytes(networks.pooling(8))
    open_session.cache_clear()
    with pytest.raises(ModelFileError, match="not the file that the model was trained with"):
        load_segmenter(folder)
    copy.unlink()
    with pytest.raises(ModelFileError, match="there is no such file") as caught:
        load_segmenter(folder)
    assert "\n" not in str(caught.value)


def test_the_built_in_network_and_no_visual_words(tmp_path):
    group = NetworkGroup("net", layers=("stage2", "stage3"))
    model = fitted(Preset("mine", FEW, (group,)), cache=tmp_path / "cache")
    assert not (tmp_path / "cache" / "codebook").exists()
    again = SegmentationPipeline.load(model.save(tmp_path / "model"))
    assert (again.predict_scores(IMAGE) == model.predict_scores(IMAGE)).all()
    prepared = again.model_.prepare(IMAGE)
    assert prepared.groups["net"].dtype == np.uint8


def test_a_network_without_checksum_is_refused(tmp_path):
    folder = save_segmenter(trained().model, tmp_path / "model")
    document, arrays = read_folder(folder, "segmenter")
    document["preset"]["groups"].append({"kind": "network", "name": "x", "file": "x.onnx"})
    write_folder(folder, "segmenter", document, arrays)
    with pytest.raises(ModelFileError, match="does not say which network file"):
        load_segmenter(folder)


def test_methods_of_words_need_words():
    preset = Preset("mine", FEW, (COLOUR,))
    with pytest.raises(ValueError, match="choose a preset that has the group 'words'"):
        SegmentationPipeline(preset, method="svm").config()
    assert (
        SegmentationPipeline(find_preset("classic"), method="svm").config().preset_name == "classic"
    )


def test_old_folders_load_and_keep_their_threshold(tmp_path):
    """Older folders have neither widths nor a limit that grows with the image."""
    model = trained().model
    folder = save_segmenter(model, tmp_path / "model")
    document, arrays = read_folder(folder, "segmenter")
    del document["widths"]
    del document["preset"]["superpixels"]["count_limit"]
    write_folder(folder, "segmenter", document, arrays)
    again = load_segmenter(folder)
    assert again.preset.superpixels.count(4000, 6000) == 950
    assert (again.predict(IMAGE).scores == model.predict(IMAGE).scores).all()
