"""Batches that are decided, by judgments that are simply there: what tests of the review stand on."""

import uuid
from collections.abc import Callable
from functools import partial

from annotation.batches.transitions import rule_of, settle_batch
from annotation.consensus import state_of
from annotation.models import Batch, Judgment, Pair
from tests.conftest import World, build_world

DISCARDED = (0, 4, 1, 3)
"""Discarded by the paper's rule."""


def grade_batch(world: World, batch: Batch, grades: Callable[[int], tuple[int, ...]]) -> None:
    """Judge a whole batch: `grades(rank)` are two grades at most 1 apart, or four."""
    people = [world[name] for name in ("bo", "cy", "di", "ed")]
    given = []
    for pair in batch.pairs.select_related("candidate"):
        raw = grades(pair.candidate.rank)
        given += [
            Judgment(pair=pair, annotator=people[number], grade=grade, round=1 + number // 2, key=uuid.uuid4())
            for number, grade in enumerate(raw)
        ]
        status, grade = state_of(raw, rule_of(world.collection))
        Pair.objects.filter(pk=pair.pk).update(status=status, grade=grade, version=len(raw))
    Judgment.objects.bulk_create(given)
    settle_batch(batch.pk)


def _alike(level: int, rank: int) -> tuple[int, int]:
    return level, level


def decided_world(*levels: int, candidates: int = 25, name: str = "paper") -> World:
    """A query for each of these grades, its first batch of twenty decided with that grade everywhere."""
    world = build_world(queries=len(levels), candidates=candidates, name=name)
    for query, level in zip(world.queries, levels, strict=True):
        grade_batch(world, query.batches.get(number=1), partial(_alike, level))
    return world
