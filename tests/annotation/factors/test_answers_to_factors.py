"""Answers to factors: kept with the grade by one statement, checked, nobody else's business; and nothing where off."""

import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.factors.declared import retire_factor
from annotation.judging import judgments
from annotation.judging.judgment_sql import keep_judgment
from annotation.judging.undo import take_back_newest
from annotation.models import JudgedFactor, JudgedSpan, Judgment, Pair, Repeat, RepeatAnswer
from corpus.models import Clip, Moment
from foundation.models import Collection
from tests.annotation.factors.declaring import with_factors
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db
BOTH = {"action": 2, "whole": 1}
EXPECTED = "expected action (0 to 2), whole (0 to 1 or null)"


@pytest.fixture
def asking(db: None) -> World:
    world = build_world(queries=2, candidates=6)
    with_factors(world.collection)
    return world


@pytest.fixture
def bo(asking: World, client_of: Any) -> Client:
    client: Client = client_of(asking["bo"].account)
    return client


def post(client: Client, path: str, **sent: Any) -> Any:
    return client.post(f"/c/paper/judge/{path}", json.dumps(sent), content_type="application/json")


def task_of(client: Client) -> dict[str, Any]:
    return post(client, "next").json()["tasks"][0]  # type: ignore[no-any-return]


def judgment(task: dict[str, Any], grade: int = 3, **more: Any) -> dict[str, Any]:
    return {"pair": task["pair"], "grade": grade, "key": str(uuid.uuid4()), "played": 1.0, **more}


def kept() -> list[tuple[str, int | None]]:
    return list(JudgedFactor.objects.order_by("pk").values_list("factor__key", "value"))


def test_answers_are_kept_with_the_judgment_and_once(bo: Client) -> None:
    sent = judgment(task_of(bo), factors={"whole": None, "action": 2})
    for _ in range(2):
        assert post(bo, "grade", **sent).status_code == 200
    assert kept() == [("action", 2), ("whole", None)]
    assert {one.judgment for one in JudgedFactor.objects.all()} == {Judgment.objects.get()}


@pytest.mark.parametrize(
    ("factors", "says"),
    [
        (None, f"found no action, whole among the factors, {EXPECTED}"),
        ({"action": 2}, f"found no whole among the factors, {EXPECTED}"),
        ({**BOTH, "colour": 1}, f"found the factors colour, {EXPECTED}"),
        ({"action": 3, "whole": 1}, "found the factor action with 3, expected action (0 to 2)"),
        ({"action": -1, "whole": 1}, "found the factor action with -1, expected action (0 to 2)"),
        ({"action": None, "whole": 1}, "found the factor action with None, expected action (0 to 2)"),
        ({"action": True, "whole": 1}, "expected values of factors by their keys"),
        ({"action": "2", "whole": 1}, "expected values of factors by their keys"),
        ([2, 1], "expected values of factors by their keys"),
        ({"x" * 9999: 1}, "found the factors xxx"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_answers_that_cannot_be_are_refused_and_nothing_is_saved(bo: Client, factors: Any, says: str) -> None:
    task = task_of(bo)
    refused = post(bo, "grade", **judgment(task, factors=factors))
    assert refused.status_code == 400 and says in refused.content.decode()
    assert len(refused.content) < 500
    assert not Judgment.objects.exists()
    assert task in post(bo, "next").json()["tasks"]


def test_asked_between_the_ends_alone_they_go_with_no_other_grade(bo: Client) -> None:
    Collection.objects.update(factors_asked="between")
    tasks = post(bo, "next").json()["tasks"]
    for task, grade in zip(tasks, (0, 4), strict=False):
        refused = post(bo, "grade", **judgment(task, grade, factors=BOTH))
        says = f"found the factors action, whole with the grade {grade}, expected none (reload the page: "
        assert refused.status_code == 400 and refused.content.decode().startswith(says)
        assert post(bo, "grade", **judgment(task, grade)).status_code == 200
    assert post(bo, "grade", **judgment(tasks[2], 1)).status_code == 400
    assert post(bo, "grade", **judgment(tasks[2], 1, factors=BOTH)).status_code == 200
    assert kept() == [("action", 2), ("whole", 1)]


def test_a_retired_factor_is_asked_no_more_and_still_taken_of_a_page_that_was_open(bo: Client, asking: World) -> None:
    tasks = post(bo, "next").json()["tasks"]
    assert 'data-factor="whole"' in bo.get("/c/paper/judge/").content.decode()
    retire_factor(collection=asking.collection, key="whole")
    assert 'data-factor="whole"' not in bo.get("/c/paper/judge/").content.decode()
    assert post(bo, "grade", **judgment(tasks[0], factors=BOTH)).status_code == 200
    assert post(bo, "grade", **judgment(tasks[1], factors={"action": 0})).status_code == 200
    assert kept() == [("action", 2), ("whole", 1), ("action", 0)]


def test_a_span_and_answers_go_with_one_judgment(client_of: Any) -> None:
    world = build_world(candidates=6, clips=True)
    Moment.objects.update(end=F("start") + 4)
    Clip.objects.update(duration=4.0)
    with_factors(world.collection)
    Collection.objects.update(span_agreement=0.5)
    bo = client_of(world["bo"].account)
    assert post(bo, "grade", **judgment(task_of(bo), span=[1, 3], factors=BOTH)).status_code == 200
    assert JudgedSpan.objects.get().judgment_id == JudgedFactor.objects.first().judgment_id  # type: ignore[union-attr]
    assert len(kept()) == 2


def test_taken_back_they_stay_with_their_judgment_and_the_next_has_its_own(bo: Client, asking: World) -> None:
    task = task_of(bo)
    post(bo, "grade", **judgment(task, factors=BOTH))
    take_back_newest(member=asking["bo"])
    post(bo, "grade", **judgment(task, factors={"action": 0, "whole": None}))
    first, second = Judgment.objects.order_by("pk")
    assert (first.counted, second.counted) == (False, True)
    assert [answer.value for answer in second.factors.order_by("pk")] == [0, None]


def test_a_judgment_that_was_overtaken_leaves_none_behind_and_is_decided_anew(
    bo: Client, asking: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, tries = task_of(bo), []

    def overtaken_once(*given: Any, **more: Any) -> bool:
        tries.append(more["beside"].factors)
        if len(tries) == 1:
            # Somebody else's judgment has changed the pair since it was read.
            Pair.objects.filter(public_id=task["pair"]).update(version=F("version") + 1)
        return keep_judgment(*given, **more)

    monkeypatch.setattr(judgments, "keep_judgment", overtaken_once)
    assert post(bo, "grade", **judgment(task, factors=BOTH)).status_code == 200
    assert len(tries) == 2 and len(set(map(str, tries))) == 1
    assert kept() == [("action", 2), ("whole", 1)]


def a_repeat(world: World) -> Repeat:
    """A hidden repeat of a pair that bo judged and that is decided."""
    first = Judgment.objects.filter(annotator=world["bo"]).earliest("pk")
    Pair.objects.filter(pk=first.pair_id).update(status="consensus", grade=3)
    repeat = Repeat.objects.create(
        pair=first.pair, annotator=world["bo"], first=first, slipped_in_at=timezone.now() - timedelta(seconds=5)
    )
    world["bo"].repeat_waits = True
    world["bo"].save(update_fields=["repeat_waits"])
    return repeat


def test_a_hidden_repeat_is_asked_the_same_and_its_answers_are_kept_apart(bo: Client, asking: World) -> None:
    post(bo, "grade", **judgment(task_of(bo), factors=BOTH))
    repeat = a_repeat(asking)
    tasks = post(bo, "next").json()["tasks"]
    (again,) = [task for task in tasks if task["pair"] == str(repeat.public_id)]
    other = next(task for task in tasks if task is not again)
    assert set(again) == set(other)
    for factors in (None, {"action": 2}, {**BOTH, "colour": 1}, {"action": 7, "whole": 1}):
        of_repeat, of_pair = (post(bo, "grade", **judgment(task, factors=factors)) for task in (again, other))
        assert (of_repeat.status_code, of_repeat.content) == (of_pair.status_code, of_pair.content)
        assert of_repeat.status_code == 400
    of_repeat, of_pair = (post(bo, "grade", **judgment(task, factors=BOTH)) for task in (again, other))
    assert (of_repeat.status_code, set(of_repeat.json())) == (of_pair.status_code, set(of_pair.json()))
    assert RepeatAnswer.objects.get().factors == BOTH
    assert JudgedFactor.objects.count() == 4, "the first judgment's and the other's"


def test_nobody_else_is_told(bo: Client, asking: World, client_of: Any) -> None:
    post(bo, "grade", **judgment(task_of(bo), factors=BOTH))
    cy = client_of(asking["cy"].account)
    told = {name: cy.get(f"/c/paper/judge/{name}").content for name in ("", "progress")}
    answer = post(cy, "next")
    task = answer.json()["tasks"][0]
    assert set(task) == {"pair", "query", "clip", "poster"}
    answer = post(cy, "grade", **judgment(task, factors={"action": 0, "whole": 0}))
    assert b"action" not in answer.content + told["progress"]
    page = told[""].decode()
    assert page.count('data-factor="') == 2 and "checked" not in page.partition('id="factors"')[2].partition("foot")[0]


def test_one_s_own_data_has_answers_once_judging_is_over_and_repeats_look_like_the_rest(
    bo: Client, asking: World
) -> None:
    post(bo, "grade", **judgment(task_of(bo), factors=BOTH))
    repeat = a_repeat(asking)
    post(bo, "grade", **judgment({"pair": str(repeat.public_id)}, factors={"action": 1, "whole": None}))

    def answered() -> list[Any]:
        data = b"".join(bo.get("/account/data").streaming_content).decode()
        rows = json.loads(data)["collections"][0]["judgments"]
        assert len({frozenset(row) for row in rows}) == 1, "no row has a field of its own"
        return [row["factors"] for row in rows]

    assert answered() == [None, None]
    Collection.objects.update(archived_at="2026-11-22T00:00Z")
    assert answered() == [BOTH, {"action": 1, "whole": None}]


def statements(client: Client, path: str, **sent: Any) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert post(client, path, **sent).status_code == 200
    return len(asked)


def test_where_none_are_asked_nothing_is_read_shown_or_kept(bo: Client) -> None:
    tasks = post(bo, "next", ahead=26).json()["tasks"]
    post(bo, "grade", **judgment(tasks[0], factors=BOTH))
    with_factors = statements(bo, "grade", **judgment(tasks[1], factors=BOTH))
    Collection.objects.update(factors_asked="never")
    page = bo.get("/c/paper/judge/").content.decode()
    assert "factor" not in page
    assert statements(bo, "grade", **judgment(tasks[2])) == with_factors - 1, "which there are"
    refused = post(bo, "grade", **judgment(tasks[3], factors=BOTH))
    assert (refused.status_code, JudgedFactor.objects.count()) == (400, 4)
