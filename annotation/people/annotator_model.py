"""The model of annotators beside what was decided: a check on the consensus, which it never changes. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.consensus import PAPER, Rule
from annotation.grades import GRADE_COUNT
from evaluation.judgments.annotator_model import Fit, fitted
from evaluation.judgments.grade_classes import class_of, unit_of
from evaluation.judgments.posteriors import Posteriors
from evaluation.reading.judgments import Judgments

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
    its grades, and how likely the consensus is two or more units away (`far`). `grade` is None for a discarded pair."""

    pair: int
    grade: int | None
    model: int
    probability: float
    expected: float
    far: float


@dataclass(frozen=True, slots=True)
class ModelView:
    """`table` counts pairs by consensus grade (a sixth row for the discarded) and the model's grade. `changed` is how
    many pairs would have ended otherwise had another person given one of their grades, to be expected."""

    judgments: int
    pairs: int
    table: list[list[int]]
    disagreeing: int
    people: list[Reliability]
    worth_a_look: list[PairView]
    changed: float


def model_view(
    pair: NDArray[np.int64],
    person: NDArray[np.int64],
    grade: NDArray[np.int64],
    decided: Mapping[int, int | None],
    rule: Rule = PAPER,
) -> ModelView:
    """Fit the model and compare it with what was decided.

    Args:
        pair, person, grade: every counted judgment, in columns. The model tells classes apart (`grade_classes`).
        decided: pair -> its grade, None for a discarded one; pairs that aren't decided are left out.
        rule: by which they were decided.
    """
    if not len(pair):
        return ModelView(0, 0, [[0] * GRADE_COUNT for _ in range(GRADE_COUNT + 1)], 0, [], [], 0.0)
    ids, places = np.unique(pair, return_inverse=True)
    members, numbers = np.unique(person, return_inverse=True)
    top, unit = rule.top_grade, unit_of(rule.top_grade)
    fit = fitted(places, numbers, class_of(grade, top), count=GRADE_COUNT)
    posterior = fit.posterior
    likeliest = posterior.argmax(axis=1)
    steps = np.arange(GRADE_COUNT)
    table = np.zeros((GRADE_COUNT + 1, GRADE_COUNT), dtype=np.int64)
    views = []
    for place, pair_id in enumerate(ids):
        if int(pair_id) not in decided:
            continue
        decision, model = decided[int(pair_id)], int(likeliest[place])
        consensus = None if decision is None else class_of(decision, top)
        table[GRADE_COUNT if consensus is None else consensus, model] += 1
        if consensus is None or consensus != model:
            chances = posterior[place]
            far = 0.0 if consensus is None else float(chances[abs(steps - consensus) >= 2].sum())
            expected, certain = float(chances @ steps) * unit, round(float(chances[model]), 4)
            views.append(PairView(int(pair_id), decision, model * unit, certain, round(expected, 3), round(far, 4)))
    graded = [view for view in views if view.grade is not None]
    # Those furthest from consensus first; then the discarded ones of which the model is surest.
    graded.sort(key=lambda view: (-view.far, -abs(view.expected - (view.grade or 0)), view.pair))
    discarded = sorted((view for view in views if view.grade is None), key=lambda view: (-view.probability, view.pair))
    return ModelView(
        judgments=len(pair),
        pairs=int(table.sum()),
        table=table.tolist(),
        disagreeing=len(graded),
        people=_reliabilities(fit, members, np.bincount(numbers), unit),
        worth_a_look=graded[: PAIRS_KEPT - 100] + discarded[:100],
        changed=_changed(
            Judgments("", tuple(map(str, ids)), tuple(map(str, members)), places, numbers, grade), fit, decided, rule
        ),
    )


def _changed(judgments: Judgments, fit: Fit, decided: Mapping[int, int | None], rule: Rule) -> float:
    changed, _ = Posteriors(judgments, fit).changed_by_another(rule)
    known = [int(pair) in decided for pair in judgments.pair_ids]
    return round(float(np.nansum(changed[known])), 1)


def _reliabilities(fit: Fit, members: NDArray[np.int64], judgments: NDArray[np.int64], unit: int) -> list[Reliability]:
    reliabilities = []
    for place, (member, count) in enumerate(zip(members.tolist(), judgments.tolist(), strict=True)):
        exact, within_one, bias = (round(figure, 4) for figure in fit.habits(place))
        reliabilities.append(Reliability(member, count, exact, within_one, bias * unit))
    return sorted(reliabilities, key=lambda reliability: reliability.exact)
