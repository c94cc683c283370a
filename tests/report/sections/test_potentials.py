"""Which potentials the section draws, and which it only names."""

from __future__ import annotations

from segboost.report.run_data.learned_functions import LearnedFunction
from segboost.report.sections.potentials import _functions


def test_uninformative_potentials_are_listed_as_excluded_or_used():
    def function(name, weight, excluded):
        return LearnedFunction(name, weight, lambda values: weight * values, (-1.0, 1.0), excluded)

    parts = [("a", 1.0, False), ("b", 0.0, False), ("c", 1e-29, True), ("d", 0.2, True)]
    text = _functions([function(*part) for part in parts], [], True)
    assert text.count("<figure") == 1
    assert "Not used: b." in text
    assert "Excluded, as uninformative on held-out images: c." in text
    assert "Used, though uninformative on held-out images, and not drawn: d." in text
