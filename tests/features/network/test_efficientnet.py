"""The assembled network against an independent implementation in plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image
from skimage import data

from segboost.features.network.efficientnet import (
    LAYERS,
    build_network,
    channel_ranges,
    network_bytes,
)
from segboost.features.network.runtime import run_network
from segboost.features.network.source import BuiltinNetwork
from segboost.features.network.weights import read_weights

# Repeats, kernel, stride, expansion, channels: table 1 of the EfficientNet paper.
BLOCKS = [
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
]


@pytest.fixture(scope="module")
def tensors():
    return {k: v.astype(np.float64) for k, v in read_weights().items()}


def convolve(x, kernel, stride):
    """Convolve (C, H, W) with (O, I, k, k) as TensorFlow pads: outputs are ceil(H / stride)."""
    size = kernel.shape[2]
    out = [-(-n // stride) for n in x.shape[1:]]
    pads = [max(0, (o - 1) * stride + size - n) for o, n in zip(out, x.shape[1:], strict=True)]
    x = np.pad(x, [(0, 0), *((p // 2, p - p // 2) for p in pads)])
    result = np.zeros((kernel.shape[0], *out))
    for i in range(size):
        for j in range(size):
            part = x[:, i : i + stride * out[0] : stride, j : j + stride * out[1] : stride]
            part = part[:, : out[0], : out[1]]
            if kernel.shape[1] == 1:
                result += kernel[:, 0, i, j, None, None] * part
            else:
                result += np.einsum("oi,ihw->ohw", kernel[:, :, i, j], part)
    return result


def normalise(x, tensors, name):
    mean, variance = tensors[f"{name}.running_mean"], tensors[f"{name}.running_var"]
    x = (x - mean[:, None, None]) / np.sqrt(variance + 1e-3)[:, None, None]
    return x * tensors[f"{name}.weight"][:, None, None] + tensors[f"{name}.bias"][:, None, None]


def relu6(x):
    return np.minimum(np.maximum(x, 0), 6)


def plain_network(x, tensors):
    """Return every named output for one image, shape (3, H, W)."""
    outputs = {}
    x = relu6(normalise(convolve(x, tensors["_conv_stem.weight"], 2), tensors, "_bn0"))
    outputs["stem"] = x
    number = 0
    for stage, (repeats, _, stride, expansion, channels) in enumerate(BLOCKS, start=1):
        for repeat in range(repeats):
            at = f"_blocks.{number}."
            y = x
            if expansion > 1:
                y = convolve(y, tensors[f"{at}_expand_conv.weight"], 1)
                y = relu6(normalise(y, tensors, f"{at}_bn0"))
            y = convolve(y, tensors[f"{at}_depthwise_conv.weight"], stride if repeat == 0 else 1)
            y = relu6(normalise(y, tensors, f"{at}_bn1"))
            y = normalise(
                convolve(y, tensors[f"{at}_project_conv.weight"], 1), tensors, f"{at}_bn2"
            )
            x = x + y if repeat else y
            number += 1
        assert x.shape[0] == channels
        outputs[f"stage{stage}"] = x
    x = relu6(normalise(convolve(x, tensors["_conv_head.weight"], 1), tensors, "_bn1"))
    outputs["head"] = x
    outputs["logits"] = tensors["_fc.weight"] @ x.mean(axis=(1, 2)) + tensors["_fc.bias"]
    return outputs


@pytest.mark.parametrize("size", [(64, 96), (37, 51), (32, 32)])
def test_every_layer_equals_a_plain_convolution(tensors, size):
    rng = np.random.default_rng(1)
    image = rng.uniform(-1, 1, (3, *size)).astype(np.float32)
    wanted = plain_network(image.astype(np.float64), tensors)
    layers = (*LAYERS, "logits")
    found = run_network(BuiltinNetwork(), layers, image[None])
    for name in layers:
        assert found[name].shape == (1, *wanted[name].shape), name
        scale = np.abs(wanted[name]).max()
        np.testing.assert_allclose(found[name][0], wanted[name], atol=2e-5 * scale, err_msg=name)


@pytest.mark.parametrize(("picture", "label"), [("chelsea", 285), ("coffee", 967)])
def test_photographs_are_classified(picture, label):
    small = Image.fromarray(getattr(data, picture)()).resize((224, 224), Image.Resampling.BICUBIC)
    image = (np.asarray(small, np.float32) / 127.5 - 1).transpose(2, 0, 1)[None]
    logits = run_network(BuiltinNetwork(), ("logits",), image)["logits"][0]
    shares = np.exp(logits - logits.max())
    assert shares.argmax() == label
    assert (shares / shares.sum()).max() > 0.7


def test_the_same_weights_give_the_same_bytes():
    assert build_network(read_weights()) == network_bytes()


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_has_the_same_bytes_alone_and_among_others(layer):
    image = np.random.default_rng(2).uniform(-1, 1, (1, 3, 96, 64)).astype(np.float32)
    among = run_network(BuiltinNetwork(), tuple(LAYERS), image)[layer]
    alone = run_network(BuiltinNetwork(), (layer,), image)[layer]
    assert alone.tobytes() == among.tobytes()


def test_ranges_from_weights_hold_for_a_photograph(tensors):
    picture = Image.fromarray(data.astronaut()).resize((256, 256))
    image = (np.asarray(picture, np.float32) / 127.5 - 1).transpose(2, 0, 1)[None]
    found = run_network(BuiltinNetwork(), tuple(LAYERS), image)
    for layer, (channels, _) in LAYERS.items():
        low, high = channel_ranges(tensors, layer, 5.0)
        assert low.shape == high.shape == (channels,)
        values = found[layer][0].reshape(channels, -1).T
        outside = (values < low - 1e-5) | (values > high + 1e-5)
        assert outside.mean() < 0.01, layer
        # A range that is far too wide would leave few of the 256 levels to the values.
        spread = np.median((high - low) / np.maximum(values.std(axis=0), 1e-6))
        assert spread < 40, layer
