"""ONNX models as bytes: validation, and reduction to the requested layers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_DOMAINS = frozenset({"", "ai.onnx", "ai.onnx.ml", "com.microsoft"})
"""Domains of the operators that are built into onnxruntime."""


def check_model(content: bytes, name: str) -> None:
    """Raise ValueError if a model is damaged, or needs anything outside its own file.

    External data and operators from other libraries are refused, so that the checksum alone
    identifies the network.
    """
    import onnx

    try:
        model = onnx.load_model_from_string(content)
    except Exception:  # each implementation of protobuf raises a different exception
        raise ValueError(f"network {name}: this is not an ONNX model") from None
    own = {function.domain for function in model.functions}
    graphs = [model.graph, *model.functions]
    for tensor in (t for graph in graphs for t in _tensors(graph)):
        if tensor.data_location == onnx.TensorProto.EXTERNAL or tensor.external_data:
            raise ValueError(
                f"network {name}: its weights are in external files; save it as one file "
                "(onnx.save with save_as_external_data=False)"
            )
    for node in (n for graph in graphs for n in _nodes(graph)):
        if node.domain not in _DOMAINS | own:
            raise ValueError(
                f"network {name}: onnxruntime does not have the operator {node.op_type} of "
                f"{node.domain}"
            )


def _nodes(graph: Any) -> Iterator[Any]:
    """Yield the nodes of a graph and of the graphs inside them."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _nodes(inner)


def _tensors(graph: Any) -> Iterator[Any]:
    """Yield the constants of a graph and of the graphs inside it."""
    yield from getattr(graph, "initializer", ())
    for sparse in getattr(graph, "sparse_initializer", ()):
        yield from (sparse.values, sparse.indices)
    for node in graph.node:
        for attribute in node.attribute:
            yield from (attribute.t, *attribute.tensors)
            for inner in (attribute.g, *attribute.graphs):
                yield from _tensors(inner)


def keep_outputs(content: bytes, outputs: tuple[str, ...]) -> bytes:
    """Return the model reduced to these outputs and the nodes that they depend on.

    Any tensor of the graph can be an output, by its name.

    Raises
    ------
    ValueError
        If the graph has no tensor of a given name.
    """
    import onnx

    model = onnx.load_model_from_string(content)
    graph = model.graph
    makers = {name: node for node in graph.node for name in node.output if name}
    missing = [name for name in outputs if name not in makers]
    if missing:
        known = [value.name for value in graph.output]
        raise ValueError(
            f"layers: the network has no tensor {missing[0]!r}; its outputs are {known}"
        )
    needed = _ancestors(makers, outputs)
    nodes = [node for node in graph.node if needed.intersection(node.output)]
    used = {name for node in nodes for name in _inputs(node)}
    infos = {value.name: value for value in (*graph.output, *graph.value_info)}
    ends = [infos.get(name) or onnx.ValueInfoProto(name=name) for name in outputs]
    constants = [value for value in graph.initializer if value.name in used]
    kept = onnx.GraphProto(name=graph.name, input=graph.input, output=ends)
    kept.node.extend(nodes)
    kept.initializer.extend(constants)
    kept.sparse_initializer.extend(graph.sparse_initializer)
    model.graph.CopyFrom(kept)
    return bytes(model.SerializeToString(deterministic=True))


def _inputs(node: Any) -> set[str]:
    """Return the tensors that a node reads, including those of its sub-graphs."""
    names = set(node.input)
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            for inner in graph.node:
                names |= _inputs(inner)
            names.update(value.name for value in graph.output)
    return names


def _ancestors(makers: dict[str, Any], outputs: tuple[str, ...]) -> set[str]:
    """Return the tensors that these outputs are computed from, themselves included."""
    needed: set[str] = set()
    waiting = list(outputs)
    while waiting:
        name = waiting.pop()
        if name in needed:
            continue
        needed.add(name)
        if name in makers:
            waiting.extend(_inputs(makers[name]))
    return needed
