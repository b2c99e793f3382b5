"""Exclusive matching: every moment is taken at most once, earlier ranks choose first."""

from __future__ import annotations

import numpy as np

from ..arrays import IntArray


def match_exclusively(pair_prediction: IntArray, pair_moment: IntArray, moments: int) -> tuple[IntArray, IntArray]:
    """Let predictions choose moments in order of rank, all queries at once.

    The rule is sequential: the first prediction takes its favourite, the second its favourite
    among what is left, and so on. It is the same as the stable matching in which every moment
    prefers the earlier prediction, so it can be found by deferred acceptance, in rounds over
    arrays: all free predictions ask for the next moment on their list, each moment keeps the
    earliest that asked, and the others go on. There are as many rounds as the longest chain of
    refusals, in practice a handful.

    Args:
        pair_prediction: shape (P,), ascending; pair_moment: shape (P,). The pairs of one
            prediction stand in its order of preference. Predictions of one query are numbered
            by rank, and no moment belongs to two queries.
        moments: how many there are.
    Returns: the predictions that took a moment, ascending, and the moment each one took.
    Source: the rule is TVR-Ranking's, section 4; deferred acceptance is Gale and Shapley's (1962).

    >>> prediction, moment = match_exclusively(np.array([0, 1, 1, 5]), np.array([7, 7, 8, 8]), 9)
    >>> prediction.tolist(), moment.tolist()
    ([0, 1], [7, 8])
    """
    following = np.flatnonzero(np.diff(pair_prediction, prepend=-1))
    chooser = pair_prediction[following]  # from here on predictions are places in this array
    stop = np.append(following[1:], len(pair_prediction))
    asking = np.arange(len(chooser))
    nobody = len(chooser)
    holder = np.full(moments, nobody, dtype=np.int64)
    while len(asking):
        moment = pair_moment[following[asking]]
        held_before = holder[moment]
        np.minimum.at(holder, moment, asking)
        held_now = holder[moment]
        refused = asking[held_now != asking]
        pushed_out = held_before[(held_before != nobody) & (held_now != held_before)]
        asking = np.unique(np.concatenate((refused, pushed_out)))
        following[asking] += 1
        asking = asking[following[asking] < stop[asking]]
    taken = np.flatnonzero(holder != nobody)
    order = np.argsort(holder[taken])
    return chooser[holder[taken][order]], taken[order]
