"""Judgments and what follows from them: the rows of annotation/batches/states.md."""

import uuid
from datetime import timedelta

import pytest
from django.db import IntegrityError
from django.utils import timezone
from pydantic import ValidationError

from annotation.assignment.next_tasks import next_tasks
from annotation.batches.opening import open_annotation
from annotation.judging.judgments import give_judgment, take_back_last
from annotation.models import Batch, Judgment, Pair, Seat
from annotation.review.decisions import postpone_review, review_batch
from annotation.review.selectors import review_queue
from foundation.models import Membership
from foundation.refused import Refused
from tests.annotation.judging_steps import graded, judge, sit
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


def pairs(world: World) -> list[Pair]:
    return list(world.batch.pairs.order_by("candidate__rank"))


def judge_all(world: World, first: Membership, second: Membership, grades: list[tuple[int, int]]) -> None:
    sit(first, second)
    for pair, (one, other) in zip(pairs(world), grades, strict=True):
        judge(first, pair, one)
        judge(second, pair, other)


def test_two_who_agree_give_a_grade(world: World) -> None:
    sit(world["bo"], world["cy"])
    pair = pairs(world)[0]
    judge(world["bo"], pair, 2)
    pair.refresh_from_db()
    assert pair.status == "open"
    judge(world["cy"], pair, 3)
    pair.refresh_from_db()
    assert (pair.status, pair.grade) == ("consensus", 3)


def test_two_who_differ_leave_a_dispute_for_two_others(world: World) -> None:
    judge_all(world, world["bo"], world["cy"], [(0, 4), (2, 2), (1, 1)])
    assert world.batch.status == "second"
    assert not next_tasks(member=world["bo"]) and not next_tasks(member=world["cy"])
    disputed = pairs(world)[0]
    for name, grade in (("di", 1), ("ed", 1)):
        (task,) = next_tasks(member=world[name])
        assert task.pair == str(disputed.public_id)
        judge(world[name], disputed, grade)
    disputed.refresh_from_db()
    assert (disputed.status, disputed.grade) == ("consensus", 1)
    assert [judgment.round for judgment in disputed.judgments.order_by("pk")] == [1, 1, 2, 2]


def test_four_who_differ_discard_the_pair_and_its_judgments_stay(world: World) -> None:
    judge_all(world, world["bo"], world["cy"], [(0, 4), (2, 2), (1, 1)])
    sit(world["di"], world["ed"])
    disputed = pairs(world)[0]
    judge(world["di"], disputed, 0)
    judge(world["ed"], disputed, 4)
    disputed.refresh_from_db()
    assert (disputed.status, disputed.grade) == ("discarded", None)
    assert disputed.judgments.filter(counted=True).count() == 4


def test_the_same_key_again_is_the_same_judgment(world: World) -> None:
    sit(world["bo"])
    key, pair = uuid.uuid4(), pairs(world)[0]
    first, again = judge(world["bo"], pair, 2, key=key), judge(world["bo"], pair, 2, key=key)
    assert (first.outcome, again.outcome) == ("counted", "already")
    assert Judgment.objects.count() == 1


def test_a_second_grade_by_the_same_person_changes_nothing(world: World) -> None:
    sit(world["bo"])
    pair = pairs(world)[0]
    judge(world["bo"], pair, 2)
    again = judge(world["bo"], pair, 4)
    assert (again.outcome, again.stands) == ("second", 2)
    assert [judgment.grade for judgment in Judgment.objects.filter(counted=True)] == [2]


def test_who_never_sat_there_may_not_judge(world: World) -> None:
    with pytest.raises(Refused, match="isn't yours"):
        judge(world["bo"], pairs(world)[0], 2)


def test_a_pair_of_another_collection_may_not_be_judged(world: World) -> None:
    other = build_world(name="other")
    sit(world["bo"])
    with pytest.raises(Refused, match="isn't yours"):
        judge(world["bo"], pairs(other)[0], 2)


@pytest.mark.parametrize("grade", [-1, 5])
def test_a_grade_outside_0_to_4_is_no_judgment(world: World, grade: int) -> None:
    sit(world["bo"])
    # What no scale has is no request, and what this one hasn't is refused.
    with pytest.raises((ValidationError, Refused), match="grade"):
        judge(world["bo"], pairs(world)[0], grade)
    assert not Judgment.objects.exists()


def test_a_grade_above_the_collections_highest_is_refused(world: World) -> None:
    sit(world["bo"])
    world["bo"].collection.top_grade = 3
    with pytest.raises(Refused, match="0 to 3"):
        judge(world["bo"], pairs(world)[0], 4)
    assert not Judgment.objects.exists()


@pytest.mark.parametrize(("played", "taken"), [(None, False), (0.79, False), (0.8, True), (1.0, True)])
def test_with_clips_enough_has_to_be_seen(db: None, played: float | None, taken: bool) -> None:
    world = build_world(clips=True)
    sit(world["bo"])
    pair = pairs(world)[0]
    send = {"member": world["bo"], "sent": graded(pair.public_id, 2, played=played)}
    if taken:
        assert give_judgment(**send).outcome == "counted"
    else:
        with pytest.raises(Refused, match="80%"):
            give_judgment(**send)
        assert not Judgment.objects.exists()


def test_a_judgment_that_comes_too_late_is_kept_uncounted(world: World) -> None:
    sit(world["bo"])
    Seat.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    judge_all(world, world["cy"], world["di"], [(1, 1)] * 3)
    late = judge(world["bo"], pairs(world)[0], 4)
    assert late.outcome == "late"
    kept = Judgment.objects.get(annotator=world["bo"])
    assert (kept.counted, kept.uncounted_because) == (False, "late")
    pair = pairs(world)[0]
    assert (pair.status, pair.grade) == ("consensus", 1)


def test_a_late_judgment_counts_where_one_is_still_lacking(world: World) -> None:
    sit(world["bo"])
    Seat.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert judge(world["bo"], pairs(world)[0], 4).outcome == "counted"


class TestTakingBack:
    def test_it_reopens_what_the_judgment_had_decided(self, world: World) -> None:
        judge_all(world, world["bo"], world["cy"], [(2, 2)] * 3)
        assert world.batch.status == "decided" or world.batch.status == "finished"
        back = take_back_last(member=world["cy"])
        assert (back.counted, back.uncounted_because) == (False, "taken-back")
        pair = pairs(world)[2]
        assert (pair.status, pair.grade, world.batch.status) == ("open", None, "first")
        (task,) = next_tasks(member=world["cy"])
        assert task.pair == str(pair.public_id)
        assert judge(world["cy"], pair, 3).outcome == "counted"
        assert [one.grade for one in pair.judgments.filter(counted=True).order_by("pk")] == [2, 3]

    def test_it_ends_a_dispute_that_the_judgment_had_opened(self, world: World) -> None:
        judge_all(world, world["bo"], world["cy"], [(2, 2), (2, 2), (0, 4)])
        assert world.batch.status == "second"
        take_back_last(member=world["cy"])
        assert (pairs(world)[2].status, world.batch.status) == ("open", "first")

    def test_it_is_closed_once_somebody_else_has_judged_the_pair(self, world: World) -> None:
        sit(world["bo"], world["cy"])
        judge(world["bo"], pairs(world)[0], 2)
        judge(world["cy"], pairs(world)[0], 2)
        with pytest.raises(Refused, match="somebody else"):
            take_back_last(member=world["bo"])

    def test_it_is_closed_once_the_batch_is_reviewed(self, db: None) -> None:
        world = build_world(candidates=25)
        judge_all(world, world["bo"], world["cy"], [(2, 2)] * 20)
        review_batch(member=world["ada"], batch_id=world.batch.pk, decision="finish")
        with pytest.raises(Refused, match="reviewed"):
            take_back_last(member=world["cy"])

    def test_without_a_judgment_there_is_nothing_to_take_back(self, world: World) -> None:
        with pytest.raises(Refused, match="nothing"):
            take_back_last(member=world["bo"])

    def test_twice_takes_back_two(self, world: World) -> None:
        sit(world["bo"])
        for pair in pairs(world)[:2]:
            judge(world["bo"], pair, 1)
        take_back_last(member=world["bo"])
        take_back_last(member=world["bo"])
        assert not Judgment.objects.filter(counted=True).exists()


class TestReview:
    @pytest.fixture
    def decided(self, db: None) -> World:
        world = build_world(candidates=25)
        judge_all(world, world["bo"], world["cy"], [(4, 4)] * 20)
        assert world.batch.status == "decided"
        return world

    def test_extending_opens_the_second_batch_with_the_next_ranks(self, decided: World) -> None:
        review = review_batch(member=decided["ada"], batch_id=decided.batch.pk, decision="extend")
        assert (review.mean, review.threshold, review.decided_by) == (4.0, 2.5, decided["ada"])
        second = Batch.objects.get(number=2)
        assert [pair.candidate.rank for pair in second.pairs.order_by("candidate__rank")] == [21, 22, 23, 24, 25]
        assert (decided.batch.status, second.status) == ("extended", "first")

    def test_finishing_ends_the_query(self, decided: World) -> None:
        review_batch(member=decided["ada"], batch_id=decided.batch.pk, decision="finish")
        assert decided.batch.status == "finished"
        assert not Batch.objects.filter(number=2).exists()

    def test_the_same_decision_twice_is_one(self, decided: World) -> None:
        first = review_batch(member=decided["ada"], batch_id=decided.batch.pk, decision="extend")
        assert review_batch(member=decided["ada"], batch_id=decided.batch.pk, decision="extend") == first
        assert Batch.objects.count() == 2

    def test_the_other_decision_afterwards_is_refused(self, decided: World) -> None:
        review_batch(member=decided["ada"], batch_id=decided.batch.pk, decision="finish")
        with pytest.raises(Refused, match="finish"):
            review_batch(member=decided["ada"], batch_id=decided.batch.pk, decision="extend")

    def test_an_undecided_batch_is_not_reviewed(self, world: World) -> None:
        with pytest.raises(Refused, match="first round"):
            review_batch(member=world["ada"], batch_id=world.batch.pk, decision="finish")

    def test_an_unknown_decision_is_refused(self, decided: World) -> None:
        with pytest.raises(Refused, match="extend or finish"):
            review_batch(member=decided["ada"], batch_id=decided.batch.pk, decision="burn")

    def test_another_collections_batch_is_refused(self, decided: World) -> None:
        other = build_world(name="other")
        with pytest.raises(Refused, match="no such batch"):
            review_batch(member=other["ada"], batch_id=decided.batch.pk, decision="finish")

    def test_the_last_batch_is_finished_by_its_last_judgment(self, decided: World) -> None:
        review_batch(member=decided["ada"], batch_id=decided.batch.pk, decision="extend")
        second = Batch.objects.get(number=2)
        sit(decided["di"], decided["ed"])
        for pair in second.pairs.all():
            judge(decided["di"], pair, 1)
            judge(decided["ed"], pair, 1)
        second.refresh_from_db()
        assert second.status == "finished"

    def test_later_moves_a_batch_to_the_end_of_the_queue(self, db: None) -> None:
        world = build_world(queries=2, candidates=25)
        for query in world.queries:
            batch = query.batches.get()
            Batch.objects.filter(pk=batch.pk).update(status="decided")
        first, second = review_queue(world.collection)
        postpone_review(member=world["ada"], batch_id=first.pk)
        assert list(review_queue(world.collection)) == [second, first]


def test_opening_again_opens_only_what_is_new(world: World) -> None:
    again = open_annotation(collection=world.collection)
    assert (again.batches, again.open_before) == (0, 1)


class TestTheHistoryIsAppendOnly:
    def test_given_undone_and_given_again_are_all_there(self, world: World) -> None:
        Membership.objects.filter(pk=world["bo"].pk).update(guideline_confirmed=3)
        bo = Membership.objects.select_related("collection").get(pk=world["bo"].pk)
        sit(bo)
        pair = pairs(world)[0]
        judge(bo, pair, 1)
        take_back_last(member=bo)
        judge(bo, pair, 4)
        rows = pair.judgments.order_by("pk").values_list("grade", "counted", "uncounted_because", "guideline")
        assert list(rows) == [(1, False, "taken-back", 3), (4, True, "", 3)]
        assert Judgment.objects.filter(taken_back_at__isnull=False, given_at__isnull=False).count() == 1

    @pytest.mark.parametrize(
        "change", [{"grade": 3}, {"guideline": 9}, {"round": 2}, {"counted": True, "uncounted_because": ""}], ids=repr
    )
    def test_the_database_refuses_a_change(self, world: World, change: dict[str, object]) -> None:
        sit(world["bo"])
        judge(world["bo"], pairs(world)[0], 1)
        take_back_last(member=world["bo"])
        with pytest.raises(IntegrityError, match="only taken back"):
            Judgment.objects.update(**change)

    def test_the_database_refuses_a_deletion(self, world: World) -> None:
        sit(world["bo"])
        judge(world["bo"], pairs(world)[0], 1)
        with pytest.raises(IntegrityError, match="append-only"):
            Judgment.objects.all().delete()


def test_a_judgment_renews_a_seat_however_short_seats_are() -> None:
    world = build_world(candidates=5)
    for minutes, left in ((0.5, 10), (30, 60)):
        world.collection.seat_minutes = minutes
        world.collection.save()
        bo = Membership.objects.select_related("collection").get(pk=world["bo"].pk)
        task = next_tasks(member=bo)[0]
        until = timezone.now() + timedelta(seconds=left)
        Seat.objects.update(expires_at=until)
        give_judgment(member=bo, sent=graded(task.pair, 3))
        assert Seat.objects.get(ended_at=None).expires_at > until


def test_a_seat_that_was_renewed_within_the_minute_is_not_written_again() -> None:
    world = build_world(candidates=5)
    world.collection.seat_minutes = 30
    world.collection.save()
    bo = Membership.objects.select_related("collection").get(pk=world["bo"].pk)
    task = next_tasks(member=bo)[0]
    until = timezone.now() + timedelta(minutes=29.5)
    Seat.objects.update(expires_at=until)
    give_judgment(member=bo, sent=graded(task.pair, 3))
    assert Seat.objects.get(ended_at=None).expires_at == until
