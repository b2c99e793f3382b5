"""Examples in docstrings run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from types import ModuleType

import pytest

import evaluation
from evaluation.__main__ import parser
from evaluation.commands import COMMANDS
from evaluation.measures.names import MEASURES
from evaluation.reading import RUN_FORMATS
from evaluation.scores.conventions import CONVENTIONS
from evaluation.stability.studies import STUDIES
from tests.evaluation.files import REPOSITORY

MANUAL = (REPOSITORY / "docs" / "evaluation.md").read_text(encoding="utf-8")


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


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_manual(command: str) -> None:
    assert f"python -m evaluation {command} " in MANUAL
    assert f"\n## {command}\n" in MANUAL


@pytest.mark.parametrize("form", [form for measure in MEASURES.values() for form in measure.WRITTEN.split(" or ")])
def test_every_measure_is_in_the_manual(form: str) -> None:
    assert f"`{form}`" in MANUAL


@pytest.mark.parametrize("name", [*RUN_FORMATS, *STUDIES])
def test_every_format_and_study_is_in_the_manual(name: str) -> None:
    assert f"| `{name}` |" in MANUAL


@pytest.mark.parametrize("name", CONVENTIONS)
def test_every_convention_is_in_the_manual(name: str) -> None:
    assert f"`--as {name}`" in MANUAL


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_helps(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        parser().parse_args([command, "--help"])
    assert stopped.value.code == 0
    assert "usage: python -m evaluation" in capsys.readouterr().out
