"""Does a measure order the systems alike on other queries? Tau against test-set size."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import EvaluationError
from ..scores.score_table import ScoreTable
from ..significance.agreement import kendall_tau_b, pair_signs

DRAWS_AT_ONCE = 125
Against = Literal["subset", "full"]


@dataclass(frozen=True, eq=False)
class SelfAgreement:
    """Attributes: against: what the order on a subset is compared with. sizes: queries in a subset.

    mean, variance: of tau-b over the draws, shape (sizes, measures); undefined: how many draws
    had all systems tied, so no tau, same shape.
    """

    against: Against
    sizes: tuple[int, ...]
    measures: tuple[str, ...]
    draws: int
    mean: FloatArray
    variance: FloatArray
    undefined: IntArray


def usual_sizes(queries: int) -> tuple[int, ...]:
    """100, 200, ... as far as the queries go; for fewer than 1,000, ten equal steps.

    >>> len(usual_sizes(3720)), usual_sizes(3720)[-1], usual_sizes(25)
    (37, 3700, (2, 4, 6, 8, 10, 12, 14, 16, 18, 20))
    """
    step = 100 if queries >= 1000 else max(1, queries // 10)
    return tuple(range(step, queries + 1, step))[: 10 if queries < 1000 else None]


def self_agreement(
    table: ScoreTable,
    *,
    against: Against,
    sizes: Sequence[int] | None = None,
    draws: int = 5_000,
    seed: int = 0,
) -> SelfAgreement:
    """Draw subsets of queries and compare how they order the systems.

    ``"subset"``: with another subset of the same size, drawn independently, as the paper says;
    ``"full"``: with the full set, as its code does. Subsets are drawn without replacement. The
    subsets of one draw are nested, the smaller ones being beginnings of one random order: for
    each size the draws are independent, as always; only the sizes share their luck.

    Sums over subsets are exact: values are first rounded to a grid (to 1 part in 2^40 or finer)
    on which floats add without rounding, so that two systems tie in a subset exactly when their
    values do.

    Raises: EvaluationError for fewer than two systems, or a size not in 1..queries.
    Source: AxIoU (CVPR 2022), section 6.3 and Figure 6; ExperimentsOnCharadesSTA.ipynb.
    """
    measures, systems, queries = table.values.shape
    chosen = tuple(sizes) if sizes is not None else usual_sizes(queries)
    if systems < 2:
        raise EvaluationError("self-agreement orders systems, so it needs at least two runs")
    if not chosen or min(chosen) < 1 or max(chosen) > queries or sorted(set(chosen)) != list(chosen):
        raise EvaluationError(f"sizes must ascend within 1..{queries}")
    columns = _on_exact_grid(table.values.reshape(measures * systems, queries).T)
    reference = pair_signs(columns.sum(axis=0).reshape(measures, systems))
    total = np.zeros((len(chosen), measures))
    squares = np.zeros_like(total)
    defined = np.zeros((len(chosen), measures), dtype=np.int64)
    ours = _subset_signs(columns, chosen, measures, draws, np.random.default_rng([seed, 0]))
    theirs = _subset_signs(columns, chosen, measures, draws, np.random.default_rng([seed, 1]))
    for signs in ours:
        tau = kendall_tau_b(signs, next(theirs) if against == "subset" else reference)
        known = ~np.isnan(tau)
        kept = np.where(known, tau, 0.0)
        total += kept.sum(axis=0)
        squares += (kept**2).sum(axis=0)
        defined += known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / defined
        variance = np.maximum(0.0, squares / defined - mean**2)
    return SelfAgreement(against, chosen, table.measures, draws, mean, variance, draws - defined)


def _subset_signs(
    columns: FloatArray, sizes: Sequence[int], measures: int, draws: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Pair signs on nested random subsets, chunk by chunk: (draws, sizes, measures, pairs)."""
    from scipy.sparse import csr_array

    queries = len(columns)
    order = np.arange(queries, dtype=np.int32)
    within = np.diff(sizes, prepend=0)
    for done in range(0, draws, DRAWS_AT_ONCE):
        count = min(DRAWS_AT_ONCE, draws - done)
        drawn = rng.permuted(np.broadcast_to(order, (count, queries)), axis=1)[:, : sizes[-1]]
        # A sparse 0/1 matrix with a row a step: its product sums only what each step adds.
        bounds = np.concatenate(([0], np.cumsum(np.tile(within, count)))).astype(np.int32)
        ones = np.ones(drawn.size)
        steps = csr_array((ones, drawn.ravel(), bounds), shape=(count * len(sizes), queries)) @ columns
        sums = np.cumsum(steps.reshape(count, len(sizes), -1), axis=1)
        yield pair_signs(sums.reshape(count, len(sizes), measures, -1))


def _on_exact_grid(columns: FloatArray) -> FloatArray:
    """Round to multiples of a power of two so coarse that any subset adds up without rounding."""
    largest = float(np.abs(columns).max(initial=0.0)) * len(columns)
    if largest == 0:
        return columns
    step = 2.0 ** (math.ceil(math.log2(largest)) - 52)
    return np.asarray(np.round(columns / step) * step)
