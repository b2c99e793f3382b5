"""Data of the overview, read across the rooms."""

from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from typing import Any

from django.utils.translation import gettext

from annotation.studies.selectors import studies_of
from desk.attention import attention
from desk.backlog import Backlog, backlog, batch_states
from desk.models import RunToOpen
from desk.overview_figures import count_material, overview_figures
from desk.pace import AtWork, Pace, at_work
from desk.steps.needs import needs_of
from desk.steps.rules import steps_and_needs, without_action
from desk.steps.states import CollectionState, MaterialCounts, MaterialTotals, Need, Now, Step
from foundation.models import Collection, Purpose
from queries.pooling.selectors import PoolChange


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything on the overview page. Batches by state, needs and who is at work are of this moment; the rest was
    counted `as_of`, or is None (no steps) while a large collection is counted for the first time. `problem` says why
    no later count came ("" if none failed)."""

    batches: dict[str, int]
    needs: list[Need]
    at_work: list[AtWork]
    steps: list[Step]
    backlog: Backlog | None
    pace: Pace | None
    as_of: datetime | None
    problem: str
    run: RunToOpen | None = None
    """The newest run to open, unless it is done."""


def overview(collection: Collection) -> Overview:
    """The overview. A bounded number of SQL queries; in large collections the slow ones are precomputed."""
    figures, result = overview_figures(collection)
    archived = collection.archived_at is not None
    batches = figures.backlog.batches if figures is not None and result.at_once else batch_states(collection)
    standing = None if figures is None else replace(figures.backlog, batches=batches)
    counted = None if figures is None or standing is None else _counted(figures.material, standing)
    now, run = attention(collection)
    steps, needs = steps_and_needs(_facts(collection, batches, now, counted))
    if archived:
        steps, needs = [without_action(step) for step in steps], []
    pace = None if figures is None else figures.pace
    if archived and pace is not None:
        # Nobody goes on with it: no end, no further cost.
        pace = replace(pace, forecast=replace(pace.forecast, days=None, ends=None, cost=None, total=None))
    as_of = None if figures is None else figures.as_of
    return Overview(batches, needs, at_work(collection), steps, standing, pace, as_of, result.problem, run)


def steps_now(collection: Collection) -> list[Step]:
    """The steps as they stand at this moment, counted anew whatever the collection's size: for a worker."""
    material = count_material(collection)
    standing = backlog(collection, drawn=material.drawn - material.left_out)
    now, _ = attention(collection)
    return steps_and_needs(_facts(collection, standing.batches, now, _counted(material, standing)))[0]


def needs_now(collection: Collection, batches: dict[str, int]) -> list[Need]:
    """The needs of this moment, whatever the collection's size: those of jobs and of judging. As many SQL queries as
    `attention`."""
    now, _ = attention(collection)
    return needs_of(_facts(collection, batches, now, None))


def _facts(
    collection: Collection, batches: dict[str, int], now: Now, counted: MaterialTotals | None
) -> CollectionState:
    return CollectionState(
        has_clips=collection.has_clips,
        is_study=collection.is_study,
        batches=batches,
        counted=counted,
        **{field.name: getattr(now, field.name) for field in fields(now)},
    )


def _counted(material: MaterialCounts, standing: Backlog) -> MaterialTotals:
    pairs, change = standing.pairs, PoolChange(added=material.pool_new, gone=material.pool_gone)
    return MaterialTotals(
        **asdict(material),
        waiting_for_clip=standing.waiting_for_clip,
        pool_changes=change.count,
        pool_words=change.words,
        opened=standing.opened,
        pairs_open=pairs["open"],
        pairs_disputed=pairs["disputed"],
        pairs_decided=pairs["consensus"] + pairs["discarded"],
        judgments=standing.judgments,
        judgments_since_release=standing.since_release,
        lacking=standing.staffing.lacking,
        short=standing.staffing.short,
    )


def study_at_hand(collection: Collection) -> dict[str, Any] | None:
    """A study's collection, kind, description and agreement so far; None for other collections."""
    if collection.study_of is None:
        return None
    row = next((study for study in studies_of(collection.study_of) if study.name == collection.name), None)
    if row is None:
        return None
    pilot = collection.purpose == Purpose.PILOT
    sentence = gettext("This is a pilot: the top %(depth)s moments of each query (%(queries)s).")
    if row.at_random:
        sentence = gettext(
            "This is a depth study: the top %(depth)s moments and %(at_random)s at random of each query (%(queries)s)."
        )
    elif not pilot:
        sentence = gettext("This is a depth study: the top %(depth)s moments of each query (%(queries)s).")
    return {
        "of": collection.study_of.name,
        "kind": row.kind,
        "said": sentence % {"queries": f"{row.queries:,}", "depth": row.depth, "at_random": row.at_random},
        "agreement": row.agreement,
    }
