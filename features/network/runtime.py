"""Run networks: one onnxruntime session per process, network and set of layers."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from segboost._types import Float32Array
from segboost.features.network.graph import keep_outputs
from segboost.features.network.source import NetworkSource

Outputs = dict[str, Float32Array]


@lru_cache(maxsize=4)
def open_session(source: NetworkSource, layers: tuple[str, ...]) -> Any:
    """Return a session that computes only these layers of a network.

    One thread, operations one after the other: the same bytes in every process, and processes
    that work side by side do not compete for cores. Sessions are never sent to other processes;
    each makes its own when it needs one.
    """
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.use_deterministic_compute = True
    options.enable_mem_pattern = False  # the sizes of images differ
    options.log_severity_level = 4
    content = keep_outputs(source(), layers)
    try:
        session = ort.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises a different exception for every cause
        raise ValueError(f"network: onnxruntime cannot load it: {_one_line(error)}") from None
    _check_input(session)
    return session


def _check_input(session: Any) -> None:
    """Raise ValueError if the input is not one float image with channels first."""
    inputs = session.get_inputs()
    shape = inputs[0].shape if len(inputs) == 1 else []
    if len(shape) != 4 or inputs[0].type != "tensor(float)":
        found = [(i.name, i.type, i.shape) for i in inputs]
        raise ValueError(f"network: expected one input of floats (N, 3, H, W), got {found}")
    # Dimensions that are not fixed are strings.
    if any(isinstance(n, int) and n != m for n, m in zip(shape, (1, 3), strict=False)):
        raise ValueError(f"network: expected an input of shape (N, 3, H, W), got {shape}")


def fixed_size(source: NetworkSource, layers: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the only height and width that a network accepts, or None if it accepts any."""
    height, width = open_session(source, layers).get_inputs()[0].shape[2:]
    if isinstance(height, int) and isinstance(width, int):
        return height, width
    return None


def run_network(source: NetworkSource, layers: tuple[str, ...], image: Float32Array) -> Outputs:
    """Return the outputs of the layers for an input, by name.

    Parameters
    ----------
    source : NetworkSource
        Equal sources share a session.
    layers : tuple of str
    image : ndarray of float32, shape (1, 3, H, W)
    """
    session = open_session(source, layers)
    feed = {session.get_inputs()[0].name: np.ascontiguousarray(image)}
    try:
        found = session.run(list(layers), feed)
    except Exception as error:  # onnxruntime raises a different exception for every cause
        raise ValueError(
            f"network: onnxruntime fails on an input of shape {image.shape}: {_one_line(error)}"
        ) from None
    return dict(zip(layers, found, strict=True))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
