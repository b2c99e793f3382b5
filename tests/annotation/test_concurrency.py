"""Real connections at once: never too many judgments, nothing lost, nobody waiting for ever."""

import threading
import time
import uuid
from collections.abc import Callable

import pytest
from django.db import connections
from django.db.models import QuerySet

from annotation.judging import give_judgment
from annotation.models import Judgment, Pair, Seat
from annotation.seats import next_tasks
from tests.conftest import build_world

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(works: list[Callable[[], None]]) -> None:
    """Run each in a thread with a connection of its own, all released together; their failures are ours."""
    gate, failures = threading.Barrier(len(works)), []

    def run(work: Callable[[], None]) -> None:
        try:
            gate.wait()
            work()
        except BaseException as error:
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures, failures
    assert not any(thread.is_alive() for thread in threads)


def undecided() -> QuerySet[Pair]:
    return Pair.objects.filter(status__in=["open", "disputed"])


def test_five_people_at_one_collection_never_give_a_pair_too_many_judgments() -> None:
    world = build_world(queries=3, candidates=8)

    def work(name: str) -> Callable[[], None]:
        def judge_everything() -> None:
            deadline = time.monotonic() + 60
            while undecided().exists() and time.monotonic() < deadline:
                for task in next_tasks(member=world[name])[:2]:
                    grade = (len(name) * int(task.pair[0], 16)) % 5
                    give_judgment(member=world[name], pair_id=uuid.UUID(task.pair), grade=grade, key=uuid.uuid4())

        return judge_everything

    at_once([work(name) for name in ("bo", "cy", "di", "ed", "flo")])
    assert not undecided().exists()
    for pair in Pair.objects.all():
        assert pair.judgments.filter(counted=True).count() in (2, 4)
    assert not Judgment.objects.filter(counted=False).exists()


def test_one_request_sent_twice_at_the_same_moment_is_one_judgment() -> None:
    world = build_world()
    (task, *_), key = next_tasks(member=world["bo"]), uuid.uuid4()

    def send() -> None:
        give_judgment(member=world["bo"], pair_id=uuid.UUID(task.pair), grade=3, key=key)

    at_once([send] * 6)
    assert Judgment.objects.count() == 1


def test_two_tabs_that_ask_at_once_share_one_seat() -> None:
    world = build_world(queries=4)

    def ask() -> None:
        next_tasks(member=world["bo"])

    at_once([ask] * 4)
    assert Seat.objects.filter(ended_at__isnull=True).count() == 1


def test_five_who_sit_down_at_once_take_two_places() -> None:
    world = build_world()
    at_once([lambda name=name: next_tasks(member=world[name]) for name in ("bo", "cy", "di", "ed", "flo")])  # type: ignore[misc]
    assert Seat.objects.count() <= 2
