"""The work of a judge on similarity: fitted on people's grades, across queries, and had to judge all candidates."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.machine_judges.brought import candidates_named
from annotation.machine_judges.judges import AT_ONCE, MachineGrade, store_judgments
from annotation.machine_judges.similarity.asking import SCORE, refuse_too_few
from annotation.machine_judges.similarity.score_rows import SCORES, PairScore
from annotation.models import MachineJudge, MachineJudging, Pair
from corpus.description_formats import BadRow
from corpus.description_import.jobs import kept_file
from corpus.description_import.row_files import RowChoices, read_whole
from foundation.counted import counted
from foundation.infra.jobs import JobProgress
from foundation.refused import Refused
from queries.models import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluation.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Columns:
    """C candidates: each one's number, query, features (C, F), and people's grade, -1 where they decided none."""

    candidate: list[int]
    query: IntArray
    features: FloatArray
    grade: IntArray


def judge_by_similarity(job: MachineJudging, progress: JobProgress) -> None:
    """Fit the job's judge and store what it says, all or nothing: the way of judges of the kind `similarity`.

    Raises: BadFile; Refused for too few graded pairs, or for a judge that was fitted before.
    """
    if job.found:
        return  # killed when all was stored
    judge = job.judge
    if judge.version:
        raise Refused(_("This judge was fitted before and has said what it says. Ask for another one."))
    scores = _scores(job, progress) if job.stored_file else {}
    progress.stage("Fitting on people's grades", None, "pairs")
    columns = _columns(judge, scores)
    decided = columns.grade >= 0
    pairs, queries = int(decided.sum()), len(set(columns.query[decided].tolist()))
    refuse_too_few(pairs, queries)
    said, slopes = _said(columns, judge.collection.top_grade, judge.collection.grade_step)
    count = progress.stage("Storing grades", len(said), "pairs")
    with transaction.atomic():
        for first in range(0, len(said), AT_ONCE):
            block = said[first : first + AT_ONCE]
            count(store_judgments(judge=judge, rows=block, judging=job))
        digest = _digest(columns)
        fitted_on = {"pairs": pairs, "queries": queries, "grades": digest}
        judge.version, judge.parameters = digest[:16], {**judge.parameters, "fitted_on": fitted_on, "slopes": slopes}
        judge.save(update_fields=["version", "parameters"])
        job.found = {"judged": len(said), "fitted_on_pairs": pairs, "fitted_on_queries": queries}
        on = f"{counted(pairs, 'pair')} of {counted(queries, 'query', 'queries')}"
        job.said = f"{counted(len(said), 'pair')} judged, by a fit on {on}."
        # At the very end: who tells how far the job is writes to the same row.
        job.save(update_fields=["found", "said"])


def _scores(job: MachineJudging, progress: JobProgress) -> dict[int, float]:
    """The file's scores, by candidate. Raises: BadFile."""
    count = progress.stage("Reading the file", None, "rows")
    named: dict[str, int] = {}

    def conflicts(rows: Sequence[PairScore]) -> Iterator[tuple[PairScore, BadRow]]:
        named.update(candidates_named(job.judge, {row.pair for row in rows}))
        lines: dict[int, int] = {}
        for row in rows:
            candidate = named.get(row.pair)
            if candidate is None:
                yield row, BadRow("pair_id", row.pair, f"a pair of {job.judge.collection.name}")
            elif candidate in lines:
                expected = f"each pair once; the first is in line {lines[candidate]:,}"
                yield row, BadRow.saying("pair_id", f"{row.pair!r} a second time", expected)
            else:
                lines[candidate] = row.line

    with kept_file(job) as file:
        read = read_whole(file, job.file_name, RowChoices(), SCORES, conflicts=conflicts, progress=count)
    read.refuse()
    return {named[row.pair]: row.score for row in read.rows}


def _columns(judge: MachineJudge, scores: Mapping[int, float]) -> Columns:
    import numpy as np

    rows = Candidate.objects.filter(query__collection=judge.collection_id).order_by("pk")
    fields = ("pk", "query_id", "similarity", "rank", "pair__status", "pair__grade")
    table = list(rows.values_list(*fields))
    with_score = SCORE in judge.parameters["features"]
    nan = float("nan")
    features = [
        (nan if similarity is None else similarity, rank, *([scores.get(pk, nan)] if with_score else []))
        for pk, _query, similarity, rank, _status, _grade in table
    ]
    grades = [grade if status == Pair.Status.CONSENSUS else -1 for *_others, status, grade in table]
    known = np.array(features, dtype=np.float64).reshape(len(table), 3 if with_score else 2)
    known[:, 1] = np.log(known[:, 1])
    query = np.array([row[1] for row in table], dtype=np.int64)
    return Columns([row[0] for row in table], query, known, np.array(grades, dtype=np.int64))


def _said(columns: Columns, top_grade: int, step: int) -> tuple[list[MachineGrade], list[float]]:
    """What the fits say of all candidates, and their mean slopes, in log odds for a standard deviation of a feature.

    A scale of 0-100 is fitted by its classes: a grade is the mean of what they stand for, and has no distribution.
    """
    import numpy as np

    from evaluation.judgments.cross_fitted import cross_fitted
    from evaluation.judgments.grade_classes import class_count, class_of, unit_of
    from evaluation.judgments.ordinal_regression import ordinal_regression

    slopes: list[FloatArray] = []
    unit = unit_of(top_grade)

    def predicted(fitted_on: BoolArray, wanted: BoolArray) -> FloatArray:
        grades = class_of(columns.grade[fitted_on], top_grade)
        fit = ordinal_regression(columns.features[fitted_on], grades, top_grade=class_count(top_grade) - 1)
        slopes.append(fit.slopes)
        return fit.distribution(columns.features[wanted])

    chances = cross_fitted(columns.query, columns.grade >= 0, predicted)
    mean_slopes = np.mean(slopes, axis=0).round(3).tolist()
    if unit > 1:
        grades = np.rint(chances @ np.arange(chances.shape[1]) * unit / step).astype(int) * step
        return [MachineGrade(*row) for row in zip(columns.candidate, grades.tolist(), strict=True)], mean_slopes
    said = zip(columns.candidate, chances.argmax(axis=1).tolist(), chances.tolist(), strict=True)
    return [MachineGrade(candidate, grade, tuple(row)) for candidate, grade, row in said], mean_slopes


def _digest(columns: Columns) -> str:
    """Of the grades that it was fitted on."""
    graded = zip(columns.candidate, columns.grade.tolist(), strict=True)
    return hashlib.sha256("".join(f"{pk} {grade}\n" for pk, grade in graded if grade >= 0).encode()).hexdigest()
