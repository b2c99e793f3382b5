"""A release says of each judgment and caption what it comes from, where that is asked for, and no more of a person."""

import csv
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client

from annotation.models import Guideline, Judgment, Review
from corpus.models import Description
from datasets.models import Release, ReleaseJob
from datasets.releases.jobs import make_asked_release
from datasets.releases.make_release import create_release
from evaluation.releases.check_release import check_release
from evaluation.releases.origins import CAPTION_ORIGINS, JUDGMENT_ORIGINS, OF_CAPTION, OF_JUDGMENT
from foundation.refused import Refused
from queries.models import Attempt, Caption, Query
from tests.api.callers import Caller
from tests.datasets.conftest import World
from tests.datasets.releases.test_further_files import but_the_last, released, rows, the_last_twice, with_

BOTH = {JUDGMENT_ORIGINS, CAPTION_ORIGINS}


def with_guideline(world: World) -> None:
    """Two versions: ed judged by the second, everybody else by the first."""
    for version in (1, 2):
        Guideline.objects.create(collection=world.collection, version=version, source=f"Text {version}.")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")  # a judgment never changes
        Judgment.objects.update(guideline=1)
        Judgment.objects.filter(annotator=world.members["ed"]).update(guideline=2)


def test_each_judgment_has_its_month_guideline_and_batch(judged: World, tmp_path: Path) -> None:
    with_guideline(judged)
    Review.objects.update(decided_by=None)
    released(judged, tmp_path / "out", provenance=True)
    found, raw = (rows(tmp_path / "out" / name) for name in (JUDGMENT_ORIGINS, "raw_annotations.csv"))
    told = ("query_id", "pair_id", "worker")
    assert [[row[name] for name in told] for row in found] == [[row[name] for name in told] for row in raw]
    ed = judged.members["ed"].worker
    assert {(row["worker"] == ed, row["guideline"]) for row in found} == {(True, "2"), (False, "1")}
    months = {f"{at:%Y-%m}" for at in Judgment.objects.values_list("decided_at", flat=True)}
    assert {(row["origin"], row["month"]) for row in found} == {("here", month) for month in months}
    closed = {(row["query_id"], row["batch"], row["closed"]) for row in found}
    assert {("103", "1", "policy"), ("103", "2", "alone"), ("104", "1", "")} <= closed


def test_nothing_is_told_of_when_somebody_judged_but_the_month(judged: World, tmp_path: Path) -> None:
    """A day or an order within a month would be a calendar of somebody's work."""
    released(judged, tmp_path / "before", provenance=True)
    first = Judgment.objects.order_by("pk")[0].decided_at.replace(day=1, hour=0, minute=0, second=0)
    for place, judgment in enumerate(Judgment.objects.order_by("-pk")):
        Judgment.objects.filter(pk=judgment.pk).update(
            decided_at=first.replace(day=1 + place % 28, minute=place), active_seconds=place, played=0.5
        )
    released(judged, tmp_path / "after", provenance=True)
    for name in BOTH:
        assert (tmp_path / "before" / name).read_bytes() == (tmp_path / "after" / name).read_bytes()
    text = (tmp_path / "after" / JUDGMENT_ORIGINS).read_text()
    assert not any(member.account.username in text.split(",") for member in judged.members.values())


def test_each_caption_has_who_made_it_and_what_checked_it(judged: World, tmp_path: Path) -> None:
    Query.objects.update(ranked_by="/srv/models/clip@f00")
    Attempt.objects.update(rewriter="openai", model="llm-1", prompt_version="p3", number=2, encoder="/srv/models/mini")
    decided = Caption.objects.get(description__source_id="101")
    Caption.objects.filter(pk=decided.pk).update(decided_at=decided.attempt.made_at)
    changed = Description.objects.get(source_id="105")
    Caption.objects.filter(description=changed).update(text="Something else.", normalised="something else.")
    released(judged, tmp_path / "out", provenance=True)
    found = rows(tmp_path / "out" / CAPTION_ORIGINS)
    own = {row["query_id"]: row for row in found if not row["pair_id"]}
    assert list(own) == ["102", "101", "103", "104"]
    assert tuple(own["102"].values())[2:] == ("openai", "llm-1", "p3", "2", "checks", "mini", "")
    assert own["101"]["accepted"] == "person"
    raw = {row["pair_id"]: row["caption"] for row in rows(tmp_path / "out" / "raw_annotations.csv")}
    unknown = {raw[row["pair_id"]] for row in found if not row["rewriter"]}
    assert unknown == {"A woman waves from a café."}, "what made the present caption didn't make that one"
    assert [row["pair_id"] for row in found if row["pair_id"]] == [pair for pair, caption in raw.items() if caption]
    assert {row["ranked_by"] for row in found if row["pair_id"]} == {"clip@f00"}, "a folder's place is nobody's"


def test_a_release_that_does_not_ask_has_neither_and_one_that_does_has_the_same_bytes_again(
    judged: World, tmp_path: Path
) -> None:
    plain = create_release(collection=judged.collection, name="v0")
    assert not BOTH & set(plain.files) and not {"judgment_origins", "caption_origins"} & set(plain.manifest)
    with pytest.raises(Refused, match="made without provenance and never changes"):
        create_release(collection=judged.collection, name="v0", provenance=True)
    first = released(judged, tmp_path / "first", provenance=True)
    Release.objects.exclude(pk=plain.pk).delete()
    assert released(judged, tmp_path / "again", provenance=True).content_hash == first.content_hash
    shared = set(plain.files) - {"manifest.json", "README.md"}
    assert {name: plain.files[name] for name in shared} == {name: first.files[name] for name in shared}
    readme = (tmp_path / "first" / "README.md").read_text()
    assert all(f"**`{name}`**" in readme for name in BOTH)


def test_the_command_the_form_and_the_api_ask_for_it(judged: World, tmp_path: Path) -> None:
    call_command("export_release", "tiny", str(tmp_path / "v1"), "--release", "v1", "--provenance", stdout=StringIO())
    ada = Client()
    ada.force_login(judged.members["ada"].account)
    assert 'name="provenance"' in ada.get("/c/tiny/releases/").content.decode()
    ada.post("/c/tiny/releases/make", {"name": "v2", "format": ["tvr-ranking"], "provenance": "on"})
    Caller(judged.members["ada"]).post("/collections/tiny/releases", {"name": "v3", "provenance": True})
    for job in ReleaseJob.objects.order_by("pk"):
        make_asked_release(job.pk)
    for name in ("v1", "v2", "v3"):
        assert set(Release.objects.get(name=name).files) >= BOTH


Change = Callable[[list[str]], list[str]]


def first_row(columns: tuple[str, ...], **cells: str) -> Change:
    """The first row with other cells."""

    def change(lines: list[str]) -> list[str]:
        row = dict(zip(columns, next(csv.reader([lines[1]])), strict=True)) | cells
        return [lines[0], ",".join(row.values()) + "\n", *lines[2:]]

    return change


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        (JUDGMENT_ORIGINS, but_the_last, "found 41 judgments, but raw_annotations.csv has 42"),
        (JUDGMENT_ORIGINS, the_last_twice, "line 44: w03 is there twice for pair "),
        (JUDGMENT_ORIGINS, first_row(OF_JUDGMENT, worker="w99"), "line 2: raw_annotations.csv has no judgment of pair"),
        (JUDGMENT_ORIGINS, first_row(OF_JUDGMENT, query_id="101"), "line 2: raw_annotations.csv has no judgment of"),
        (JUDGMENT_ORIGINS, first_row(OF_JUDGMENT, month="2026-11-26"), "line 2: found the month '2026-11-26'"),
        (JUDGMENT_ORIGINS, first_row(OF_JUDGMENT, month="2026-13"), "line 2: found the month '2026-13'"),
        (JUDGMENT_ORIGINS, first_row(OF_JUDGMENT, origin="imported"), "line 2: found the month"),
        (JUDGMENT_ORIGINS, first_row(OF_JUDGMENT, origin="there"), "line 2: found the origin 'there'"),
        (JUDGMENT_ORIGINS, first_row(OF_JUDGMENT, origin="imported", month=""), "as making, but the manifest says"),
        (JUDGMENT_ORIGINS, first_row(OF_JUDGMENT, guideline="9"), "line 2: found the guideline '9', which"),
        (JUDGMENT_ORIGINS, first_row(OF_JUDGMENT, guideline="2"), "as judgments_by_version, but the manifest says"),
        (JUDGMENT_ORIGINS, first_row(OF_JUDGMENT, batch="0"), "line 2: found batch '0' closed by ''"),
        (JUDGMENT_ORIGINS, first_row(OF_JUDGMENT, batch="2"), "line 3: found batch '1' closed by '', and another"),
        (JUDGMENT_ORIGINS, first_row(OF_JUDGMENT, closed="ada"), "line 2: found batch '1' closed by 'ada'"),
        (JUDGMENT_ORIGINS, lambda lines: [], "judgment_origins.csv: found the columns"),
        (CAPTION_ORIGINS, but_the_last, "found 18 captions, but the manifest has 19"),
        (CAPTION_ORIGINS, the_last_twice, "line 21: this caption is there twice"),
        (CAPTION_ORIGINS, first_row(OF_CAPTION, pair_id="0"), "line 2: raw_annotations.csv has no caption of query"),
        (CAPTION_ORIGINS, with_("rules-9", old="rules-1"), "found the rewriter 'rules rules-9', which the manifest"),
        (CAPTION_ORIGINS, first_row(OF_CAPTION, attempt="-1"), "line 2: found attempt '-1' accepted by 'checks'"),
        (CAPTION_ORIGINS, first_row(OF_CAPTION, accepted="ada"), "line 2: found attempt '1' accepted by 'ada'"),
        (CAPTION_ORIGINS, first_row(OF_CAPTION, rewriter="topic"), "line 2: found 'rewriter-x, 1, checks"),
        (CAPTION_ORIGINS, first_row(OF_CAPTION, checked_by="bert"), "line 2: found 'bert' as checked_by"),
        (CAPTION_ORIGINS, first_row(OF_CAPTION, ranked_by="clip"), "line 2: found 'clip' as ranked_by"),
    ],
)
def test_the_check_says_in_which_line_it_is_damaged(
    judged: World, tmp_path: Path, name: str, change: Change, problem: str
) -> None:
    with_guideline(judged)
    released(judged, tmp_path / "out", provenance=True)
    path = tmp_path / "out" / name
    path.write_text("".join(change(path.read_text().splitlines(keepends=True))))
    assert any(problem in one for one in check_release(tmp_path / "out"))


def test_the_check_knows_what_a_manifest_should_say(judged: World, tmp_path: Path) -> None:
    released(judged, tmp_path / "out", provenance=True)
    path = tmp_path / "out" / "manifest.json"
    manifest: dict[str, Any] = json.loads(path.read_text())
    for key, name in (("judgment_origins", JUDGMENT_ORIGINS), ("caption_origins", CAPTION_ORIGINS)):
        path.write_text(json.dumps({**manifest, key: {"file": name}}))
        assert f"manifest.json doesn't say of {key} what it should" in check_release(tmp_path / "out")
        path.write_text(json.dumps({at: said for at, said in manifest.items() if at != key}))
        assert f"{name} is there, but the manifest says nothing of {key}" in check_release(tmp_path / "out")
