"""What a user would want to be told of a ground truth, its runs and their scores. Nothing here prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..measures import Measure
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..scores.scoring import Record
from ..texts import counted


def warnings_about(
    truth: GroundTruth, runs: Iterable[Run], measures: Sequence[Measure] = (), records: Sequence[Record] = ()
) -> list[str]:
    """All there is to warn of, a sentence each: of the ground truth, of each run, and of the scores.

    Args: measures: their cutoffs are looked at for ties. records: what `evaluate` made of the runs.

    >>> from evaluation.moments.ground_truth import JudgedMoment
    >>> truth = GroundTruth.of([("q", [JudgedMoment("v", 0, 5, 2), JudgedMoment("v", 0, 5, 1)])])
    >>> warnings_about(truth, [])
    ['ground truth: 1 moment is there twice and counts twice, the first in query q: v 0-5']
    """
    return [
        *about_truth(truth),
        *(text for run in runs for text in about_run(run, truth, measures)),
        *about_records(records),
    ]


def about_truth(truth: GroundTruth) -> list[str]:
    """Moments that are there twice, and queries without a relevant one."""
    found = []
    again = _repeats(truth.query * max(1, len(truth.video_names)) + truth.video, truth.start, truth.end)
    if len(again):
        first = int(again[0])
        where = f"{truth.video_names[truth.video[first]]} {truth.start[first]:g}-{truth.end[first]:g}"
        verbs = "is there twice and counts" if len(again) == 1 else "are there twice and count"
        query = truth.query_ids[truth.query[first]]
        found.append(
            f"{truth.name}: {counted(len(again), 'moment')} {verbs} twice, the first in query {query}: {where}"
        )
    empty = int(np.count_nonzero(truth.count_per_query(truth.relevant()) == 0))
    if empty:
        found.append(f"{truth.name}: {empty} of {len(truth)} queries have no relevant moment")
    return found


def about_run(run: Run, truth: GroundTruth, measures: Sequence[Measure] = ()) -> list[str]:
    """What is missing, unknown, repeated or out of order in a run, and where equal scores leave the order to the file.

    Scores that tie matter where a measure's cutoff parts them; lists of one score only are told by themselves.
    """
    known = np.fromiter((query_id in truth.index for query_id in run.query_ids), np.bool_, len(run.query_ids))
    missing, unknown = len(truth) - int(known.sum()), int((~known).sum())
    found = []
    if missing:
        found.append(f"{missing} of {len(truth)} queries had no predictions")
    if unknown:
        found.append(f"{counted(unknown, 'row')} of queries that the ground truth does not know, ignored")
    if run.repeated:
        found.append(f"{counted(run.repeated, 'list')} left out, of queries that came again")
    if run.unsorted:
        found.append(f"{counted(run.unsorted, 'list')} not in order of score, ranked by it")
    row = np.repeat(np.arange(len(run.query_ids)), np.diff(run.offset))
    again = _repeats(row * max(1, len(run.video_names)) + run.video, run.start, run.end)
    if len(again):
        query = run.query_ids[row[again[0]]]
        verb = "repeats an earlier one" if len(again) == 1 else "repeat earlier ones"
        found.append(f"{counted(len(again), 'prediction')} {verb} of the same query, the first in query {query}")
    return [f"{run.name}: {text}" for text in [*found, *_ties(run, row, known, measures)]]


def about_records(records: Sequence[Record]) -> list[str]:
    """Measures that no query of a run has a value of."""
    return [f"{one.run}: no query has a value of {one.measure}" for one in records if np.isnan(one.value)]


def about_intervals(queries: int) -> list[str]:
    """Of intervals over so few queries that there is none."""
    return ["one query: an interval can't be estimated, and no test can tell runs apart"] if queries == 1 else []


def _ties(run: Run, row: IntArray, known: BoolArray, measures: Sequence[Measure]) -> list[str]:
    length = np.diff(run.offset)
    same = np.zeros(len(row), dtype=np.bool_)
    same[1:] = (run.score[1:] == run.score[:-1]) & (row[1:] == row[:-1])
    several = known & (length > 1)
    constant = several & (np.bincount(row[same], minlength=len(length)) == length - 1)
    found = []
    if constant.any():
        lists = f"{int(constant.sum()):,} of {counted(int(several.sum()), 'list')} of two predictions or more"
        found.append(f"{lists} with one score throughout: their order is the file's")
    parted = []
    for cutoff in sorted({measure.depth for measure in measures if measure.depth is not None}):
        cut = np.flatnonzero(known & ~constant & (length > cutoff))
        if queries := int(same[run.offset[cut] + cutoff].sum()):
            parted.append(f"{cutoff} in {counted(queries, 'query')}")
    if parted:
        found.append(f"scores tie across the cut @{', @'.join(parted)}: which of them count is the file's order")
    return found


def _repeats(group: IntArray, start: FloatArray, end: FloatArray) -> IntArray:
    """The places of moments that stand at an earlier place of their group too, ascending.

    A million moments are told apart by one sorted number each; only what shares it with another is compared itself.
    """
    spans = [(times + 0.0).view(np.uint64) for times in (start, end)]
    key = group.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for bits, odd in zip(spans, (0xBF58476D1CE4E5B9, 0x94D049BB133111EB), strict=True):
        key ^= (bits ^ (bits >> np.uint64(32))) * np.uint64(odd)
    ordered = np.sort(key)
    shared = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(shared):
        return np.zeros(0, dtype=np.int64)
    place = np.flatnonzero(np.isin(key, shared))
    order = place[np.lexsort((spans[1][place], spans[0][place], group[place]))]  # stable: by place among equals
    equal = group[order[1:]] == group[order[:-1]]
    for bits in spans:
        equal &= bits[order[1:]] == bits[order[:-1]]
    return np.sort(order[1:][equal])
