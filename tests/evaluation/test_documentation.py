"""Examples in docstrings run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from types import ModuleType

import pytest

import evaluation


def modules() -> list[str]:
    found = pkgutil.walk_packages(evaluation.__path__, "evaluation.")
    return [module.name for module in found if not module.name.endswith("__main__")]


@pytest.mark.parametrize("name", modules())
def test_the_examples_in_docstrings_hold(name: str) -> None:
    module: ModuleType = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


def test_there_are_examples_to_hold() -> None:
    attempted = sum(doctest.testmod(importlib.import_module(name)).attempted for name in modules())
    assert attempted >= 20
