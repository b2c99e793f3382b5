"""The capsule: one command in a release that makes its own environment, and prints tables and claims; and our wheel."""

import csv
import json
import os
import re
import subprocess
import sys
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

from datasets.formats.capsule import FILES
from datasets.formats.library_wheel import write_wheel
from datasets.releases.make_release import create_release, write_release
from evaluation.__main__ import main
from evaluation.releases.check_release import check_release
from tests.datasets.conftest import World
from tests.evaluation.installing import PIP, QUIETLY, done
from tests.evaluation.releases.test_verify import restate
from tests.paths import ROOT

WHEEL = "qreels_eval-*.whl"


@pytest.fixture
def folder(judged: World, tmp_path: Path) -> Path:
    """A release with a capsule and the files of its tables."""
    release = create_release(collection=judged.collection, name="v1", formats=["capsule", "tables"])
    assert "val.json" in release.files, "it brings along what it counts"
    write_release(release=release, folder=tmp_path / "v1")
    return tmp_path / "v1"


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def test_another_release_has_none_of_it_and_the_same_code_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    assert check_release(folder) == []
    (first,) = folder.glob(f"capsule/{WHEEL}")
    write_wheel(tmp_path)
    assert (tmp_path / first.name).read_bytes() == first.read_bytes()
    assert "sh capsule/reproduce.sh" in (folder / "README.md").read_text()


def test_the_lock_has_the_versions_that_releases_are_checked_with() -> None:
    ours = set(re.findall(r"(?m)^(?:numpy|scipy)==\S+", (ROOT / "requirements.txt").read_text()))
    assert set(re.findall(r"(?m)^\w+==\S+", (FILES / "requirements.txt").read_text())) == ours


def test_a_wheel_that_was_changed_is_found_with_every_digest_written_anew(folder: Path) -> None:
    (wheel,) = folder.glob(f"capsule/{WHEEL}")
    name = "qreels_eval/errors.py"
    files = contents(wheel) | {name: b"raise SystemExit"}
    with zipfile.ZipFile(wheel, "w") as packed:
        for path, content in files.items():
            packed.writestr(path, content)
    restate(folder)
    (problem,) = check_release(folder)
    assert problem.startswith(f"capsule/{wheel.name}: {name} is sha256=")
    wheel.write_bytes(b"no wheel")
    restate(folder)
    assert check_release(folder) == [f"capsule/{wheel.name} can't be read: File is not a zip file"]


def test_verify_prints_the_tables_counted_anew(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["statistics"]["judging"]["both"]["judgments"] = 99_999
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert main(["verify", str(folder), "--tables", "--json"]) == 1
    tables = {table["key"]: table for table in json.loads(capsys.readouterr().out)["tables"]}
    for key, table in tables.items():
        with (folder / "tables" / f"{key}.csv").open(newline="") as file:
            stated = list(csv.reader(file))
        assert [row[0] for row in stated[1:]] == [row[0] for row in table["rows"]]
        assert [bare(row) for row in stated[1:]] == [bare(row) for row in table["rows"]], key
    del manifest["statistics"]["splits"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert main(["verify", str(folder), "--tables"]) == 1
    assert "statistics: no tables: manifest.json doesn't have all that" in capsys.readouterr().out


def bare(row: list[str]) -> list[str]:
    return [re.sub(r"[,–]", "", cell) for cell in row]


@pytest.mark.long
def test_the_wheel_is_what_hatchling_builds_but_for_its_packing(tmp_path: Path) -> None:
    done(sys.executable, *PIP, "install", *QUIETLY, "--target", tmp_path / "built", "hatchling>=1.27,<2", cwd=tmp_path)
    build = ("-m", "hatchling", "build", "--target", "wheel", "--directory", tmp_path / "theirs")
    done(sys.executable, *build, cwd=ROOT / "evaluation", PYTHONPATH=str(tmp_path / "built"))
    write_wheel(tmp_path)
    (ours,), (theirs,) = tmp_path.glob(WHEEL), (tmp_path / "theirs").glob(WHEEL)
    assert ours.name == theirs.name
    one, other = contents(ours), contents(theirs)
    described = next(name for name in one if name.endswith("/METADATA"))
    apart = {described, described.replace("METADATA", "RECORD"), described.replace("METADATA", "WHEEL")}
    assert {name: one[name] for name in one.keys() - apart} == {name: other[name] for name in other.keys() - apart}
    told, expected = (message_from_string(files[described].decode()) for files in (one, other))
    assert told.get_payload() == expected.get_payload()
    for name in ("Name", "Version", "Summary", "Author", "License-Expression", "Requires-Python", "Keywords"):
        assert sorted(normal(told[name])) == sorted(normal(expected[name])), name
    for name in ("Classifier", "License-File", "Provides-Extra", "Requires-Dist"):
        assert sorted(map(normal, told.get_all(name, []))) == sorted(map(normal, expected.get_all(name, []))), name


def normal(text: str) -> list[str]:
    return sorted(re.split(r"[,;\s]+|(?<=[a-z])(?=[<>])", text.replace("_", "-")))


@pytest.mark.long
def test_it_runs_in_an_empty_environment_and_adds_nothing_to_the_release(folder: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    code, said, errors = reproduced(folder, tmp_path / "kept")
    if "connection broken" in errors:
        pytest.skip("the package index can't be reached")
    assert code == 0, errors
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    there = {path.name.split("-")[0] for path in (tmp_path / "kept").glob("lib/*/site-packages/*.dist-info")}
    assert there - {"pip", "setuptools"} == {"numpy", "scipy", "qreels_eval"}
    for title in ("Size of the splits", "Queries, moments and videos by split", "Material", "Queries", "Judging"):
        assert f"{title}\n{'-' * len(title)}\n" in said
    assert "grades: holds: " in said and "capsule: holds: " in said and "sample run: holds: " in said
    assert "NDCG@20,IoU>=0.5" in said

    val = folder / "val.json"
    val.write_text(val.read_text().replace('"relevance": 4', '"relevance": 3', 1))
    code, said, errors = reproduced(folder, tmp_path / "kept")
    assert code == 1 and "val.json" in said, errors
    code, said, errors = reproduced(folder, folder / "environment")
    assert code == 2 and "expected one outside the release" in errors


def reproduced(folder: Path, kept: Path) -> tuple[int, str, str]:
    environment = {**os.environ, "PYTHON": sys.executable, "PIP_RETRIES": "1", "PYTHONPATH": str(ROOT)}
    command = ["sh", str(folder / "capsule" / "reproduce.sh"), str(kept)]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout, ended.stderr
