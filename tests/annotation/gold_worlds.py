"""A collection that gives gold: six queries of six pairs, whose first three cy and di have judged to their end."""

from typing import Any

from django.utils.timezone import now

from annotation.gold.exam_gold import add_exam
from annotation.models import Exam, ExamItem, ExamSitting, GoldPair, Pair
from corpus.models import Moment
from foundation.models import Collection, Membership
from tests.annotation.judging_steps import judge, sit
from tests.conftest import World, build_world

KNOWN = (0, 1, 2, 3, 4, 2)
TRUTHS = (0, 1.5, 2, 3.5, 4, 2)
WHY = "Because Fafnirwhy."


def member(world: World, name: str = "bo") -> Membership:
    return Membership.objects.select_related("collection", "account").get(pk=world[name].pk)


def gold_world(*, share: float = 0.2, clips: bool = False, **settings: Any) -> World:
    """Bo has judged nothing. Each batch is given whole, so that each sitting has six pairs."""
    world = build_world(queries=6, candidates=6, clips=clips)
    first = [query.pk for query in world.queries[:3]]
    # Those that are to be gold come first.
    world.queries[0].batches.model.objects.filter(query__in=first).update(priority=1)
    sit(world["cy"], world["di"])
    for query in first:
        for place, pair in enumerate(Pair.objects.filter(batch__query=query).order_by("pk")):
            for name in ("cy", "di"):
                judge(world[name], pair, KNOWN[place], played=1.0)
        sit(world["cy"], world["di"])
    Collection.objects.filter(pk=world.collection.pk).update(gold_share=share, **settings)
    return world


def make_gold(world: World, *queries: int) -> list[GoldPair]:
    """All pairs of these queries, by their places, are gold of their grade."""
    pairs = Pair.objects.filter(batch__query__in=[world.queries[place].pk for place in queries], status="consensus")
    return GoldPair.objects.bulk_create(
        GoldPair(collection=world.collection, pair=pair, grade=pair.grade or 0, source="decided", added_by=world["ada"])
        for pair in pairs.order_by("pk")
    )


def make_exam_gold(world: World, *sitters: str) -> Exam:
    """An exam of six items, all of one query that nobody judges, which these people sat; its items are gold."""
    text, about = "A woman is examined.", world.queries[0].description
    number = world.collection.exams.count() + 1
    exam = Exam.objects.create(collection=world.collection, number=number, seed=1, opened_at=now(), frozen_at=now())
    ExamItem.objects.bulk_create(
        ExamItem(
            exam=exam, description=about, query=text, moment=moment, rank=rank, truth=truth, why="Because Fafnirwhy."
        )
        for rank, (moment, truth) in enumerate(zip(Moment.objects.order_by("pk")[:6], TRUTHS, strict=True), start=1)
    )
    for name in sitters:
        ExamSitting.objects.create(exam=exam, applicant=world[name])
    add_exam(lead=world["ada"], number=number)
    return exam
