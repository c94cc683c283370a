"""Small ONNX networks for the tests: average pooling, and patch tokens."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper, numpy_helper

SIDES = ["h", "w"]


def model(nodes, output, constants, sides=None, inputs=None, domain="") -> bytes:
    """Return a network from ``image`` (1, 3, H, W) to an output."""
    sides = SIDES if sides is None else sides
    inputs = inputs or [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 3, *sides])]
    graph = helper.make_graph(
        nodes,
        "small",
        inputs,
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    opsets = [helper.make_opsetid("", 17)]
    if domain:
        opsets.append(helper.make_opsetid(domain, 1))
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def pooling(side: int, sides=None) -> bytes:
    """Return a network with two layers: means over squares (3 channels), and their doubles."""
    nodes = [
        helper.make_node(
            "AveragePool", ["image"], ["pooled"], kernel_shape=[side] * 2, strides=[side] * 2
        ),
        helper.make_node("Mul", ["pooled", "two"], ["doubled"]),
    ]
    return model(nodes, "doubled", {"two": np.float32(2)}, sides)


def tokens(side: int, skipped: int, sides=None) -> bytes:
    """Return a network whose tokens are means over squares, preceded by tokens of −1."""
    nodes = [
        helper.make_node(
            "AveragePool", ["image"], ["pooled"], kernel_shape=[side] * 2, strides=[side] * 2
        ),
        helper.make_node("Reshape", ["pooled", "flat"], ["row"]),
        helper.make_node("Transpose", ["row"], ["patches"], perm=[0, 2, 1]),
        helper.make_node("Concat", ["class", "patches"], ["tokens"], axis=1),
    ]
    constants = {
        "flat": np.array([1, 3, -1], np.int64),
        "class": np.full((1, skipped, 3), -1, np.float32),
    }
    return model(nodes, "tokens", constants, sides)
