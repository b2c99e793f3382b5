"""The overview's slow figures, precomputed in large collections.

What changes each second, such as who is at work and what needs the lead, is read anew at each look: see selectors.py.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q

from annotation.assignment.staffing import ENOUGH, Staffing
from annotation.batches.pools import pool_counts
from annotation.precomputed import computed_or_ask
from corpus.models import Clip, Moment, clip_failed
from desk.backlog import Backlog, backlog
from desk.forecast import Forecast, Work
from desk.pace import Day, Pace, pace
from foundation.models import Collection
from queries.pooling.run_plans import run_plan
from queries.pooling.selectors import PoolChange, candidate_moments, pool_size, query_counts
from queries.rewriting.report import caption_counts

NAME = "overview"
STALE_AFTER = timedelta(seconds=15)
"""Three looks of an open page: at the paper's size a count then takes a few percent of one worker."""
AT_ONCE_BELOW = 2000
"""Up to so many judgments and descriptions, the page counts by itself."""


@dataclass(frozen=True, slots=True)
class MaterialCounts:
    """Counts of the material for judging: videos, moments, clips, captions by status, queries. `drawn` are all of
    them, `topics` those that were written as queries."""

    moments: int
    clips: int
    failed_clips: int
    descriptions: int
    captions: dict[str, int]
    drawn: int
    ranked: int
    pool: int = 0
    """Captions that belong in the candidate pool; `pool_fetched` of them were in the last fetch, `pool_gone` others
    were and no longer belong there (0 where nothing was fetched yet)."""
    pool_fetched: int = 0
    pool_new: int = 0
    pool_gone: int = 0
    videos: int = 0
    videos_with_file: int = 0
    by_runs: bool = False
    """Whether a recipe of runs chooses the candidates; then `unpooled` queries aren't pooled by the runs and recipe of
    now, and `unopened_pairs` are chosen and not open."""
    unpooled: int = 0
    unopened_pairs: int = 0
    missing_clips: int = 0
    """Moments without a clip that are candidates, once there are any; else of all. Those that couldn't be cut aside."""
    topics: int = 0

    @property
    def pool_change(self) -> PoolChange:
        return PoolChange(added=self.pool_new, gone=self.pool_gone)


@dataclass(frozen=True, slots=True)
class OverviewFigures:
    """The counted figures, and when they were counted."""

    material: MaterialCounts
    backlog: Backlog
    pace: Pace
    as_of: datetime


@dataclass(frozen=True, slots=True)
class LatestFigures:
    """The newest figures, None before a large collection's first count; why the last try failed ("" if it didn't);
    and whether they were counted just now."""

    figures: OverviewFigures | None
    problem: str
    at_once: bool = False


def overview_figures(collection: Collection) -> LatestFigures:
    """The newest figures. In a large collection a task computes them, and the page never waits."""
    found = computed_or_ask(collection=collection, name=NAME)
    if found.value is None or found.as_of is None:
        return LatestFigures(None, found.problem)
    figures = OverviewFigures(
        material=MaterialCounts(**found.value["material"]),
        backlog=_backlog_from(found.value["backlog"]),
        pace=_pace_from(found.value["pace"]),
        as_of=found.as_of,
    )
    return LatestFigures(figures, found.problem, found.at_once)


def count(collection: Collection) -> dict[str, Any]:
    """Compute `OverviewFigures` as JSON. A bounded number of SQL queries, each over a whole table."""
    material = count_material(collection)
    standing = backlog(collection, drawn=material.drawn)
    return {"material": material, "backlog": standing, "pace": pace(collection, standing)}


def count_material(collection: Collection) -> MaterialCounts:
    """Count the material. A bounded number of SQL queries, each over a whole table."""
    captions, queries = caption_counts(collection), query_counts(collection)
    moments = clips = failed = missing = 0
    videos = {"all": 0, "here": 0}
    pool = pool_size(collection)
    change = pool.change if queries.fetched else PoolChange()
    if collection.has_clips:
        found = Clip.objects.filter(moment__video__collection=collection)
        counts = found.aggregate(all=Count("pk"), failed=Count("pk", filter=clip_failed()))
        clips, failed = counts["all"] - counts["failed"], counts["failed"]
        moments = Moment.objects.filter(video__collection=collection).count()
        videos = collection.videos.aggregate(all=Count("pk"), here=Count("pk", filter=~Q(path="")))
        missing = moments - counts["all"]
        if missing and queries.ranked:
            missing = candidate_moments(collection).filter(clip=None).count()
    return MaterialCounts(
        moments=moments,
        clips=clips,
        failed_clips=failed,
        descriptions=sum(captions.values()),
        captions=captions,
        drawn=queries.drawn,
        ranked=queries.ranked,
        pool=pool.captions,
        pool_fetched=pool.fetched,
        pool_new=change.added,
        pool_gone=change.gone,
        videos=videos["all"],
        videos_with_file=videos["here"],
        missing_clips=missing,
        topics=queries.topics,
        **_pool_by_runs(collection),
    )


def _pool_by_runs(collection: Collection) -> dict[str, Any]:
    if run_plan(collection) is None:
        return {}
    counts = pool_counts(collection)
    return {"by_runs": True, "unpooled": counts.stale, "unopened_pairs": counts.chosen}


def _backlog_from(value: dict[str, Any]) -> Backlog:
    people = Staffing(**value["staffing"]) if "staffing" in value else ENOUGH
    return Backlog(**{**value, "work": Work(**value["work"]), "staffing": people})


def _pace_from(value: dict[str, Any]) -> Pace:
    expected = value["forecast"]
    forecast = {
        **expected,
        "ends": None if expected["ends"] is None else date.fromisoformat(expected["ends"]),
        "cost": _money(expected["cost"]),
        "total": _money(expected["total"]),
    }
    return Pace(
        **{
            **value,
            "days": [Day(**{**day, "day": date.fromisoformat(day["day"])}) for day in value["days"]],
            "hours": Decimal(value["hours"]),
            "paid": _money(value["paid"]),
            "forecast": Forecast(**forecast),
        }
    )


def _money(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)
