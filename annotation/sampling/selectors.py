"""What of a design is drawn, open and judged, and how likely each unit was to be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet

from annotation.models import Batch, Pair, SampledUnit, SamplingDesign
from foundation.models import Collection
from queries.models import Query

_BEING_JUDGED = (Batch.Status.FIRST_ROUND, Batch.Status.SECOND_ROUND)
_JUDGED = (Pair.Status.CONSENSUS, Pair.Status.DISCARDED, Pair.Status.WITHDRAWN)


@dataclass(frozen=True, slots=True)
class StratumRow:
    """The strata of one name, all queries' together: of `size` units `drawn`, of these `open` and `judged`; the least
    and the greatest probability of a unit."""

    name: str
    size: int
    drawn: int
    open: int
    judged: int
    least: float
    greatest: float


@dataclass(frozen=True, slots=True)
class StageRow:
    """A draw of the design. `asked`: how many in all, or of each stratum; `drawn`: units that it drew."""

    number: int
    asked: list[int]
    drawn: int
    made_at: datetime
    by: str | None


@dataclass(frozen=True, slots=True)
class DesignFacts:
    """A design as pages and the API show it. `outside`: queries that came after it and are never opened by it; `begun`:
    something is open, so that it can only be extended."""

    unit: str
    strata: str
    bands: list[int]
    judge: str | None
    seed: int
    made_at: datetime
    by: str | None
    begun: bool
    outside: int
    size: int
    drawn: int
    open: int
    judged: int
    of_strata: list[StratumRow]
    stages: list[StageRow]


def design_facts(collection: Collection) -> DesignFacts | None:
    """The collection's design, None without one. A bounded number of SQL queries."""
    design = SamplingDesign.objects.filter(collection=collection).select_related("judge", "member").first()
    if design is None:
        return None
    rows = _strata(design)
    drawn = dict(design.units.filter(stage__isnull=False).order_by().values_list("stage").annotate(number=Count("pk")))
    stages = [
        StageRow(
            number=stage.number,
            asked=stage.asked,
            drawn=drawn.get(stage.number, 0),
            made_at=stage.made_at,
            by=stage.member.worker if stage.member else None,
        )
        for stage in design.stages.select_related("member").order_by("number")
    ]
    outside = Query.objects.filter(~Exists(design.units.filter(query=OuterRef("pk"))), collection=collection)
    return DesignFacts(
        unit=design.unit,
        strata=design.strata,
        bands=design.bands,
        judge=design.judge.name if design.judge else None,
        seed=design.seed,
        made_at=design.made_at,
        by=design.member.worker if design.member else None,
        begun=Batch.objects.filter(collection=collection).exists(),
        outside=outside.count(),
        size=sum(row.size for row in rows),
        drawn=sum(row.drawn for row in rows),
        open=sum(row.open for row in rows),
        judged=sum(row.judged for row in rows),
        of_strata=rows,
        stages=stages,
    )


def _strata(design: SamplingDesign) -> list[StratumRow]:
    units: QuerySet[SampledUnit] = design.units.all()
    if design.unit == SamplingDesign.Unit.PAIR:
        opened, judged = Q(candidate__pair__isnull=False), Q(candidate__pair__status__in=_JUDGED)
    else:
        batches = Batch.objects.filter(query=OuterRef("query"))
        opened = Q(Exists(batches))
        judged = opened & ~Q(Exists(batches.filter(status__in=_BEING_JUDGED)))
    rows = (
        units.order_by("stratum__place", "stratum__name")
        .values_list("stratum__place", "stratum__name")
        .annotate(
            size=Count("pk"),
            drawn=Count("pk", filter=Q(drawn_at__isnull=False)),
            open=Count("pk", filter=opened),
            judged=Count("pk", filter=judged),
            least=Min("probability"),
            greatest=Max("probability"),
        )
    )
    return [StratumRow(*row[1:]) for row in rows]
