"""Judging by the API: the browser's own services, and as blind."""

import uuid
from typing import Any

import pytest

from annotation.models import Flag, Judgment, Pair
from tests.annotation.judging_steps import let_seats_expire, sit
from tests.api.callers import Caller
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db
HERE = "/collections/paper/judging"
TASK = {"pair", "query", "clip", "poster"}


@pytest.fixture
def judged(db: None) -> World:
    return build_world(clips=True)


def grade(caller: Caller, pair: str, value: int = 2, **more: Any) -> Any:
    return caller.post(f"{HERE}/grade", {"pair": pair, "grade": value, "key": str(uuid.uuid4()), "played": 1.0, **more})


def test_it_gives_what_the_page_gives_and_keeps_what_the_page_keeps(judged: World, client_of: Any) -> None:
    bo = Caller(judged["bo"], ("judge",))
    tasks = bo.post(f"{HERE}/next", {}).json()["tasks"]
    page = client_of(judged["bo"].account).post("/c/paper/judge/next", {}, content_type="application/json")
    assert tasks == page.json()["tasks"] and len(tasks) == 3
    assert set(tasks[0]) == TASK
    after = grade(bo, tasks[0]["pair"], 3).json()
    assert [task["pair"] for task in after["tasks"]] == [task["pair"] for task in tasks[1:]]
    kept = Judgment.objects.get()
    assert (str(kept.pair.public_id), kept.grade, kept.annotator) == (tasks[0]["pair"], 3, judged["bo"])
    back = bo.post(f"{HERE}/undo", {}).json()
    assert back["tasks"][0]["pair"] == tasks[0]["pair"]


def test_the_same_key_is_one_judgment(judged: World) -> None:
    bo, key = Caller(judged["bo"], ("judge",)), str(uuid.uuid4())
    pair = bo.post(f"{HERE}/next", {}).json()["tasks"][0]["pair"]
    assert [grade(bo, pair, key=key).status_code for _ in range(2)] == [200, 200]
    assert Judgment.objects.count() == 1


def test_refusals_are_those_of_the_page(judged: World) -> None:
    bo = Caller(judged["bo"], ("judge",))
    pair = bo.post(f"{HERE}/next", {}).json()["tasks"][0]["pair"]
    unseen = grade(bo, pair, played=0.1)
    assert unseen.status_code == 409 and unseen.json()["detail"]
    assert grade(bo, str(uuid.uuid4())).status_code == 409
    wrong = grade(bo, pair, 9)
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (422, "body.grade")
    bad = bo.post(f"{HERE}/flag", {"pair": pair, "kind": "boring"})
    assert (bad.status_code, bad.json()["errors"][0]["field"]) == (422, "body.kind")
    assert bo.post(f"{HERE}/flag", {"pair": pair, "kind": "clip", "note": "black"}).status_code == 200
    assert Flag.objects.get().note == "black"
    assert Caller(judged["ada"], ("judge",)).post(f"{HERE}/next", {}).status_code == 403


def test_a_second_round_looks_like_a_first(judged: World) -> None:
    first = Caller(judged["bo"], ("judge",)).post(f"{HERE}/next", {}).json()
    for name, value in (("bo", 0), ("cy", 4)):
        let_seats_expire()
        sit(judged[name])
        for pair in Pair.objects.order_by("pk"):
            assert grade(Caller(judged[name], ("judge",)), str(pair.public_id), value).status_code == 200
    assert set(Pair.objects.values_list("status", flat=True)) == {"disputed"}
    second = Caller(judged["di"], ("judge",)).post(f"{HERE}/next", {}).json()
    assert sorted(first) == sorted(second)
    assert {frozenset(task) for task in [*first["tasks"], *second["tasks"]]} == {frozenset(TASK)}
    assert (second["message"], second["empty"], second["confirm"]) == (
        first["message"],
        first["empty"],
        first["confirm"],
    )


def test_places_are_kept_and_left(judged: World) -> None:
    bo = Caller(judged["bo"], ("judge",))
    bo.post(f"{HERE}/next", {})
    assert bo.post(f"{HERE}/keep").status_code == 204
    assert bo.post(f"{HERE}/leave").status_code == 204
    assert not judged["bo"].seats.filter(ended_at=None).exists()
