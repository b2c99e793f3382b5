"""A release says what annotators used beside the picture, in a file of its own, where they could use anything."""

import csv
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Judgment
from datasets.formats import FORMATS
from datasets.models import Release
from datasets.releases.make_release import create_release, write_release
from evaluation.releases.check_release import check_release
from foundation.models import Collection
from tests.datasets.conftest import World

FILE = "evidence_used.csv"


def released(world: World, folder: Path, **asked: Any) -> Release:
    release = create_release(collection=world.collection, formats=list(FORMATS), **asked)
    write_release(release=release, folder=folder)
    return release


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def shown(judged: World) -> World:
    """One judgment with context and sound, one with nothing; of the others nothing is known."""
    first, second, *_ = Judgment.objects.filter(counted=True).order_by("pk").values_list("pk", flat=True)
    Judgment.objects.filter(pk=first).update(used=["context", "sound"])
    Judgment.objects.filter(pk=second).update(used=[])
    return judged


def test_a_collection_that_shows_pictures_alone_has_the_release_that_it_had(judged: World, tmp_path: Path) -> None:
    release = released(judged, tmp_path / "out")
    assert FILE not in release.files and "evidence_used" not in release.manifest
    for path in (tmp_path / "out").rglob("*.*"):
        assert b"evidence" not in path.read_bytes() or path.suffix in (".md", ".parquet", ".whl"), path


def test_each_judgment_has_its_row_and_every_text_tells_of_the_file(shown: World, tmp_path: Path) -> None:
    release = released(shown, tmp_path / "out")
    assert check_release(tmp_path / "out") == []
    found, raw = rows(tmp_path / "out" / FILE), rows(tmp_path / "out" / "raw_annotations.csv")
    key = ("query_id", "pair_id", "worker")
    assert [[row[name] for name in key] for row in found] == [[row[name] for name in key] for row in raw]
    assert sorted({row["used"] for row in found}) == ["", "context sound", "none"]
    assert release.manifest["evidence_used"] == {
        "file": FILE,
        "judgments": len(raw),
        "known": 2,
        "used": {"context": 1, "sound": 1},
    }
    texts = [path for path in release.files if path.endswith((".md", "croissant.json")) and not path.startswith("tab")]
    assert len(texts) >= 4
    for text in texts:
        assert FILE in (tmp_path / "out" / text).read_text(), text
    assert (
        "Of 2 judgments evidence_used.csv says who did: context 1, sound 1."
        in (tmp_path / "out" / "README.md").read_text()
    )


def test_what_is_asked_and_nobody_used_yet_is_told(judged: World, tmp_path: Path) -> None:
    Collection.objects.update(has_clips=True, context_seconds=4)
    release = released(judged, tmp_path / "out")
    assert check_release(tmp_path / "out") == []
    said = release.manifest["evidence_used"]
    assert (said["known"], said["used"], said["context_seconds"]) == (0, {"context": 0}, 4)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda rows: rows[:-1], "judgments, but raw_annotations.csv has"),
        (lambda rows: [*rows, rows[0]], "is there twice for pair"),
        (lambda rows: [{**rows[0], "worker": "w99"}, *rows[1:]], "has no judgment of pair"),
        (lambda rows: [{**rows[0], "used": "smell"}, *rows[1:]], "found 'smell' used, expected context, sound"),
        (lambda rows: [{**row, "used": "none"} for row in rows], "but the manifest says"),
    ],
)
def test_a_changed_file_is_found_out(shown: World, tmp_path: Path, change: Any, problem: str) -> None:
    released(shown, tmp_path / "out")
    path = tmp_path / "out" / FILE
    found = rows(path)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(found[0]))
        writer.writeheader()
        writer.writerows(change(found))
    assert any(problem in said for said in check_release(tmp_path / "out"))


def test_a_manifest_that_says_nothing_of_it_is_found_out(shown: World, judged: World, tmp_path: Path) -> None:
    released(shown, tmp_path / "with")
    Judgment.objects.update(used=None)
    released(judged, tmp_path / "without")
    (tmp_path / "without" / FILE).write_bytes((tmp_path / "with" / FILE).read_bytes())
    assert f"{FILE} is there, but the manifest says nothing of evidence_used" in check_release(tmp_path / "without")
