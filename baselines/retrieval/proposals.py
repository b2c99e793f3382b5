"""From segments that were found to proposals, and from proposals' moments to those that count."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from baselines.arrays import SingleArray
from evaluation.arrays import IntArray


class Proposals(NamedTuple):
    """P proposals: their query's row, rising, and the places of their first and last segments; (P,) each."""

    row: IntArray
    first: IntArray
    last: IntArray


def proposals(row: IntArray, place: IntArray, *, longest: int) -> Proposals:
    """Segments of one query that follow one another become one proposal, of ``longest`` segments at most.

    Args: row, place: (N,), of each segment that was found; no segment twice.

    >>> import numpy as np
    >>> made = proposals(np.array([0, 0, 0, 0, 1]), np.array([8, 4, 3, 5, 6]), longest=2)
    >>> [part.tolist() for part in made]
    [[0, 0, 0, 1], [3, 5, 8, 6], [4, 5, 8, 6]]
    """
    order = np.lexsort((place, row))
    row, place = row[order], place[order]
    opens = np.ones(len(row), np.bool_)
    opens[1:] = (np.diff(row) != 0) | (np.diff(place) != 1)
    begin = np.flatnonzero(opens)
    within = np.arange(len(row)) - np.repeat(begin, np.diff([*begin, len(row)]))
    begin = np.flatnonzero(within % longest == 0)
    return Proposals(row[begin], place[begin], place[np.append(begin[1:], len(row)) - 1])


def without_doubles(
    row: IntArray, video: IntArray, score: SingleArray, start: IntArray, end: IntArray
) -> tuple[IntArray, IntArray, SingleArray, IntArray, IntArray]:
    """Of a query's equal moments, which neighbouring proposals may come to, the best; rows rise. (N,) each.

    >>> import numpy as np
    >>> made = without_doubles(*map(np.array, ([0, 0, 1], [2, 2, 2], [0.5, 0.7, 0.6], [4, 4, 4], [6, 6, 6])))
    >>> made[0].tolist(), made[2].tolist()
    ([0, 1], [0.7, 0.6])
    """
    order = np.lexsort((-score, end, start, video, row))
    moment = np.stack((row, video, start, end))[:, order]
    differs = np.ones(len(order), np.bool_)
    differs[1:] = (np.diff(moment, axis=1) != 0).any(0)
    row, video, start, end = moment[:, differs]
    return row, video, score[order][differs], start, end
