"""Make, extend and remove a collection's sampling design."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.batches.opening_jobs import opening_of
from annotation.batches.transitions import design_of
from annotation.models import (
    Batch,
    MachineJudge,
    MachineJudgment,
    Opening,
    SampledUnit,
    SamplingDesign,
    SamplingStage,
    SamplingStratum,
)
from annotation.sampling.drawing_rule import band, permanent_number, shares
from evaluation.judgments.grade_classes import class_of, unit_of
from foundation.infra.jobs import ask
from foundation.infra.set_based_sql import copy_rows, without_nested_loops
from foundation.models import Collection, Membership
from foundation.refused import Refused
from queries.models import Candidate, Query
from queries.pooling.query_columns import query_source_id
from queries.pooling.run_plans import run_plan
from queries.runs.plans import is_adaptive

UNIT, STRATA = SamplingDesign.Unit, SamplingDesign.Strata
LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Frame:
    """A unit before it is drawn: its query and candidate (None: the whole query), the place and name of its stratum,
    its permanent number."""

    query: int
    candidate: int | None
    place: int
    stratum: str
    number: float


def make_design(
    *,
    collection: Collection,
    unit: str,
    numbers: Sequence[int],
    seed: int,
    strata: str = "",
    bands: Sequence[int] = (),
    judge: MachineJudge | None = None,
    member: Membership | None = None,
) -> SamplingDesign:
    """Make a design and draw its first stage. Nothing is opened; opening then opens what is drawn.

    Args:
        unit: "query": queries are judged whole or not at all; "pair": some pairs of every query.
        numbers: how many are drawn: of queries in all; of each query's pairs in all, shared over its strata in
            proportion, or one number for each stratum, of which a query has as many as it can.
        strata: of queries "" or "split"; of pairs "", "rank" (`bands`: the last rank of each but the last band), "run"
            (that put the pair into the pool) or "machine" (its grade by `judge`).
    Raises: Refused if judging is open, a design is there, or the frame doesn't allow it; nothing was made then.
    """
    with transaction.atomic():
        Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
        _refuse_unready(collection)
        if not 0 <= seed <= LARGEST_SEED:
            raise Refused(_("Found another seed, expected a whole number from 0 on."), "seed")
        allowed = {UNIT.QUERY: (STRATA.NONE, STRATA.SPLIT), UNIT.PAIR: set(STRATA) - {STRATA.SPLIT}}
        if strata not in allowed.get(unit, ()):  # type: ignore[call-overload]  # any text may have been sent
            raise Refused(_("These strata aren't for this unit: queries have the split, pairs the others."), "strata")
        if (strata == STRATA.RANK) is not bool(bands) or list(bands) != sorted({*bands} - {0}):
            raise Refused(_("Strata by rank take the last rank of each band, ascending, such as 5, 10."), "bands")
        if (strata == STRATA.MACHINE) is (judge is None):
            raise Refused(_("Strata by machine take a machine judge of this collection, and others none."), "strata")
        design = SamplingDesign.objects.create(
            collection=collection, unit=unit, strata=strata, bands=list(bands), judge=judge, seed=seed, member=member
        )
        frame = list(_queries_of(design) if unit == UNIT.QUERY else _pairs_of(design))
        _store_frame(design, frame)
        _draw(design, list(numbers), member)
    return design


def extend_design(design: SamplingDesign, n: int | Sequence[int], *, member: Membership | None = None) -> SamplingStage:
    """Draw more: `n` is how many are drawn then, in all, as `numbers` of `make_design`. What was drawn stays drawn.

    Where judging is open a worker is asked to open what is new; `open_annotation` does the same.

    Raises: Refused if that draws nothing new, or less than was drawn; nothing was changed then.
    """
    with transaction.atomic():
        collection = Collection.objects.select_for_update(no_key=True).get(pk=design.collection_id)
        if collection.archived_at is not None:
            raise Refused(_("This collection is archived."))
        stage = _draw(design, [n] if isinstance(n, int) else list(n), member)
        if Batch.objects.filter(collection=collection).exists():
            job = opening_of(collection, member)
            transaction.on_commit(partial(ask, job))
    return stage


@transaction.atomic
def remove_design(*, collection: Collection) -> None:
    """Remove the design, as long as nothing is open for judging. Raises: Refused."""
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    design = design_of(collection)
    if design is None:
        return
    if Batch.objects.filter(collection=collection).exists():
        raise Refused(_("Judging is open by this design, so it stays. It can be extended."))
    design.delete()


def _refuse_unready(collection: Collection) -> None:
    if collection.is_study:
        raise Refused(_("A study judges what it was made for: designs are the collection's."))
    if collection.archived_at is not None:
        raise Refused(_("This collection is archived."))
    if design_of(collection) is not None:
        raise Refused(_("There is a design already. Extend it, or remove it while nothing is open for judging."))
    opening = Opening.to_do().filter(collection=collection)
    if opening.exists() or Batch.objects.filter(collection=collection).exists():
        raise Refused(_("Judging is open already, so what is judged can't be drawn with known probabilities any more."))
    if not Query.objects.filter(collection=collection).exists():
        raise Refused(_("There are no queries yet: draw queries or add topics first."))


def _queries_of(design: SamplingDesign) -> Iterator[Frame]:
    queries = Query.objects.filter(collection=design.collection_id).order_by("split", "position")
    places: dict[str, int] = {}
    for pk, source_id, split in queries.values_list("pk", query_source_id(), "split"):
        name = split if design.strata == STRATA.SPLIT else "all"
        yield Frame(pk, None, places.setdefault(name, len(places)), name, permanent_number(design.seed, source_id))


def _pairs_of(design: SamplingDesign) -> Iterator[Frame]:
    collection = design.collection
    plan = run_plan(collection)
    if plan is not None and is_adaptive(plan):
        raise Refused(_("The recipe chooses pairs from the grades so far, so they can't be drawn beforehand."), "unit")
    bare = Query.objects.filter(collection=collection, candidates__isnull=True).count()
    if bare:
        words = ngettext(
            "%(shown)s query has no candidates yet: fetch them, or make the pool.",
            "%(shown)s queries have no candidates yet: fetch them, or make the pool.",
            bare,
        )
        raise Refused(words % {"shown": f"{bare:,}"}, "unit")
    candidates = Candidate.objects.filter(query__collection=collection)
    grades: dict[int, int | None] = {}
    if design.judge is not None:
        judged = MachineJudgment.objects.filter(judge=design.judge)
        grades = dict(judged.values_list("candidate_id", "grade"))
    runs = {
        pk: place
        for place, pk in enumerate(collection.pool_runs.order_by("team", "system").values_list("pk", flat=True))
    }
    names = {run.pk: str(run) for run in collection.pool_runs.all()}
    rows = candidates.order_by("query__split", "query__position", "rank").values_list(
        *("query_id", "pk", query_source_id("query__"), "moment__video__name", "moment__start", "moment__end"),
        *("rank", "source__run_id"),
    )
    for query, pk, source_id, video, start, end, rank, run in rows.iterator(2000):
        place, name = 0, "all"
        if design.strata == STRATA.RANK:
            place, name = band(rank, design.bands)
        elif design.strata == STRATA.RUN:
            place, name = runs.get(run, len(runs)), names.get(run, "no run")
        elif design.strata == STRATA.MACHINE:
            grade, top = grades.get(pk), collection.top_grade
            place = top + 1 if grade is None else class_of(grade, top) * unit_of(top)  # a scale to 100 has five strata
            name = "no grade" if grade is None else f"grade {place}"
        yield Frame(query, pk, place, name, permanent_number(design.seed, source_id, video, start, end))


def _store_frame(design: SamplingDesign, frame: Sequence[Frame]) -> None:
    sizes: dict[tuple[int | None, int, str], int] = defaultdict(int)
    of_pairs = design.unit == UNIT.PAIR
    for unit in frame:
        sizes[unit.query if of_pairs else None, unit.place, unit.stratum] += 1
    made = SamplingStratum.objects.bulk_create(
        SamplingStratum(design=design, query_id=query, place=place, name=name, size=size, drawn=0)
        for (query, place, name), size in sizes.items()
    )
    by_name = {(stratum.query_id, stratum.name): stratum.pk for stratum in made}
    copy_rows(
        SampledUnit(
            design=design,
            stratum_id=by_name[unit.query if of_pairs else None, unit.stratum],
            query_id=unit.query,
            candidate_id=unit.candidate,
            number=unit.number,
            probability=0.0,
        )
        for unit in frame
    )


_SIZE = """
UPDATE annotation_samplingstratum s SET drawn = n.drawn
  FROM unnest(%s::bigint[], %s::int[]) AS n(id, drawn) WHERE s.id = n.id"""
_DRAW = """
UPDATE annotation_sampledunit u
   SET probability = s.drawn::float8 / s.size,
       stage = CASE WHEN u.stage IS NULL AND n.place <= s.drawn THEN %(stage)s ELSE u.stage END,
       drawn_at = CASE WHEN u.stage IS NULL AND n.place <= s.drawn THEN %(now)s ELSE u.drawn_at END
  FROM annotation_samplingstratum s,
       (SELECT id, row_number() OVER (PARTITION BY stratum_id ORDER BY number, id) AS place
          FROM annotation_sampledunit WHERE design_id = %(design)s) n
 WHERE u.design_id = %(design)s AND s.id = u.stratum_id AND n.id = u.id"""


def _draw(design: SamplingDesign, asked: list[int], member: Membership | None) -> SamplingStage:
    """Draw a stage: of each stratum those with the lowest numbers."""
    strata = list(design.of_strata.order_by("query_id", "place"))
    by_query: dict[int | None, list[SamplingStratum]] = defaultdict(list)
    for stratum in strata:
        by_query[stratum.query_id].append(stratum)
    before = sum(stratum.drawn for stratum in strata)
    listed = _listed(design, asked, strata)
    for own in by_query.values():
        for stratum, number in zip(own, _numbers(asked, own, listed), strict=True):
            if number < stratum.drawn:
                raise Refused(
                    _("Found %(found)s, expected no fewer than the %(drawn)s that are drawn already.")
                    % {"found": number, "drawn": stratum.drawn},
                    "numbers",
                )
            stratum.drawn = number
    if sum(stratum.drawn for stratum in strata) == before:
        raise Refused(_("As many are drawn already, so there is nothing new to draw."), "numbers")
    stage = SamplingStage.objects.create(design=design, number=design.stages.count() + 1, asked=asked, member=member)
    # The frame may have been stored just now: statistics know nothing of it.
    with without_nested_loops(), connection.cursor() as cursor:
        cursor.execute(_SIZE, [[stratum.pk for stratum in strata], [stratum.drawn for stratum in strata]])
        cursor.execute(_DRAW, {"design": design.pk, "stage": stage.number, "now": timezone.now()})
    return stage


def _listed(design: SamplingDesign, asked: list[int], strata: list[SamplingStratum]) -> list[int]:
    """The places of the design's strata in the order of its page, in which several numbers are asked for."""
    if not asked or min(asked) < 1:
        raise Refused(_("Found no number, or one below 1; expected how many are drawn."), "numbers")
    names = {stratum.place: stratum.name for stratum in strata}
    # Bands are known before they are drawn from: one that no candidate is in has its number, too.
    listed = list(range(len(design.bands) + 1)) if design.strata == STRATA.RANK else sorted(names)
    if len(asked) not in (1, len(listed)):
        raise Refused(
            _("Found %(found)s numbers, expected one in all, or one for each stratum: %(strata)s.")
            % {"found": len(asked), "strata": ", ".join(names[place] for place in listed if place in names)},
            "numbers",
        )
    return listed


def _numbers(asked: list[int], own: list[SamplingStratum], listed: list[int]) -> list[int]:
    """How many of each of these strata, which stand beside each other, are drawn."""
    sizes = [stratum.size for stratum in own]
    if len(asked) == len(listed) > 1:
        number = dict(zip(listed, asked, strict=True))
        return [min(stratum.size, number[stratum.place]) for stratum in own]
    if asked[0] < len(own):
        raise Refused(
            _("Found %(found)s, expected at least %(strata)s: one of each stratum, or its probability is 0.")
            % {"found": asked[0], "strata": len(own)},
            "numbers",
        )
    shared = shares(min(asked[0], sum(sizes)), sizes)
    return [max(stratum.drawn, number) for stratum, number in zip(own, shared, strict=True)]
