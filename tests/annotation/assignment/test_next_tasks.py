"""Seats: who gets work, who waits, and that a collection is never stuck."""

import contextlib
import random
import uuid
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.assignment.next_tasks import next_tasks
from annotation.assignment.priorities import assign_people, set_priority
from annotation.consensus import decide
from annotation.judging.judgments import give_judgment, take_back_last
from annotation.judging.progress import why_no_work
from annotation.models import Batch, Judgment, Pair, Seat
from annotation.review.decisions import review_batch
from annotation.review.selectors import review_queue
from corpus.models import Clip
from foundation.collections.lifecycle import change_role, remove_member
from foundation.models import Membership
from foundation.refused import Refused
from tests.annotation.judging_steps import graded
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


def test_two_sit_at_a_batch_and_a_third_waits(world: World) -> None:
    assert next_tasks(member=world["bo"])
    assert next_tasks(member=world["cy"])
    assert next_tasks(member=world["di"]) == []
    assert why_no_work(world["di"]).startswith("No work for you right now. New work")


def test_a_reload_keeps_the_seat_and_the_order(world: World) -> None:
    first = next_tasks(member=world["bo"])
    assert next_tasks(member=world["bo"]) == first
    assert Seat.objects.count() == 1


def test_silence_gives_the_place_to_somebody_else_and_the_judgments_stay(world: World) -> None:
    tasks = next_tasks(member=world["bo"])
    give_judgment(member=world["bo"], sent=graded(tasks[0].pair, 2))
    next_tasks(member=world["cy"])
    Seat.objects.filter(annotator=world["bo"]).update(expires_at=timezone.now() - timedelta(seconds=1))
    left = {task.pair for task in next_tasks(member=world["di"])}
    assert left == {task.pair for task in tasks[1:]}
    # Both places of what is left are taken now: bo's own are gone.
    assert next_tasks(member=world["bo"]) == []


def test_who_comes_back_in_time_takes_the_place_again(world: World) -> None:
    tasks = next_tasks(member=world["bo"])
    Seat.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert next_tasks(member=world["bo"]) == tasks
    assert Seat.objects.filter(ended_at__isnull=True).count() == 1


def test_a_query_is_finished_before_the_next_begins(db: None) -> None:
    world = build_world(queries=2)
    first = next_tasks(member=world["bo"])
    give_judgment(member=world["bo"], sent=graded(first[0].pair, 1))
    assert [task.query for task in next_tasks(member=world["bo"])] == [first[0].query] * 2 + [first[3].query] * 2
    assert first[3].query != first[0].query


def test_the_next_query_is_at_hand_before_this_one_is_done(db: None) -> None:
    world = build_world(queries=3, candidates=6)
    tasks = next_tasks(member=world["bo"])
    assert len(tasks) == 4 and Seat.objects.count() == 1
    for task in tasks[:3]:
        given = give_judgment(member=world["bo"], sent=graded(task.pair, 1))
    assert given.tasks is None, "three are left: the next seat has to be looked for"
    assert len({task.query for task in next_tasks(member=world["bo"])}) == 2
    assert Seat.objects.count() == 2


def test_second_rounds_come_before_new_queries(db: None) -> None:
    world = build_world(queries=2)
    for name, grade in (("bo", 0), ("cy", 4)):
        next_tasks(member=world[name])
        for pair in world.batch.pairs.all():
            give_judgment(member=world[name], sent=graded(pair.public_id, grade))
    assert {task.query for task in next_tasks(member=world["di"])} == {world.queries[0].text}


def test_a_pair_without_its_clip_is_sent_to_nobody_until_it_has_one(db: None) -> None:
    world = build_world(clips=True)
    missing = Clip.objects.order_by("pk").first()
    assert missing is not None
    Clip.objects.filter(pk=missing.pk).update(video_file="")
    sent = {task.clip for task in next_tasks(member=world["bo"])}
    assert missing.public_name not in sent and len(sent) == 2
    Clip.objects.filter(pk=missing.pk).update(video_file="clips/there.mp4")
    assert missing.public_name in {task.clip for task in next_tasks(member=world["bo"])}


@pytest.mark.parametrize(("queries", "candidates"), [(6, 6), (20, 20)])
def test_a_page_has_as_many_pairs_at_hand_as_it_asks_for(db: None, queries: int, candidates: int) -> None:
    """Of batches that are given whole and of those given in portions alike: their number tells nothing."""
    world = build_world(queries=queries, candidates=candidates)
    mine = [task.pair for task in next_tasks(member=world["bo"], ahead=26)]
    assert len(set(mine)) == 26
    assert [task.pair for task in next_tasks(member=world["bo"], ahead=26)] == mine, "a reload changes nothing"
    assert [task.pair for task in next_tasks(member=world["bo"])] == mine[:4]


def test_a_batch_of_missing_clips_blocks_nobody(db: None) -> None:
    world = build_world(clips=True)
    Clip.objects.update(video_file="")
    assert next_tasks(member=world["bo"]) == []
    assert not Seat.objects.exists()


def test_the_database_refuses_a_second_counted_judgment_of_a_pair_by_one_person(world: World) -> None:
    pair = world.batch.pairs.first()
    assert pair is not None
    for expected in (False, True):
        try:
            with transaction.atomic():
                Judgment.objects.create(pair=pair, annotator=world["bo"], grade=1, round=1, key=uuid.uuid4())
            refused = False
        except IntegrityError:
            refused = True
        assert refused is expected


@pytest.mark.parametrize("seed", range(4))
def test_four_annotators_bring_every_collection_to_its_end(db: None, seed: int) -> None:
    """Judging, undo, silence, late judgments and reviews in random order: two or four judgments a pair at the end."""
    dice = random.Random(seed)
    world = build_world(queries=3, candidates=24)
    people = [world[name] for name in ("bo", "cy", "di", "ed")]
    stale: list[tuple[str, str]] = []
    for _ in range(6000):
        if not Batch.objects.exclude(status__in=["finished", "extended"]).exists():
            break
        name = dice.choice(["bo", "cy", "di", "ed"])
        member, move = world[name], dice.random()
        if move < 0.05:
            Seat.objects.filter(annotator=member).update(expires_at=timezone.now() - timedelta(seconds=1))
        elif move < 0.1:
            with contextlib.suppress(Refused):
                take_back_last(member=member)
        elif move < 0.15 and stale:
            who, pair = dice.choice(stale)
            give_judgment(member=world[who], sent=graded(pair, dice.randrange(5)))
        else:
            tasks = next_tasks(member=member)
            stale += [(name, task.pair) for task in tasks[1:]]
            for task in tasks[:3]:
                grade = dice.choice([0, 1, 1, 2, 2, 3, 4])
                give_judgment(member=member, sent=graded(task.pair, grade))
        for batch in review_queue(world.collection):
            review_batch(member=world["ada"], batch_id=batch.pk, decision=dice.choice(["extend", "finish"]))
    else:
        pytest.fail(f"stuck with {why_no_work(people[0])}")
    for pair in Pair.objects.all():
        grades = list(pair.judgments.filter(counted=True).order_by("pk").values_list("grade", flat=True))
        judges = set(pair.judgments.filter(counted=True).values_list("annotator", flat=True))
        assert len(grades) == len(judges)
        assert len(grades) == (4 if decide(grades[:2]).status == "escalate" else 2)
        assert (pair.status, pair.grade) == (decide(grades).status, decide(grades).grade)


def test_work_is_found_behind_many_batches_whose_last_place_is_taken(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "annotation.assignment.open_batches.PAGES", ((2, 2, 2, 2), (2, 2, 2, 2), (None, None, None, None))
    )
    world = build_world(queries=4, candidates=1)
    for query, sitter in zip(world.queries[:3], ("bo", "cy", "di"), strict=True):
        batch = query.batches.get()
        pair = batch.pairs.get()
        Judgment.objects.create(pair=pair, annotator=world["flo"], grade=1, round=1, key=uuid.uuid4())
        soon = timezone.now() + timedelta(minutes=5)
        Seat.objects.create(batch=batch, annotator=world[sitter], pairs=[pair.pk], expires_at=soon)
    (task,) = next_tasks(member=world["ed"])
    assert Pair.objects.get(public_id=task.pair).batch.query == world.queries[3]


def test_a_query_goes_to_those_who_read_its_description_s_language(db: None) -> None:
    world = build_world(queries=2, candidates=2)
    german = world.queries[0]
    german.description.language = "de"
    german.description.save(update_fields=["language"])
    for name, languages in (("bo", ["en"]), ("cy", ["de"])):
        world[name].languages = languages
        world[name].save(update_fields=["languages"])
    assert {task.query for task in next_tasks(member=world["bo"])} == {world.queries[1].text}
    assert {task.query for task in next_tasks(member=world["cy"])} == {query.text for query in world.queries}


def test_the_lead_s_priorities_and_people_are_respected(db: None) -> None:
    world = build_world(queries=3, candidates=4)
    first, second, third = world.queries
    set_priority(query=third, priority=2)
    assign_people(query=first, rules={world["bo"].pk: "barred"})
    assign_people(query=second, rules={world["cy"].pk: "reserved"})
    assert [task.query for task in next_tasks(member=world["bo"])] == [third.text] * 4
    for task in next_tasks(member=world["bo"]):
        give_judgment(member=world["bo"], sent=graded(task.pair, 1))
    assert next_tasks(member=world["bo"]) == []
    while tasks := next_tasks(member=world["cy"]):
        for task in tasks:
            give_judgment(member=world["cy"], sent=graded(task.pair, 1))
    assert {pair.batch.query for pair in Pair.objects.filter(judgments__annotator=world["cy"])} == {
        first,
        second,
        third,
    }
    # The second is reserved, and the third is done.
    assert {task.query for task in next_tasks(member=world["di"])} == {first.text}


def test_who_is_removed_or_made_a_lead_leaves_their_seats_to_others_at_once(world: World) -> None:
    Membership.objects.filter(pk=world["ada"].pk).update(role="owner")
    for person in ("bo", "cy"):
        assert next_tasks(member=world[person])
    assert next_tasks(member=world["di"]) == [], "both places are taken"
    remove_member(member=world["ada"], other_id=world["bo"].pk)
    assert next_tasks(member=world["di"])
    change_role(member=world["ada"], other_id=world["cy"].pk, role="lead")
    assert next_tasks(member=world["ed"])
    seats = Seat.objects.order_by("pk").values_list("annotator__worker", "ended_at")
    assert [(worker, ended is None) for worker, ended in seats] == [
        (world["bo"].worker, False),
        (world["cy"].worker, False),
        (world["di"].worker, True),
        (world["ed"].worker, True),
    ]


def test_a_judgment_brings_what_asking_anew_would_bring(db: None) -> None:
    world = build_world(queries=6, candidates=20)
    tasks, brought = next_tasks(member=world["bo"]), 0
    for _ in range(30):
        given = give_judgment(member=world["bo"], sent=graded(tasks[0].pair, 2))
        tasks = next_tasks(member=world["bo"])
        if given.tasks is not None:
            brought += 1
            assert given.tasks == tasks
    assert brought > 20
    Seat.objects.filter(pk=Seat.objects.filter(ended_at=None).latest("pk").pk).update(
        expires_at=timezone.now() - timedelta(seconds=1)
    )
    given = give_judgment(member=world["bo"], sent=graded(tasks[0].pair, 2))
    assert given.tasks is None, "a seat expired: who sits where has to be looked up"
