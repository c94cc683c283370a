"""The examples in docstrings hold."""

import doctest

import pytest

from segboost.features import extract, image, superpixels, user_groups


@pytest.mark.parametrize(
    "module", [extract, image, superpixels, user_groups], ids=lambda m: m.__name__
)
def test_docstrings(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
