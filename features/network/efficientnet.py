"""EfficientNet-Lite0 as an ONNX graph, assembled from its weights.

The network is that of Tan and Le (2019) without squeeze-and-excitation, with ReLU6, trained on
ImageNet. Batch normalisation is folded into the convolutions. Its outputs are:

    name      channels  stride
    stem            32       2
    stage1          16       2
    stage2          24       4
    stage3          40       8
    stage4          80      16
    stage5         112      16
    stage6         192      32
    stage7         320      32
    head          1280      32
    logits        1000       -     of shape (N, 1000): the classes of ImageNet
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from segboost._types import AnyArray, Float32Array
from segboost.features.network.weights import Tensors, read_weights

OPSET = 17
IR_VERSION = 8
"""Fixed, so that the graph's bytes do not depend on the version of the onnx package."""
INPUT = "image"
EPSILON = 1e-3
"""The ε of batch normalisation."""


@dataclass(frozen=True)
class Stage:
    """Inverted residual blocks of one width; the first of them has the stride."""

    repeats: int
    kernel: int
    stride: int
    expansion: int
    channels: int


STAGES = (
    Stage(1, 3, 1, 1, 16),
    Stage(2, 3, 2, 6, 24),
    Stage(2, 5, 2, 6, 40),
    Stage(3, 3, 2, 6, 80),
    Stage(3, 5, 1, 6, 112),
    Stage(4, 5, 2, 6, 192),
    Stage(1, 3, 1, 6, 320),
)
LAYERS: Mapping[str, tuple[int, int]] = {
    "stem": (32, 2),
    "stage1": (16, 2),
    "stage2": (24, 4),
    "stage3": (40, 8),
    "stage4": (80, 16),
    "stage5": (112, 16),
    "stage6": (192, 32),
    "stage7": (320, 32),
    "head": (1280, 32),
}
"""Channels and stride of each map."""

Folded = tuple[Float32Array, Float32Array]


def fold_norm(tensors: Tensors, convolution: str, norm: str) -> Folded:
    """Return kernel and bias of a convolution with the batch normalisation folded into it.

    ``γ (Kx − μ) / sqrt(σ² + ε) + β = (γ/sqrt(σ² + ε)) K x + (β − γ μ / sqrt(σ² + ε))``
    """
    kernel = tensors[f"{convolution}.weight"].astype(np.float64)
    weight, bias, mean, variance = (
        tensors[f"{norm}.{part}"].astype(np.float64)
        for part in ("weight", "bias", "running_mean", "running_var")
    )
    factor = weight / np.sqrt(variance + EPSILON)
    folded = kernel * factor[:, None, None, None]
    return folded.astype(np.float32), (bias - factor * mean).astype(np.float32)


class _Builder:
    """Nodes and constants of the graph, in the order in which they are computed."""

    def __init__(self, tensors: Tensors) -> None:
        self.tensors = tensors
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, values: AnyArray) -> str:
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, [output], output, **attributes))
        return output

    def convolve(
        self, before: str, names: tuple[str, str], output: str, stride: int = 1, cut: bool = True
    ) -> str:
        """Add a convolution with its normalisation, followed by ReLU6 if `cut`."""
        kernel, bias = fold_norm(self.tensors, *names)
        depthwise = kernel.shape[1] == 1 and kernel.shape[0] > 1
        linear = f"{output}.linear" if cut else output
        inputs = [
            before,
            self.constant(f"{output}.kernel", kernel),
            self.constant(f"{output}.bias", bias),
        ]
        self.node(
            "Conv",
            inputs,
            linear,
            auto_pad="SAME_UPPER",
            group=kernel.shape[0] if depthwise else 1,
            kernel_shape=list(kernel.shape[2:]),
            strides=[stride, stride],
        )
        return self.node("Clip", [linear, "zero", "six"], output) if cut else output

    def block(self, before: str, number: int, stage: Stage, first: bool, output: str) -> str:
        """Add an inverted residual block: expand, filter by channel, project.

        All blocks of a stage but the first add their input to the result.
        """
        place = f"_blocks.{number}"
        inner = before
        if stage.expansion > 1:
            names = (f"{place}._expand_conv", f"{place}._bn0")
            inner = self.convolve(inner, names, f"block{number}.expand")
        names = (f"{place}._depthwise_conv", f"{place}._bn1")
        inner = self.convolve(
            inner, names, f"block{number}.filter", stride=stage.stride if first else 1
        )
        names = (f"{place}._project_conv", f"{place}._bn2")
        if first:
            return self.convolve(inner, names, output, cut=False)
        projected = self.convolve(inner, names, f"block{number}.project", cut=False)
        return self.node("Add", [projected, before], output)


def build_network(tensors: Tensors) -> bytes:
    """Return the whole network as the bytes of an ONNX model.

    Its input ``image`` has shape (N, 3, H, W), RGB from −1 to 1; its outputs are listed above.
    """
    from onnx import TensorProto, helper

    builder = _Builder(tensors)
    builder.constant("zero", np.float32(0))  # type: ignore[arg-type]
    builder.constant("six", np.float32(6))  # type: ignore[arg-type]
    last = builder.convolve(INPUT, ("_conv_stem", "_bn0"), "stem", stride=2)
    number = 0
    for place, stage in enumerate(STAGES, start=1):
        for repeat in range(stage.repeats):
            ends = repeat == stage.repeats - 1
            output = f"stage{place}" if ends else f"block{number}"
            last = builder.block(last, number, stage, repeat == 0, output)
            number += 1
    last = builder.convolve(last, ("_conv_head", "_bn1"), "head")
    pooled = builder.node("GlobalAveragePool", [last], "pooled")
    flat = builder.node("Flatten", [pooled], "flat")
    weight = builder.constant("classifier.weight", tensors["_fc.weight"])
    bias = builder.constant("classifier.bias", tensors["_fc.bias"])
    builder.node("Gemm", [flat, weight, bias], "logits", transB=1)
    real = TensorProto.FLOAT
    maps = [
        helper.make_tensor_value_info(name, real, ["n", channels, f"h{stride}", f"w{stride}"])
        for name, (channels, stride) in LAYERS.items()
    ]
    graph = helper.make_graph(
        builder.nodes,
        "efficientnet-lite0",
        [helper.make_tensor_value_info(INPUT, real, ["n", 3, "h", "w"])],
        [*maps, helper.make_tensor_value_info("logits", real, ["n", 1000])],
        builder.constants,
    )
    opset = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=IR_VERSION)
    return bytes(model.SerializeToString(deterministic=True))


@cache
def network_bytes() -> bytes:
    """Return the network with the installed weights; assembled once per process."""
    return build_network(read_weights())


def channel_ranges(tensors: Tensors, layer: str, deviations: float) -> tuple[Any, Any]:
    """Return the range of the channels of a layer, from the weights alone, shapes (C,).

    On ImageNet, the output of batch normalisation has mean β and deviation γ in every channel.
    A stage sums the outputs of its blocks, which are assumed independent. The range is
    the mean ± `deviations` deviations, clipped to [0, 6] if ReLU6 follows.
    """
    if layer in ("stem", "head"):
        names = ["_bn0" if layer == "stem" else "_bn1"]
    else:
        place = int(layer.removeprefix("stage"))
        start = sum(stage.repeats for stage in STAGES[: place - 1])
        names = [f"_blocks.{start + n}._bn2" for n in range(STAGES[place - 1].repeats)]
    mean = sum(tensors[f"{name}.bias"].astype(np.float64) for name in names)
    variance = sum(tensors[f"{name}.weight"].astype(np.float64) ** 2 for name in names)
    spread = deviations * np.sqrt(variance)
    low, high = mean - spread, mean + spread
    if layer in ("stem", "head"):
        low, high = np.clip(low, 0, 5), np.clip(high, 1, 6)
    return low.astype(np.float32), high.astype(np.float32)
