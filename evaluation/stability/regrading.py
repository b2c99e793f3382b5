"""Queries scored again with other grades, by the measure itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..measures import Measure
from ..moments.alignment import align
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..scores.scoring import score_alignments

ROWS_AT_ONCE = 500_000
"""Judged moments of regraded queries held together: some 100 MB."""

Change = tuple[int, float]
"""A judged moment, by its position in the ground truth, and the grade that it gets."""


class Regrading:
    """A ground truth whose grades are tried otherwise, query by query; times and the set of judged moments stay.

    Args: measure: with values per query that follow from the query's own grades. A query without a value counts 0.
    """

    def __init__(self, ground_truth: GroundTruth, runs: Sequence[Run], measure: Measure) -> None:
        self.ground_truth, self.runs, self.measure = ground_truth, runs, measure
        self._row = []
        for run in runs:
            place = {query_id: row for row, query_id in enumerate(run.query_ids)}
            self._row.append(np.array([place.get(name, -1) for name in ground_truth.query_ids], dtype=np.int64))

    def values(self, query: IntArray, grade: FloatArray, *, of: Sequence[int] | None = None) -> FloatArray:
        """The scores of queries with these grades.

        Args: query: shape (C,), positions, a query as often as there are grades to try. grade: those of the copies'
        moments one after another, each in the ground truth's order. of: places of the runs; None for all.
        Returns: shape (C, runs).
        """
        truth, chosen = self.ground_truth, range(len(self.runs)) if of is None else of
        size = np.diff(truth.offset)[query]
        found = np.zeros((len(query), len(chosen)))
        ends = np.cumsum(size)
        low = 0
        while low < len(query):
            first = int(ends[low] - size[low])
            high = max(low + 1, int(np.searchsorted(ends, first + ROWS_AT_ONCE, side="right")))
            copies = truth.copies(query[low:high], grade[first : int(ends[high - 1])])
            for column, place in enumerate(chosen):
                run = self.runs[place].copies(self._row[place][query[low:high]], depth=self.measure.depth)
                ((_, values),) = score_alignments(copies, run, [self.measure], answered_only=False)
                assert values is not None
                found[low:high, column] = np.nan_to_num(values)
            low = high
        return found

    def changed(self, query: int, sets: Sequence[Sequence[Change]]) -> FloatArray:
        """The query's grades after each set of changes, one after another, as `values` takes them."""
        first, last = self.ground_truth.offset[query : query + 2].tolist()
        grades = np.tile(self.ground_truth.grade[first:last], (len(sets), 1))
        for row, changes in zip(grades, sets, strict=True):
            for moment, grade in changes:
                row[moment - first] = grade
        return grades.reshape(-1)

    def with_changes(self, changes: Sequence[Change]) -> GroundTruth:
        """The whole ground truth after these changes."""
        grade = self.ground_truth.grade.copy()
        for moment, other in changes:
            grade[moment] = other
        return self.ground_truth.with_grades(grade)

    def met(self) -> list[BoolArray]:
        """For each run which moments share a query and a video with a prediction that the measure looks at, (M,).

        All others are alike to the run but for their grades.
        """
        found = []
        for run in self.runs:
            met = np.zeros(len(self.ground_truth.grade), dtype=np.bool_)
            for alignment in align(self.ground_truth, run, depth=self.measure.depth):
                met[alignment.pair_moment] = True
            found.append(met)
        return found

    def additive(self) -> list[BoolArray]:
        """For each run in which queries its value is a sum over the moments of what follows from each's grade, (Q,).

        So it is by an additive measure where no prediction shares its video with two judged moments: each prediction
        then has one moment or none, whatever the grades.
        """
        found = [np.full(len(self.ground_truth), self.measure.additive) for _ in self.runs]
        for own, run in zip(found, self.runs if self.measure.additive else (), strict=False):
            for alignment in align(self.ground_truth, run, depth=self.measure.depth):
                several = np.bincount(alignment.pair_prediction, minlength=len(alignment.query)) > 1
                own[alignment.query[several] + alignment.first_query] = False
        return found


def change_sets(
    moments: Sequence[int], grade: FloatArray, alike: Sequence[bool], count: int, grades: Sequence[float]
) -> Iterator[tuple[Change, ...]]:
    """Every set of `count` changes, but for those that only swap moments that are alike.

    Args: moments: of one query. grade: of these moments. alike: which of them differ from each other in their grade
    alone. grades: that a moment may get.

    >>> sets = change_sets([7, 8, 9], np.array([1.0, 0.0, 0.0]), [False, True, True], 2, [0, 1])
    >>> list(sets)
    [((7, 0), (8, 1)), ((8, 1), (9, 1))]
    """
    order = sorted(range(len(moments)), key=lambda place: (alike[place], grade[place], place))
    previous = [-1] * len(order)  # of the moment that is alike and stands just before
    for place in range(1, len(order)):
        one, other = order[place - 1], order[place]
        if alike[one] and alike[other] and grade[one] == grade[other]:
            previous[place] = place - 1
    for chosen in combinations(range(len(order)), count):
        held = set(chosen)
        if any(previous[place] >= 0 and previous[place] not in held for place in chosen):
            continue
        options = [[each for each in grades if each != grade[order[place]]] for place in chosen]
        for given in product(*options):
            after = dict(zip(chosen, given, strict=True))
            if all(previous[place] < 0 or after[previous[place]] <= own for place, own in after.items()):
                yield tuple((moments[order[place]], own) for place, own in after.items())


def count_of_sets(free: int, alike: Sequence[int], count: int, others: int) -> int:
    """How many sets `change_sets` gives.

    Args: free: how many moments are like no other; alike: sizes of the groups of those that are. others: how many
    grades a moment may change to.

    >>> count_of_sets(1, [2], 2, 1)
    2
    """
    ways = [1] + [0] * count  # of so many changes
    for size, kinds in [(1, others)] * free + [(size, others) for size in alike]:
        # Multisets of new grades among those of the group that change.
        own = [1]
        for number in range(1, min(size, count) + 1):
            own.append(own[-1] * (kinds + number - 1) // number)
        ways = [sum(ways[c - n] * own[n] for n in range(min(c, len(own) - 1) + 1)) for c in range(count + 1)]
    return ways[count]
