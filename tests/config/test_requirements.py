"""The lists of requirements: complete, and apart: what the product imports is in requirements.txt."""

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LINES = {
    name: [line for line in (ROOT / name).read_text().splitlines() if line and not line.startswith(("#", "-"))]
    for name in ("requirements.txt", "requirements-dev.txt", "requirements-cuda.txt")
}


def pins(*lists: str) -> set[str]:
    return {canonicalize_name(Requirement(line).name) for name in lists for line in LINES[name]}


@pytest.mark.parametrize("lists", [("requirements.txt",), ("requirements.txt", "requirements-dev.txt")])
def test_what_a_pinned_package_needs_is_pinned_too(lists) -> None:
    pinned = pins(*lists)
    missing = set()
    for line in (line for name in lists for line in LINES[name]):
        wanted = Requirement(line)
        assert re.fullmatch(r"==[^,*]+", str(wanted.specifier)), line
        if wanted.marker and not wanted.marker.evaluate():
            continue
        for needed in map(Requirement, importlib.metadata.requires(wanted.name) or []):
            extras = wanted.extras or {""}
            if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in extras):
                missing.add((wanted.name, canonicalize_name(needed.name)))
    # torch's default build names its CUDA packages, which the constraints pin.
    assert {pair for pair in missing if pair[1] not in pinned | pins("requirements-cuda.txt")} == set()


def test_no_package_is_pinned_twice() -> None:
    names = [canonicalize_name(Requirement(line).name) for lines in LINES.values() for line in lines]
    assert sorted(names) == sorted(set(names))


def test_the_product_imports_nothing_that_only_tests_have() -> None:
    files = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    own = {Path(name).parts[0].removesuffix(".py") for name in files.split()}
    distributions = importlib.metadata.packages_distributions()
    product = pins("requirements.txt")
    library = tomllib.loads((ROOT / "evaluation" / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    extras = {canonicalize_name(Requirement(line).name) for lines in library.values() for line in lines}
    foreign = set()
    for name in files.split():
        # What an export carries for another tool is run by that tool alone.
        carried = name.startswith("evaluation/outlets/") and name.endswith("_module.py")
        if name.startswith(("tests/", "benchmarks/")) or carried or not (ROOT / name).exists():
            continue
        there = product | extras if name.startswith("evaluation/") else product
        tree = ast.parse((ROOT / name).read_text())
        blocks = [node for node in ast.walk(tree) if isinstance(node, ast.If)]
        for_types = [block for block in blocks if "TYPE_CHECKING" in ast.unparse(block.test)]
        never_run = {inner for block in for_types for inner in ast.walk(block)}
        for node in set(ast.walk(tree)) - never_run:
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                modules = [node.module or ""]
            for package in {module.split(".")[0] for module in modules} - own - sys.stdlib_module_names:
                if not {canonicalize_name(distribution) for distribution in distributions.get(package, [])} & there:
                    foreign.add((name, package))
    assert foreign == set()
