"""A judge's calibration, computed ahead: what it said of the pairs that people decided, beside their grades."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from annotation.models import MachineJudge, MachineJudgment, Pair
from annotation.precomputed import Result, computed_or_ask
from evaluation.formats.video_names import show_of
from evaluation.judgments.grade_classes import class_count, class_of
from foundation.models import Collection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.arrays import IntArray

NAME = "machine-calibration"
LENGTHS = (5, 10, 15)
"""Words of a query: the last of each class but the longest."""
MOST_SHOWS = 20
"""Shows that are told apart: those with the most pairs."""
OTHERS = "others"


def calibration_of(judge: MachineJudge) -> Result:
    """The newest stored calibration: a dict as `compute_calibration` returns. It is asked for anew where the judge has
    said something since."""
    name = f"{NAME}:{judge.pk}"
    result = computed_or_ask(collection=judge.collection, name=name)
    if result.as_of and not result.running and judge.judgments.filter(made_at__gt=result.as_of).exists():
        return computed_or_ask(collection=judge.collection, name=name, anew=True)
    return result


def compute_calibration(collection: Collection, judge_id: str) -> dict[str, Any]:
    """A `Calibration` as JSON, NaN as null, and `discarded`: what the judge says of pairs that people discarded.

    Of the pairs that people graded those count of which the judge has said something, an abstention too; `unasked`
    says how many others there are.
    Raises: MachineJudge.DoesNotExist.
    """
    import numpy as np

    from evaluation.arrays import json_ready
    from evaluation.guarantees.calibration import calibration

    judge, top = MachineJudge.objects.get(collection=collection, pk=int(judge_id)), collection.top_grade
    size = class_count(top)
    fields = (
        *("grade", "distribution", "candidate__pair__grade", "candidate__query_id"),
        *("candidate__query__text", "candidate__moment__video__name"),
    )
    rows = list(
        MachineJudgment.objects.filter(judge=judge, candidate__pair__status=Pair.Status.CONSENSUS)
        .order_by("candidate")
        .values_list(*fields)
    )
    columns: Sequence[Any] = list(zip(*rows, strict=True)) if rows else [()] * len(fields)
    told = [[float("nan")] * size if row is None else _by_class(row, top) for row in columns[1]]
    groups = {
        "words": _by_length(columns[4]),
        "show": _by_show(columns[5]),
    }
    found = calibration(
        np.array([class_of(grade, top) for grade in columns[2]], dtype=np.int64),
        np.array([np.nan if grade is None else class_of(grade, top) for grade in columns[0]], dtype=np.float64),
        np.array(columns[3], dtype=np.int64),
        top_grade=size - 1,
        distribution=np.array(told, dtype=np.float64).reshape(len(rows), size),
        groups={name: group for name, group in groups.items() if len(group[0]) > 1},
    )
    graded = Pair.objects.filter(batch__collection=collection, status=Pair.Status.CONSENSUS).count()
    return {
        **json_ready(asdict(found)),
        "few": found.few,
        "top_grade": size - 1,
        "unasked": graded - len(rows),
        "discarded": _of_discarded(judge, top),
    }


def _by_class(chances: Sequence[float], top: int) -> Sequence[float]:
    """A distribution over the grades as one over their classes."""
    if len(chances) == class_count(top):
        return chances
    summed = [0.0] * class_count(top)
    for grade, chance in enumerate(chances):
        summed[class_of(grade, top)] += chance
    return summed


def _of_discarded(judge: MachineJudge, top: int) -> dict[str, Any]:
    """What the judge says of pairs on which people found no consensus: `pairs`, by class as `counts`, `abstained`."""
    said = MachineJudgment.objects.filter(judge=judge, candidate__pair__status=Pair.Status.DISCARDED)
    told = said.values_list("grade", flat=True)
    grades = [None if grade is None else class_of(grade, top) for grade in told]
    return {
        "pairs": len(grades),
        "counts": [grades.count(grade) for grade in range(class_count(top))],
        "abstained": grades.count(None),
    }


def _by_length(texts: Sequence[str]) -> tuple[list[str], IntArray]:
    """The classes of queries by their words, and each pair's."""
    import numpy as np

    firsts = [1, *(last + 1 for last in LENGTHS)]
    labels = [*(f"{first}–{last}" for first, last in zip(firsts, LENGTHS, strict=False)), f"{firsts[-1]}–"]
    return labels, np.searchsorted(LENGTHS, [len(text.split()) for text in texts]).astype(np.int64)


def _by_show(videos: Sequence[str]) -> tuple[list[str], IntArray]:
    """The shows of the most pairs, then all others, and each pair's."""
    import numpy as np

    shows = np.array([show_of(name) for name in videos], dtype=object)
    names, place, pairs = np.unique(shows.astype(str), return_inverse=True, return_counts=True)
    order = np.argsort(-pairs, kind="stable")
    rank = np.empty(len(names), dtype=np.int64)
    rank[order] = np.arange(len(names))
    labels = [str(names[at]) or "–" for at in order[:MOST_SHOWS]]
    return [*labels, *([OTHERS] if len(names) > MOST_SHOWS else [])], np.minimum(rank, MOST_SHOWS)[place]
