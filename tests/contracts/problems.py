"""One small problem of every task, with all its outputs listed.

Features have few distinct values, so that all stumps can be enumerated.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from segboost.solver.atoms import Task, atom_offsets
from segboost.solver.loop import ColumnGeneration
from segboost.solver.options import SolverOptions
from segboost.tasks.candidates import CandidateTask, box_task
from segboost.tasks.crf import CRFInstance, CRFTask
from segboost.tasks.hierarchy import LabelAugmentedTask, hierarchy_task
from segboost.tasks.multiclass import MulticlassTask, binary_task
from segboost.tasks.ranking import RankingTask
from segboost.tasks.taxonomy import Taxonomy
from segboost.weak.stump import DecisionStump
from tests.contracts.enumeration import Example, FullSolution, all_stumps, solve_full

TREE = Taxonomy.from_nested({"all": {"left": ["a", "b"], "right": {"far": ["c", "d"]}}})
COST = np.array([[0.0, 1.0, 3.0], [0.5, 0.0, 1.0], [2.0, 0.25, 0.0]])


@dataclass(frozen=True, eq=False)
class Shuffled:
    """The same data in another order, and how to bring old answers into it.

    Parameters
    ----------
    data : dict
    atoms : ndarray of int, shape (N,)
        The old place of every new atom.
    carry : callable
        From the old decoded outputs to those expected of the new data.
    """

    data: dict[str, Any]
    atoms: np.ndarray
    carry: Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Problem:
    """A task, its data, and its outputs spelt out."""

    name: str
    data: dict[str, Any]
    make: Callable[[dict[str, Any]], Task]
    spell: Callable[[dict[str, Any]], list[Example]]
    shuffle: Callable[[dict[str, Any], np.random.Generator], Shuffled]
    repeat: Callable[[dict[str, Any], np.ndarray], dict[str, Any]]
    _optima: dict[float, FullSolution] = field(default_factory=dict)

    @cached_property
    def task(self) -> Task:
        return self.make(self.data)

    @cached_property
    def examples(self) -> list[Example]:
        return self.spell(self.data)

    @cached_property
    def n_groups(self) -> int:
        return self.examples[-1].group + 1

    @property
    def n_rows(self) -> int:
        """How many sample weights there are."""
        return len(self.data["y"]) if "y" in self.data else self.n_groups

    @cached_property
    def stumps(self) -> np.ndarray:
        return all_stumps(self.task.channels)

    @property
    def n_atoms(self) -> int:
        return int(atom_offsets(self.task.channels)[-1])

    def optimum(self, C: float) -> FullSolution:
        """Return the optimum of the full LP; solved once."""
        if C not in self._optima:
            self._optima[C] = solve_full(self.examples, self.stumps, C)
        return self._optima[C]

    def variant(self, data: dict[str, Any]) -> Problem:
        """Return the problem with other data."""
        return replace(self, data=data, _optima={})

    def random_scores(self, rng: np.random.Generator, scale: float) -> np.ndarray:
        """Return atom scores Φw of a few random stumps with w ≥ 0."""
        w = rng.exponential(scale, len(self.stumps)) * (rng.random(len(self.stumps)) < 0.3)
        return w @ self.stumps


def atom_scores(loop: ColumnGeneration, task: Task) -> np.ndarray:
    """Return Φw on the atoms of a task, from the hypotheses themselves."""
    start_at = atom_offsets(task.channels)
    scores = np.zeros(start_at[-1])
    for column, w in zip(loop.columns, loop.weights, strict=True):
        answers = column.hypothesis.predict(task.channels[column.channel].features)
        scores[start_at[column.channel] : start_at[column.channel + 1]] += w * answers
    return scores


def start(task: Task, options: SolverOptions, seed: int = 0) -> ColumnGeneration:
    """Return the loop on a task, with stumps on every channel."""
    learner = DecisionStump()
    learners = [learner for _ in task.channels]
    return ColumnGeneration(task, learners, options, np.random.default_rng(seed))


def _weights(data: dict[str, Any], n: int) -> np.ndarray:
    weight = data.get("sample_weight")
    weight = np.ones(n) if weight is None else np.asarray(weight, float)
    return weight / weight.sum()


# Classes with label codes: atoms (code entry, example).


def _table(seed: int, m: int, d: int, k: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, m - k)])
    X = (y[:, None] + rng.integers(-2, 3, (m, d))).astype(float)
    return {"X": X, "y": y}


def _spell_codes(data: dict[str, Any], codes: np.ndarray, cost: np.ndarray) -> list[Example]:
    y, m = data["y"], len(data["y"])
    examples = []
    for i, v in enumerate(_weights(data, m)):
        difference = np.zeros((len(codes), codes.shape[1], m))
        difference[:, :, i] = codes[y[i]] - codes
        examples.append(Example(v, cost[y[i]], difference.reshape(len(codes), -1), i))
    return examples


def _shuffle_table(data: dict[str, Any], rng: np.random.Generator, n_codes: int = 1) -> Shuffled:
    """Permute rows and features; the atoms are (code entry, example)."""
    m = len(data["y"])
    row, column = rng.permutation(m), rng.permutation(data["X"].shape[1])
    atoms = np.arange(n_codes * m).reshape(n_codes, m)[:, row].ravel()
    shuffled = {"X": data["X"][row][:, column], "y": data["y"][row]}
    return Shuffled(shuffled, atoms, lambda decoded: decoded[row])


def _repeat_table(data: dict[str, Any], counts: np.ndarray) -> dict[str, Any]:
    return {key: np.repeat(value, counts, axis=0) for key, value in data.items()}


def _binary() -> Problem:
    return Problem(
        "binary",
        _table(1, 14, 3, 2),
        lambda d: binary_task(d["X"], d["y"], d.get("sample_weight")),
        lambda d: _spell_codes(d, np.array([[-0.5], [0.5]]), 1.0 - np.eye(2)),
        _shuffle_table,
        _repeat_table,
    )


def _multiclass() -> Problem:
    return Problem(
        "multiclass",
        _table(2, 15, 3, 3),
        lambda d: MulticlassTask(d["X"], d["y"], 3, None, d.get("sample_weight")),
        lambda d: _spell_codes(d, np.eye(3), 1.0 - np.eye(3)),
        partial(_shuffle_table, n_codes=3),
        _repeat_table,
    )


def _cost() -> Problem:
    return Problem(
        "cost matrix",
        _table(3, 15, 2, 3),
        lambda d: MulticlassTask(d["X"], d["y"], 3, COST, d.get("sample_weight")),
        lambda d: _spell_codes(d, np.eye(3), COST),
        partial(_shuffle_table, n_codes=3),
        _repeat_table,
    )


# Γ over left, a, b, right, far, c, d: the nodes in the order of TREE, written out.
TREE_CODES = np.array(
    [
        [1, 1, 0, 0, 0, 0, 0],
        [1, 0, 1, 0, 0, 0, 0],
        [0, 0, 0, 1, 1, 1, 0],
        [0, 0, 0, 1, 1, 0, 1],
    ],
    float,
)
# a and b meet one step above the leaves, c and d too; the root is three steps above c.
TREE_LOSS = np.array([[0, 1, 3, 3], [1, 0, 3, 3], [3, 3, 0, 1], [3, 3, 1, 0]], float)


def _hierarchy() -> Problem:
    return Problem(
        "hierarchy",
        _table(4, 14, 2, 4),
        lambda d: hierarchy_task(d["X"], d["y"], TREE, "abcd", d.get("sample_weight")),
        lambda d: _spell_codes(d, TREE_CODES, TREE_LOSS),
        partial(_shuffle_table, n_codes=7),
        _repeat_table,
    )


# Label-augmented: atoms (example, class).


def _spell_augmented(data: dict[str, Any]) -> list[Example]:
    y, m, k = data["y"], len(data["y"]), 4
    examples = []
    for i, v in enumerate(_weights(data, m)):
        difference = np.zeros((k, m, k))
        difference[:, i, y[i]] += 1
        difference[np.arange(k), i, np.arange(k)] -= 1
        examples.append(Example(v, TREE_LOSS[y[i]], difference.reshape(k, -1), i))
    return examples


def _shuffle_augmented(data: dict[str, Any], rng: np.random.Generator) -> Shuffled:
    plain = _shuffle_table(data, rng)
    atoms = (4 * plain.atoms[:, None] + np.arange(4)).ravel()
    return Shuffled(plain.data, atoms, plain.carry)


def _augmented() -> Problem:
    return Problem(
        "label-augmented",
        _table(5, 10, 2, 4),
        lambda d: LabelAugmentedTask(d["X"], d["y"], TREE_CODES, TREE_LOSS, d.get("sample_weight")),
        _spell_augmented,
        _shuffle_augmented,
        _repeat_table,
    )


# Pairs: one atom an example, an "example" of the LP is a pair.


def _spell_pairs(data: dict[str, Any]) -> list[Example]:
    ranks, n = data["y"], len(data["y"])
    weight = data.get("sample_weight")
    weight = np.ones(n) if weight is None else np.asarray(weight, float)
    pairs = [(i, j) for i in range(n) for j in range(n) if ranks[i] > ranks[j]]
    total = sum(weight[i] * weight[j] for i, j in pairs)
    upper = {i: u for u, i in enumerate(np.flatnonzero(ranks > ranks.min()))}
    examples = []
    for i, j in pairs:
        difference = np.zeros((1, n))
        difference[0, i], difference[0, j] = 1.0, -1.0
        examples.append(Example(weight[i] * weight[j] / total, np.ones(1), difference, upper[i]))
    return examples


def _ranking(name: str, seed: int, n: int, k: int) -> Problem:
    return Problem(
        name,
        _table(seed, n, 3, k),
        lambda d: RankingTask(d["X"], d["y"], d.get("sample_weight")),
        _spell_pairs,
        _shuffle_table,
        _repeat_table,
    )


# Candidates: atoms are candidates.


def _boxes_of(centre: np.ndarray, rng: np.random.Generator, n: int) -> np.ndarray:
    shift = rng.integers(-3, 4, (n, 2))
    return np.column_stack([centre + shift, np.full((n, 2), 4.0)])


def _box_data(seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    counts = [4, 1, 5, 3, 4, 5, 4]
    target = np.column_stack([rng.integers(5, 9, (len(counts), 2)), np.full((len(counts), 2), 4.0)])
    boxes = [_boxes_of(t[:2], rng, n) for t, n in zip(target, counts, strict=True)]
    features = [np.abs(b[:, :2] - t[:2]) for b, t in zip(boxes, target, strict=True)]
    noise = [rng.integers(0, 2, f.shape) for f in features]
    return {
        "frames": [f + e for f, e in zip(features, noise, strict=True)],
        "boxes": boxes,
        "target": target,
    }


def _flat_boxes(data: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    example = np.repeat(np.arange(len(data["frames"])), [len(f) for f in data["frames"]])
    return np.concatenate(data["frames"]), example, np.concatenate(data["boxes"])


def _make_boxes(data: dict[str, Any]) -> CandidateTask:
    features, example, boxes = _flat_boxes(data)
    task = box_task(features, example, boxes, data["target"])
    if data.get("sample_weight") is None:
        return task
    return CandidateTask(features, example, task.loss, sample_weight=data["sample_weight"])


def overlap_loss(box: np.ndarray, target: np.ndarray) -> float:
    """Return 1 − intersection/union of two boxes, one coordinate after the other."""
    inner = 1.0
    for axis in (0, 1):
        low = max(box[axis], target[axis])
        high = min(box[axis] + box[axis + 2], target[axis] + target[axis + 2])
        inner *= max(0.0, high - low)
    return 1.0 - inner / (box[2] * box[3] + target[2] * target[3] - inner)


def _spell_boxes(data: dict[str, Any]) -> list[Example]:
    _, example, boxes = _flat_boxes(data)
    examples = []
    for i, v in enumerate(_weights(data, len(data["frames"]))):
        rows = np.flatnonzero(example == i)
        loss = np.array([overlap_loss(b, data["target"][i]) for b in boxes[rows]])
        truth = int(np.argmin(loss))
        loss[truth] = 0.0
        difference = np.zeros((len(rows), len(example)))
        difference[:, rows[truth]] += 1
        difference[np.arange(len(rows)), rows] -= 1
        examples.append(Example(v, loss, difference, i))
    return examples


def _shuffle_boxes(data: dict[str, Any], rng: np.random.Generator) -> Shuffled:
    order = rng.permutation(len(data["frames"]))
    column = rng.permutation(data["frames"][0].shape[1])
    shuffled = {
        "frames": [data["frames"][i][:, column] for i in order],
        "boxes": [data["boxes"][i] for i in order],
        "target": data["target"][order],
    }
    example = _flat_boxes(data)[1]
    atoms = np.concatenate([np.flatnonzero(example == i) for i in order])
    return Shuffled(shuffled, atoms, lambda decoded: np.argsort(atoms)[decoded[order]])


def _repeat_boxes(data: dict[str, Any], counts: np.ndarray) -> dict[str, Any]:
    index = np.repeat(np.arange(len(counts)), counts)
    return {
        "frames": [data["frames"][i] for i in index],
        "boxes": [data["boxes"][i] for i in index],
        "target": data["target"][index],
    }


def _candidates() -> Problem:
    return Problem(
        "candidates", _box_data(6), _make_boxes, _spell_boxes, _shuffle_boxes, _repeat_boxes
    )


# Graphs: atoms (node, 0), then (node, 1), then edges.


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


def _spell_graphs(data: dict[str, Any]) -> list[Example]:
    graphs = data["graphs"]
    n_nodes, n_edges = sum(g.n_nodes for g in graphs), sum(g.n_edges for g in graphs)
    node = edge = 0
    examples = []
    for i, (g, v) in enumerate(zip(graphs, _weights(data, len(graphs)), strict=True)):
        outputs = list(itertools.product((0, 1), repeat=g.n_nodes))
        potential = np.array([_atoms_of(g, y, node, edge, n_nodes, n_edges) for y in outputs])
        truth = outputs.index(tuple(g.labels.tolist()))
        cost = np.ones(g.n_nodes) if g.node_weight is None else g.node_weight
        loss = ((np.array(outputs) != g.labels) * cost).sum(axis=1)
        examples.append(Example(v, loss, potential - potential[truth], i))
        node, edge = node + g.n_nodes, edge + g.n_edges
    return examples


def _atoms_of(g: CRFInstance, y, node: int, edge: int, n_nodes: int, n_edges: int) -> np.ndarray:
    """Return which atoms a labelling uses: the energy is their scores' sum, ψ its negative."""
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


def _crf(name: str, seed: int, weighted: bool) -> Problem:
    rng = np.random.default_rng(seed)
    graphs = [_graph(rng, n, weighted) for n in (4, 5, 1, 4, 5)]
    return Problem(
        name,
        {"graphs": graphs},
        lambda d: CRFTask(d["graphs"], d.get("sample_weight")),
        _spell_graphs,
        _shuffle_graphs,
        _repeat_graphs,
    )


PROBLEMS = [
    _binary(),
    _multiclass(),
    _cost(),
    _hierarchy(),
    _augmented(),
    _ranking("AUC", 7, 12, 2),
    _ranking("ordinal", 8, 10, 4),
    _candidates(),
    _crf("CRF", 9, weighted=False),
    _crf("CRF with node weights", 10, weighted=True),
]
