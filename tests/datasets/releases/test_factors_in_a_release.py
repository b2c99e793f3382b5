"""A release has what was answered to factors in a file of its own where they are asked, and is the same without."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import Factor, JudgedFactor, Judgment
from datasets.formats import FORMATS
from datasets.models import Release
from datasets.releases.make_release import create_release, write_release
from evaluation.releases.check_release import check_release
from foundation.models import Collection
from tests.datasets.conftest import World
from tests.datasets.formats.test_formats import records


def write(world: World, folder: Path, **asked: Any) -> Release:
    release = create_release(collection=world.collection, **asked)
    write_release(release=release, folder=folder)
    return release


def rows_of(folder: Path, name: str = "factors.csv") -> list[dict[str, str]]:
    with (folder / name).open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def answered(judged: World) -> World:
    """Each judgment has an answer to the action, every other "can't say" to the wholeness."""
    more = {"collection": judged.collection}
    action = Factor.objects.create(**more, key="action", place=1, name="A", question="Same?", answers=["no", "yes"])
    whole = Factor.objects.create(
        **more, key="whole", place=2, name="W", question="Whole?", answers=["no", "half", "yes"], may_skip=True
    )
    Collection.objects.update(factors_asked="every")
    for number, judgment in enumerate(Judgment.objects.order_by("pk")):
        JudgedFactor.objects.create(judgment=judgment, factor=whole, value=None if number % 2 else 2)
        JudgedFactor.objects.create(judgment=judgment, factor=action, value=number % 2)
    return judged


def test_it_has_each_answer_beside_its_judgment(answered: World, tmp_path: Path) -> None:
    Factor.objects.filter(key="whole").update(retired_at=timezone.now())
    release = write(answered, tmp_path / "out", name="v1", formats=list(FORMATS))
    assert check_release(tmp_path / "out") == []
    rows = rows_of(tmp_path / "out")
    raw = rows_of(tmp_path / "out", "raw_annotations.csv")
    assert [(row["pair_id"], row["worker"], row["factor"]) for row in rows] == [
        (judgment["pair_id"], judgment["worker"], key) for judgment in raw for key in ("action", "whole")
    ]
    assert {row["value"] for row in rows} == {"0", "1", "2", ""}
    assert all(set(row) == {"query_id", "pair_id", "worker", "factor", "value"} for row in rows)
    said = release.manifest["factors"]
    assert (said["file"], said["asked"], sum(said["answers"].values())) == ("factors.csv", "every", len(rows))
    assert said["factors"][1] == {
        **{"key": "whole", "name": "W", "question": "Whole?", "answers": ["no", "half", "yes"]},
        **{"may_skip": True, "languages": {}, "retired": True},
    }
    told = (
        "After every grade annotators answered questions (A, W): factors.csv has the answers, which decided no grade."
    )
    for path in ("README.md", "datasheet/DATASHEET.md"):
        assert told in (tmp_path / "out" / path).read_text(), path
    croissant = json.loads((tmp_path / "out" / "croissant" / "croissant.json").read_text())
    assert "factors" in {one["name"] for one in croissant["recordSet"]}
    assert records(tmp_path / "out", "factors")
    assert write(answered, tmp_path / "again", name="v1") == release, "the same name, the same bytes"


def test_where_none_is_asked_it_is_as_ever(judged: World, tmp_path: Path) -> None:
    before = write(judged, tmp_path / "before")
    Factor.objects.create(
        collection=judged.collection, key="a", place=1, name="A", question="Same?", answers=["no", "yes"]
    )
    after = write(judged, tmp_path / "after")
    assert (after, after.archive_sha256, after.content_hash) == (before, before.archive_sha256, before.content_hash)
    assert "factors" not in after.manifest and not (tmp_path / "after" / "factors.csv").exists()
    Collection.objects.update(factors_asked="between")
    empty = write(judged, tmp_path / "empty")
    assert empty.manifest["factors"]["answers"] == {"val": 0, "test": 0} and rows_of(tmp_path / "empty") == []
    assert check_release(tmp_path / "empty") == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda rows: rows[1:], "answers, but the manifest says"),
        (lambda rows: [*rows, rows[-1]], "twice for pair"),
        (lambda rows: [{**rows[0], "value": "7"}, *rows[1:]], "found the value '7', expected one of 0, 1"),
        (lambda rows: [{**rows[0], "value": ""}, *rows[1:]], "found the value '', expected one of 0, 1"),
        (lambda rows: [{**rows[0], "factor": "hue"}, *rows[1:]], "found the factor 'hue', which the manifest"),
        (lambda rows: [{**rows[0], "worker": "nobody"}, *rows[1:]], "no judgment of it by nobody"),
        (lambda rows: [{**rows[0], "pair_id": "0"}, *rows[1:]], "no judgment of it by"),
    ],
)
def test_a_file_that_was_changed_is_found(answered: World, tmp_path: Path, change: Any, says: str) -> None:
    write(answered, tmp_path / "out")
    rows = change(rows_of(tmp_path / "out"))
    with (tmp_path / "out" / "factors.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert any(says in problem for problem in check_release(tmp_path / "out")), check_release(tmp_path / "out")
