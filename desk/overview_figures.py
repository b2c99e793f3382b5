"""The overview's slow figures, precomputed in large collections.

What changes each second, such as who is at work and what needs the lead, is read anew at each look: see selectors.py.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Q
from pydantic import TypeAdapter

from annotation.batches.opening import queries_to_judge, to_open
from annotation.batches.pools import pool_counts
from annotation.batches.transitions import design_of
from annotation.precomputed import Result, computed_or_ask
from corpus.models import Clip, Moment, clip_failed
from desk.backlog import Backlog, backlog
from desk.pace import Pace, pace
from desk.steps.states import MaterialCounts
from foundation.models import Collection
from queries.pooling.run_plans import run_plan
from queries.pooling.selectors import PoolChange, candidate_moments, pool_size, query_counts
from queries.rewriting.report import caption_counts

NAME = "overview"
STALE_AFTER = timedelta(seconds=15)
"""Three refreshes of an open page. At the paper's size, counting this often takes a few percent of one worker."""
AT_ONCE_BELOW = 2000
"""Up to this many judgments and descriptions, the page itself counts."""


@dataclass(frozen=True, slots=True)
class OverviewFigures:
    """The counted figures, and when they were counted."""

    material: MaterialCounts
    backlog: Backlog
    pace: Pace
    as_of: datetime


_FIGURES = TypeAdapter(OverviewFigures)


def overview_figures(collection: Collection) -> tuple[OverviewFigures | None, Result]:
    """The newest figures, None before a large collection's first count, and the result that they are read from. In a
    large collection a task computes them, and the page never waits."""
    result = computed_or_ask(collection=collection, name=NAME)
    if result.value is None:
        return None, result
    return _FIGURES.validate_python({**result.value, "as_of": result.as_of}), result


def count(collection: Collection) -> dict[str, Any]:
    """Compute `OverviewFigures` as JSON. A bounded number of SQL queries, each over a whole table."""
    material = count_material(collection)
    standing = backlog(collection, drawn=material.drawn - material.left_out)
    return {"material": material, "backlog": standing, "pace": pace(collection, standing)}


def count_material(collection: Collection) -> MaterialCounts:
    """Count the material. A bounded number of SQL queries, each over a whole table."""
    captions, queries = caption_counts(collection), query_counts(collection)
    by_runs = pool_counts(collection) if run_plan(collection) is not None else None
    by_design = design_of(collection) is not None
    moments = clips = failed = missing = 0
    videos = {"all": 0, "here": 0}
    change = pool_size(collection).change if queries.fetched else PoolChange()
    if collection.has_clips:
        made = Clip.objects.filter(moment__video__collection=collection)
        counts = made.aggregate(all=Count("pk"), failed=Count("pk", filter=clip_failed()))
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
        pending=captions.get("pending", 0),
        in_review=captions.get("review", 0),
        accepted=captions.get("accepted", 0),
        drawn=queries.drawn,
        ranked=queries.ranked,
        pool_new=change.added,
        pool_gone=change.gone,
        videos=videos["all"],
        videos_with_file=videos["here"],
        missing_clips=missing,
        topics=queries.topics,
        by_runs=by_runs is not None,
        unpooled=by_runs.stale if by_runs else 0,
        unopened_pairs=to_open(collection).count() if by_runs or by_design else 0,
        by_design=by_design,
        left_out=queries.drawn - queries_to_judge(collection).count() if by_design else 0,
    )
