"""The examples in this room's docstrings are true."""

import doctest
import importlib
import pkgutil

import pytest

import datasets
from queries.pooling import strata

MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(datasets.__path__, "datasets.")
    if ".migrations" not in name and ".management" not in name
]


@pytest.mark.parametrize("name", [*MODULES, strata.__name__])
def test_the_examples_are_true(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples() -> None:
    assert sum(doctest.testmod(importlib.import_module(name)).attempted for name in MODULES) > 10
