"""How far annotators agree on factors, and how factors explain grades: computed ahead (`annotation/precomputed.py`)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from annotation.agreement.kappa import cohen_kappa
from annotation.agreement.krippendorff import alpha_with_interval
from annotation.factors.declared import factors_of
from annotation.models import Factor, JudgedFactor, Pair, RepeatAnswer
from foundation.models import Collection

if TYPE_CHECKING:
    from evaluation.arrays import BoolArray, FloatArray, IntArray

NAME = "factors"
"""Of the precomputed figures."""
AT_ONCE_BELOW = 2000
FEWEST_MEETINGS = 10
"""Two people who answered fewer pairs both have no kappa: it would be noise."""
FEWEST_FITTED = 20
"""Judgments with answers, without which grades aren't explained."""
MOST_FITTED = 10_000
"""Of more, so many are drawn for the fits: they tell as much, and each fit stays a matter of a second."""
SEED = 20_261_126


@dataclass(frozen=True)
class Answered:
    """The counted judgments with answers: shapes (J,), and (J, F) for the answers, NaN where there is none."""

    pair: IntArray
    person: IntArray
    query: IntArray
    grade: IntArray
    answers: FloatArray
    skipped: BoolArray


def compute_factors(collection: Collection) -> dict[str, Any]:
    """Counts of `judgments`, `pairs`, `queries`; `factors`, each with its answers' counts, alpha, kappa and its answers
    by grade; and `explained`: see `explain`. Withdrawn pairs are left out."""
    factors = factors_of(collection)
    answered = _answered(collection, factors)
    names = dict(collection.memberships.values_list("pk", "worker"))
    again = _again(collection)
    told = [_of_factor(factor, place, answered, names, again[factor.key]) for place, factor in enumerate(factors)]
    return {
        "asked": collection.factors_asked,
        "top_grade": collection.top_grade,
        "judgments": len(answered.pair),
        "pairs": len(set(answered.pair.tolist())),
        "queries": len(set(answered.query.tolist())),
        "within": collection.largest_difference,
        "factors": told,
        "explained": explain(answered, [factor.key for factor in factors], within=collection.largest_difference),
    }


def _answered(collection: Collection, factors: Sequence[Factor]) -> Answered:
    import numpy as np

    rows = list(
        JudgedFactor.objects.filter(judgment__pair__batch__collection=collection, judgment__counted=True)
        .exclude(judgment__pair__status=Pair.Status.WITHDRAWN)
        .order_by("judgment_id")
        .values_list(
            *("judgment_id", "judgment__pair_id", "judgment__annotator_id", "judgment__pair__batch__query_id"),
            *("judgment__grade", "factor_id", "value"),
        )
        .iterator(20_000)
    )
    first = {row[0]: row[:5] for row in rows}
    place_of = {judgment: place for place, judgment in enumerate(first)}
    column_of = {factor.pk: place for place, factor in enumerate(factors)}
    answers = np.full((len(first), len(factors)), np.nan)
    skipped = np.zeros(answers.shape, dtype=np.bool_)
    for judgment, *_, factor, value in rows:
        at = place_of[judgment], column_of[factor]
        answers[at] = np.nan if value is None else value
        skipped[at] = value is None
    pair, person, query, grade = np.array([row[1:] for row in first.values()], dtype=np.int64).reshape(-1, 4).T
    return Answered(pair, person, query, grade, answers, skipped)


def _again(collection: Collection) -> defaultdict[str, list[bool]]:
    """Of each factor, whether a person answered a hidden repeat as the first time: a truth value a repeat."""
    repeats = RepeatAnswer.objects.filter(
        annotator__collection=collection, taken_back_at=None, repeat__first__counted=True, factors__isnull=False
    )
    given: dict[int, Any] = dict(repeats.values_list("repeat__first_id", "factors"))
    same: defaultdict[str, list[bool]] = defaultdict(list)
    first = JudgedFactor.objects.filter(judgment__in=given).values_list("judgment_id", "factor__key", "value")
    for judgment, key, value in first:
        if key in given[judgment]:
            same[key].append(given[judgment][key] == value)
    return same


def _of_factor(
    factor: Factor, place: int, answered: Answered, names: dict[int, str], again: list[bool]
) -> dict[str, Any]:
    """What was answered to one factor, how far people agree on it, and its answers by grade."""
    import numpy as np

    values = range(len(factor.answers))
    said, skipped = answered.answers[:, place], answered.skipped[:, place]
    has = ~np.isnan(said)
    by_pair: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for pair, person, value in zip(answered.pair[has], answered.person[has], said[has], strict=True):
        by_pair[int(pair)][int(person)] = int(value)
    partners = _partners(by_pair.values(), names)
    kappas = [row["kappa"] for row in partners if row["kappa"] is not None]
    by_grade = []
    for grade in sorted(set(answered.grade[has | skipped].tolist())):
        own = has & (answered.grade == grade)
        by_grade.append(
            {
                "grade": grade,
                "counts": [int((said[own] == value).sum()) for value in values],
                "skipped": int((skipped & (answered.grade == grade)).sum()),
                "mean": float(said[own].mean()) if own.any() else None,
            }
        )
    return {
        "key": factor.key,
        "name": factor.name,
        "answers": factor.answers,
        "retired": factor.retired_at is not None,
        "counts": [int((said == value).sum()) for value in values],
        "skipped": int(skipped.sum()),
        "alpha": asdict(alpha_with_interval(Counter(tuple(sorted(given.values())) for given in by_pair.values()))),
        "kappa": sum(kappas) / len(kappas) if kappas else None,
        "partners": partners,
        "again": {"answers": len(again), "same": sum(again) / len(again) if again else None},
        "by_grade": by_grade,
        "grade_by_value": [
            float(answered.grade[said == value].mean()) if (said == value).any() else None for value in values
        ],
    }


def _partners(pairs: Any, names: dict[int, str]) -> list[dict[str, Any]]:
    """Any two people who answered some pairs both: how many, and their kappa with quadratic weights."""
    met: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for given in pairs:
        for one, other in combinations(sorted(given), 2):
            met[one, other].append((given[one], given[other]))
    told = []
    for (one, other), values in sorted(met.items()):
        kappa = None
        if len(values) >= FEWEST_MEETINGS:
            kappa = cohen_kappa([a for a, _ in values], [b for _, b in values], weights="quadratic")
        told.append({"one": names[one], "other": names[other], "pairs": len(values), "kappa": kappa})
    return told


def explain(answered: Answered, keys: Sequence[str], *, within: int) -> dict[str, Any] | None:
    """How well the answers tell the grade: an ordinal regression, whose guesses are of queries beside those fitted on.

    Returns: `judgments` fitted on; `with`, of all factors, and `without` any, each the shares of grades guessed
        `exactly` and `within` so many grades, and the mean `distance`; `factors`: of each the `odds` of a higher grade
        for one answer more, and the same shares of it `alone` and of the others (`left_out`). None where fewer than
        `FEWEST_FITTED` judgments, two queries or two grades have answers.
    Source: McCullagh, Regression models for ordinal data (JRSS B 1980).
    """
    import numpy as np

    from evaluation.judgments.cross_fitted import cross_fitted
    from evaluation.judgments.ordinal_regression import ordinal_regression

    rows = np.arange(len(answered.grade))
    if len(rows) > MOST_FITTED:
        rows = np.sort(np.random.default_rng(SEED).choice(rows, MOST_FITTED, replace=False))
    # Of a scale of a hundred grades those that were given are fitted.
    grades, level = np.unique(answered.grade[rows], return_inverse=True)
    query, features, top = answered.query[rows], answered.answers[rows], len(grades) - 1
    if len(rows) < FEWEST_FITTED or top < 1 or len(set(query.tolist())) < 2:
        return None

    def shares(columns: list[int]) -> dict[str, float]:
        def predicted(fitted: BoolArray, wanted: BoolArray) -> FloatArray:
            fit = ordinal_regression(features[fitted][:, columns], level[fitted], top_grade=top)
            return fit.distribution(features[wanted][:, columns])

        guessed = grades[cross_fitted(query, np.ones(len(rows), dtype=np.bool_), predicted).argmax(axis=1)]
        away = np.abs(guessed - grades[level])
        return {
            "exactly": float((away == 0).mean()),
            "within": float((away <= within).mean()),
            "distance": float(away.mean()),
        }

    every = list(range(len(keys)))
    fit = ordinal_regression(features, level, top_grade=top)
    return {
        "judgments": len(rows),
        "with": shares(every),
        "without": shares([]),
        "factors": [
            {
                "key": key,
                "odds": float(np.exp(fit.slopes[place] / fit.scale[place])),
                "alone": shares([place]),
                "left_out": shares([other for other in every if other != place]),
            }
            for place, key in enumerate(keys)
        ],
    }
