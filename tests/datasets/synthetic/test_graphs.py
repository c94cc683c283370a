from __future__ import annotations

import numpy as np

from segboost.datasets.synthetic.graphs import (
    POTENTIALS,
    class_graphs,
    grid_edges,
    grid_graph,
    grid_graphs,
)


def test_edges_join_the_neighbours_of_a_grid():
    expected = {(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)}
    assert {tuple(e) for e in grid_edges(2, 3).tolist()} == expected
    assert grid_edges(1, 1).shape == (0, 2)


def test_shapes_and_ranges():
    graph = grid_graph(np.random.default_rng(0), 10, 12)
    assert graph.shape == (10, 12)
    assert graph.unary.shape == (120, len(POTENTIALS))
    assert graph.pairwise.shape == (len(graph.edges), 2)
    assert np.isfinite(graph.unary).all()
    assert (graph.pairwise >= 0).all()
    assert set(graph.labels.tolist()) == {0, 1}


def test_the_same_seed_gives_the_same_graphs():
    first, second = (grid_graphs(3, np.random.default_rng(5), 6, 7) for _ in range(2))
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a.unary, b.unary)
        np.testing.assert_array_equal(a.labels, b.labels)
    assert not np.array_equal(first[0].unary, first[1].unary)


def test_potentials_are_what_their_names_say():
    graphs = grid_graphs(20, np.random.default_rng(1))
    unary = np.concatenate([g.unary for g in graphs])
    shape = np.concatenate([g.labels for g in graphs]) == 1
    mean = unary[shape].mean(axis=0) - unary[~shape].mean(axis=0)
    linear, band, spikes, shared = mean
    assert linear < -1.5
    assert shared < -1.5
    assert abs(band) < 0.1
    spread = np.abs(unary[:, 1])
    assert spread[~shape].mean() > spread[shape].mean() + 0.8
    assert np.abs(unary[:, 2]).max() > 50
    assert spikes < -0.5


def test_class_graphs_have_regions_and_are_drawn_from_the_seed():
    first, second = (class_graphs(6, np.random.default_rng(2), 4, 9, 11) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        assert np.array_equal(one.unary, other.unary)
        assert one.unary.shape == (99, 5)
        assert one.pairwise.shape == (len(one.edges), 2)
        tail, head = one.labels[one.edges.T]
        assert np.mean(tail == head) > 0.6
        indicator = one.unary[np.arange(99), one.labels].mean()
        assert indicator > one.unary[:, :4].mean() + 0.4
    assert set(np.concatenate([g.labels for g in first])) == {0, 1, 2, 3}
