"""Examples in the docstrings of the baselines run."""

import doctest
import importlib
import pkgutil

import baselines


def test_the_examples_in_docstrings_hold() -> None:
    attempted = 0
    for module in pkgutil.walk_packages(baselines.__path__, "baselines."):
        if not module.name.endswith("__main__"):
            done = doctest.testmod(importlib.import_module(module.name), optionflags=doctest.ELLIPSIS)
            assert not done.failed, module.name
            attempted += done.attempted
    assert attempted >= 8
