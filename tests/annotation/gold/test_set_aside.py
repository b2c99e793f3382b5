"""Judgments since the last good gold are opened again by one decision, within the rules of pairs and batches."""

import json
from datetime import date
from typing import Any

import pytest

from annotation.assignment.next_tasks import next_tasks
from annotation.gold.set_aside import judgments_since, set_aside, withdraw_set_aside
from annotation.judging.judgments import give_judgment
from annotation.judging.progress import own_progress
from annotation.models import Assignment, GoldPair, Judgment, Pair, Repeat, Review, SetAside
from annotation.people.timesheet import work_days
from annotation.review.adjudication import adjudicate_pair
from annotation.review.decisions import review_batch
from foundation.models import Collection, Membership, WebhookEvent
from foundation.refused import Refused
from foundation.webhooks.services import make_webhook
from tests.annotation.judging_steps import graded, judge, sit
from tests.conftest import World, build_world


@pytest.fixture
def world(db: None) -> World:
    """Two queries of three pairs: the first is judged by bo and cy and finished, of the second bo has judged two."""
    made = build_world(queries=2, candidates=3)
    sit(made["bo"], made["cy"])
    for pair in pairs(made, 0):
        judge(made["bo"], pair, 2)
        judge(made["cy"], pair, 2)
    sit(made["bo"])
    for pair in pairs(made, 1)[:2]:
        judge(made["bo"], pair, 2)
    return made


def pairs(world: World, place: int) -> list[Pair]:
    return list(Pair.objects.filter(batch__query=world.queries[place]).order_by("pk"))


def member(world: World, name: str) -> Membership:
    return Membership.objects.select_related("collection").get(pk=world[name].pk)


def decide(world: World, seen: int, **more: Any) -> SetAside:
    asked = {"lead": world["ada"], "member_id": world["bo"].pk, "since": None, "reason": "Gold missed.", **more}
    return set_aside(seen=seen, **asked)


def statuses(world: World, place: int) -> list[str]:
    return [pair.status for pair in pairs(world, place)] + [world.queries[place].batches.get().status]


def test_judgments_of_batches_that_go_on_and_of_finished_ones_are_told_apart(world: World) -> None:
    found = judgments_since(member(world, "bo"), None)
    assert (len(found.going_on), len(found.finished), found.stay) == (2, 3, 0)
    latest = Judgment.objects.filter(annotator=world["bo"]).latest("given_at")
    before = Judgment.objects.filter(annotator=world["bo"], pk__lt=latest.pk).latest("given_at")
    assert [pk for pk, _, _ in judgments_since(member(world, "bo"), before.given_at).going_on] == [latest.pk]


def test_by_itself_only_what_goes_on_is_opened_and_others_get_it(world: World) -> None:
    decision = decide(world, 2)
    assert statuses(world, 0) == ["consensus"] * 3 + ["finished"]
    assert len(decision.judgments) == 2
    assert set(Judgment.objects.filter(pk__in=decision.judgments).values_list("uncounted_because", flat=True)) == {
        "set-aside"
    }
    assert {task.pair for task in next_tasks(member=member(world, "bo"))} == set(), "not who judged it"
    assert len(next_tasks(member=member(world, "cy"))) == 3
    for name in ("cy", "di"):
        sit(world[name])
        for pair in pairs(world, 1):
            assert judge(member(world, name), pair, 3).outcome == "counted"
    assert statuses(world, 1) == ["consensus"] * 3 + ["finished"]


def test_of_finished_batches_too_if_the_lead_says_so(world: World) -> None:
    decide(world, 5, finished=True)
    assert statuses(world, 0) == ["open"] * 3 + ["first"]
    sit(world["di"])
    for pair in pairs(world, 0):
        judge(member(world, "di"), pair, 3)
    assert statuses(world, 0) == ["consensus"] * 3 + ["finished"] and pairs(world, 0)[0].grade == 3


def test_a_review_that_finished_is_taken_back_and_kept_and_one_that_extended_stands(db: None) -> None:
    world = build_world(queries=1, candidates=40)
    batch = world.batch
    sit(world["bo"], world["cy"])
    while any(pair.status == "open" for pair in batch.pairs.all()):
        sit(world["bo"], world["cy"])
        for name in ("bo", "cy"):
            for pair in batch.pairs.filter(batch__seats__annotator=world[name]).exclude(
                judgments__annotator=world[name]
            ):
                judge(member(world, name), pair, 2)
    review = review_batch(member=world["ada"], batch_id=batch.pk, decision="finish")
    decide(world, 20, finished=True)
    assert not Review.objects.exists() and batch.former_reviews.get().review == review.pk
    batch.refresh_from_db()
    assert batch.status == "first"
    withdraw_set_aside(lead=world["ada"], set_aside_id=SetAside.objects.get().pk)
    batch.refresh_from_db()
    assert batch.status == "decided", "the lead looks again"
    review_batch(member=world["ada"], batch_id=batch.pk, decision="extend")
    assert judgments_since(member(world, "bo"), None).stay == 20


def test_withdrawn_adjudicated_and_gold_pairs_stay(world: World) -> None:
    one, other, third = pairs(world, 0)
    Pair.objects.filter(pk=one.pk).update(status="discarded", grade=None)
    adjudicate_pair(member=world["ada"], pair_id=one.pk, grade=4, reason="He waves.")
    Pair.objects.filter(pk=other.pk).update(status="withdrawn", grade=None)
    gold = GoldPair.objects.create(
        collection=world.collection, pair=third, grade=2, source="decided", added_by=world["ada"]
    )
    Repeat.objects.create(pair=third, annotator=world["ed"], gold=gold)
    found = judgments_since(member(world, "bo"), None)
    assert (len(found.going_on), len(found.finished), found.stay) == (2, 0, 3)


def test_pay_and_what_the_person_is_told_stay_and_what_comes_later_counts_for_nothing(world: World) -> None:
    bo = member(world, "bo")
    told = own_progress(bo)["today"]
    paid = work_days(world.collection, first=date.today(), last=date.today(), member=bo)[0]
    decide(world, 2)
    assert own_progress(member(world, "bo"))["today"] == told
    after = work_days(world.collection, first=date.today(), last=date.today(), member=bo)[0]
    assert (after.judgments, after.active) == (paid.judgments, pytest.approx(paid.active))
    pair = pairs(world, 1)[0]
    late = give_judgment(member=member(world, "bo"), sent=graded(pair.public_id, 4))
    assert late.message(world.collection) == "", "as of a tab that was offline"
    assert not pair.judgments.filter(counted=True).exists()


def test_it_can_be_withdrawn_where_nobody_has_judged_since(world: World) -> None:
    decision = decide(world, 5, finished=True)
    sit(world["di"])
    judge(member(world, "di"), pairs(world, 0)[0], 0)
    assert Assignment.objects.filter(annotator=world["bo"], rule="barred").count() == 2
    made = withdraw_set_aside(lead=world["ada"], set_aside_id=decision.pk)
    assert made.restored == 4 and made.withdrawn_by_id == world["ada"].pk
    assert [pair.judgments.filter(counted=True, annotator=world["bo"]).exists() for pair in pairs(world, 0)] == [
        False,
        True,
        True,
    ]
    assert Assignment.objects.get(annotator=world["bo"]).query_id == world.queries[0].pk
    assert withdraw_set_aside(lead=world["ada"], set_aside_id=decision.pk).restored == 4, "again changes nothing"


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"reason": "  "}, "Give a reason"),
        ({"seen": 3}, "number has changed"),
        ({"seen": 0}, "number has changed"),
        ({"member_id": 10**9}, "no such annotator"),
    ],
)
def test_what_is_refused_changes_nothing(world: World, more: dict[str, Any], why: str) -> None:
    with pytest.raises(Refused, match=why):
        decide(world, **{"seen": 2, **more})
    assert not SetAside.objects.exists() and not Judgment.objects.filter(counted=False).exists()


def test_another_collection_s_lead_and_an_archived_one_decide_nothing(world: World) -> None:
    other = build_world(name="other")
    decision = decide(world, 2)
    with pytest.raises(Refused, match="no such annotator"):
        set_aside(lead=other["ada"], member_id=world["bo"].pk, since=None, reason="Why?", seen=2)
    with pytest.raises(Refused, match="no such decision"):
        withdraw_set_aside(lead=other["ada"], set_aside_id=decision.pk)
    Collection.objects.filter(pk=world.collection.pk).update(archived_at=decision.decided_at)
    with pytest.raises(Refused, match="archived"):
        decide(world, 3, finished=True)


def test_many_pairs_take_no_more_statements_than_few_and_one_event_tells_of_all(
    db: None, django_assert_max_num_queries: Any
) -> None:
    world = build_world(queries=1, candidates=20)
    while Pair.objects.exclude(status="consensus").exists():
        for name in ("bo", "cy"):
            for task in next_tasks(member=member(world, name)):
                give_judgment(member=member(world, name), sent=graded(task.pair, 2))
    hook = make_webhook(
        account=world["ada"].account, collection=world.collection, address="https://9.9.9.9/", kinds=["batch.decided"]
    ).row
    before = WebhookEvent.objects.count()
    with django_assert_max_num_queries(60):
        decision = decide(world, 20, finished=True)
        withdraw_set_aside(lead=world["ada"], set_aside_id=decision.pk)
    (event,) = WebhookEvent.objects.filter(webhook=hook)[before:]
    told = {"query": world.queries[0].pk, "batch": 1, "status": "finished"}
    assert json.loads(event.body)["data"] == {"many": [told]}
