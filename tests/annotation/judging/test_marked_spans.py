"""Starts and ends that annotators mark: kept with the grade, checked, nobody else's business; and nothing where off."""

import json
import uuid
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.judging.marked_span import in_video
from annotation.judging.undo import take_back_newest
from annotation.models import JudgedSpan, Judgment
from annotation.span_consensus import Span
from corpus.models import Clip, Moment
from foundation.models import Collection
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def marking(db: None) -> World:
    """Twelve pairs with clips of four seconds; the moments begin at 0 to 5 s."""
    world = build_world(queries=2, candidates=6, clips=True)
    Collection.objects.update(span_agreement=0.5)
    Moment.objects.update(end=F("start") + 4)
    Clip.objects.update(duration=4.0)
    return world


@pytest.fixture
def bo(marking: World, client_of: Any) -> Client:
    client: Client = client_of(marking["bo"].account)
    return client


def post(client: Client, path: str, **sent: Any) -> Any:
    return client.post(f"/c/paper/judge/{path}", json.dumps(sent), content_type="application/json")


def task_of(client: Client) -> dict[str, Any]:
    return post(client, "next").json()["tasks"][0]  # type: ignore[no-any-return]


def judgment(task: dict[str, Any], grade: int = 3, **more: Any) -> dict[str, Any]:
    return {"pair": task["pair"], "grade": grade, "key": str(uuid.uuid4()), "played": 1.0, **more}


def begin_of(task: dict[str, Any]) -> float:
    return float(Moment.objects.get(clip__public_name=task["clip"].split("/")[-1].split(".")[0]).start)


def test_half_a_second_is_enough_but_for_a_frame() -> None:
    moment = Span(10, 14)
    assert in_video((1, 1.5), moment=moment, clip_seconds=4) == Span(11, 11.5)
    assert in_video((1, 1.46), moment=moment, clip_seconds=4) == Span(11, 11.46)
    with pytest.raises(ValueError, match="expected at least"):
        in_video((1, 1.44), moment=moment, clip_seconds=4)


def test_marks_are_kept_in_seconds_of_the_video_and_once(bo: Client) -> None:
    task = task_of(bo)
    sent = judgment(task, span=[1.25, 3])
    for _ in range(2):
        assert post(bo, "grade", **sent).status_code == 200
    (span,) = JudgedSpan.objects.all()
    assert (span.start, span.end) == (begin_of(task) + 1.25, begin_of(task) + 3)
    assert span.judgment == Judgment.objects.get()


@pytest.mark.parametrize("marks", [None, [0, 4], [0.02, 3.97], [0, 4.04]])
def test_all_of_the_clip_is_no_span(bo: Client, marks: Any) -> None:
    assert post(bo, "grade", **judgment(task_of(bo), span=marks)).status_code == 200
    assert (Judgment.objects.count(), JudgedSpan.objects.count()) == (1, 0)


@pytest.mark.parametrize(
    "marks",
    [[2, 1], [1, 1], [1, 1.3], [-1, 2], [1, 4.5], [1], [1, 2, 3], "1-2", ["1", "2"], [True, 2], {"start": 1}, [1, 1e9]],
    ids=repr,
)
def test_marks_that_cannot_be_are_refused_and_nothing_is_saved(bo: Client, marks: Any) -> None:
    task = task_of(bo)
    refused = post(bo, "grade", **judgment(task, span=marks))
    assert refused.status_code == 400 and "expected" in refused.content.decode()
    assert not Judgment.objects.exists()
    assert task in post(bo, "next").json()["tasks"]


def test_a_number_that_is_none_is_refused(bo: Client) -> None:
    sent = json.dumps(judgment(task_of(bo))).replace("}", ', "span": [NaN, 2]}')
    assert bo.post("/c/paper/judge/grade", sent, content_type="application/json").status_code == 400


def test_nothing_fits_a_grade_of_0(bo: Client) -> None:
    refused = post(bo, "grade", **judgment(task_of(bo), grade=0, span=[1, 2]))
    assert (refused.status_code, refused.content.decode()) == (
        400,
        "found a span with the grade 0, expected none: nothing fits",
    )


def test_nobody_else_is_told(bo: Client, marking: World, client_of: Any) -> None:
    task = task_of(bo)
    post(bo, "grade", **judgment(task, span=[1.234, 3.321]))
    cy = client_of(marking["cy"].account)
    told = [cy.get(f"/c/paper/judge/{path}").content for path in ("", "progress")]
    answer = post(cy, "next")
    told += [answer.content, post(cy, "grade", **judgment(answer.json()["tasks"][0])).content]
    assert all(set(one) == {"pair", "query", "clip", "poster"} for one in answer.json()["tasks"])
    begin = begin_of(task)
    for secret in (1.234, 3.321, begin + 1.234, begin + 3.321):
        assert not any(f"{secret:.3f}".encode() in one for one in told)


def test_taken_back_it_stays_with_its_judgment_and_the_next_has_its_own(bo: Client, marking: World) -> None:
    task = task_of(bo)
    post(bo, "grade", **judgment(task, span=[1, 3]))
    take_back_newest(member=marking["bo"])
    post(bo, "grade", **judgment(task))
    first, second = Judgment.objects.order_by("pk")
    assert (first.counted, first.span.start) == (False, begin_of(task) + 1)
    assert second.counted and not hasattr(second, "span")


def test_one_s_own_data_has_what_was_marked_in_seconds_of_the_clip(bo: Client, marking: World) -> None:
    post(bo, "grade", **judgment(task_of(bo), span=[1, 3]))
    Collection.objects.update(archived_at="2026-11-22T00:00Z")
    data = b"".join(bo.get("/account/data").streaming_content).decode()
    (row,) = json.loads(data)["collections"][0]["judgments"]
    assert (row["grade"], row["marked"]) == (3, [1.0, 3.0])


def statements(client: Client, path: str, **sent: Any) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert post(client, path, **sent).status_code == 200
    return len(asked)


def test_where_it_is_off_nothing_is_asked_shown_or_kept(bo: Client) -> None:
    on = bo.get("/c/paper/judge/").content.decode()
    assert 'data-adjust="1"' in on and 'data-do="markStart"' in on
    tasks = post(bo, "next", ahead=26).json()["tasks"]
    post(bo, "grade", **judgment(tasks[0]))
    first, second, third = tasks[1:4]
    plain = statements(bo, "grade", **judgment(first))
    assert statements(bo, "grade", **judgment(second, span=[1, 3])) == plain + 1, "where the moment begins"
    Collection.objects.update(span_agreement=None)
    off = bo.get("/c/paper/judge/").content.decode()
    assert "adjust" not in off and "markStart" not in off and 'id="span"' not in off
    late = judgment(third, span=[1, 3])
    assert statements(bo, "grade", **late) == plain, "what was marked before it was switched off"
    assert (Judgment.objects.count(), JudgedSpan.objects.count()) == (4, 1)
