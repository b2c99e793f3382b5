"""Migrations that rewrite rows can be killed: batches in transactions of their own (docs/developing/adding.md)."""

import ast
import re
from pathlib import Path

import pytest

from tests.paths import ROOT

REWRITES = re.compile(r"\bUPDATE\s+\w+\s+(AS\s+\w+\s+)?SET\b|\bDELETE\s+FROM\b|\bINSERT\s+INTO\b")
SCHEMA = ("AddField", "AlterField", "CreateModel", "RemoveField", "RenameField", "AddConstraint", "AlterModelOptions")


def problems(source: str) -> list[str]:
    """What keeps a migration that rewrites rows from being broken off; nothing for one that rewrites none."""
    tree = ast.parse(source)
    called = [node.func.attr for node in ast.walk(tree) if isinstance(node, ast.Call) if hasattr(node.func, "attr")]
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) if isinstance(node.value, str)]
    if not ("RunPython" in called or ("RunSQL" in called and any(REWRITES.search(text) for text in texts))):
        return []
    found = [f"{name} stands in it" for name in SCHEMA if name in called]
    return found if "atomic = False" in source else [*found, "it is one transaction"]


@pytest.mark.parametrize("path", sorted(ROOT.glob("*/migrations/0*.py")) + sorted(ROOT.glob("*/*/migrations/0*.py")))
def test_a_migration_that_rewrites_rows_can_be_broken_off(path: Path) -> None:
    assert not problems(path.read_text())


def test_the_rule_sees_what_it_is_about() -> None:
    fill = "migrations.RunSQL('UPDATE annotation_pair SET grade = 1')"
    assert problems(fill) == ["it is one transaction"]
    assert problems(f"atomic = False\n{fill}\nmigrations.AddField()") == ["AddField stands in it"]
    assert problems(f"atomic = False\n{fill}") == []
    assert problems("migrations.RunSQL('CREATE INDEX a ON b (c)')\nmigrations.AddField()") == []
