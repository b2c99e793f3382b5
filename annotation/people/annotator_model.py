"""Dawid and Skene's model of annotators, computed by crowd-kit: a check on the consensus, which it never changes. Pure.

Dawid and Skene (1979) suppose that each pair has one true grade and each person a table of how they grade pairs of each
true grade; both are estimated together by expectation-maximisation, from everybody's grades alone.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.grades import GRADE_COUNT

ROUNDS = 100
TOLERANCE = 1e-5
PAIRS_KEPT = 500


@dataclass(frozen=True, slots=True)
class Reliability:
    """A person as the model sees them, over the grades as they occur: how likely the true grade is given (`exact`),
    or one at most one away (`within_one`), and the mean of the given minus the true grade (`bias`)."""

    member: int
    judgments: int
    exact: float
    within_one: float
    bias: float


@dataclass(frozen=True, slots=True)
class PairView:
    """A pair on which the model and the consensus part: the model's likeliest grade with its probability, the mean of
    its grades, and how likely the consensus is two or more away (`far`). `grade` is None for a discarded pair."""

    pair: int
    grade: int | None
    model: int
    probability: float
    expected: float
    far: float


@dataclass(frozen=True, slots=True)
class ModelView:
    """`table` counts pairs by consensus grade (a sixth row for the discarded) and the model's grade."""

    judgments: int
    pairs: int
    table: list[list[int]]
    disagreeing: int
    people: list[Reliability]
    worth_a_look: list[PairView]


def model_view(
    pair: NDArray[np.int64],
    person: NDArray[np.int64],
    grade: NDArray[np.int64],
    decided: Mapping[int, int | None],
) -> ModelView:
    """Fit the model and compare it with what was decided.

    Args:
        pair, person, grade: every counted judgment, in columns.
        decided: pair -> its grade, None for a discarded one; pairs that aren't decided are left out.
    Source: Dawid and Skene, Maximum likelihood estimation of observer error-rates using the EM algorithm, 1979.
    """
    if not len(pair):
        return ModelView(0, 0, [[0] * GRADE_COUNT for _ in range(GRADE_COUNT + 1)], 0, [], [])
    posterior, tables, priors, ids = _fitted(pair, person, grade)
    likeliest = posterior.argmax(axis=1)
    steps = np.arange(GRADE_COUNT)
    table = np.zeros((GRADE_COUNT + 1, GRADE_COUNT), dtype=np.int64)
    views = []
    for place, pair_id in enumerate(ids):
        if int(pair_id) not in decided:
            continue
        consensus, model = decided[int(pair_id)], int(likeliest[place])
        table[GRADE_COUNT if consensus is None else consensus, model] += 1
        if consensus is None or consensus != model:
            chances = posterior[place]
            far = 0.0 if consensus is None else float(chances[abs(steps - consensus) >= 2].sum())
            expected = float(chances @ steps)
            views.append(
                PairView(
                    int(pair_id), consensus, model, round(float(chances[model]), 4), round(expected, 3), round(far, 4)
                )
            )
    graded = [view for view in views if view.grade is not None]
    # Those furthest from consensus first; then the discarded ones of which the model is surest.
    graded.sort(key=lambda view: (-view.far, -abs(view.expected - (view.grade or 0)), view.pair))
    discarded = sorted((view for view in views if view.grade is None), key=lambda view: (-view.probability, view.pair))
    return ModelView(
        judgments=len(pair),
        pairs=int(table.sum()),
        table=table.tolist(),
        disagreeing=len(graded),
        people=_reliabilities(tables, priors, person),
        worth_a_look=graded[: PAIRS_KEPT - 100] + discarded[:100],
    )


def _fitted(
    pair: NDArray[np.int64], person: NDArray[np.int64], grade: NDArray[np.int64]
) -> tuple[NDArray[np.float64], dict[int, NDArray[np.float64]], NDArray[np.float64], NDArray[np.int64]]:
    """Each pair's chances of the grades 0-4, each person's table (given by true grade), the grades' shares, and the
    pairs in order."""
    import pandas as pd
    from crowdkit.aggregation import DawidSkene

    frame = pd.DataFrame({"task": pair, "worker": person, "label": grade})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model: Any = DawidSkene(n_iter=ROUNDS, tol=TOLERANCE).fit(frame)
    # A grade that nobody gave has no column.
    chances = model.probas_.reindex(columns=range(GRADE_COUNT), fill_value=0.0).sort_index()
    priors = model.priors_.reindex(range(GRADE_COUNT), fill_value=0.0).to_numpy(dtype=np.float64)
    errors = model.errors_.reindex(columns=range(GRADE_COUNT), fill_value=0.0)
    tables = {}
    for worker, part in errors.groupby(level="worker"):
        given = part.droplevel("worker").reindex(range(GRADE_COUNT), fill_value=0.0).to_numpy(dtype=np.float64)
        whole = given.sum(axis=0)
        tables[int(worker)] = np.divide(given, whole, out=np.zeros_like(given), where=whole > 0)
    return chances.to_numpy(dtype=np.float64), tables, priors, chances.index.to_numpy(dtype=np.int64)


def _reliabilities(
    tables: Mapping[int, NDArray[np.float64]], priors: NDArray[np.float64], person: NDArray[np.int64]
) -> list[Reliability]:
    members, judgments = np.unique(person, return_counts=True)
    counts = {int(member): int(count) for member, count in zip(members, judgments, strict=True)}
    steps = np.arange(GRADE_COUNT)
    gaps = np.subtract.outer(steps, steps)
    reliabilities = []
    for member, table in tables.items():
        # Only true grades that this person has met: of the others nothing is known.
        weights = np.where(table.sum(axis=0) > 0, priors, 0.0)
        joint = table * (weights / weights.sum() if weights.sum() else weights)
        reliabilities.append(
            Reliability(
                member=member,
                judgments=counts[member],
                exact=round(float(np.trace(joint)), 4),
                within_one=round(float(joint[abs(gaps) <= 1].sum()), 4),
                bias=round(float((joint * gaps).sum()), 4),
            )
        )
    return sorted(reliabilities, key=lambda reliability: reliability.exact)
