"""A release is held against itself from its files alone: each corruption is told."""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from datasets.releases.make_release import create_release, write_release
from evaluation.releases.check_release import check_release, verify_release
from evaluation.releases.untrusted_files import read_records
from tests.datasets.conftest import World, judged, media  # noqa: F401 - fixtures
from tests.datasets.corruptions import CORRUPTIONS, edit_raw
from tests.paths import ROOT

pytestmark = pytest.mark.django_db(transaction=True)  # whichever test comes first makes the release

CHECKOUT = ROOT


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the release lies once the first test has made it."""
    return tmp_path_factory.mktemp("made") / "release"


@pytest.fixture
def folder(request: pytest.FixtureRequest, made: Path, tmp_path: Path) -> Path:
    """A release's folder for the test alone."""
    if not made.exists():
        world: World = request.getfixturevalue("judged")
        write_release(release=create_release(collection=world.collection, name="v1"), folder=made)
    return Path(shutil.copytree(made, tmp_path / "release"))


def restate_files(folder: Path) -> None:
    """Make the manifest's hashes those of the files, as somebody would who covers a change up."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for path in manifest["files"]:
        content = (folder / path).read_bytes()
        manifest["files"][path] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def problems_besides_hashes(folder: Path) -> str:
    restate_files(folder)
    claims = verify_release(folder)
    files = {problem.file for claim in claims for problem in claim.problems}
    listed = {*json.loads((folder / "manifest.json").read_text())["files"], "manifest.json"}
    assert files and files <= listed, "each problem names its file"
    return "\n".join(claims.problems())


def test_a_whole_release_has_no_problem(folder: Path) -> None:
    assert check_release(folder) == []


def test_no_folder_is_a_problem(tmp_path: Path) -> None:
    assert check_release(tmp_path / "nowhere") == [f"{tmp_path / 'nowhere'} is not a folder"]


def test_the_check_needs_no_django(folder: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from evaluation.releases.check_release import check_release; "
        "assert check_release(Path(sys.argv[1])) == []; assert 'django' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(folder)], cwd=CHECKOUT, check=True)


@pytest.mark.parametrize(
    "file",
    [
        *("val.json", "test.json", "train_top01.json", "train_top20.json", "train_top40.json"),
        *("video_corpus.json", "raw_annotations.csv", "manifest.json"),
    ],
)
def test_each_missing_file_is_told(folder: Path, file: str) -> None:
    (folder / file).unlink()
    assert f"{file} is missing" in check_release(folder)


def test_a_changed_byte_is_told_by_the_hash(folder: Path) -> None:
    path = folder / "val.json"
    path.write_bytes(path.read_bytes().replace(b"]\n", b"] \n", 1))
    (problem,) = check_release(folder)
    assert problem.startswith("val.json: found {'sha256': ") and "the manifest says" in problem


def test_a_file_that_the_manifest_does_not_know_is_told(folder: Path) -> None:
    (folder / "notes.txt").write_text("hello")
    assert check_release(folder) == ["notes.txt is not in the manifest"]


def test_another_list_at_the_top_is_told(folder: Path) -> None:
    (folder / "more.json").write_text("[]")
    assert "more.json is a list, and only val, test and training files may be" in check_release(folder)


@pytest.mark.parametrize(
    ("corrupt", "problem"),
    CORRUPTIONS,
    ids=[f"{getattr(corrupt, '__name__', 'x')}-{problem[:30]}" for corrupt, problem in CORRUPTIONS],
)
def test_a_corruption_is_told_even_when_its_hash_is_restated(
    folder: Path, corrupt: Callable[[Path], None], problem: str
) -> None:
    corrupt(folder)
    assert problem in problems_besides_hashes(folder)


def test_hundreds_of_problems_are_counted_not_told(folder: Path) -> None:
    edit_raw(folder, lambda rows: [row | {"pair_id": str(place)} for place, row in enumerate(rows * 10)])
    restate_files(folder)
    problems = check_release(folder)
    assert len(problems) == 201
    assert problems[-1].startswith("... and ") and problems[-1].endswith(" more problems")


@pytest.mark.parametrize("chunk", [1, 2, 7, 64])
def test_records_are_read_alike_wherever_a_chunk_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    records = [{"a": "]},[{", "b": [1.5, {"c": 'é"'}]}, {}, {"d": -12}]
    path = tmp_path / "list.json"
    path.write_text(json.dumps(records, indent=1, ensure_ascii=False), encoding="utf-8")
    monkeypatch.setattr("evaluation.releases.untrusted_files.CHUNK", chunk)
    assert list(read_records(path)) == records
