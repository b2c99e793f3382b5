"""Measures of other packages: real ones, installed by pip, in a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.evaluation.files import run_rows, truth_rows, write_json, write_lines
from tests.evaluation.installing import PIP, QUIETLY, done, run, under_its_own_name

pytestmark = pytest.mark.long

FIRST_HIT = """
from dataclasses import dataclass

import numpy as np

from qreels_eval import Measure, Threshold
from qreels_eval.measures.measure import Number


@dataclass(frozen=True)
class FirstHit(Measure):
    NAME, WRITTEN = "FirstHit", "FirstHit(base=x)@K,IoU>=mu"
    NUMBERS = {"base": Number("base", "the base", "above 1", lambda x: x > 1)}

    cutoff: int
    iou: Threshold
    base: float = 2.0
    penalty: str = "none"

    def per_query(self, alignment):
        best = np.full(len(alignment), np.inf)
        hit, _ = alignment.taken(self.iou, 1.0)
        np.minimum.at(best, alignment.query[hit], alignment.rank[hit])
        return np.where(best < self.cutoff, float(self.base) ** -best, 0.0)


class NoMeasure:
    pass


@dataclass(frozen=True)
class OtherName(FirstHit):
    NAME = "Another"
"""
BROKEN = "import a_module_that_nobody_has\n"
PACKAGES: dict[str, tuple[str, dict[str, str]]] = {
    "tiny-measures": (
        FIRST_HIT,
        {"FirstHit": "FirstHit", "Wrong": "NoMeasure", "Odd": "OtherName", "Gone": "Gone", "RR": "FirstHit"},
    ),
    "broken-measures": (BROKEN, {"Sorry": "Sorry"}),
    "greedy-measures": (FIRST_HIT, {"NDCG": "FirstHit", "Twice": "FirstHit"}),
    "other-measures": (FIRST_HIT, {"Twice": "FirstHit"}),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a ground truth, a run, and packages of measures installed beside the library."""
    folder = tmp_path_factory.mktemp("measures")
    for name, (code, offered) in PACKAGES.items():
        module = name.replace("-", "_")
        source = folder / name
        source.mkdir()
        (source / f"{module}.py").write_text(code)
        points = "\n".join(f'{measure} = "{module}:{target}"' for measure, target in offered.items())
        (source / "pyproject.toml").write_text(
            f'[project]\nname = "{name}"\nversion = "1.5"\n\n'
            f'[project.entry-points."qreels_eval.measures"]\n{points}\n\n'
            f'[tool.setuptools]\npy-modules = ["{module}"]\n'
        )
        command = (sys.executable, *PIP, "install", *QUIETLY, "--no-deps", "--target", folder / "site", source)
        done(*command, cwd=folder)
    judged = [("a", [0, 10], 4), ("b", [0, 10], 2)]
    write_json(folder / "val.json", truth_rows((1, judged), (2, judged)))
    ranked = [("c", [0, 8], 3), ("a", [0, 8], 2), ("b", [0, 8], 1)]
    write_lines(folder / "mine.jsonl", run_rows((1, ranked), (2, ranked[1:])))
    yield folder


def told(place: Path, *measures: str, code: int = 0) -> str:
    """What the command says of these measures."""
    path = f"{under_its_own_name(place) if not (place / 'path').exists() else place / 'path'}:{place / 'site'}"
    command = (sys.executable, "-m", "qreels_eval", "score", "val.json", "mine.jsonl", "--measures", *measures)
    ended = run(*command, cwd=place, PYTHONPATH=path)
    assert ended.returncode == code, ended.stderr
    return ended.stdout if code == 0 else ended.stderr


def test_a_measure_of_a_package_is_read_by_its_name_beside_ours(place: Path) -> None:
    said = told(place, "FirstHit@5,IoU>=0.5", 'FirstHit(base="4",penalty=none)@5,IoU>=0.5', "NCxIoU(persistence=0.5)@5")
    assert [line.split()[-1] for line in said.splitlines()[-3:-1]] == ["0.7500", "0.6250"]
    program = """
from qreels_eval import parse_measure, score
scores = score("val.json", "mine.jsonl", ["FirstHit(base=3.0,penalty=some)@5,IoU>=0.5"])
assert str(parse_measure(scores.measures[0])) == scores.measures[0] == "FirstHit(base=3.0,penalty=some)@5,IoU>=0.5"
"""
    done(sys.executable, "-c", program, cwd=place, PYTHONPATH=f"{place / 'path'}:{place / 'site'}")


@pytest.mark.parametrize(
    ("measure", "why"),
    [
        (
            "FirstHit(base=0.5)@5,IoU>=0.5",
            "the base lies above 1, not at 0.5; it is written FirstHit(base=x)",
        ),
        ("FirstHit@5", "the boundary IoU>mu or IoU>=mu is missing; it is written FirstHit(base=x)@K,IoU>=mu"),
        (
            "Sorry@5",
            "the measure 'Sorry' of broken-measures 1.5 (broken_measures:Sorry) can't be imported: "
            "ModuleNotFoundError: No module named 'a_module_that_nobody_has'",
        ),
        ("Gone@5", "'Gone' of tiny-measures 1.5 (tiny_measures:Gone) can't be imported: AttributeError"),
        (
            "Wrong@5",
            "tiny-measures 1.5 (tiny_measures:NoMeasure): found <class 'tiny_measures.NoMeasure'>, expected a ",
        ),
        ("Odd@5", "tiny-measures 1.5 (tiny_measures:OtherName): expected a frozen dataclass with NAME = 'Odd'"),
        (
            "NDCG@5,IoU>=0.5",
            "'NDCG' is declared by qreels-eval itself and by greedy-measures 1.5: uninstall",
        ),
        ("Twice@5", "'Twice' is declared by greedy-measures 1.5 and by other-measures 1.5: uninstall all but one"),
        ("RR@5", "'RR' is declared by ir_measures and by tiny-measures 1.5"),
        ("Nobody@5", "installed are "),
    ],
)
def test_a_broken_or_clashing_one_is_told_with_its_distribution(place: Path, measure: str, why: str) -> None:
    said = told(place, measure, code=2)
    assert why in said and "Traceback" not in said
