"""The least number of changed grades that flips the order of two runs, by search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..stability.least_total import LeastTotal, least_total
from ..stability.regrading import Change, Regrading, change_sets, count_of_sets

TIE = 1e-9
"""Means that differ by no more are a tie, and a tie is no flip."""
ROUNDING = 1e-11
"""By which gains of one query differ that are the same."""
MOST = 8
"""Changes of one query that are told apart; more are bounded by what any number could do."""


@dataclass(frozen=True)
class Flip:
    """How few changed grades put the run that is behind ahead.

    Attributes: low, high: at least and at most so many. low is None if no grades at all would; high is None if none
    were found, and the changes then are empty. changes: those found, whose number is high; checked by scoring.
    """

    low: int | None
    high: int | None
    changes: tuple[Change, ...]


@dataclass(frozen=True, eq=False)
class Singles:
    """What is known of two runs from changing one grade at a time.

    Attributes: difference: shape (Q,), of the leading run less the other. gain: shape (M,), by how much the best other
    grade of each moment lowers it, at least 0; grade: shape (M,), that grade.
    """

    difference: FloatArray
    gain: FloatArray
    grade: FloatArray


@dataclass(eq=False)
class _Gains:
    """What 0..C changes can gain in each query: at least (found), at most, and up to how many changes it is exact."""

    least: FloatArray
    most: FloatArray
    exact: IntArray
    sets: dict[tuple[int, int], tuple[Change, ...]] = field(default_factory=dict)

    def raise_least(self, query: int, count: int, gain: float, changes: tuple[Change, ...]) -> None:
        """Note a set of changes that gains so much."""
        if gain > self.least[query, count]:
            self.sets[query, count] = changes
            self.least[query, count:] = np.maximum(self.least[query, count:], gain)

    def settle(self, query: int, count: int, *, last: bool) -> None:
        """Note that so many changes gain no more than was found, and more changes neither if these are the last."""
        self.exact[query] = count
        self.most[query, count] = self.least[query, count]
        if last:
            self.most[query, count:] = self.least[query, count:]

    def changes(self, total: LeastTotal) -> tuple[Change, ...]:
        """The changes of a solution by what was found."""
        found: list[Change] = []
        for query in np.flatnonzero(total.of_query).tolist():
            gain = self.least[query, total.of_query[query]]
            count = int(np.argmax(self.least[query] >= gain))
            found += self.sets.get((query, count), ())
        return tuple(found)


class FlipSearch:
    """Searches flips of two runs.

    The means' difference is a sum over the queries, so that the least total follows from what k changes can gain in
    each query (`least_total`). One change is tried exactly. Where the difference in a query is itself a sum over the
    moments of what follows from each one's grade (`Regrading.additive`), changes gain together what each gains alone,
    so that k gain at most the sum of the k largest gains of one, and the k best gain that: no search is needed.
    Elsewhere more changes are bounded: from below by what was found and scored, from above by the range of the measure,
    or more closely by `limits`. As long as the least total by the upper bounds rests on a query where they are open,
    all sets of one change more are tried there, within the budget.

    Args: grades: of the scale, from 0 on. budget: how many regraded queries are scored in the search of one pair.
    """

    def __init__(self, regrading: Regrading, grades: Sequence[float], *, budget: int) -> None:
        self.regrading, self.grades, self.budget = regrading, grades, budget
        self.size = np.diff(regrading.ground_truth.offset)
        self.met, self.additive = regrading.met(), regrading.additive()
        largest = max(1, int(self.size.max(initial=1)))
        self.changes = largest if regrading.measure.additive else min(MOST, largest)
        self.range = regrading.measure.greatest(max(grades))

    def flip(self, ahead: int, behind: int, singles: Singles, limits: FloatArray | None) -> Flip:
        """The flip of two runs, of which the first is ahead.

        Args: limits: shape (Q, C + 1), at least 0..C changes leave this of the difference; None: nothing is known.
        """
        truth = self.regrading.ground_truth
        gains = self._start(ahead, behind, singles, limits)
        enough = float(singles.difference.sum()) + TIE * len(truth)
        left = self.budget
        while True:
            lowest = least_total(gains.most, enough)
            if lowest is None:
                return Flip(None, None, ())
            places = np.arange(len(truth)), lowest.of_query
            open_queries = np.flatnonzero(gains.most[places] > gains.least[places])
            if not len(open_queries):
                break
            found = least_total(gains.least, enough)
            if found is not None and found.total <= lowest.total:
                break
            spent = self._try_all(gains, open_queries, ahead, behind, singles, left)
            if not spent:
                break
            left -= spent
        found = least_total(gains.least, enough)
        changes = () if found is None else gains.changes(found)
        if found is None or not self._flips(changes, ahead, behind):
            return Flip(lowest.total, None, ())
        return Flip(min(lowest.total, len(changes)), len(changes), changes)

    def _start(self, ahead: int, behind: int, singles: Singles, limits: FloatArray | None) -> _Gains:
        """What single changes tell, and the best of them made together."""
        truth, columns = self.regrading.ground_truth, self.changes + 1
        most = np.repeat((singles.difference + self.range)[:, None], columns, axis=1)
        if limits is not None:
            # The last column stands for any larger number, too.
            most[:, :-1] = np.minimum(most[:, :-1], singles.difference[:, None] - limits[:, : columns - 1])
        summed = np.flatnonzero(self.additive[ahead] & self.additive[behind])
        for query in summed.tolist():
            own = -np.sort(-singles.gain[truth.offset[query] : truth.offset[query + 1]])
            most[query, 1 : len(own) + 1] = np.cumsum(own)
            most[query, len(own) + 1 :] = own.sum()
        gains = _Gains(np.zeros_like(most), most, np.zeros(len(truth), dtype=np.int64))
        most[:, 0] = 0.0
        order = np.lexsort((-singles.gain, truth.query))
        self._try_together(gains, order, ahead, behind, singles)
        for query in range(len(truth)):
            if self.size[query]:
                best = int(order[truth.offset[query]])
                gain = float(singles.gain[best])
                gains.least[query, 1:] = np.maximum(gains.least[query, 1:], gain)
                gains.sets[query, 1] = ((best, float(singles.grade[best])),) if gain > 0 else ()
            gains.settle(query, min(1, int(self.size[query])), last=bool(self.size[query] <= 1))
        # Where both are the same but for rounding, they are the same.
        np.copyto(gains.most, gains.least, where=gains.most < gains.least + ROUNDING)
        return gains

    def _try_together(self, gains: _Gains, order: IntArray, ahead: int, behind: int, singles: Singles) -> None:
        """Score each query with its 2..C best single changes made together."""
        truth = self.regrading.ground_truth
        queries, grades, sets = [], [], []
        for query in range(len(truth)):
            first, last = truth.offset[query : query + 2].tolist()
            useful = [place for place in order[first:last].tolist() if singles.gain[place] > 0]
            tried = [
                tuple((place, float(singles.grade[place])) for place in useful[:count])
                for count in range(2, min(len(useful), self.changes) + 1)
            ]
            if tried:
                queries += [query] * len(tried)
                grades.append(self.regrading.changed(query, tried))
                sets += tried
        self._note(gains, queries, grades, sets, ahead, behind, singles)

    def _note(
        self,
        gains: _Gains,
        queries: list[int],
        grades: list[FloatArray],
        sets: list[tuple[Change, ...]],
        ahead: int,
        behind: int,
        singles: Singles,
    ) -> None:
        """Score sets of changes and keep the best of each query and number."""
        if not queries:
            return
        values = self.regrading.values(np.array(queries), np.concatenate(grades), of=(ahead, behind))
        gained = singles.difference[queries] - (values[:, 0] - values[:, 1])
        for query, gain, changes in zip(queries, gained.tolist(), sets, strict=True):
            gains.raise_least(query, len(changes), gain, changes)

    def _try_all(self, gains: _Gains, wanted: IntArray, ahead: int, behind: int, singles: Singles, left: int) -> int:
        """Try every set of one change more in these queries, as far as the budget goes. Returns: how many were."""
        truth, free = self.regrading.ground_truth, self.met[ahead] | self.met[behind]
        costs = []
        for query in wanted.tolist():
            count = int(gains.exact[query]) + 1
            # In the last column is also what more changes do.
            if count < self.changes or self.size[query] <= self.changes:
                costs.append((self._cost(query, count, free), query, count))
        spent, queries, grades, sets = 0, [], [], []
        done = []
        for cost, query, count in sorted(costs):
            if spent + cost > left:
                break
            spent += cost
            first, last = truth.offset[query : query + 2].tolist()
            own = truth.grade[first:last]
            tried = list(change_sets(range(first, last), own, (~free[first:last]).tolist(), count, self.grades))
            queries += [query] * len(tried)
            grades.append(self.regrading.changed(query, tried))
            sets += tried
            done.append((query, count))
        self._note(gains, queries, grades, sets, ahead, behind, singles)
        for query, count in done:
            gains.settle(query, count, last=count >= self.size[query])
        return spent

    def _cost(self, query: int, count: int, free: BoolArray) -> int:
        truth = self.regrading.ground_truth
        part = slice(*truth.offset[query : query + 2].tolist())
        alike = np.unique(truth.grade[part][~free[part]], return_counts=True)[1].tolist()
        return max(1, count_of_sets(int(free[part].sum()), alike, count, len(self.grades) - 1))

    def _flips(self, changes: Sequence[Change], ahead: int, behind: int) -> bool:
        """Whether the whole ground truth after these changes puts the other run ahead, by the measure itself."""
        truth = self.regrading.ground_truth
        changed = self.regrading.with_changes(changes)
        other = Regrading(changed, [self.regrading.runs[ahead], self.regrading.runs[behind]], self.regrading.measure)
        values = other.values(np.arange(len(truth)), changed.grade)
        return bool(values[:, 1].mean() - values[:, 0].mean() > 0)
