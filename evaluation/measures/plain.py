"""Plain IR measures on exact moments, handed to ir_measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import FloatArray
from ..errors import EvaluationError
from ..formats.trec_ids import moment_id
from ..measures.measure import Measure
from ..moments.alignment import Alignment

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Plain(Measure):
    """A measure of ir_measures (``nDCG@10``, ``AP(rel=2)@100``, ``RR``, ``P@5`` ...).

    A moment is a document; it is found only when video, start and end are exactly those of the
    ground truth, so this suits systems that rank a fixed set of moments. Its conventions are
    those of ir_measures and the tool behind it, with two of ours: predictions are handed over in
    this library's order (equal scores keep file order; of the same moment twice the first
    counts), and queries are averaged as for every measure here (a query without predictions
    scores 0). Grades must be whole numbers; moments of the pool without a grade are -1 for infAP, and left out for all
    others. ir_measures is imported when such a measure is used.
    Source: MacAvaney et al., ir_measures (ECIR 2022).
    """

    name: str

    def __str__(self) -> str:
        return self.name

    def per_query(self, alignment: Alignment) -> FloatArray:
        """Raises: EvaluationError if ir_measures is missing, or a grade is not a whole number."""
        library, measure = load(self.name)
        value = np.zeros(len(alignment))
        place = {query_id: i for i, query_id in enumerate(alignment.ground_truth.query_ids[alignment.queries])}
        answers = list(_answers(alignment))
        if not answers:
            return value
        grades = _judgments(alignment)
        if measure.NAME == "infAP":
            grades = {**_pooled(alignment), **grades}
        judged = [library.Qrel(query_id, document, grade) for (query_id, document), grade in grades.items()]
        for metric in library.iter_calc([measure], judged, [library.ScoredDoc(*row) for row in answers]):
            if metric.query_id in place:
                value[place[metric.query_id]] = metric.value
        return value


def load(name: str) -> tuple[Any, Any]:
    """The library ir_measures and its measure of that name.

    Raises: EvaluationError if the library is missing or knows no such measure.
    """
    try:
        import ir_measures  # type: ignore[import-untyped,unused-ignore]  # it has no types, and may be missing
    except ImportError as error:
        raise EvaluationError(f"{name} is a plain IR measure and needs ir_measures: pip install ir-measures") from error
    try:
        measure = ir_measures.parse_measure(name)
    except (NameError, ValueError, SyntaxError, AssertionError, TypeError) as error:
        raise EvaluationError(f"{name!r} is not a measure of ir_measures either") from error
    if measure.params.get("cutoff", 1) < 1:
        # trec_eval ends the whole process at it.
        raise EvaluationError(f"{name!r}: found the cutoff {measure.params['cutoff']}, expected at least 1")
    return ir_measures, measure


def _judgments(alignment: Alignment) -> dict[tuple[str, str], int]:
    truth, judged = alignment.ground_truth, alignment.judged()
    grades: dict[tuple[str, str], int] = {}
    for place in range(judged.start, judged.stop):
        grade = float(truth.grade[place])
        if not grade.is_integer():
            raise EvaluationError(f"ir_measures takes whole grades only, and one is {grade:g}")
        document = moment_id(truth.video_names[truth.video[place]], float(truth.start[place]), float(truth.end[place]))
        # The ground truth stands from high to low grade: of a moment judged twice the higher counts.
        grades.setdefault((truth.query_ids[truth.query[place]], document), int(grade))
    return grades


def _pooled(alignment: Alignment) -> dict[tuple[str, str], int]:
    """The moments of these queries' pools that have no grade, as trec_eval wants them."""
    pooled = alignment.ground_truth.pooled
    if pooled is None:
        return {}
    wanted = set(pooled.query_ids[alignment.queries])
    return {
        (query_id, moment_id(moment.video_name, moment.start, moment.end)): -1
        for query_id, moments in pooled.records().items()
        if query_id in wanted
        for moment in moments
    }


def _answers(alignment: Alignment) -> Iterator[tuple[str, str, float]]:
    truth, run = alignment.ground_truth, alignment.run
    seen: set[tuple[int, str]] = set()
    length = np.diff(alignment.offset)
    for place, (query, rank) in enumerate(zip(alignment.query.tolist(), alignment.rank.tolist(), strict=True)):
        document = moment_id(
            run.video_names[alignment.video[place]],
            float(alignment.start[place]),
            float(alignment.end[place]),
        )
        if (query, document) not in seen:
            seen.add((query, document))
            # The place in the list as score: scores of the run may tie, places don't.
            yield truth.query_ids[alignment.first_query + query], document, float(length[query] - rank)
