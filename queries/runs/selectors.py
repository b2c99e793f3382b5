"""A collection's runs and its recipe's versions, as their pages show them."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from foundation.models import Collection
from queries.models import Candidate, PoolPlan, PoolRun
from queries.pooling.candidates import in_use


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run of the pool. `chosen`: pairs that it put into the pool; of these `open` are open for judging or judged."""

    run: int
    team: str
    system: str
    file_name: str
    sha256: str
    added_at: datetime
    by: str | None
    queries: int
    predictions: int
    kept: int
    videos: int
    chosen: int
    open: int


def runs_of(collection: Collection) -> list[RunRow]:
    """The collection's runs by team and system. Three SQL queries."""
    candidates = Candidate.objects.filter(query__collection=collection, source__run__isnull=False)
    chosen, opened = (
        dict(pairs.order_by().values_list("source__run").annotate(number=Count("pk")))
        for pairs in (candidates, in_use(candidates))
    )
    return [
        RunRow(
            run=run.pk,
            team=run.team,
            system=run.system,
            file_name=run.file_name,
            sha256=run.sha256,
            added_at=run.added_at,
            by=run.member.worker if run.member else None,
            queries=run.queries,
            predictions=run.predictions,
            kept=run.kept,
            videos=run.videos,
            chosen=chosen.get(run.pk, 0),
            open=opened.get(run.pk, 0),
        )
        for run in PoolRun.objects.filter(collection=collection).select_related("member").order_by("team", "system")
    ]


@dataclass(frozen=True, slots=True)
class PlanRow:
    """A version of the recipe; `chosen`: candidates that it chose."""

    version: int
    recipe: str
    iou: float
    least_grade: int
    by_itself: bool
    current: bool
    made_at: datetime
    by: str | None
    chosen: int


def plans_of(collection: Collection) -> list[PlanRow]:
    """The versions of the collection's recipe, newest first. One SQL query."""
    plans = PoolPlan.objects.filter(collection=collection).select_related("member")
    return [
        PlanRow(
            version=plan.version,
            recipe=plan.recipe,
            iou=plan.iou,
            least_grade=plan.least_grade,
            by_itself=plan.by_itself,
            current=plan.current,
            made_at=plan.made_at,
            by=plan.member.worker if plan.member else None,
            chosen=plan.number,
        )
        for plan in plans.annotate(number=Count("sources")).order_by("-version")
    ]
