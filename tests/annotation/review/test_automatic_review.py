"""The policy decides the clear reviews alone, and only those; a lead can take each back."""

import time
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from annotation.batches.transitions import settle_batch
from annotation.judging.flags import answer_flag, raise_flag
from annotation.judging.judgments import take_back_last
from annotation.models import Batch, Flag, Judgment, Review, Seat
from annotation.review.automatic_review import Applied, apply_policy, ask_policies, clear_batches
from annotation.review.decisions import review_batch, take_back_review
from annotation.review.extend_rule import decide_alone
from annotation.review.selectors import means_beyond, waiting_figures
from annotation.review.tasks import apply_review_policy
from annotation.settings.services import SettingsRefused, configure
from config.celery import app
from foundation.infra import cool_down
from foundation.infra.sweep import sweep
from tests.annotation.reviewed_worlds import DISCARDED, decided_world, grade_batch
from tests.conftest import World, build_world
from tests.workers import nobody_listens, queued_tasks

pytestmark = pytest.mark.django_db

NOW = timedelta(0)


def with_policy(world: World, extend_from: str = "2.5", finish_to: str = "1") -> World:
    changes = {"auto_extend_from": extend_from, "auto_finish_to": finish_to}
    world.collection = configure(collection=world.collection, changes=changes)
    return world


def let_an_hour_pass() -> None:
    """Judgments are append-only: as the database's owner may, past the trigger that holds it."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        Judgment.objects.update(given_at=F("given_at") - timedelta(hours=1))
        cursor.execute("SET LOCAL session_replication_role = origin")


def statuses(world: World) -> list[str]:
    return list(world.collection.batches.filter(number=1).order_by("pk").values_list("status", flat=True))


def test_the_clear_ones_are_decided_and_the_others_wait() -> None:
    world = with_policy(decided_world(4, 2, 0, 3, 1))
    assert apply_policy(collection=world.collection, grace=NOW) == Applied(extended=2, finished=2, left=1)
    assert statuses(world) == ["extended", "decided", "finished", "extended", "finished"]
    extended = Review.objects.get(batch__query=world.queries[0])
    assert (extended.automatic, extended.mean, extended.threshold) == (True, 4.0, 2.5)
    assert Review.objects.get(batch__query=world.queries[2]).threshold == 1.0


def test_it_is_off_by_default_and_half_of_it_may_be_on() -> None:
    world = decided_world(4, 0)
    assert apply_policy(collection=world.collection, grace=NOW) == Applied()
    apply_policy(collection=with_policy(world, finish_to="").collection, grace=NOW)
    assert statuses(world) == ["extended", "decided"]


def test_doing_it_again_changes_nothing() -> None:
    world = with_policy(decided_world(4, 2))
    apply_policy(collection=world.collection, grace=NOW)
    assert apply_policy(collection=world.collection, grace=NOW) == Applied(left=1)
    assert Review.objects.count() == 1


def test_what_is_left_takes_no_statements_of_its_own() -> None:
    few, many = (with_policy(decided_world(*[4] * number, name=f"left{number}")) for number in (2, 9))
    for world in (few, many):
        with CaptureQueriesContext(connection) as asked:
            left = apply_policy(collection=world.collection).left
        assert left == len(world.queries)
        assert len(asked) <= 5, [query["sql"] for query in asked]


def test_of_tasks_that_come_late_the_first_decides_for_all() -> None:
    world = with_policy(decided_world(4, 0))
    let_an_hour_pass()
    sent = time.time()
    decided = {"extended": 1, "finished": 1, "left": 0}
    assert [apply_review_policy(world.collection.pk, sent - late) for late in (9, 5, 0)] == [
        decided,
        *[{"extended": 0, "finished": 0, "left": 0}] * 2,
    ]
    with_policy(other := decided_world(4, name="other"))
    let_an_hour_pass()
    assert apply_review_policy(other.collection.pk, sent)["extended"] == 1, "another collection's"


def test_a_task_that_was_due_after_the_last_one_looks_again() -> None:
    world = with_policy(decided_world(4))
    assert apply_review_policy(world.collection.pk, time.time())["left"] == 1
    let_an_hour_pass()
    assert apply_review_policy(world.collection.pk, time.time())["extended"] == 1


@pytest.mark.parametrize("hours", [-2, 0, 2])
def test_what_was_judged_just_now_waits_for_its_annotator_to_take_it_back_whatever_a_worker_s_clock_says(
    hours: int, clock_off: Callable[[timedelta], None]
) -> None:
    world = with_policy(decided_world(4))
    clock_off(timedelta(hours=hours))
    assert apply_policy(collection=world.collection) == Applied(left=1)
    assert take_back_last(member=world["cy"]).counted is False


def test_what_a_lead_took_back_is_the_lead_s_for_good() -> None:
    world = with_policy(decided_world(4))
    apply_policy(collection=world.collection, grace=NOW)
    take_back_review(member=world["ada"], batch_id=world.batch.pk, review_id=Review.objects.get().pk)
    assert apply_policy(collection=world.collection, grace=NOW) == Applied(left=1)
    review_batch(member=world["ada"], batch_id=world.batch.pk, decision="finish")
    assert not Review.objects.get().automatic


def test_an_open_flag_or_no_grade_leaves_it_to_the_lead() -> None:
    world = build_world(queries=2, candidates=25)
    first, second = Batch.objects.order_by("pk")
    grade_batch(world, first, lambda rank: (4, 4))
    grade_batch(world, second, lambda rank: DISCARDED)
    with_policy(world)
    Seat.objects.create(batch=first, annotator=world["bo"], expires_at=first.opened_at)
    flag = raise_flag(member=world["bo"], pair_id=first.pairs.earliest("pk").public_id, kind="clip")
    assert apply_policy(collection=world.collection, grace=NOW) == Applied(left=2)
    answer_flag(member=world["ada"], flag_id=flag.pk, outcome="returned")
    assert apply_policy(collection=world.collection, grace=NOW) == Applied(extended=1, left=1)


def test_bounds_that_cross_are_refused_with_what_was_expected() -> None:
    world = decided_world(2)
    with pytest.raises(SettingsRefused, match="auto_finish_to has to be below auto_extend_from"):
        with_policy(world, extend_from="2", finish_to="2")
    with pytest.raises(SettingsRefused, match="auto_extend_from"):
        with_policy(world, extend_from="7")


@pytest.mark.parametrize("policy", [True, False])
def test_a_worker_is_asked_when_a_batch_becomes_decided_and_only_then(
    policy: bool, django_capture_on_commit_callbacks: Any
) -> None:
    app.control.purge()
    world = build_world(candidates=25)
    if policy:
        with_policy(world)
    with django_capture_on_commit_callbacks(execute=True):
        grade_batch(world, world.batch, lambda rank: (4, 4))
        settle_batch(world.batch.pk)
    queued = [(name, arguments[0]) for name, arguments in queued_tasks()]
    assert queued == ([(apply_review_policy.name, world.collection.pk)] if policy else [])
    app.control.purge()


def test_a_broker_that_is_away_costs_no_judgment_and_the_sweep_asks_when_it_is_back(
    django_capture_on_commit_callbacks: Any, caplog: Any
) -> None:
    app.control.purge()
    world = with_policy(build_world(candidates=25))
    with nobody_listens(), django_capture_on_commit_callbacks(execute=True):
        grade_batch(world, world.batch, lambda rank: (4, 4))
        assert sweep() == 0
    assert world.batch.status == "decided"
    assert "its review policy could not be queued" in caplog.text
    sweep()
    assert queued_tasks() == [], "it may still be taken back"
    ask_policies(grace=NOW)
    sweep()
    assert queued_tasks() == [(apply_review_policy.name, [world.collection.pk])]
    app.control.purge()


def test_the_command_says_what_it_decided_and_what_it_needs() -> None:
    world = decided_world(4, 2)
    with pytest.raises(CommandError, match="has no batch review policy"):
        call_command("decide_reviews", "paper")
    with_policy(world)
    with pytest.raises(CommandError, match="expected 0 or more"):
        call_command("decide_reviews", "paper", "--grace", "-1")
    output = StringIO()
    call_command("decide_reviews", "paper", "--grace", "0", stdout=output)
    assert output.getvalue() == "1 batch extended and 0 finished by the policy; 1 left to the lead.\n"


def test_automatic_decisions_are_listed_apart_with_the_policy(client_of: Any) -> None:
    world = with_policy(decided_world(4, 0, 2))
    apply_policy(collection=world.collection, grace=NOW)
    review_batch(member=world["ada"], batch_id=world.queries[2].batches.get().pk, decision="finish")
    ada = client_of(world["ada"].account)
    context = ada.get("/c/paper/review/decisions/?kind=automatic").context
    assert [(row.decision, row.by) for row in context["decisions"]] == [
        ("finish", "the policy"),
        ("extend", "the policy"),
    ]
    assert context["policy"] == {"extend_from": 2.5, "finish_to": 1.0}
    assert context["counts"] == {"standing": 3, "automatic": 2, "lead": 1, "taken_back": 0}


@pytest.mark.parametrize(
    ("mean", "decision"), [(4.0, "extend"), (2.5, "extend"), (2.4, None), (1.2, None), (1.0, "finish"), (None, None)]
)
def test_the_bounds_themselves_are_clear(mean: float | None, decision: str | None) -> None:
    assert decide_alone(mean, extend_from=2.5, finish_to=1.0) == decision


@pytest.mark.parametrize(("low", "high"), [(1.0, 2.6), (None, 2.6), (1.4, None), (None, None), (0.0, 4.0)])
def test_the_means_that_are_read_are_those_beyond_the_bounds(low: float | None, high: float | None) -> None:
    world = build_world(queries=7, candidates=25)
    shifts: list[Callable[[int], tuple[int, ...]]] = [
        *(lambda rank, shift=shift: [((rank * shift + shift) % 5,) * 2, DISCARDED][rank % 7 == shift]  # type: ignore[misc]  # a default has no type
          for shift in range(6)),
        lambda rank: DISCARDED,
    ]  # fmt: skip
    for batch, grades in zip(Batch.objects.order_by("pk"), shifts, strict=True):
        grade_batch(world, batch, grades)
    means = {batch: verdict.mean for batch, verdict in waiting_figures(world.collection).items()}
    assert None in means.values() and len(set(means.values())) > 3
    beyond = {
        batch: mean
        for batch, mean in means.items()
        if mean is not None and ((low is not None and mean <= low) or (high is not None and mean >= high))
    }
    assert means_beyond(world.collection, low=low, high=high) == beyond


def test_after_a_long_look_what_comes_soon_is_left_to_the_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cool_down, "LONG", 0.0)
    monkeypatch.setattr(cool_down, "TIMES", 1e6)
    world = with_policy(decided_world(4))
    assert apply_review_policy(world.collection.pk, time.time())["left"] == 1
    let_an_hour_pass()
    assert apply_review_policy(world.collection.pk, time.time())["extended"] == 0
    assert apply_review_policy(world.collection.pk)["extended"] == 1, "as the sweep asks"


class TestBatchesThatWaitAlready:
    """A policy that is set while batches wait: the lead is told how many are clear by it, and says when."""

    @pytest.fixture(autouse=True)
    def an_hour_later(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nobody takes a judgment back any more."""
        monkeypatch.setattr("annotation.review.automatic_review.Now", lambda: Now() + timedelta(hours=1))

    def test_saving_a_policy_decides_nothing_and_says_what_it_would(self, client_of: Any) -> None:
        world = decided_world(4, 2, 0, 3)
        ada = client_of(world["ada"].account)
        assert "The batch review policy can decide" not in ada.get("/c/paper/settings/").content.decode()
        page = ada.post("/c/paper/settings/change", {"auto_extend_from": "2.5", "auto_finish_to": "1"}, follow=True)
        assert "The batch review policy can decide 3 waiting batches" in page.content.decode()
        assert "To be extended: 2; to be finished: 1" in page.content.decode()
        assert statuses(world) == ["decided"] * 4
        assert ada.get("/c/paper/review/decisions/").context["clear"] == {"extend": 2, "finish": 1}
        done = ada.post("/c/paper/review/decide-clear", follow=True).content.decode()
        assert "Extended 2, finished 1." in done and "The batch review policy can decide" not in done
        assert statuses(world) == ["extended", "decided", "finished", "extended"]
        assert all(review.automatic for review in Review.objects.all())
        assert "None of the waiting" in ada.post("/c/paper/review/decide-clear", follow=True).content.decode()
        take_back_review(
            member=world["ada"], batch_id=world.batch.pk, review_id=Review.objects.get(batch=world.batch).pk
        )
        assert statuses(world)[0] == "decided"

    def test_what_it_would_decide_is_what_it_decides(self) -> None:
        world = build_world(queries=6, candidates=25)
        batches = list(Batch.objects.order_by("pk"))
        for batch, grades in zip(batches, ((4, 4), (0, 0), (4, 4), (4, 4), (2, 2), (4, 4)), strict=True):
            grade_batch(world, batch, lambda rank, grades=grades: grades)
        with_policy(world)
        # One flagged, one that a lead took back, and one that nothing could follow.
        Flag.objects.create(pair=batches[2].pairs.all()[0], annotator=world["bo"], kind="query")
        taken = review_batch(member=world["ada"], batch_id=batches[3].pk, decision="finish")
        take_back_review(member=world["ada"], batch_id=batches[3].pk, review_id=taken.pk)
        batches[5].query.candidates.filter(rank__gt=20).delete()
        clear = clear_batches(collection=world.collection)
        assert clear == {"extend": 1, "finish": 1}
        assert clear_batches(collection=world.collection, grace=timedelta(hours=2)) == {"extend": 0, "finish": 0}
        done = apply_policy(collection=world.collection)
        assert (done.extended, done.finished) == (clear["extend"], clear["finish"])
        assert clear_batches(collection=world.collection) == {"extend": 0, "finish": 0}

    def test_many_are_decided_by_a_worker(self, client_of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("annotation.review.views.AT_ONCE", 0)
        world = with_policy(decided_world(4, 2))
        with app.connection_for_write() as broker:
            broker.default_channel.queue_declare("celery")
            broker.default_channel.queue_purge("celery")
        page = client_of(world["ada"].account).post("/c/paper/review/decide-clear", follow=True)
        assert "1 batch is being decided" in page.content.decode()
        with app.connection_for_read() as broker, broker.SimpleQueue("celery") as queue:
            message = queue.get(block=False)
            message.ack()
        assert statuses(world) == ["decided", "decided"]
        apply_review_policy(*message.payload[0])
        assert statuses(world) == ["extended", "decided"]
