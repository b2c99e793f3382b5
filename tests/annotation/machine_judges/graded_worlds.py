"""Worlds in which people have graded many pairs, and judges that have said something of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from annotation.machine_judges.judges import MachineGrade, declare_judge, store_judgments
from annotation.models import MachineJudge, Pair
from queries.models import Candidate, Query
from tests.conftest import World, build_world


def graded_world(*, queries: int = 12, candidates: int = 20) -> World:
    """People graded every pair: the more similar, the higher. Similarities are 1 / rank, but for a little noise."""
    world = build_world(queries=queries, candidates=candidates)
    noise = np.random.default_rng(5)
    for candidate in Candidate.objects.filter(query__collection=world.collection).order_by("pk"):
        likeness = float(np.clip(1 / candidate.rank + noise.normal(0, 0.02), -1, 1))
        Candidate.objects.filter(pk=candidate.pk).update(similarity=likeness)
        grade = int(np.clip(round(4 * likeness + noise.normal(0, 0.5)), 0, 4))
        Pair.objects.filter(candidate=candidate).update(status="consensus", grade=grade)
    Query.objects.filter(collection=world.collection).update(ranked_by="minilm@0123")
    return world


def judge_of(world: World, grade: Callable[[int, int], int | None], *, name: str = "clipper") -> MachineJudge:
    """A judge that says `grade(place, people's grade)` of every graded pair; None: it abstains."""
    judge = declare_judge(
        collection=world.collection, member=world["ada"], name=name, kind="file", model="ViT", family="CLIP"
    )
    pairs = Candidate.objects.filter(pair__batch__collection=world.collection, pair__grade__isnull=False)
    rows = pairs.order_by("pk").values_list("pk", "pair__grade")
    said = [(pk, grade(place, people)) for place, (pk, people) in enumerate(rows)]
    store_judgments(
        judge=judge, rows=[MachineGrade(pk, own, None, "" if own is not None else "other") for pk, own in said]
    )
    return judge
