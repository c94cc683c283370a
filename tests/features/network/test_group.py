"""Feature groups from the built-in network and from users' ONNX files."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest
from joblib import Parallel, delayed
from onnx import TensorProto, helper

from segboost.features import ImageContext, Preset, Slic, compute_group, extract_features
from segboost.features.network import forward
from segboost.features.network.group import NetworkGroup
from segboost.features.network.inputs import MOST_PIXELS, input_size
from segboost.features.network.runtime import open_session
from segboost.features.presets import group_from_config
from tests.features.network import networks

RNG = np.random.default_rng(0)
IMAGE = RNG.integers(0, 256, (64, 96, 3), dtype=np.uint8)
CELLS = np.repeat(np.repeat(np.arange(24).reshape(4, 6), 16, axis=0), 16, axis=1)
"""Superpixels of 16 × 16."""
PLAIN = {"mean": (0.0, 0.0, 0.0), "std": (1.0, 1.0, 1.0)}


def means(side=16):
    """Return the mean colour of squares, shape (n, 3)."""
    parts = IMAGE.reshape(64 // side, side, 96 // side, side, 3) / 255
    return parts.mean(axis=(1, 3)).reshape(-1, 3)


def test_columns_are_scales_by_layers_by_channels():
    group = NetworkGroup("deep", layers=("stage2", "stage3"), scales=(1.0, 0.5))
    features = compute_group(group, ImageContext(IMAGE, CELLS))
    assert features.values.shape == (24, 2 * (24 + 40))
    assert features.columns[0] == "stage2 scale 1 channel 000"
    assert features.columns[24] == "stage3 scale 1 channel 000"
    assert features.columns[-1] == "stage3 scale 0.5 channel 039"
    alone = NetworkGroup("one", layers=("stage3",), scales=(0.5,)).compute(
        ImageContext(IMAGE, CELLS)
    )
    assert alone.tobytes() == np.ascontiguousarray(features.values[:, -40:]).tobytes()


def test_groups_of_a_preset_share_one_pass(monkeypatch):
    passes = []
    run = forward.run_network
    monkeypatch.setattr(
        forward, "run_network", lambda s, layers, x: passes.append(layers) or run(s, layers, x)
    )
    groups = [NetworkGroup(name, layers=(name,)) for name in ("stage5", "stage2", "stage3")]
    preset = Preset("three", Slic(n_segments=30), tuple(groups))
    shared = extract_features(IMAGE, preset)
    assert passes == [("stage5", "stage2", "stage3")]
    for group in groups:
        one = extract_features(IMAGE, preset.only(group.name))
        assert one[group.name].tobytes() == shared[group.name].tobytes()


def test_codes_are_rounded_within_fixed_ranges():
    group = NetworkGroup("deep", layers=("stage5", "stage7"))
    exact = compute_group(group, ImageContext(IMAGE, CELLS)).values
    codes = compute_group(group, ImageContext(IMAGE, CELLS), "uint8").values
    low, high = group.value_range()
    assert low.shape == high.shape == (432,)
    step = (high - low) / 255
    inside = (exact >= low) & (exact <= high)
    assert inside.mean() > 0.99
    error = np.abs(low + codes * step - exact)
    assert (error <= step / 2 + 1e-5)[inside].all()


@pytest.mark.slow
def test_processes_give_the_same_bytes():
    group = NetworkGroup("deep", layers=("stage3", "stage7"), scales=(1.0, 2.0))
    here = group.compute(ImageContext(IMAGE, CELLS))
    there = Parallel(n_jobs=2)(delayed(group.compute)(ImageContext(IMAGE, CELLS)) for _ in "ab")
    assert all(values.tobytes() == here.tobytes() for values in there)


@pytest.mark.parametrize("shape", [(1, 1), (5, 700), (33, 31), (3, 2)])
def test_images_of_any_shape_are_described(shape):
    image = RNG.integers(0, 256, (*shape, 3), dtype=np.uint8)
    labels = np.zeros(shape, np.int32)
    values = NetworkGroup("deep", scales=(1.0, 0.5)).compute(ImageContext(image, labels))
    assert values.shape == (1, 2 * 472)
    assert np.isfinite(values).all()


def test_inputs_are_multiples_and_bounded():
    assert input_size((480, 640), 1, 32) == (480, 640)
    assert input_size((480, 640), 0.5, 32) == (256, 320)
    assert input_size((10, 10), 0.5, 14) == (14, 14)
    for shape in [(5000, 7000), (1, 3_000_000), (3_000_000, 2), (2048, 2049)]:
        height, width = input_size(shape, 2, 32)
        assert height % 32 == width % 32 == 0
        assert 0 < height * width <= MOST_PIXELS
    height, width = input_size((5000, 7000), 2, 32)
    assert abs(width / height - 1.4) < 0.03


def write(path, content):
    path.write_bytes(content)
    return str(path)


@pytest.mark.parametrize("layer", ["pooled", "doubled"])
def test_a_convolutional_file(tmp_path, layer):
    file = write(tmp_path / "net.onnx", networks.pooling(2))
    group = NetworkGroup("mine", layers=(layer,), file=file, **PLAIN)
    values = group.compute(ImageContext(IMAGE, CELLS))
    # Interpolation between cells of 2 × 2 blurs a little over the borders of superpixels.
    np.testing.assert_allclose(values, means() * (2 if layer == "doubled" else 1), atol=0.05)
    assert group.value_range() is None
    assert group.columns(3)[0] == f"{layer} scale 1 channel 000"


def test_layers_and_scales_of_a_file(tmp_path):
    file = write(tmp_path / "net.onnx", networks.pooling(16))
    group = NetworkGroup("mine", layers=("doubled", "pooled"), scales=(1, 2), file=file, **PLAIN)
    values = group.compute(ImageContext(IMAGE, CELLS))
    assert values.shape == (24, 12)
    assert len(set(group.columns(12))) == 12
    np.testing.assert_allclose(values[:, :3], 2 * values[:, 3:6], rtol=1e-5)


def test_mean_and_std_normalise_the_input(tmp_path):
    file = write(tmp_path / "net.onnx", networks.pooling(16))
    plain = NetworkGroup("a", layers=("pooled",), file=file, **PLAIN)
    moved = NetworkGroup(
        "b", layers=("pooled",), file=file, mean=(0.4, 0.5, 0.6), std=(0.1, 0.2, 0.3)
    )
    context = ImageContext(IMAGE, CELLS)
    wanted = (plain.compute(context) - [0.4, 0.5, 0.6]) / [0.1, 0.2, 0.3]
    np.testing.assert_allclose(moved.compute(context), wanted, atol=1e-4)


@pytest.mark.parametrize("skipped", [0, 1, 5])
def test_a_transformer_file(tmp_path, skipped):
    file = write(tmp_path / "vit.onnx", networks.tokens(16, skipped))
    group = NetworkGroup(
        "mine", layers=("tokens",), file=file, patch=16, skip_tokens=skipped, **PLAIN
    )
    values = group.compute(ImageContext(IMAGE, CELLS))
    # The centre of a 16 × 16 superpixel is half a pixel off the middle of its patch.
    np.testing.assert_allclose(values, means(), atol=0.05)
    with pytest.raises(ValueError, match="skip_tokens: expected 4 × 6 tokens"):
        NetworkGroup("x", ("tokens",), file=file, patch=16, skip_tokens=skipped + 1).compute(
            ImageContext(IMAGE, CELLS)
        )


def test_a_fixed_input_size(tmp_path):
    file = write(tmp_path / "vit.onnx", networks.tokens(14, 1, sides=[28, 42]))
    group = NetworkGroup("mine", layers=("tokens",), file=file, patch=14, **PLAIN)
    assert group.compute(ImageContext(IMAGE, CELLS)).shape == (24, 3)
    with pytest.raises(ValueError, match="scales: the network only takes inputs of 28 × 42"):
        NetworkGroup("two", ("tokens",), (1, 2), file=file, patch=14).compute(
            ImageContext(IMAGE, CELLS)
        )


def test_the_configuration_keeps_the_checksum(tmp_path):
    content = networks.pooling(16)
    file = write(tmp_path / "net.onnx", content)
    entry = {"kind": "network", "name": "mine", "file": file, "layers": ["pooled"], "scales": [1]}
    config = json.loads(json.dumps(group_from_config(entry).to_config()))
    assert config["sha256"] == hashlib.sha256(content).hexdigest()
    again = group_from_config(config)
    assert again.to_config() == config
    assert again.compute(ImageContext(IMAGE, CELLS)).shape == (24, 3)
    write(tmp_path / "net.onnx", networks.pooling(8))
    assert group_from_config(entry).to_config()["sha256"] != config["sha256"]
    open_session.cache_clear()  # as in a new process
    with pytest.raises(ValueError, match="not the file that the model was trained with"):
        group_from_config(config).compute(ImageContext(IMAGE[:32], CELLS[:32]))
    (tmp_path / "net.onnx").unlink()
    with pytest.raises(ValueError, match="there is no such file"):
        group_from_config(entry).compute(ImageContext(IMAGE, CELLS))
    with pytest.raises(ValueError, match="there is no such file"):
        group_from_config(entry).to_config()


def external():
    loaded = TensorProto(
        name="two", data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL
    )
    entry = loaded.external_data.add()
    entry.key, entry.value = "location", "../elsewhere.bin"
    from onnx import load_model_from_string

    model = load_model_from_string(networks.pooling(4))
    del model.graph.initializer[:]
    model.graph.initializer.append(loaded)
    return model.SerializeToString()


def foreign():
    node = helper.make_node("Anything", ["image"], ["out"], domain="my.library")
    return networks.model([node], "out", {}, domain="my.library")


def two_inputs():
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 3, "h", "w"])
        for name in ("image", "other")
    ]
    return networks.model(
        [helper.make_node("Add", ["image", "other"], ["out"])], "out", {}, inputs=inputs
    )


def other_shape():
    inputs = [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", "h", "w", 3])]
    inputs[0].type.tensor_type.shape.dim[1].dim_value = 4
    return networks.model([helper.make_node("Neg", ["image"], ["out"])], "out", {}, inputs=inputs)


def vector():
    nodes = [
        helper.make_node("GlobalAveragePool", ["image"], ["p"]),
        helper.make_node("Flatten", ["p"], ["out"]),
    ]
    return networks.model(nodes, "out", {})


def infinite():
    return networks.model(
        [helper.make_node("Div", ["image", "zero"], ["out"])], "out", {"zero": np.float32(0)}
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (lambda: b"not a network", "not an ONNX model"),
        (lambda: b"", "cannot load it|no tensor|not an ONNX model"),
        (external, "its weights are in external files"),
        (foreign, "does not have the operator Anything"),
        (two_inputs, "expected one input"),
        (other_shape, r"expected an input of shape \(N, 3, H, W\)"),
        (vector, "expected 'out' to be a map"),
        (infinite, "NaN or infinity"),
        (lambda: networks.tokens(8, 1), "no tensor 'out'; its outputs are"),
    ],
)
def test_files_that_cannot_be_used_are_refused(tmp_path, content, message):
    file = write(tmp_path / "net.onnx", content())
    group = NetworkGroup("mine", layers=("out",), file=file)
    with pytest.raises(ValueError, match=message) as caught:
        group.compute(ImageContext(IMAGE, CELLS))
    assert "\n" not in str(caught.value)


def test_tokens_need_a_patch_size(tmp_path):
    file = write(tmp_path / "vit.onnx", networks.tokens(16, 1))
    with pytest.raises(ValueError, match="patch: 'tokens' are tokens"):
        NetworkGroup("mine", layers=("tokens",), file=file).compute(ImageContext(IMAGE, CELLS))


def test_a_device_is_not_read():
    with pytest.raises(ValueError, match="expected an ONNX file"):
        NetworkGroup("mine", layers=("out",), file="/dev/zero").compute(ImageContext(IMAGE, CELLS))


@pytest.mark.parametrize(
    "wrong",
    [
        {"layers": []},
        {"layers": ["stage9"]},
        {"layers": ["stage2", "stage2"]},
        {"layers": [3]},
        {"scales": []},
        {"scales": [0]},
        {"scales": [-1]},
        {"scales": [100]},
        {"scales": ["1"]},
        {"scales": [float("nan")]},
        {"network": "resnet"},
        {"mean": [0.5]},
        {"std": [0.5, 0.5, 0]},
        {"patch": 0},
        {"patch": 1.5},
        {"skip_tokens": -1},
        {"file": 3},
        {"colour": "red"},
        {"layers": 5},
    ],
    ids=str,
)
def test_wrong_settings_are_named(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        group_from_config({"kind": "network", "name": "mine", **wrong})
