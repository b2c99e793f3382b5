"""Machine judges with grades, and sampling designs, planted in the tiny collection."""

from typing import Any

from django.utils import timezone

from annotation.models import (
    MachineJudge,
    MachineJudgment,
    SampledUnit,
    SamplingDesign,
    SamplingStage,
    SamplingStratum,
)
from queries.models import Candidate, Query
from tests.datasets.conftest import World


def plant(world: World, name: str = "robot", grade: int | None = 4, **declared: Any) -> MachineJudge:
    """A judge that has graded every candidate alike; the very first it refused."""
    judge = MachineJudge.objects.create(
        collection=world.collection,
        name=name,
        **{"kind": "server", "model": "/srv/models/llava", "version": "v9", "family": "CLIP", **declared},
    )
    candidates = Candidate.objects.filter(query__collection=world.collection).order_by("query_id", "rank")
    MachineJudgment.objects.bulk_create(
        MachineJudgment(judge=judge, candidate=candidate, grade=grade, distribution=[0, 0, 0.125, 0.125, 0.75])
        if place
        else MachineJudgment(judge=judge, candidate=candidate, abstained="refused")
        for place, candidate in enumerate(candidates)
    )
    return judge


def draw_queries(world: World) -> SamplingDesign:
    """Half of all queries are drawn."""
    design = SamplingDesign.objects.create(collection=world.collection, unit="query", seed=3)
    SamplingStage.objects.create(design=design, number=1, asked=[2])
    stratum = SamplingStratum.objects.create(design=design, name="all", place=0, size=4, drawn=2)
    for place, query in enumerate(Query.objects.filter(collection=world.collection).order_by("pk")):
        _unit(design, stratum, query, None, place / 8, place < 2)
    return design


def draw_pairs(world: World) -> SamplingDesign:
    """Of each query's candidates those that have a pair are drawn."""
    design = SamplingDesign.objects.create(collection=world.collection, unit="pair", strata="rank", seed=3)
    SamplingStage.objects.create(design=design, number=1, asked=[3])
    for query in Query.objects.filter(collection=world.collection).order_by("pk"):
        candidates = list(query.candidates.order_by("rank"))
        opened = [hasattr(candidate, "pair") for candidate in candidates]
        stratum = SamplingStratum.objects.create(
            design=design, query=query, name="all ranks", place=0, size=len(candidates), drawn=sum(opened)
        )
        for place, (candidate, drawn) in enumerate(zip(candidates, opened, strict=True)):
            _unit(design, stratum, query, candidate, place / len(candidates), drawn)
    return design


def _unit(
    design: SamplingDesign,
    stratum: SamplingStratum,
    query: Query,
    candidate: Candidate | None,
    number: float,
    drawn: bool,
) -> None:
    SampledUnit.objects.create(
        design=design,
        stratum=stratum,
        query=query,
        candidate=candidate,
        number=number,
        probability=stratum.probability,
        stage=1 if drawn else None,
        drawn_at=timezone.now() if drawn else None,
    )
