"""tau-AP and rank-biased overlap against plain loops over every order that ties allow."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from evaluation.significance.agreement import rank_biased_overlap, tau_ap

PAIRS = st.integers(2, 6).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(2)))
)


def tau_ap_of(order: list[int], reference: list[int]) -> float:
    """Of one order of the systems, as the paper has it, a tie of the reference being half a concordance."""
    total = 0.0
    for rank in range(1, len(order)):
        above = [reference[other] - reference[order[rank]] for other in order[:rank]]
        total += (sum(x > 0 for x in above) + sum(x == 0 for x in above) / 2) / rank
    return 2 / (len(order) - 1) * total - 1


@settings(max_examples=100, deadline=None)
@given(pair=PAIRS)
def test_tau_ap_is_the_mean_over_all_orders(pair: tuple[list[int], list[int]]) -> None:
    scores, reference = pair
    found = tau_ap(np.array(scores, dtype=float), np.array(reference, dtype=float)).item()
    if len(set(scores)) == 1 or len(set(reference)) == 1:
        assert math.isnan(found)
        return
    systems = range(len(scores))
    orders = [list(o) for o in permutations(systems) if all(scores[a] >= scores[b] for a, b in zip(o, o[1:]))]  # noqa: B905, RUF007
    assert found == pytest.approx(sum(tau_ap_of(order, reference) for order in orders) / len(orders))


def rbo_of(scores: list[int], other: list[int], p: float) -> float:
    """Webber's sum to the end of the lists; beyond it everything agrees, which a long tail stands for."""
    total = 0.0
    for depth in range(1, 2000):
        sets = [{i for i, x in enumerate(own) if 1 + sum(y > x for y in own) <= depth} for own in (scores, other)]
        total += (1 - p) * p ** (depth - 1) * 2 * len(sets[0] & sets[1]) / (len(sets[0]) + len(sets[1]))
    return total


@settings(max_examples=30, deadline=None)
@given(pair=PAIRS, p=st.sampled_from([0.5, 0.9]))
def test_rank_biased_overlap_is_the_sum_over_all_depths(pair: tuple[list[int], list[int]], p: float) -> None:
    first, second = (np.array(own, dtype=float) for own in pair)
    found = rank_biased_overlap(first, second, p).item()
    assert found == pytest.approx(rbo_of(*pair, p))
    assert found == pytest.approx(rank_biased_overlap(second, first, p).item())


def test_the_top_counts_more_than_in_tau() -> None:
    order, top, end = (np.array(x, dtype=float) for x in ([5, 4, 3, 2, 1], [4, 5, 3, 2, 1], [5, 4, 3, 1, 2]))
    assert kendalltau(order, top).statistic == kendalltau(order, end).statistic == pytest.approx(0.8)
    assert tau_ap(top, order) < 0.8 < tau_ap(end, order)
    assert rank_biased_overlap(order, top) < rank_biased_overlap(order, end) < rank_biased_overlap(order, order) == 1
    assert [tau_ap(order, order).item(), tau_ap(-order, order).item()] == pytest.approx([1, -1])
    table = np.array([order, top, end])
    assert tau_ap(table[:, None], table[None]).shape == rank_biased_overlap(table[:, None], table[None]).shape == (3, 3)
