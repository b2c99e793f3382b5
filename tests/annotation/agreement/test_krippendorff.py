"""Krippendorff's alpha and its interval: worked by hand, beside the library, and on real three-person ratings."""

import json
from collections import Counter
from itertools import combinations

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.agreement.kappa import agreement
from annotation.agreement.krippendorff import alpha_with_interval, resampled_alphas
from annotation.grades import GRADES
from tests.paths import DATA, NO_DATA

QVHIGHLIGHTS = DATA

pairs_of_grades = st.dictionaries(
    st.lists(st.integers(0, 4), min_size=2, max_size=4).map(tuple), st.integers(1, 40), min_size=1, max_size=12
)


def test_alpha_worked_by_hand() -> None:
    """Three pairs: 0 0, 0 1, 1 1. Coincidences: 00 twice, 01 and 10 once each, 11 twice; each grade given 3 times.

    The one distance between different grades cancels: alpha = 1 - (6 - 1) * 1 / (3 * 3) = 4/9.
    """
    alpha = alpha_with_interval({(0, 0): 1, (0, 1): 1, (1, 1): 1})
    assert alpha.alpha == pytest.approx(4 / 9)
    assert (alpha.pairs, alpha.judgments) == (3, 6)


def test_alpha_worked_by_hand_with_ordinal_distances() -> None:
    """Pairs 0 0, 0 4, 2 4: given are 0 three times, 2 once, 4 twice, of 6.

    Distances: (0, 4): (3/2 + 1 + 2/2)^2 = 3.5^2; (0, 2): (3/2 + 1/2)^2 = 4; (2, 4): (1/2 + 2/2)^2 = 2.25.
    Observed 3.5^2 + 2.25 = 14.5; expected 3 * 2 * 12.25 + 3 * 1 * 4 + 1 * 2 * 2.25 = 90.
    """
    assert alpha_with_interval({(0, 0): 1, (0, 4): 1, (2, 4): 1}).alpha == pytest.approx(1 - 5 * 14.5 / 90)


def test_a_pair_with_one_grade_says_nothing() -> None:
    with_it = alpha_with_interval({(0, 0): 4, (0, 1): 2, (1, 1): 3, (4,): 50})
    assert with_it == alpha_with_interval({(0, 0): 4, (1, 0): 2, (1, 1): 3})


@pytest.mark.parametrize("judged", [{}, {(3,): 5}, {(2, 2): 9}], ids=["nothing", "one grade a pair", "one same grade"])
def test_where_alpha_is_undefined_it_is_none(judged: dict[tuple[int, ...], int]) -> None:
    alpha = alpha_with_interval(judged)
    assert (alpha.alpha, alpha.low, alpha.high) == (None, None, None)


def test_one_pair_has_no_interval() -> None:
    alpha = alpha_with_interval({(0, 4): 1})
    assert alpha.alpha is not None
    assert (alpha.low, alpha.high) == (None, None)


def test_a_grade_outside_the_scale_is_told() -> None:
    with pytest.raises(ValueError, match="found the grade 5, expected 0-4"):
        alpha_with_interval({(5, 1): 1})


@settings(max_examples=40, deadline=None)
@given(pairs_of_grades, st.integers(0, 2**32))
def test_every_resample_is_the_alpha_of_the_library(judged: dict[tuple[int, ...], int], seed: int) -> None:
    rows = np.array([[grades.count(grade) for grade in GRADES] for grades in judged])
    weights = np.array(list(judged.values()), dtype=float)
    draws = np.random.default_rng(seed).multinomial(20, weights / weights.sum(), size=5)
    for value, draw in zip(resampled_alphas(rows, draws), draws, strict=True):
        counts = np.repeat(rows, draw, axis=0)
        if np.count_nonzero(counts.sum(axis=0)) < 2:
            assert np.isnan(value)
        else:
            expected = krippendorff.alpha(
                value_counts=counts, value_domain=list(GRADES), level_of_measurement="ordinal"
            )
            assert value == pytest.approx(expected, abs=1e-9)


def test_the_interval_is_that_of_resampled_pairs_and_the_same_every_time() -> None:
    judged = {(0, 0): 30, (0, 1): 12, (1, 1): 9, (2, 3): 14, (3, 3): 20, (0, 4, 2, 2): 6, (4, 4): 9}
    alpha = alpha_with_interval(judged)
    assert alpha == alpha_with_interval(dict(reversed(judged.items()))), "the order of the rows means nothing"
    assert alpha.low is not None and alpha.alpha is not None and alpha.high is not None
    assert alpha.low < alpha.alpha < alpha.high
    # One by one, by the library, from draws of our own.
    rows = np.repeat([[g.count(grade) for grade in GRADES] for g in judged], list(judged.values()), axis=0)
    chance = np.random.default_rng(1)
    alphas = [
        krippendorff.alpha(
            value_counts=rows[chance.integers(len(rows), size=len(rows))],
            value_domain=list(GRADES),
            level_of_measurement="ordinal",
        )
        for _ in range(600)
    ]
    low, high = np.quantile(alphas, [0.025, 0.975])
    assert (alpha.low, alpha.high) == (pytest.approx(low, abs=0.02), pytest.approx(high, abs=0.02))


@pytest.fixture(scope="module")
def saliency() -> list[tuple[int, int, int]]:
    """Real grades of three people each: QVHighlights' saliency of every relevant clip."""
    path = QVHIGHLIGHTS / "qvhighlights" / "highlight_val_release.jsonl"
    if not path.is_file():
        pytest.skip(NO_DATA)
    ratings = []
    for line in path.read_text(encoding="utf-8").splitlines():
        ratings += [tuple(scores) for scores in json.loads(line)["saliency_scores"]]
    return ratings


def test_alpha_of_real_ratings_is_the_library_s(saliency: list[tuple[int, int, int]]) -> None:
    assert len(saliency) > 10_000
    # The first three columns are three people's seats, not three people; alpha doesn't ask whose a grade is.
    expected = krippendorff.alpha(
        np.array(saliency, dtype=float).T, value_domain=list(GRADES), level_of_measurement="ordinal"
    )
    alpha = alpha_with_interval(Counter(saliency))
    assert alpha.alpha == pytest.approx(expected, abs=1e-12)
    assert (alpha.pairs, alpha.judgments) == (len(saliency), 3 * len(saliency))
    assert alpha.low is not None and alpha.high is not None and alpha.alpha is not None
    assert alpha.low < alpha.alpha < alpha.high < alpha.low + 0.05


def test_kappas_of_real_ratings_are_scikit_learn_s(saliency: list[tuple[int, int, int]]) -> None:
    from sklearn.metrics import cohen_kappa_score

    seats = list(zip(*saliency, strict=True))
    figures = agreement(seats)
    plain = [cohen_kappa_score(one, other) for one, other in combinations(seats, 2)]
    weighted = [cohen_kappa_score(one, other, weights="quadratic") for one, other in combinations(seats, 2)]
    assert figures.kappa == pytest.approx(np.mean(plain))
    assert figures.weighted == pytest.approx(np.mean(weighted))
    assert figures.alpha == pytest.approx(alpha_with_interval(Counter(saliency)).alpha)
