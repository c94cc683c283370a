"""The examples in the docstrings of all modules run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import segboost


def modules() -> list[str]:
    found = pkgutil.walk_packages(segboost.__path__, "segboost.")
    return sorted(m.name for m in found)


@pytest.mark.parametrize("name", modules())
def test_docstring_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", sorted(set(segboost.__all__) - {"__version__"}))
def test_public_names_are_documented(name):
    thing = getattr(segboost, name)
    assert thing.__doc__
    first = thing.__doc__.strip().splitlines()[0]
    assert first.endswith((".", ":")), first
