"""What people and a machine judge say of a split's queries, as ground truths that the engine takes.

The machine's has every query of the split that has candidates. The intervals hold for any machine, but only if its
grades don't depend on which queries people judged: so it counts down to the deepest rank to which it has answered for
every pair of every query. Where it abstained the pair is left unjudged in its truth, in whichever query that is.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import FilteredRelation, Q
from django.utils.translation import gettext as _

from annotation.models import MachineJudge, SampledUnit, SamplingDesign
from datasets.models import Release
from evaluation.moments.ground_truth import GroundTruth, JudgedMoment
from evaluation.moments.run import Run
from foundation.models import Collection
from foundation.refused import Refused
from queries.models import Candidate, Draw, Query
from queries.pooling.query_columns import query_source_id
from queries.pooling.run_plans import run_plan
from queries.runs.plans import is_adaptive

AT_ONCE = 5_000
BY_CHANCE = 0.001
"""A run that answers queries which people judged more often, or less often, than the rest with less than this
probability by chance was made for these."""


@dataclass(frozen=True, slots=True)
class MachineTruth:
    """A judge's grades. `depth`: down to which rank they count; None: all do. `pairs` have a grade, on `abstained` the
    judge said that it can't tell, `deeper` have an answer that doesn't count."""

    truth: GroundTruth
    depth: int | None
    pairs: int
    abstained: int
    deeper: int


def machine_truth(release: Release, split: str, judge: MachineJudge) -> MachineTruth:
    """The judge's grades of all queries of the split that have candidates.

    Raises: Refused if there is no such query, or one whose first pair the judge has never answered for.
    """
    of_judge = FilteredRelation("machine_judgments", condition=Q(machine_judgments__judge=judge))
    candidates = Candidate.objects.filter(query__collection=release.collection_id, query__split=split)
    columns = (query_source_id("query__"), "moment__video__name", "moment__start", "moment__end", "rank")
    rows = (
        candidates.annotate(said=of_judge)
        .order_by("query__position", "rank")
        .values_list(*columns, "said__grade", "said__abstained")
    )
    limit, unanswered = _first_batch(release.collection), ""
    answers: dict[str, list[tuple[int, JudgedMoment | None]]] = {}
    for query_id, video, start, end, rank, grade, abstained in rows.iterator(AT_ONCE):
        own = answers.setdefault(query_id, [])
        if abstained is not None:
            own.append((rank, None if grade is None else JudgedMoment(video, start, end, grade)))
        elif limit is None or rank <= limit:  # it was never asked, or hasn't answered yet
            unanswered, limit = query_id, rank - 1
    if not answers:
        raise Refused(
            _("No query of %(split)s has candidates, so there is nothing that a machine could judge.")
            % {"split": split}
        )
    if limit == 0:
        raise Refused(
            _(
                "%(judge)s has said nothing of the first pair of query %(query)s: have it judge all queries of "
                "%(split)s, those too that people haven't judged. Where it can't tell, it says so; that counts as an "
                "answer."
            )
            % {"judge": judge.name, "query": repr(unanswered), "split": split}
        )
    counted = {
        query_id: [moment for rank, moment in own if limit is None or rank <= limit]
        for query_id, own in answers.items()
    }
    truth = GroundTruth.of(
        ((query_id, [moment for moment in own if moment is not None]) for query_id, own in counted.items()),
        name=judge.name,
    )
    every, graded = sum(map(len, counted.values())), len(truth.grade)
    deeper = sum(map(len, answers.values())) - every
    return MachineTruth(truth, limit, graded, every - graded, deeper)


def _first_batch(collection: Collection) -> int | None:
    """The rank to which pools are the same whatever people judged; None: all of it is."""
    plan = run_plan(collection)
    return collection.batch_size if plan is not None and is_adaptive(plan) else None


ALL, IN_ORDER, PLAN, UNKNOWN = "all", "in order", "plan", "unknown"


def sample_of(release: Release, split: str, judged: Container[str], queries: Sequence[str]) -> dict[str, Any]:
    """How the queries that people judged came to be chosen among all, as far as it is known.

    `ALL` are judged; those that a sampling `PLAN` drew are; the first ones `IN_ORDER` of a seeded random draw are; or
    it is `UNKNOWN`. `skipped`: of the queries before the last judged one those that aren't.

    Args: queries: all ids, in the order in which they were drawn.
    Raises: Refused if a plan draws pairs and not whole queries: then no query is judged as deep as scores go.
    """
    collection = release.collection
    design = SamplingDesign.objects.filter(collection=collection).first()
    if design is not None and design.unit == SamplingDesign.Unit.PAIR:
        raise Refused(
            _(
                "The sampling plan has people judge some pairs of each query. A board needs queries that are judged "
                "whole, drawn at random among all."
            )
        )
    flags = [query_id in judged for query_id in queries]
    count = sum(flags)
    skipped = flags[: max((place + 1 for place, flag in enumerate(flags) if flag), default=0)].count(False)
    topics = Query.objects.filter(collection=collection, split=split, description=None)
    if count == len(flags):
        kind = ALL
    elif design is not None and _drawn(design, split) == {own for own in queries if own in judged}:
        kind = PLAN
    elif not skipped and Draw.objects.filter(collection=collection).exists() and not topics.exists():
        kind = IN_ORDER
    else:
        kind = UNKNOWN
    return {"kind": kind, "judged": count, "queries": len(flags), "skipped": skipped}


def _drawn(design: SamplingDesign, split: str) -> set[str]:
    """The queries of a split that a design drew: all of a split have one probability, whatever the strata are."""
    units = SampledUnit.objects.filter(design=design, query__split=split).exclude(drawn_at=None)
    return set(units.values_list(query_source_id("query__"), flat=True))


def made_for_judged(run: Run, judged: Container[str], queries: Sequence[str]) -> tuple[int, int] | None:
    """How many of the judged queries a run answers and how many of the others, if it can't be by chance that these
    shares differ; None if it can. What such a run scores by the machine depends on which queries people judged.

    A run over a release's file, for instance, answers the judged queries alone.
    """
    from scipy.stats import hypergeom  # slow to import

    answered = set(run.query_ids)
    own = [query_id in answered for query_id in queries if query_id in judged]
    others = [query_id in answered for query_id in queries if query_id not in judged]
    drawn = hypergeom(len(own) + len(others), sum(own) + sum(others), len(own))
    either = min(float(drawn.cdf(sum(own))), float(drawn.sf(sum(own) - 1)))
    return (sum(own), sum(others)) if others and either < BY_CHANCE else None
