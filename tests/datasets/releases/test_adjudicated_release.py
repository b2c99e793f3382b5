"""A release has the lead's grades for discarded pairs only where it says so, and then tells which they are."""

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Adjudication
from annotation.review.adjudication import adjudicate_pair, withdraw_adjudication
from datasets.models import Release
from datasets.releases.make_release import create_release, write_release
from evaluation.releases.check_release import check_release
from foundation.refused import Refused
from tests.datasets.conftest import World

DISCARDED = ("102", 2)


def adjudicate(world: World, grade: int = 3) -> Adjudication:
    pair = world.pair(*DISCARDED)
    return adjudicate_pair(member=world.members["ada"], pair_id=pair.pk, grade=grade, reason="Seen frame by frame.")


def write(world: World, folder: Path, **asked: Any) -> Release:
    release = create_release(collection=world.collection, **asked)
    write_release(release=release, folder=folder)
    return release


def grade_in(folder: Path, pair_id: int) -> int | None:
    for query in json.loads((folder / "val.json").read_text()):
        for moment in query["relevant_moment"]:
            if moment["pair_id"] == pair_id:
                return int(moment["relevance"])
    return None


def test_by_default_no_release_has_it(judged: World, tmp_path: Path) -> None:
    before = write(judged, tmp_path / "before")
    adjudicate(judged)
    after = write(judged, tmp_path / "after")
    assert after == before
    assert after.manifest["adjudication"] == {"included": False}
    assert not (tmp_path / "after" / "adjudicated.csv").exists()


def test_a_release_that_says_so_has_it_and_tells_which_it_is(judged: World, tmp_path: Path) -> None:
    pair = judged.pair(*DISCARDED)
    adjudicate(judged)
    plain = write(judged, tmp_path / "plain")
    release = write(judged, tmp_path / "out", name="v1", adjudicated=True)
    assert check_release(tmp_path / "out") == []
    assert (grade_in(tmp_path / "plain", pair.pk), grade_in(tmp_path / "out", pair.pk)) == (None, 3)
    with (tmp_path / "out" / "adjudicated.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["pair_id"], row["query_id"], row["relevance"]) == (str(pair.pk), "102", "3")
    assert row["worker"] == judged.members["ada"].worker
    assert "Seen frame by frame." not in (tmp_path / "out" / "adjudicated.csv").read_text()
    stated = release.manifest["adjudication"]
    assert stated == {"included": True, "file": "adjudicated.csv", "pairs": {"val": 1, "test": 0}}
    counts, before = release.manifest["counts"]["val"], plain.manifest["counts"]["val"]
    assert counts["pairs"] == before["pairs"] + 1
    assert counts["pairs_by_grade"]["3"] == before["pairs_by_grade"]["3"] + 1
    assert counts["pairs_discarded"] == before["pairs_discarded"] == 1
    raw = "raw_annotations.csv"
    assert (tmp_path / "out" / raw).read_bytes() == (tmp_path / "plain" / raw).read_bytes()


def test_the_same_name_gives_the_same_bytes_after_a_withdrawal(judged: World, tmp_path: Path) -> None:
    adjudication = adjudicate(judged)
    write(judged, tmp_path / "one", name="v1", adjudicated=True)
    withdraw_adjudication(member=judged.members["ada"], adjudication_id=adjudication.pk)
    adjudicate(judged, grade=0)
    write(judged, tmp_path / "two", name="v1", adjudicated=True)
    write(judged, tmp_path / "three", name="v1")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
        assert path.read_bytes() == (tmp_path / "three" / path.name).read_bytes()


def test_a_withdrawn_adjudication_is_in_none(judged: World, tmp_path: Path) -> None:
    adjudication = adjudicate(judged)
    withdraw_adjudication(member=judged.members["ada"], adjudication_id=adjudication.pk)
    write(judged, tmp_path / "out", adjudicated=True)
    assert check_release(tmp_path / "out") == []
    assert grade_in(tmp_path / "out", judged.pair(*DISCARDED).pk) is None


def test_a_release_made_without_them_never_gets_them(judged: World) -> None:
    create_release(collection=judged.collection, name="v1")
    with pytest.raises(Refused, match="made without adjudicated grades and never changes"):
        create_release(collection=judged.collection, name="v1", adjudicated=True)


def test_the_command_says_how_many_there_are(judged: World, tmp_path: Path) -> None:
    adjudicate(judged)
    said = StringIO()
    call_command("export_release", "tiny", str(tmp_path / "out"), "--release", "v1", "--adjudicated", stdout=said)
    assert "1 discarded pair has the lead's grade: see adjudicated.csv." in said.getvalue()
    call_command("export_release", "tiny", str(tmp_path / "plain"), "--release", "v0", stdout=StringIO())
    with pytest.raises(CommandError, match="Release v0 was made without adjudicated grades"):
        call_command("export_release", "tiny", str(tmp_path / "more"), "--release", "v0", "--adjudicated")


def _another_grade(folder: Path) -> None:
    _edit(folder, lambda line: line.replace(",3,", ",1,"))


def _a_pair_in_consensus(folder: Path) -> None:
    judged = json.loads((folder / "val.json").read_text())[0]["relevant_moment"][0]["pair_id"]
    _edit(folder, lambda line: f"{judged},{line.split(',', 1)[1]}")


def _nothing(folder: Path) -> None:
    (folder / "adjudicated.csv").unlink()


def _edit(folder: Path, change: Any) -> None:
    path = folder / "adjudicated.csv"
    header, line = path.read_text().splitlines()
    path.write_text(f"{header}\n{change(line)}\n")


@pytest.mark.parametrize(
    ("corrupt", "problem"),
    [
        (_another_grade, "has relevance 3, expected 1 by adjudicated.csv"),
        (_a_pair_in_consensus, "is in adjudicated.csv, but its judgments don't make it discarded"),
        (_nothing, "adjudicated.csv is missing"),
    ],
)
def test_the_check_of_a_release_sees_what_is_wrong_with_them(
    judged: World, tmp_path: Path, corrupt: Any, problem: str
) -> None:
    adjudicate(judged)
    write(judged, tmp_path / "out", adjudicated=True)
    corrupt(tmp_path / "out")
    assert any(problem in told for told in check_release(tmp_path / "out"))
