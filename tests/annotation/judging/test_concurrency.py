"""Real connections at once: never too many judgments, nothing lost, nobody waiting for ever."""

import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotation.assignment.next_tasks import leave_seats, next_tasks
from annotation.judging.judgments import give_judgment, take_back_last
from annotation.models import Batch, Judgment, Pair, Seat
from annotation.review.decisions import review_batch
from config.celery import app
from foundation.infra.sweep import sweep
from foundation.models import Membership
from foundation.refused import Refused
from tests.annotation.judging_steps import graded
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
                    give_judgment(member=world[name], sent=graded(task.pair, grade))

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
        give_judgment(member=world["bo"], sent=graded(task.pair, 3, key=key))

    at_once([send] * 6)
    assert Judgment.objects.count() == 1


def test_two_tabs_that_ask_at_once_share_one_seat() -> None:
    world = build_world(queries=4, candidates=5)

    def ask() -> None:
        next_tasks(member=world["bo"])

    at_once([ask] * 4)
    assert Seat.objects.filter(ended_at__isnull=True).count() == 1


def test_five_who_sit_down_at_once_take_two_places() -> None:
    world = build_world()
    at_once([lambda name=name: next_tasks(member=world[name]) for name in ("bo", "cy", "di", "ed", "flo")])  # type: ignore[misc]
    assert Seat.objects.count() <= 2


def wait_until_somebody_waits() -> None:
    """Until another connection waits for a lock that this one holds."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone() != (0,):
                return
    pytest.fail("nobody came to wait for the lock")


def meanwhile(work: Callable[[], Any], hold: Callable[[], None]) -> Any:
    """What `work` returns or raises, begun in another connection and held up by the locks that `hold` takes."""
    with ThreadPoolExecutor(1) as pool:

        def run() -> Any:
            try:
                return work()
            except Exception as error:
                return error
            finally:
                connections.close_all()

        with transaction.atomic():
            hold()
            future = pool.submit(run)
            wait_until_somebody_waits()
        return future.result(60)


def judge(member: Membership, pair: Pair, grade: int) -> None:
    give_judgment(member=member, sent=graded(pair.public_id, grade))


def test_one_late_request_sent_twice_at_the_same_moment_is_one_judgment() -> None:
    world = build_world(candidates=1)
    pair, key = world.batch.pairs.get(), uuid.uuid4()
    next_tasks(member=world["bo"])
    Seat.objects.update(expires_at=timezone.now())
    for name in ("cy", "di"):
        next_tasks(member=world[name])
        judge(world[name], pair, 1)

    def send() -> None:
        give_judgment(member=world["bo"], sent=graded(pair.public_id, 3, key=key))

    at_once([send] * 6)
    assert [one.uncounted_because for one in Judgment.objects.filter(annotator=world["bo"])] == ["late"]


def test_one_key_sent_for_two_pairs_at_the_same_moment_grades_one_and_refuses_the_other() -> None:
    world = build_world(candidates=4)
    tasks, key, refused = next_tasks(member=world["bo"]), uuid.uuid4(), []

    def send(pair: str) -> None:
        try:
            give_judgment(member=world["bo"], sent=graded(pair, 3, key=key))
        except Refused as refusal:
            refused.append(refusal)

    at_once([lambda pair=task.pair: send(pair) for task in tasks])  # type: ignore[misc]
    assert Judgment.objects.count() == 1
    assert len(refused) == len(tasks) - 1


def test_an_undo_that_waits_for_a_review_is_refused_by_it() -> None:
    world = build_world(candidates=25)
    for name in ("bo", "cy"):
        next_tasks(member=world[name])
        for pair in world.batch.pairs.all():
            judge(world[name], pair, 2)
    batch = world.batch
    answer = meanwhile(
        lambda: take_back_last(member=world["cy"]),
        lambda: review_batch(member=world["ada"], batch_id=batch.pk, decision="extend") and None,
    )
    assert isinstance(answer, Refused) and "reviewed" in str(answer)
    assert world.batch.status == "extended"
    assert not Pair.objects.filter(batch=batch, status="open").exists()


def test_who_asks_while_the_round_ends_gets_no_work_from_an_ended_seat() -> None:
    world = build_world(candidates=1)
    pair = world.batch.pairs.get()
    # The seats that bo and cy had are di's and ed's now, but their late judgments still end the round.
    for name in ("bo", "cy"):
        next_tasks(member=world[name])
    Seat.objects.update(expires_at=timezone.now())
    for name in ("di", "ed"):
        next_tasks(member=world[name])
    judge(world["bo"], pair, 0)
    tasks = meanwhile(lambda: next_tasks(member=world["di"]), lambda: judge(world["cy"], pair, 4))
    assert [task.pair for task in tasks] == [str(pair.public_id)]
    assert Seat.objects.filter(annotator=world["di"], ended_at__isnull=True).count() == 1
    # Both places of the second round are di's and ed's now: flo has none.
    assert next_tasks(member=world["ed"])
    assert next_tasks(member=world["flo"]) == []


def test_a_round_whose_last_two_pairs_are_judged_at_the_same_moment_by_people_who_then_leave_is_settled() -> None:
    world = build_world(candidates=2)
    one, other = world.batch.pairs.order_by("pk")
    for name, pair in (("bo", one), ("cy", other)):
        next_tasks(member=world[name])
        judge(world[name], pair, 2)

    def hold() -> None:
        Pair.objects.select_for_update(no_key=True).get(pk=other.pk)
        judge(world["cy"], one, 2)

    assert meanwhile(lambda: judge(world["bo"], other, 2), hold) is None
    for name in ("bo", "cy"):
        leave_seats(member=world[name])
    assert not undecided().exists()
    assert next_tasks(member=world["di"]) == []
    app.control.purge()  # with messages of other tests waiting, a sweep looks for nothing
    sweep()
    assert world.batch.status == "finished"


def test_an_undo_and_the_judgment_that_ends_the_round_dont_wait_for_each_other() -> None:
    world = build_world(candidates=1)
    pair = world.batch.pairs.get()
    for name in ("bo", "cy"):
        next_tasks(member=world[name])
    judge(world["bo"], pair, 2)

    def end_round() -> None:
        try:
            judge(world["cy"], pair, 2)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            # In the order of an undo: the batch, and then its pair.
            Batch.objects.select_for_update(no_key=True).get(pk=pair.batch_id)
            future = pool.submit(end_round)
            wait_until_somebody_waits()
            Pair.objects.select_for_update(no_key=True).get(pk=pair.pk)
        future.result(60)
    assert world.batch.status == "finished"
