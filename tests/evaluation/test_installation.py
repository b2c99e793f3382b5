"""The library installed alone: wheel and sdist, empty environments of every Python that it is for, README and types."""

from __future__ import annotations

import json
import re
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

from benchmarks.verify import Written
from tests.evaluation import oracle
from tests.evaluation.files import REPOSITORY, run_rows, truth_rows, write_json, write_lines
from tests.evaluation.installing import PIP, QUIETLY, done, environment_of, python_of, run, under_its_own_name
from tests.evaluation.notebook.world import RANKED, write_release

PYTHONS = ("3.11", "3.12", "3.13")
README = REPOSITORY / "evaluation" / "README.md"
ENDINGS = (
    *(".py", "py.typed", "page.css", "page.js"),
    *("LICENSE", "README.md", "pyproject.toml", "PKG-INFO", ".gitignore"),
)
"""Of the sdist's files."""
SCRIPT = """
from qreels_eval import load, score
scores = score(load("home-v1").val, ["mine.jsonl"], ["NDCG@20,IoU>=0.5"])
print(scores.by("show").dicts()[0]["queries"])
"""


def readme(folder: Path) -> tuple[str, list[str]]:
    """The program of the README's examples, what it prints first, and the files that it reads, written to a folder."""
    folder.mkdir()
    write_release(folder / "home-v1", languages=["en"], settings={"batch_size": 2})
    for name, ranked in RANKED.items():
        write_lines(folder / f"{name}.jsonl", run_rows(*ranked.items()))
    text = README.read_text(encoding="utf-8")
    program = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    (printed,) = re.findall(r"```\n\n((?:    .*\n)+)", text)
    return program, [line[4:] for line in printed.splitlines()]


def test_the_readmes_examples_run_and_print_what_it_says(tmp_path: Path) -> None:
    program, printed = readme(tmp_path / "work")
    said = done(sys.executable, "-c", program, cwd=tmp_path / "work", PYTHONPATH=under_its_own_name(tmp_path))
    assert said.splitlines()[: len(printed)] == printed


def test_it_has_the_products_version_licence_and_pythons() -> None:
    product, alone = (
        tomllib.loads((REPOSITORY / folder / "pyproject.toml").read_text())["project"] for folder in ("", "evaluation")
    )
    assert all(product[key] == alone[key] for key in ("version", "requires-python", "license"))
    assert (REPOSITORY / "evaluation" / "LICENSE").read_bytes() == (REPOSITORY / "LICENSE").read_bytes()
    named = {name.rpartition(" ")[2] for name in alone["classifiers"] if re.search(r":: 3\.\d+$", name)}
    assert named == set(PYTHONS)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the sdist, built in a checkout that stays as it was."""
    folder = tmp_path_factory.mktemp("built")
    done(sys.executable, *PIP, "install", *QUIETLY, "--target", folder / "hatchling", "hatchling>=1.27,<2", cwd=folder)
    before = run("git", "status", "--short", "--ignored", "evaluation", cwd=REPOSITORY).stdout
    for kind in ("wheel", "sdist"):
        build(kind, REPOSITORY / "evaluation", folder / "dist", folder)
    assert run("git", "status", "--short", "--ignored", "evaluation", cwd=REPOSITORY).stdout == before
    ((wheel,), (sdist,)) = (list((folder / "dist").glob(f"*{ending}")) for ending in (".whl", ".tar.gz"))
    return wheel, sdist


def build(kind: str, source: Path, out: Path, folder: Path) -> None:
    command = (sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", out)
    done(*command, cwd=source, PYTHONPATH=str(folder / "hatchling"))


@pytest.mark.long
def test_the_sdist_builds_the_same_wheel_which_says_all_that_an_index_shows(
    built: tuple[Path, Path], tmp_path: Path
) -> None:
    wheel, sdist = built
    with tarfile.open(sdist) as archive:
        assert all(name.endswith(ENDINGS) for name in archive.getnames())
        archive.extractall(tmp_path, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(tmp_path)
    (source,) = (path for path in tmp_path.iterdir() if path.is_dir())
    build("wheel", source, tmp_path / "again", wheel.parent.parent)
    assert (tmp_path / "again" / wheel.name).read_bytes() == wheel.read_bytes()
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        told = message_from_string(packed.read(next(name for name in names if name.endswith("METADATA"))).decode())
    assert {f"qreels_eval/{name}" for name in ("py.typed", "report/page.css", "report/page.js")} <= {*names}
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"qreels_eval"}
    assert told["Name"] == "qreels-eval" and told["License-Expression"] == "MIT" and told["Summary"]
    assert told.get_payload() == README.read_text(encoding="utf-8")
    assert told["Description-Content-Type"] == "text/markdown" and told["Keywords"] and told.get_all("Classifier")


@pytest.mark.long
@pytest.mark.parametrize("version", PYTHONS)
def test_it_installs_alone_and_scores_in_an_empty_environment(
    version: str, built: tuple[Path, Path], tmp_path: Path
) -> None:
    if not (python := python_of(version)):
        pytest.skip(f"there is no Python {version}")
    made = environment_of(python, tmp_path / "empty", built[0])
    there = {path.name.split("-")[0] for path in (tmp_path / "empty").glob("lib/*/site-packages/*.dist-info")}
    assert there == {"numpy", "scipy", "qreels_eval"}

    judged = [("a", 0.0, 10.0, 4.0), ("b", 0.0, 10.0, 2.0)]
    ranked = [("b", 0.0, 8.0), ("a", 0.0, 6.0)]
    write_json(tmp_path / "val.json", truth_rows((1, [(video, [s, e], grade) for video, s, e, grade in judged])))
    write_lines(tmp_path / "mine.jsonl", run_rows((1, [(video, [s, e], -i) for i, (video, s, e) in enumerate(ranked)])))
    command = made.with_name("qreels-eval")
    (scored,) = json.loads(done(command, "score", "val.json", "mine.jsonl", "--json", cwd=tmp_path)).values()
    assert scored == {
        f"NDCG@{k},IoU>={mu}": pytest.approx(oracle.ndcg(judged, ranked, k, mu, strict=False))
        for k in (10, 20, 40)
        for mu in (0.3, 0.5, 0.7)
    }
    # Everything but plain IR measures is there: the studies, which need scipy, and their figures.
    studies = ("stability", "val.json", "mine.jsonl", "--studies", "theory", "--figures", "drawn")
    done(command, *studies, cwd=tmp_path)
    assert list((tmp_path / "drawn").glob("*.svg"))
    assert done(command, "--help", cwd=tmp_path).startswith("usage: qreels-eval ")
    (tmp_path / "release").mkdir()
    Written(tmp_path / "release", small=True).write()
    assert "grades: holds: " in done(command, "verify", "release", cwd=tmp_path)

    program, printed = readme(tmp_path / "work")
    assert done(made, "-c", program, cwd=tmp_path / "work").splitlines()[: len(printed)] == printed
    script = tmp_path / "work" / "script.py"
    script.write_text(SCRIPT)
    assert done(made, script, cwd=tmp_path / "work") == "2\n"
    wrong = script.with_name("wrong.py")
    wrong.write_text(SCRIPT.replace('["mine.jsonl"]', "3"))
    options = ("--strict", "--config-file=", "--python-executable", made, "--cache-dir", tmp_path / "cache")
    checked = run(sys.executable, "-m", "mypy", *options, script, wrong, cwd=tmp_path).stdout
    assert 'wrong.py:3: error: Argument 2 to "score" has incompatible type' in checked, checked
    assert "Found 1 error in 1 file (checked 2 source files)" in checked, checked
