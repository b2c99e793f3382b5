"""What a look at a goal looks at: its queries in their random order, as far as they are judged, and its runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.models import Batch, MachineJudgment, Pair, SampledUnit, SamplingDesign
from corpus.models import Video
from datasets.certificates.systems import read_pooled
from datasets.models import StoppingGoal, StoppingLook
from evaluation import EvaluationError, GroundTruth, Run
from evaluation.arrays import FloatArray
from evaluation.guarantees.board import values_per_query
from evaluation.guarantees.stopping import Look, look, next_look
from evaluation.moments.ground_truth import JudgedMoment
from evaluation.scores.conventions import PAPER
from foundation.models import Collection
from foundation.refused import Refused
from queries.models import Candidate, PoolRun, Query
from queries.pooling.query_columns import query_source_id

OPEN = (Batch.Status.FIRST_ROUND, Batch.Status.SECOND_ROUND, Batch.Status.DECIDED)


def design_by_queries(collection: Collection) -> SamplingDesign | None:
    """The collection's design, if it draws queries: of pairs no measure has a value for a query."""
    return SamplingDesign.objects.filter(collection=collection, unit=SamplingDesign.Unit.QUERY).first()


def frame_of(goal: StoppingGoal) -> QuerySet[SampledUnit]:
    """The goal's queries, drawn or not, in the design's permanent random order."""
    units = SampledUnit.objects.filter(design__collection=goal.collection_id, candidate=None)
    return (units.filter(query__split=goal.split) if goal.split else units).order_by("number", "pk")


def judged_first(goal: StoppingGoal) -> list[int]:
    """The queries at the beginning of the order whose judging has ended, up to the first whose judging hasn't.

    Not all that have ended: those that people are done with early are others than those that take long. A drawn query
    without any candidate has nothing to judge.
    """
    batches = Batch.objects.filter(query=OuterRef("query"))
    bare = ~Exists(Candidate.objects.filter(query=OuterRef("query")))
    ended = Q(drawn_at__isnull=False) & ~Exists(batches.filter(status__in=OPEN)) & (Exists(batches) | bare)
    rows = frame_of(goal).annotate(ended=ended).values_list("query_id", "ended")
    judged: list[int] = []
    for query, is_ended in rows.iterator(2000):
        if not is_ended:
            break
        judged.append(query)
    return judged


def looks_of(goal: StoppingGoal) -> QuerySet[StoppingLook]:
    """The looks that are done, the first first."""
    return goal.looks.filter(result__isnull=False).order_by("pk")


def last_look(goal: StoppingGoal) -> Look | None:
    """What the last look found; None if there was none."""
    last = looks_of(goal).last()
    return last.found if last else None


def next_at(goal: StoppingGoal) -> int | None:
    """How many queries have to be judged for the next look; None once the goal is reached or all is judged."""
    last = last_look(goal)
    return last.next_at if last else next_look(0, frame_of(goal).count())


def look_at(goal: StoppingGoal, progress: Callable[[int, int], object] = lambda done, of: None) -> Look:
    """Look at what is settled now. Nothing is stored.

    Args: progress: called with how many of the runs are read, and of how many.
    Raises: Refused if it is too early, or a run is gone; as `evaluation.guarantees.stopping.look`.
    """
    judged, frame = judged_first(goal), list(frame_of(goal).values_list("query_id", flat=True))
    before = [own.found for own in looks_of(goal)]
    least = next_look(before[-1].judged if before else 0, len(frame))
    if len(judged) < least:
        raise Refused(
            _("The first %(judged)s queries of the random order are judged. The next look is at %(least)s.")
            % {"judged": f"{len(judged):,}", "least": f"{least:,}"}
        )
    runs = _runs(goal, frame, progress)
    try:
        people, machine = _values(goal, runs, frame, judged)
        return look(
            people,
            machine,
            np.arange(len(judged)),
            names=[run.name for run in runs],
            queries=len(frame),
            goal=goal.first,
            before=before,
            level=goal.level,
            margin=goal.margin,
        )
    except EvaluationError as error:
        raise Refused(str(error)) from error


def names_of(goal: StoppingGoal) -> dict[int, str]:
    """The goal's runs that are there, by id; names are different."""
    runs = list(PoolRun.objects.filter(collection=goal.collection_id, pk__in=goal.runs).order_by("pk"))
    often = Counter(map(str, runs))
    return {run.pk: str(run) if often[str(run)] == 1 else f"{run} ({run.pk})" for run in runs}


def _runs(goal: StoppingGoal, frame: Sequence[int], progress: Callable[[int, int], object]) -> list[Run]:
    names = names_of(goal)
    if len(names) < len(goal.runs):
        raise Refused(_("A run of this goal was removed, so its looks can't go on. Set another goal."))
    queries = Query.objects.filter(pk__in=frame)
    videos = dict(Video.objects.filter(collection=goal.collection_id).values_list("pk", "name"))
    runs = []
    for done, (pk, name) in enumerate(names.items(), start=1):
        runs.append(read_pooled(pk, name, queries, videos))
        progress(done, len(names))
    return runs


def _values(
    goal: StoppingGoal, runs: Sequence[Run], frame: Sequence[int], judged: Sequence[int]
) -> tuple[FloatArray, FloatArray | None]:
    """The runs' values by people of the judged queries, and by the machine of all; NaN where it has no grade."""
    ids = dict(Query.objects.filter(pk__in=frame).values_list("pk", query_source_id()))
    graded = Pair.objects.filter(batch__query__in=judged, status=Pair.Status.CONSENSUS)
    people = _truth([(query, ids[query]) for query in judged], graded, "people")
    by_people = values_per_query(people, runs, [goal.measure], PAPER)[0]
    if goal.judge_id is None:
        return by_people, None
    said = MachineJudgment.objects.filter(judge=goal.judge_id, candidate__query__in=frame, grade__isnull=False)
    machine = _truth([(query, ids[query]) for query in frame], said, "the machine")
    by_machine = values_per_query(machine, runs, [goal.measure], PAPER)[0]
    by_machine[:, np.diff(machine.offset) == 0] = np.nan
    return by_people, by_machine


def _truth(queries: Sequence[tuple[int, str]], grades: QuerySet[Any], name: str) -> GroundTruth:
    """Args: queries: (id, id in files), in their order. grades: rows with a candidate and a grade."""
    moments: dict[int, list[JudgedMoment]] = defaultdict(list)
    place = "candidate__moment__"
    rows = grades.order_by("candidate__rank", "pk").values_list(
        "candidate__query_id", f"{place}video__name", f"{place}start", f"{place}end", "grade"
    )
    for query, video, start, end, grade in rows.iterator(2000):
        moments[query].append(JudgedMoment(video, start, end, grade))
    return GroundTruth.of(((source_id, moments[pk]) for pk, source_id in queries), name=name)
