"""Time at work: what is booked was seen by the server, whatever the browser says; and who works fairly loses none."""

import csv
import io
import json
import math
import threading
import time
import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from annotation.assignment.next_tasks import keep_seats, next_tasks
from annotation.judging.paid_time import longest_for
from annotation.models import Judgment, RepeatAnswer, Seat, WorkClock
from annotation.people.timesheet import work_days
from corpus.models import Clip, Moment
from foundation.models import Collection
from tests.annotation.judging_steps import judge, sit
from tests.conftest import World, build_world


@pytest.fixture
def paid(db: None) -> World:
    """Twelve pairs, at 18 an hour."""
    world = build_world(queries=2, candidates=6)
    world.collection.pay_per_hour, world.collection.currency = Decimal(18), "EUR"
    world.collection.save()
    return world


def served(client: Any) -> list[str]:
    answer = client.post("/c/paper/judge/next", {}, content_type="application/json").json()
    return [task["pair"] for task in answer["tasks"]]


def send(client: Any, pair: str, **said: Any) -> Any:
    body = {"pair": pair, "grade": 2, "key": str(uuid.uuid4()), "played": 1} | said
    # As Python writes it: NaN and Infinity are what a client can send, too.
    return client.post("/c/paper/judge/grade", json.dumps(body), content_type="application/json")


def set_back(seconds: float) -> None:
    """As if all that the server saw so far had been so long ago."""
    gone = timedelta(seconds=seconds)
    for seat in Seat.objects.all():
        Seat.objects.filter(pk=seat.pk).update(taken_at=seat.taken_at - gone)
    for clock in WorkClock.objects.all():
        WorkClock.objects.filter(pk=clock.pk).update(until=clock.until - gone)


def booked(world: World, client: Any) -> float:
    """Seconds of the lead's page and CSV, of whichever days, which have to agree."""
    asked = {"first": "2020-01-01", "last": "2040-01-01"}
    rows = list(csv.DictReader(io.StringIO(client.get("/c/paper/time/csv", asked).content.decode())))
    days = work_days(world.collection, first=date(2020, 1, 1), last=date(2040, 1, 1))
    assert [row["active_seconds"] for row in rows] == [str(round(day.active)) for day in days]
    page = client.get("/c/paper/time/", asked).content.decode()
    assert all(f"{day.hours}" in page and f"{day.pay}" in page for day in days)
    return sum(day.active for day in days)


FORGED: list[dict[str, Any]] = [
    {"active_ms": 86_400_000, "at": "2026-11-01T12:00:00Z"},
    {"active_ms": 86_400_000, "at": "0001-01-01T00:00:00+14:00", "sent": "9999-12-31T23:59:59-14:00"},
    {"active_ms": 86_400_000, "at": "9999-12-31T23:59:59Z", "sent": "0001-01-01T00:00:00Z"},
    {"active_ms": 86_400_000, "at": "2100-01-01T00:00:00Z"},
    {"active_ms": 86_400_000, "at": "2026-11-20T12:00:00-23:01", "sent": "2026-11-20T12:00:00+23:59"},
    {"active_ms": 86_400_000, "at": "0001-01-01T00:00:00+23:59", "sent": "9999-12-31T23:59:59-23:59"},
    {"active_ms": 43_200_000},
    {"active_ms": 1e7, "at": "2026-11-10T12:00:00+05:30", "sent": "2026-11-20T12:00:00Z"},
]
REFUSED: list[dict[str, Any]] = [
    {"active_ms": -1},
    {"active_ms": 86_400_001},
    {"active_ms": math.nan},
    {"active_ms": math.inf},
    {"active_ms": -math.inf},
    {"active_ms": 10**400},
    {"played": 10**400},
    {"active_ms": "60000"},
    {"active_ms": True},
    {"active_ms": [1]},
    {"at": "yesterday"},
    {"at": "2026-11-20T12:00:00"},
    {"at": 1e300},
    {"at": math.nan},
    {"sent": "now"},
    {"sent": "2026-11-20T12:00:00"},
    {"sent": {}},
]


def test_forged_times_book_no_more_than_the_server_saw(paid: World, client_of: Any) -> None:
    bo, ada = client_of(paid["bo"].account), client_of(paid["ada"].account)
    began = time.monotonic()
    pairs = served(bo)
    for said in REFUSED:
        refused = send(bo, pairs[0], **said)
        assert (refused.status_code, "expected" in refused.content.decode()) == (400, True), said
    assert not Judgment.objects.exists()
    for said in FORGED:
        (pair, *_) = served(bo)
        assert send(bo, pair, **said).status_code == 200
        # Taken back and given again, in the same stretch of time.
        assert bo.post("/c/paper/judge/undo", {}, content_type="application/json").status_code == 200
        again = send(bo, pair, **said, key=str(key := uuid.uuid4()))
        replayed = send(bo, pair, **said, key=str(key))
        assert (again.status_code, replayed.status_code) == (200, 200)
    assert Judgment.objects.count() == 2 * len(FORGED)
    assert booked(paid, ada) <= time.monotonic() - began
    judged = Judgment.objects.order_by("pk")
    decided = [one.decided_at for one in judged]
    assert decided == sorted(decided)
    assert all(one.decided_at <= one.given_at for one in judged)
    assert all(one.given_at - one.decided_at < timedelta(seconds=time.monotonic() - began) for one in judged)
    figures = bo.get("/c/paper/judge/progress").json()
    assert figures["active_today"] <= math.ceil(time.monotonic() - began)  # in whole seconds


def test_a_request_that_waited_leaves_the_next_judgment_its_time(paid: World, client_of: Any) -> None:
    """Of ten seconds four have to be seen at double speed. Bo's key came after five; its request came at nine."""
    Clip.objects.bulk_create(
        Clip(moment=moment, video_file="clips/1.mp4", poster_file="clips/1.jpg", duration=10)
        for moment in Moment.objects.filter(video__collection=paid.collection)
    )
    Collection.objects.update(has_clips=True)
    bo = client_of(paid["bo"].account)
    pairs = served(bo)
    set_back(9)
    for pair, active in zip(pairs, (5000, 4000, 4000), strict=False):
        assert send(bo, pair, active_ms=active).status_code == 200
    # The third one's time has not passed, whatever its page says.
    assert [one.too_soon for one in Judgment.objects.order_by("pk")] == [False, False, True]


def test_a_seat_held_for_hours_earns_minutes(paid: World, client_of: Any) -> None:
    bo, ada = client_of(paid["bo"].account), client_of(paid["ada"].account)
    pairs = served(bo)
    set_back(12 * 3600)
    for place, pair in enumerate(pairs):
        ago = timezone.now() - timedelta(hours=3 * (3 - place))
        assert send(bo, pair, active_ms=10_800_000, at=ago.isoformat()).status_code == 200
    assert booked(paid, ada) <= len(pairs) * longest_for(None, 60) + 1


@pytest.mark.parametrize("skew", [0, -7200, 7200], ids=["right clock", "two hours slow", "two hours fast"])
def test_what_waited_for_the_network_is_paid_by_the_time_that_the_server_saw(
    paid: World, client_of: Any, skew: int
) -> None:
    bo, ada = client_of(paid["bo"].account), client_of(paid["ada"].account)
    pairs = served(bo)
    set_back(600)

    def clock(seconds_ago: float) -> str:
        return (timezone.now() + timedelta(seconds=skew - seconds_ago)).isoformat()

    counted = [90.0, 200.0, 40.0, 100.0]
    for pair, seconds, ago in zip(pairs, counted, (500.0, 250.0, 200.0, 20.0), strict=True):
        assert send(bo, pair, active_ms=seconds * 1000, at=clock(ago), sent=clock(0)).status_code == 200
    assert list(Judgment.objects.order_by("pk").values_list("active_seconds", flat=True)) == pytest.approx(counted)
    # What the outage has left is twenty seconds, and who says more gets those.
    (pair, *_) = served(bo)
    Seat.objects.update(taken_at=timezone.now() - timedelta(seconds=600))
    assert send(bo, pair, active_ms=200_000, at=clock(0), sent=clock(0)).status_code == 200
    assert Judgment.objects.order_by("pk").last().active_seconds == pytest.approx(20, abs=5)  # type: ignore[union-attr]
    assert booked(paid, ada) == pytest.approx(450, abs=5)


def test_two_collections_of_one_person_share_one_clock(paid: World, client_of: Any) -> None:
    other = build_world(name="other")
    sit(paid["bo"], other["bo"])
    set_back(100)
    for pair in paid.batch.pairs.order_by("pk")[:2]:
        judge(paid["bo"], pair, 2, active_ms=45_000)
    for pair in other.batch.pairs.order_by("pk")[:2]:
        judge(other["bo"], pair, 2, active_ms=45_000)
    assert sum(Judgment.objects.values_list("active_seconds", flat=True)) <= 110


def test_hidden_repeats_and_judgments_share_one_clock(db: None, client_of: Any) -> None:
    from annotation.assignment.slipped_in import slip_in
    from foundation.models import Membership

    world = build_world(queries=2, candidates=6)
    type(world.collection).objects.update(repeat_share=0.1, repeat_days=0)
    sit(world["bo"], world["cy"])
    first, second = (query.batches.get() for query in world.queries)
    for pair in first.pairs.all():
        judge(world["bo"], pair, 2)
        judge(world["cy"], pair, 2)
    member = Membership.objects.select_related("collection").get(pk=world["bo"].pk)
    slip_in(member=member, taken=[(second.pk, 10)], now=timezone.now())
    bo = client_of(world["bo"].account)
    repeat, pair, *_ = served(bo)
    before = sum(Judgment.objects.filter(annotator=member).values_list("active_seconds", flat=True))
    set_back(100)
    member.repeats.update(slipped_in_at=timezone.now() - timedelta(seconds=100))
    assert send(bo, repeat, active_ms=80_000).status_code == 200
    assert send(bo, pair, active_ms=80_000).status_code == 200
    answer = RepeatAnswer.objects.get()
    total = answer.active_seconds + sum(
        Judgment.objects.filter(annotator=member).values_list("active_seconds", flat=True)
    )
    assert answer.active_seconds == 80
    assert total - before <= 110


@pytest.mark.django_db(transaction=True)
def test_judgments_sent_at_the_same_moment_share_the_stretch(client_of: Callable[..., Any]) -> None:
    world = build_world(candidates=4)
    clients = [client_of(world["bo"].account) for _ in range(4)]
    pairs = served(clients[0])
    assert send(clients[0], pairs[0]).status_code == 200
    set_back(100)

    def forge(client: Any, pair: str) -> None:
        send(client, pair, active_ms=86_400_000)
        connection.close()

    together = [threading.Thread(target=forge, args=sent) for sent in zip(clients[1:], pairs[1:], strict=True)]
    for one in together:
        one.start()
    for one in together:
        one.join()
    judged = Judgment.objects.order_by("decided_at")
    assert len(judged) == 4, "each is kept"
    assert sum(one.active_seconds for one in judged) <= 110
    assert len({one.decided_at for one in judged}) == 4


@pytest.mark.parametrize("hours", [-2, 2])
def test_a_web_server_whose_clock_is_two_hours_off_books_and_leases_by_the_database_s(
    world: World, clock_off: Callable[[timedelta], None], hours: int
) -> None:
    sit(world["bo"])
    first, second, third = world.batch.pairs.order_by("pk")
    judge(world["bo"], first, 2, active_ms=1_000)
    set_back(60)
    clock_off(timedelta(hours=hours))
    judge(world["bo"], second, 2, active_ms=30_000)
    keep_seats(member=world["bo"])
    sit(world["bo"], world["cy"])
    clock_off(timedelta())
    assert next_tasks(member=world["di"]) == [], "both seats are held"
    set_back(60)
    judge(world["bo"], third, 2, active_ms=30_000)
    judged = Judgment.objects.order_by("pk")
    assert [round(one.active_seconds or 0) for one in judged][1:] == [30, 30]
    given = [one.given_at for one in judged]
    assert given == sorted(given)
    soon = datetime.now(UTC) + timedelta(minutes=31)
    assert all(datetime.now(UTC) < seat.expires_at < soon for seat in Seat.objects.filter(ended_at=None))
