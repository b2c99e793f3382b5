"""One's own data: all of one's work, and nothing that an annotator must not know."""

import json
import uuid
from typing import Any

import pytest
from django.utils import timezone

from annotation.judging.judgments import give_judgment
from annotation.models import Batch, Flag, JudgedSpan, Judgment, Repeat, RepeatAnswer
from annotation.people.own_data import DOWNLOADS
from annotation.people.timesheet import correct_time
from foundation.models import Collection, Membership
from tests.annotation.conftest import Hall
from tests.annotation.judging_steps import graded, judge, sit
from tests.conftest import World, build_world
from tests.planted_secrets import secrets_of

pytestmark = pytest.mark.django_db

ROW = {"query", "clip", "grade", "graded_at", "saved_at", "taken_back_at", "share_seen", "active_seconds"}


def data_of(world: World, name: str, client_of: Any) -> tuple[str, dict[str, Any]]:
    answer = client_of(world[name].account).get("/account/data")
    assert answer["Content-Disposition"].startswith("attachment")
    text = b"".join(answer.streaming_content).decode()
    return text, json.loads(text)


@pytest.fixture
def judged() -> World:
    """bo and cy differ about two pairs of twenty, so that di judges these in a second round; bo repeats one."""
    world = build_world(candidates=20, clips=True)
    sit(world["bo"], world["cy"])
    pairs = list(Batch.objects.get().pairs.order_by("pk"))
    for place, pair in enumerate(pairs):
        judge(world["bo"], pair, 0 if place < 2 else 2, played=1.0)
        judge(world["cy"], pair, 4 if place < 2 else 2, played=1.0)
    first = Judgment.objects.get(pair=pairs[5], annotator=world["bo"])
    repeat = Repeat.objects.create(pair=pairs[5], annotator=world["bo"], first=first)
    now = timezone.now()
    RepeatAnswer.objects.create(repeat=repeat, annotator=world["bo"], grade=1, key=uuid.uuid4(), decided_at=now)
    Flag.objects.create(pair=pairs[0], annotator=world["bo"], kind="clip", note="black at the end")
    correct_time(lead=world["ada"], member_id=world["bo"].pk, day=now.date(), minutes=30, reason="a meeting")
    return world


def test_all_of_one_s_work_is_there(judged: World, client_of: Any) -> None:
    _, data = data_of(judged, "bo", client_of)
    assert data["profile"]["username"] == "bo" and len(data["logins"]) == 1
    (place,) = data["collections"]
    assert (place["collection"], place["worker"], place["role"]) == ("Paper", "w02", "annotator")
    rows = place["judgments"]
    assert len(rows) == 21 and all(set(row) == ROW for row in rows)
    assert [row["graded_at"] for row in rows] == sorted(row["graded_at"] for row in rows)
    assert {row["query"] for row in rows} == {judged.queries[0].text}
    assert all(len(row["clip"]) >= 20 and row["share_seen"] in (1.0, None) for row in rows)
    assert (place["flags"][0]["note"], place["days"][0]["corrected_seconds"]) == ("black at the end", 1800)
    assert place["days"][0]["judgments"] == 21


def test_it_says_nothing_that_would_break_blindness(judged: World, client_of: Any) -> None:
    others = [judged[name].worker for name in ("ada", "cy", "di", "ed", "flo")]
    # What the query asks is a caption, which was shown to them; those of the candidates weren't.
    captions = [f"thing {number}." for number in range(1, 20)]
    text, data = data_of(judged, "bo", client_of)
    words = ("round", "rank", "similar", "repeat", "counted", "late", "secret", "batch", "candidate", "disput", "pair")
    rows = data["collections"][0]["judgments"]
    for row in rows:
        text = text.replace(row["clip"], "")  # a code drawn at random holds a short name such as w01 now and then
    for word in (*words, *others, *captions, *(secret for secret in secrets_of(judged) if secret.startswith("0."))):
        assert word not in text.lower(), word
    assert all(set(row) == ROW for row in rows), "a hidden repeat is a judgment like any other"


def test_grades_come_once_judging_has_ended_so_that_nobody_looks_an_earlier_one_up(
    judged: World, client_of: Any
) -> None:
    Repeat.objects.create(
        pair=Batch.objects.get().pairs.order_by("pk")[7], annotator=judged["bo"], first=first_of(judged)
    )
    place = data_of(judged, "bo", client_of)[1]["collections"][0]
    assert {row["grade"] for row in place["judgments"]} == {None}, "one that was missing alone would tell the repeat"
    assert place["grades"].startswith("Judging in this collection goes on, so each grade is null here")
    Collection.objects.update(archived_at=timezone.now())
    place = data_of(judged, "bo", client_of)[1]["collections"][0]
    assert sorted(row["grade"] for row in place["judgments"]) == [0, 0, 1, *[2] * 18]
    assert place["grades"] == "Each judgment has its grade."


def test_neither_marks_nor_a_second_grade_tell_what_came_again(judged: World, client_of: Any) -> None:
    Collection.objects.update(span_agreement=0.5)
    first, answered = first_of(judged), RepeatAnswer.objects.get()
    JudgedSpan.objects.create(judgment=first, start=0.2, end=0.8)
    judge(judged["bo"], first.pair, 1, played=1.0)
    member = Membership.objects.select_related("collection").get(pk=judged["bo"].pk)
    give_judgment(member=member, sent=graded(answered.repeat.public_id, 3, played=1.0))
    place = data_of(judged, "bo", client_of)[1]["collections"][0]
    assert len(place["judgments"]) == 23
    assert {(row["marked"], row["taken_back_at"]) for row in place["judgments"]} == {(None, None)}
    RepeatAnswer.objects.filter(pk=answered.pk).update(taken_back_at=timezone.now())
    place = data_of(judged, "bo", client_of)[1]["collections"][0]
    assert [row["taken_back_at"] is None for row in place["judgments"]].count(False) == 1
    Collection.objects.update(archived_at=timezone.now())
    place = data_of(judged, "bo", client_of)[1]["collections"][0]
    assert [len(row["marked"]) for row in place["judgments"] if "marked" in row] == [2]


def first_of(world: World) -> Judgment:
    return Judgment.objects.filter(annotator=world["bo"]).order_by("pk")[7]


def test_it_is_one_s_own_alone(judged: World, client_of: Any) -> None:
    _, data = data_of(judged, "di", client_of)
    assert data["collections"][0]["judgments"] == []
    assert client_of(judged["ada"].account).post("/account/data").status_code == 405


def test_an_exam_is_there_without_its_truth(hall: Hall, client_of: Any) -> None:
    for name, grade in (("bo", 2), ("cy", 3)):
        hall.sit(name, lambda place, grade=grade: grade)
    text, data = data_of(hall.world, "bo", client_of)
    (exam,) = data["collections"][0]["exams"]
    assert [answer["grade"] for answer in exam["answers"]] == [2] * 12 and exam["handed_in"]
    assert "truth" not in text and "why" not in text


def test_who_belongs_nowhere_has_a_profile(mal: Any, client_of: Any) -> None:
    data = json.loads(b"".join(client_of(mal).get("/account/data").streaming_content))
    assert data["collections"] == [] and data["profile"]["username"] == "mal"


def test_downloads_are_limited(mal: Any, client_of: Any) -> None:
    client = client_of(mal)
    for _ in range(DOWNLOADS.attempts):
        assert client.get("/account/data").status_code == 200
    assert client.get("/account/data").status_code == 429
