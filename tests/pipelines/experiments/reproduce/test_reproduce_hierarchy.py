"""The hierarchy table: no leak from test scenes, losses by hand, resuming, the command."""

from __future__ import annotations

import json

import numpy as np
import pytest

from segboost.cli.main import run
from segboost.datasets.images.sun8 import SUN8_TREE, load_sun8
from segboost.pipelines.experiments.methods import hierarchy_methods as methods_module
from segboost.pipelines.experiments.methods.hierarchy_methods import (
    HierarchyEffort,
    fit_structboost,
    hierarchy_methods,
    losses,
)
from segboost.pipelines.experiments.protocol.single_fits import CellResult
from segboost.pipelines.experiments.protocol.table_protocol import Protocol
from segboost.pipelines.experiments.reproduce import reproduce_hierarchy as module
from segboost.pipelines.experiments.reproduce.scene_table import (
    SceneSettings,
    load_cells,
    scene_table,
)
from segboost.progress import QuietProgress
from segboost.tasks.taxonomy import Taxonomy
from tests.datasets.files import save

CLASSES = sorted(map(str, Taxonomy.make(SUN8_TREE).leaves))
METHODS = [
    "StructBoost-tree", "StructBoost-augmented", "StructBoost-flat", "Ada.ECC-SVM", "Ada.ECC",
    "Ada.MH",
]  # fmt: skip
SMALL = SceneSettings(side=32, n_cells=8, n_words=16, levels=(1, 2))


def stripes(kind: int, seed: int) -> np.ndarray:
    """A picture with stripes in a different direction for every class."""
    rng = np.random.default_rng([kind, seed])
    angle = np.pi * kind / 8 + 0.05 * rng.normal()
    y, x = np.mgrid[:24, :32]
    wave = np.sin(0.9 * (x * np.cos(angle) + y * np.sin(angle)) + rng.random() * 6)
    grey = np.clip(127 + 90 * wave + 10 * rng.normal(size=wave.shape), 0, 255)
    return np.repeat(grey[..., None], 3, axis=2).astype(np.uint8)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    place = tmp_path_factory.mktemp("scenes")
    for kind, name in enumerate(CLASSES):
        for i in range(6):
            save(stripes(kind, i), place / "sun8" / name / f"sun_{i}.png")
    return place


@pytest.fixture
def small(monkeypatch):
    """Settings under which the command takes a second or two."""
    monkeypatch.setattr(module, "QUICK_SETTINGS", SMALL)
    effort = HierarchyEffort(rounds=2, augmented_rounds=3, components=5, gap=5e-2)
    monkeypatch.setattr(module, "QUICK_EFFORT", effort)


@pytest.fixture(scope="module")
def cells(root, tmp_path_factory):
    cache = tmp_path_factory.mktemp("cells")
    scenes = load_sun8(root)
    return load_cells(scenes.paths, SMALL, cache, 1, QuietProgress())


def test_words_come_from_the_training_rows_only(cells, tmp_path):
    train = np.arange(0, len(cells), 2)
    rows = scene_table(cells, train, SMALL, 0, tmp_path)
    assert rows.shape == (48, 80)
    changed = cells.copy()
    changed[1::2] = np.random.default_rng(0).random(changed[1::2].shape)
    others = scene_table(changed, train, SMALL, 0, tmp_path)
    np.testing.assert_array_equal(others[train], rows[train])
    assert (others[1::2] != rows[1::2]).any()
    # The order of the training rows is random and must not matter.
    again = scene_table(cells, train[::-1], SMALL, 0, tmp_path)
    np.testing.assert_array_equal(again, rows)


def test_cells_are_kept(root, cells, tmp_path, monkeypatch):
    scenes = load_sun8(root)
    first = load_cells(scenes.paths, SMALL, tmp_path, 1, QuietProgress())
    np.testing.assert_array_equal(first, cells)
    monkeypatch.setattr("segboost.pipelines.experiments.reproduce.scene_table._cells", None)
    again = load_cells(scenes.paths, SMALL, tmp_path, 1, QuietProgress())
    np.testing.assert_array_equal(again, cells)


@pytest.mark.parametrize("form", ["tree", "augmented", "flat"])
def test_every_form_learns_the_stripes(cells, tmp_path, form):
    train = np.arange(0, len(cells), 2)
    X = scene_table(cells, train, SMALL, 0, tmp_path)
    y = np.repeat(CLASSES, 6)
    effort = {
        "rounds": 12,
        "augmented_rounds": 40,
        "svm_price": 10.0,
        "components": 10,
        "gap": 0.02,
    }
    model = fit_structboost(X[train], y[train], {"C": 500.0}, 0, form, effort)
    assert losses(model, X[train], y[train])["error"] < 0.1
    assert losses(model, X[1::2], y[1::2])["error"] < 0.6  # by chance 0.875


def test_methods_have_their_candidates():
    methods = {method.name: method for method in hierarchy_methods(HierarchyEffort())}
    assert list(methods) == METHODS
    assert len(methods["StructBoost-tree"].candidates) == 6
    assert {c["svm_C"] for c in methods["Ada.ECC-SVM"].candidates} >= {0.1, 1e8}


def test_the_command_resumes_and_prints_one_object(root, small, tmp_path, monkeypatch, capsys):
    command = ["reproduce", "hierarchy", "--quick", "--data-root", str(root), "--jobs", "1"]
    assert run([*command, "--output", str(tmp_path / "a"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["experiment"] == "hierarchy"
    assert [row["row"] for row in document["rows"]] == METHODS
    tree = document["rows"][0]["cells"]
    assert tree["6 scenes tree loss"]["paper"] == {"mean": 0.337, "deviation": 0.014}
    assert 0 <= tree["sun8 tree loss"]["ours"]["mean"] <= 2
    assert tree["sun8 tree loss"]["ours"]["mean"] >= tree["sun8 0/1 loss"]["ours"]["mean"]
    names = {"table.json", "table.md", "table.txt", "choices.json", "curves.png", "curves.svg"}
    assert names <= {path.name for path in (tmp_path / "a").iterdir()}
    # With the same cache nothing is fitted again: these functions would fail.
    for name in ("fit_mh", "fit_ecc", "fit_ecc_svm", "fit_structboost"):
        monkeypatch.setattr(methods_module, name, refuse)
    again = [*command, "--output", str(tmp_path / "b"), "--cache", str(tmp_path / "a" / "cache")]
    assert run(again) == 0
    printed = capsys.readouterr().out
    assert "StructBoost-tree" in printed
    assert "not a measurement" in printed
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def refuse(*_args, **_options):
    raise AssertionError("nothing is to be fitted")


def test_the_choice_is_by_the_tree_loss_of_the_validation_part(monkeypatch, tmp_path):
    def fit_cells(cells, tables, protocol, cache, n_jobs, progress):
        """Make the last candidate best on validation, and the first one on all else."""
        assert {cell.data for cell in cells} == {"sun8-0", "sun8-1"}
        assert all(cell.data == f"sun8-{cell.repeat}" for cell in cells)
        return [result(cell.candidate) for cell in cells]

    def result(candidate):
        good, bad = {"tree_loss": -1.0 * candidate, "error": 9.0}, {"tree_loss": 1.0 * candidate}
        measures = {"train": bad, "validation": good, "test": bad}
        return CellResult(measures, {}, 2.0, (), {})

    monkeypatch.setattr(module, "fit_cells", fit_cells)
    methods = hierarchy_methods(HierarchyEffort())
    protocol = Protocol("tree_loss", n_repeats=2)
    chosen = module._choose(methods, {}, protocol, tmp_path, 1, QuietProgress())
    assert [(c.method, c.repeat) for c in chosen] == [(n, r) for n in METHODS for r in range(2)]
    for c in chosen:
        candidates = next(m.candidates for m in methods if m.name == c.method)
        assert c.candidate == candidates[-1]
        assert c.all_seconds == 2.0 * len(candidates)


def test_missing_scenes_give_a_one_line_error(tmp_path, capsys):
    command = ["reproduce", "hierarchy", "--quick", "--data-root", str(tmp_path)]
    assert run(command) == 1
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert "put the SUN photographs" in printed
