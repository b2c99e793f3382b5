"""The policy decides the clear reviews alone, and only those; a lead can take each back."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.batches import review_batch, take_back_review
from annotation.configuring import SettingsRefused, configure
from annotation.flags import answer_flag, raise_flag
from annotation.judging import take_back_last
from annotation.models import Batch, Review, Seat
from annotation.review_policy import Applied, apply_policy
from annotation.review_rule import decide_alone
from annotation.states import settle_batch
from annotation.tasks import apply_review_policy
from tests.annotation.reviewed_worlds import DISPUTE, decided_world, grade_batch
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db

NOW = timedelta(0)


def with_policy(world: World, extend_from: str = "2.5", finish_to: str = "1") -> World:
    changes = {"auto_extend_from": extend_from, "auto_finish_to": finish_to}
    world.collection = configure(collection=world.collection, changes=changes)
    return world


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


def test_what_was_judged_just_now_waits_for_its_annotator_to_take_it_back() -> None:
    world = with_policy(decided_world(4))
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
    grade_batch(world, second, lambda rank: DISPUTE)
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


class AtOnce:
    """A thread that does its work where it is started."""

    def __init__(self, target: Any, args: Any, daemon: bool) -> None:
        self.start = lambda: target(*args)


@pytest.fixture(autouse=True)
def without_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotation.states.Thread", AtOnce)


@pytest.mark.parametrize("policy", [True, False])
def test_a_worker_is_asked_when_a_batch_becomes_decided_and_only_then(
    policy: bool, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr("annotation.states.current_app.send_task", lambda *given, **how: asked.append(given))
    world = build_world(candidates=25)
    if policy:
        with_policy(world)
    with django_capture_on_commit_callbacks(execute=True):
        grade_batch(world, world.batch, lambda rank: (4, 4))
        settle_batch(world.batch.pk)
    task = ("annotation.tasks.apply_review_policy", [world.collection.pk])
    assert asked == ([task] if policy else [])
    assert apply_review_policy.name == task[0]


@pytest.mark.parametrize(
    ("change", "asks"),
    [({"auto_finish_to": "0.5"}, True), ({"auto_finish_to": ""}, False), ({"idle_seconds": "50"}, False)],
)
def test_a_policy_set_in_the_browser_is_asked_of_what_waits_already(
    change: dict[str, str],
    asks: bool,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
    client: Any,
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr("annotation.states.current_app.send_task", lambda *given, **how: asked.append(given))
    world = decided_world(0, 2)
    client.force_login(world["ada"].account)
    with django_capture_on_commit_callbacks(execute=True):
        page = client.post(f"/c/{world.collection.name}/settings/change", change, follow=True).content.decode()
    assert asked == ([("annotation.tasks.apply_review_policy", [world.collection.pk])] if asks else [])
    assert ("the policy looks at the batches that wait" in page) == asks
    assert apply_policy(collection=world.collection, grace=timedelta(0)).finished == (1 if asks else 0)


def test_a_broker_that_is_away_costs_no_judgment_and_is_told(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any, caplog: Any
) -> None:
    def away(*given: Any, **how: Any) -> None:
        raise OSError("no broker")

    monkeypatch.setattr("annotation.states.current_app.send_task", away)
    world = with_policy(build_world(candidates=25))
    with django_capture_on_commit_callbacks(execute=True):
        grade_batch(world, world.batch, lambda rank: (4, 4))
    assert world.batch.status == "decided"
    assert "its review policy could not be queued" in caplog.text


def test_the_command_says_what_it_decided_and_what_it_needs() -> None:
    world = decided_world(4, 2)
    with pytest.raises(CommandError, match="has no policy"):
        call_command("decide_reviews", "paper")
    with_policy(world)
    with pytest.raises(CommandError, match="expected 0 or more"):
        call_command("decide_reviews", "paper", "--grace", "-1")
    said = StringIO()
    call_command("decide_reviews", "paper", "--grace", "0", stdout=said)
    assert said.getvalue() == "1 batches extended and 0 finished by the policy; 1 left to the lead.\n"


def test_automatic_decisions_are_listed_apart_with_the_policy(client_of: Any) -> None:
    world = with_policy(decided_world(4, 0, 2))
    apply_policy(collection=world.collection, grace=NOW)
    review_batch(member=world["ada"], batch_id=world.queries[2].batches.get().pk, decision="finish")
    ada = client_of(world["ada"].account)
    found = ada.get("/c/paper/review/decisions/?kind=automatic&format=json").json()
    assert [(row["decision"], row["by"]) for row in found["decisions"]] == [
        ("finish", "the policy"),
        ("extend", "the policy"),
    ]
    assert found["policy"] == {"extend_from": 2.5, "finish_to": 1.0}
    assert found["counts"] == {"standing": 3, "automatic": 2, "lead": 1, "taken_back": 0}


@pytest.mark.parametrize(
    ("mean", "decision"), [(4.0, "extend"), (2.5, "extend"), (2.4, None), (1.2, None), (1.0, "finish"), (None, None)]
)
def test_the_bounds_themselves_are_clear(mean: float | None, decision: str | None) -> None:
    assert decide_alone(mean, extend_from=2.5, finish_to=1.0) == decision
