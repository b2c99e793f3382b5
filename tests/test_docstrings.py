"""The examples in docstrings of Django's rooms are true; `evaluation` and `baselines` hold their own."""

import doctest
from importlib import import_module

import pytest

from tests.paths import ROOT

ROOMS = ("annotation", "api", "campaigns", "config", "corpus", "datasets", "desk", "foundation", "operation", "queries")
WITH_EXAMPLES = sorted(
    str(path.relative_to(ROOT).with_suffix("")).replace("/", ".")
    for room in ROOMS
    for path in (ROOT / room).rglob("*.py")
    if ">>> " in path.read_text()
)


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_the_examples_are_true(module: str) -> None:
    tried = doctest.testmod(import_module(module))
    assert tried.failed == 0 < tried.attempted
