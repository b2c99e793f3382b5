"""The least number of changes in all queries together that gain enough, from what changes gain in each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class LeastTotal:
    """Attributes: total: how many changes. of_query: shape (Q,), how many in each."""

    total: int
    of_query: IntArray


def least_total(gain: FloatArray, enough: float) -> LeastTotal | None:
    """The fewest changes whose gains together exceed `enough`, exactly; None if all together don't.

    A knapsack with a choice a query. Upper concave hulls give a solution at once and, by the multiplier at which it
    ends, what any better one can't contain (Lagrangian bounds); the queries left undecided are added up by dynamic
    programming.

    Args: gain: shape (Q, C + 1), at least 0 and rising along each row: what the best 0..C changes in a query gain.

    >>> found = least_total(np.array([[0.0, 1.0, 1.0], [0.0, 0.25, 3.0]]), 2.5)
    >>> found.total, found.of_query.tolist()
    (2, [0, 2])
    """
    if enough < 0:
        return LeastTotal(0, np.zeros(len(gain), dtype=np.int64))
    if not gain[:, -1].sum() > enough:
        return None
    query, upto, steps, slope = _hull_steps(gain)
    reached = np.cumsum(slope * steps)
    last = int(np.searchsorted(reached, enough, side="right"))
    of_query = np.zeros(len(gain), dtype=np.int64)
    if last == len(steps):  # but for rounding the steps are all that there is
        of_query = np.argmax(gain >= gain[:, -1:], axis=1).astype(np.int64)
        return LeastTotal(int(of_query.sum()), of_query)
    np.maximum.at(of_query, query[: last + 1], upto[: last + 1])
    first = LeastTotal(int(of_query.sum()), of_query)
    return _better(gain, enough, first, float(slope[last])) or first


def _hull_steps(gain: FloatArray) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """The steps of all rows' upper concave hulls, steepest first: query, changes after it, changes it takes, slope."""
    count = gain.shape[1]
    at = np.zeros(len(gain), dtype=np.int64)
    parts = []
    alive = np.arange(len(gain))
    while len(alive):
        ahead = np.arange(count)[None, :] - at[alive][:, None]
        rise = gain[alive] - gain[alive, at[alive]][:, None]
        slopes = np.where(ahead > 0, rise / np.maximum(ahead, 1), -1.0)
        best = count - 1 - np.argmax(slopes[:, ::-1], axis=1)
        slope = slopes[np.arange(len(alive)), best]
        going = slope > 0
        alive, best, slope = alive[going], best[going], slope[going]
        parts.append((alive, best, best - at[alive], slope))
        at[alive] = best
    query, upto, steps, slope = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((upto, -slope))
    return query[order], upto[order], steps[order], slope[order]


def _better(gain: FloatArray, enough: float, first: LeastTotal, price: float) -> LeastTotal | None:
    """A solution with fewer changes than the first, the least of all; None if there is none."""
    paid = gain - price * np.arange(gain.shape[1])
    best = paid.max(axis=1)
    # What a solution with one change less may lose on the best choices at this price.
    room = float(best.sum()) + price * (first.total - 1) - enough
    slack = 1e-9 * (1.0 + abs(enough))
    open_choices = best[:, None] - paid <= room + slack
    if not open_choices.any(axis=1).all():
        return None
    of_query = np.argmax(open_choices, axis=1).astype(np.int64)  # the only choice, where there is one
    undecided = np.flatnonzero(open_choices.sum(axis=1) > 1)
    fixed = np.delete(np.arange(len(gain)), undecided)
    capacity = first.total - 1 - int(of_query[fixed].sum())
    wanted = enough - float(gain[fixed, of_query[fixed]].sum())
    if capacity < 0:
        return None
    most = np.full(capacity + 1, -np.inf)
    most[0] = 0.0
    chosen = np.zeros((len(undecided), capacity + 1), dtype=np.int16)
    for row, place in enumerate(undecided.tolist()):
        after = np.full(capacity + 1, -np.inf)
        for count in np.flatnonzero(open_choices[place]).tolist():
            if count > capacity:
                break
            tried = np.full(capacity + 1, -np.inf)
            tried[count:] = most[: capacity + 1 - count] + gain[place, count]
            chosen[row][tried > after] = count
            np.maximum(after, tried, out=after)
        most = after
    solved = np.flatnonzero(most > wanted)
    if not len(solved):
        return None
    left = int(solved[0])
    for row in range(len(undecided) - 1, -1, -1):
        of_query[undecided[row]] = chosen[row, left]
        left -= int(chosen[row, left])
    return LeastTotal(int(of_query.sum()), of_query)
