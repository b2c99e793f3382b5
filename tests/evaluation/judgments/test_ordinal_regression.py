"""Ordinal regressions fitted on people's grades, across queries, and recalibration: what they must find."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.errors import EvaluationError
from evaluation.judgments.cross_fitted import cross_fitted, folds_by_query
from evaluation.judgments.ordinal_regression import ordinal_regression
from evaluation.judgments.recalibration import recalibrated, recalibration

SLOPES, CUTS = np.array([1.0, -0.5]), np.array([-2.0, -1.0, 0.0, 1.0])


def drawn(pairs: int, seed: int = 0) -> tuple[FloatArray, IntArray]:
    """Features of unit spread, and grades by proportional odds with `SLOPES` and `CUTS`."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(pairs, 2))
    return features, np.searchsorted(CUTS, features @ SLOPES + rng.logistic(size=pairs))


def test_the_odds_that_grades_were_drawn_with_are_found() -> None:
    features, grade = drawn(20_000)
    fit = ordinal_regression(100 + 7 * features, grade, top_grade=4)
    assert pytest.approx(SLOPES, abs=0.06) == fit.slopes
    assert pytest.approx(CUTS, abs=0.06) == fit.cuts
    said = fit.distribution(100 + 7 * features)
    assert said.sum(axis=1) == pytest.approx(1)
    assert said.mean(axis=0) == pytest.approx(np.bincount(grade) / len(grade), abs=0.005)


def test_with_two_grades_it_is_logistic_regression() -> None:
    from sklearn.linear_model import LogisticRegression

    features, grade = drawn(5_000)
    high = (grade > 2).astype(np.int64)
    ours = ordinal_regression(features, high, top_grade=1).distribution(features)[:, 1]
    scaled = (features - features.mean(axis=0)) / features.std(axis=0)
    theirs = LogisticRegression(C=1.0).fit(scaled, high).predict_proba(scaled)[:, 1]
    assert ours == pytest.approx(theirs, abs=1e-3)


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(-3, 3)), min_size=1, max_size=30))
def test_whatever_is_graded_the_distributions_are_distributions(pairs: list[tuple[int, float]]) -> None:
    grade = np.array([grade for grade, _ in pairs])
    features = np.array([[value, 1.0, np.nan] for _, value in pairs])
    fit = ordinal_regression(features, grade, top_grade=4)
    said = fit.distribution(np.concatenate([features, [[1e6, np.nan, 5.0], [-1e6, 1.0, np.nan]]]))
    assert np.isfinite(said).all() and (said >= 0).all()
    assert said.sum(axis=1) == pytest.approx(1)
    assert (np.diff(fit.cuts) > 0).all()


def test_a_grade_that_never_occurs_is_improbable_and_a_single_one_nearly_sure() -> None:
    features, grade = drawn(2_000)
    kept = grade != 2
    said = ordinal_regression(features[kept], grade[kept], top_grade=4).distribution(features)
    assert 0 < said[:, 2].max() < 0.01
    single = ordinal_regression(features, np.full(2_000, 3), top_grade=4).distribution(features)
    assert (single[:, 3] > 0.99).all() and (single > 0).all()


def test_grades_that_a_feature_separates_have_a_finite_fit_that_separates_them() -> None:
    feature = np.linspace(-1, 1, 200)[:, None]
    grade = np.where(feature[:, 0] > 0, 4, 0)
    fit = ordinal_regression(feature, grade, top_grade=4)
    assert np.isfinite([*fit.slopes, *fit.cuts]).all()
    assert (fit.distribution(feature).argmax(axis=1) == grade).mean() > 0.98


def test_a_pair_that_lacks_a_feature_is_taken_as_average() -> None:
    features, grade = drawn(2_000)
    fit = ordinal_regression(features, grade, top_grade=4)
    lacking, average = fit.distribution(np.array([[np.nan, 0.3], [features[:, 0].mean(), 0.3]]))
    assert lacking == pytest.approx(average)


@pytest.mark.parametrize("grades", [[], [5], [-1]])
def test_no_grades_and_grades_beyond_the_scale_are_refused(grades: list[int]) -> None:
    with pytest.raises(EvaluationError, match="expected"):
        ordinal_regression(np.zeros((len(grades), 1)), np.array(grades, dtype=np.int64), top_grade=4)


@given(st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=1, max_size=60), st.integers(0, 5))
def test_no_pair_is_spoken_of_by_a_fit_on_its_own_query(pairs: list[tuple[int, bool]], seed: int) -> None:
    query = np.array([query for query, _ in pairs])
    decided = np.array([decided for _, decided in pairs])
    if len(set(query[decided])) < 2:
        with pytest.raises(EvaluationError, match="at least 2"):
            folds_by_query(query, decided)
        return
    spoken = np.zeros(len(query), dtype=int)

    def predicted(fitted_on: BoolArray, wanted: BoolArray) -> FloatArray:
        assert fitted_on.any() and decided[fitted_on].all()
        assert not set(query[fitted_on]) & set(query[wanted])
        spoken[wanted] += 1
        return np.ones((int(wanted.sum()), 2))

    assert (cross_fitted(query, decided, predicted, seed=seed) == 1).all()
    fold = folds_by_query(query, decided, seed=seed)
    judged = np.isin(query, query[decided])
    assert (spoken[judged] == 1).all() and (spoken[~judged] == fold.max() + 1).all()
    sizes = [len(set(query[fold == own])) for own in range(fold.max() + 1)]
    assert max(sizes) - min(sizes) <= 1


def test_queries_that_nobody_judged_get_the_mean_of_all_folds() -> None:
    query, decided = np.array([0, 1, 2]), np.array([True, True, False])
    value = np.array([1.0, 5.0, 0.0])
    said = cross_fitted(query, decided, lambda own, wanted: np.full(int(wanted.sum()), value[own].mean()))
    assert said.tolist() == [5.0, 1.0, 3.0]


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 4)), min_size=1, max_size=40))
def test_recalibration_is_scikit_learns_isotonic_regression(pairs: list[tuple[int, int]]) -> None:
    from sklearn.isotonic import IsotonicRegression

    expected, people = np.array(pairs, dtype=float).T
    at = np.linspace(-1, 9, 41)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(expected, people).predict(at)
    assert recalibration(expected, people)(at) == pytest.approx(theirs)


def test_recalibrated_grades_lie_where_people_s_do() -> None:
    rng = np.random.default_rng(3)
    query, people = np.repeat(np.arange(200), 10), rng.integers(0, 5, 2_000).astype(float)
    expected = np.clip(people + 1 + rng.normal(0, 0.5, 2_000), 0, 4)
    decided = query < 150
    moved = recalibrated(expected, np.where(decided, people, -99), query, decided)
    assert abs((moved - people)[decided].mean()) < 0.02 < (expected - people)[decided].mean()
    assert abs((moved - people)[~decided].mean()) < 0.1, "queries that nobody judged as well"
    assert (moved >= 0).all() and (moved <= 4).all()
