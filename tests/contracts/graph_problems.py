"""CRF problems: atoms are (node, 0), then (node, 1), then edges."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from segboost.tasks.crf import CRFInstance, CRFTask
from tests.contracts.enumeration import Example
from tests.contracts.problem import Problem, Shuffled, example_weights


def _graph(rng: np.random.Generator, n_nodes: int, weighted: bool) -> CRFInstance:
    labels = rng.integers(0, 2, n_nodes)
    pairs = np.array(list(itertools.combinations(range(n_nodes), 2)), int).reshape(-1, 2)
    edges = pairs[rng.random(len(pairs)) < 0.6]
    unary = (1 - 2 * labels)[:, None] + rng.integers(-2, 3, (n_nodes, 2))
    pairwise = rng.integers(0, 3, (len(edges), 2)) + 2.0 * (
        labels[edges[:, :1]] == labels[edges[:, 1:]]
    )
    weight = rng.integers(1, 4, n_nodes) if weighted else None
    return CRFInstance(unary, edges, pairwise, labels, weight)


def _enumerate_graphs(data: dict[str, Any]) -> list[Example]:
    graphs = data["graphs"]
    n_nodes, n_edges = sum(g.n_nodes for g in graphs), sum(g.n_edges for g in graphs)
    node = edge = 0
    examples = []
    for i, (g, v) in enumerate(zip(graphs, example_weights(data, len(graphs)), strict=True)):
        outputs = list(itertools.product((0, 1), repeat=g.n_nodes))
        potential = np.array([_atoms_of(g, y, node, edge, n_nodes, n_edges) for y in outputs])
        truth = outputs.index(tuple(g.labels.tolist()))
        cost = np.ones(g.n_nodes) if g.node_weight is None else g.node_weight
        loss = ((np.array(outputs) != g.labels) * cost).sum(axis=1)
        examples.append(Example(v, loss, potential - potential[truth], i))
        node, edge = node + g.n_nodes, edge + g.n_edges
    return examples


def _atoms_of(g: CRFInstance, y, node: int, edge: int, n_nodes: int, n_edges: int) -> np.ndarray:
    """Return the atoms used by a labelling; the energy is their summed score, ψ its negative."""
    use = np.zeros(2 * n_nodes + n_edges)
    for p, label in enumerate(y):
        use[node + p + n_nodes * label] = 1.0
    for e, (p, q) in enumerate(g.edges):
        use[2 * n_nodes + edge + e] = float(y[p] != y[q])
    return use


def _shuffle_graphs(data: dict[str, Any], rng: np.random.Generator) -> Shuffled:
    """Permute graphs, their nodes, their edges with the ends exchanged, and the potentials."""
    old = data["graphs"]
    node_at = np.cumsum([0] + [g.n_nodes for g in old])
    edge_at = np.cumsum([0] + [g.n_edges for g in old])
    order, unary, pairwise = rng.permutation(len(old)), rng.permutation(2), rng.permutation(2)
    node = {i: rng.permutation(old[i].n_nodes) for i in order}
    edge = {i: rng.permutation(old[i].n_edges) for i in order}
    graphs = [
        CRFInstance(
            old[i].unary[node[i]][:, unary],
            np.argsort(node[i])[old[i].edges[edge[i]]][:, ::-1],
            old[i].pairwise[edge[i]][:, pairwise],
            old[i].labels[node[i]],
            None if old[i].node_weight is None else old[i].node_weight[node[i]],
        )
        for i in order
    ]
    nodes = np.concatenate([node_at[i] + node[i] for i in order])
    edges = np.concatenate([edge_at[i] + edge[i] for i in order])
    atoms = np.concatenate([nodes, node_at[-1] + nodes, 2 * node_at[-1] + edges])
    return Shuffled({"graphs": graphs}, atoms, lambda decoded: [decoded[i][node[i]] for i in order])


def _repeat_graphs(data: dict[str, Any], counts: np.ndarray) -> dict[str, Any]:
    return {"graphs": [g for g, n in zip(data["graphs"], counts, strict=True) for _ in range(n)]}


def crf(name: str, seed: int, weighted: bool) -> Problem:
    rng = np.random.default_rng(seed)
    graphs = [_graph(rng, n, weighted) for n in (4, 5, 1, 4, 5)]
    return Problem(
        name,
        {"graphs": graphs},
        lambda d: CRFTask(d["graphs"], d.get("sample_weight")),
        _enumerate_graphs,
        _shuffle_graphs,
        _repeat_graphs,
    )
