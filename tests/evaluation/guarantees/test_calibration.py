"""A machine's grades beside people's: worked by hand, by scikit-learn, and how often the intervals hold."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evaluation.arrays import FloatArray, IntArray
from evaluation.errors import EvaluationError
from evaluation.guarantees.calibration import Calibration, calibration
from evaluation.guarantees.kappa import quadratic_kappa

NONE = math.nan


def judged(queries: int = 60, each: int = 10, *, seed: int = 0) -> tuple[IntArray, FloatArray, IntArray]:
    """People's grades, those of a machine that is a grade too high on two pairs of three (4 stays 4), and queries."""
    rng = np.random.default_rng(seed)
    query = np.repeat(np.arange(queries), each)
    people = rng.integers(0, 5, len(query))
    return people, np.clip(people + (rng.random(len(query)) < 2 / 3), 0, 4).astype(float), query


def test_a_machine_worked_by_hand() -> None:
    people, machine = np.array([0, 0, 2, 4, 3]), np.array([1.0, 0.0, 3.0, 4.0, NONE])
    found = calibration(people, machine, np.array([7, 7, 8, 8, 9]), top_grade=4)
    assert (found.pairs, found.queries, found.graded, found.few) == (5, 3, 4, True)
    assert found.abstained.value == pytest.approx(1 / 5)
    assert found.raw is not None and found.recalibrated is not None and found.sureness is None
    assert found.raw.above.value == pytest.approx(2 / 4)
    assert found.raw.confusion[0][:2] == [1, 1] and found.raw.confusion[2][3] == found.raw.confusion[4][4] == 1
    assert sum(map(sum, found.raw.confusion)) == 4
    assert [(row.name, row.pairs, row.queries, row.above.value) for row in found.raw.by_grade] == [
        ("0", 2, 1, 0.5),
        ("2", 1, 1, 1.0),
        ("4", 1, 1, 0.0),
    ]
    assert [(one.said, one.people, one.pairs) for one in found.raw.curve] == [
        (0, 0, 1),
        (1, 0, 1),
        (3, 2, 1),
        (4, 4, 1),
    ]
    assert found.raw.error.value == pytest.approx(2 / 4)
    # Drawn without query 8, all that is known of people is 0; without query 7, the line goes from (3, 2) to (4, 4).
    assert [(one.said, one.people, one.pairs) for one in found.recalibrated.curve] == [(0, 3, 2), (2, 0, 2)]
    assert found.recalibrated.above.value == pytest.approx((2 + 2 - 2 - 4) / 4)


def test_kappa_is_ours_and_scikit_learns() -> None:
    from sklearn.metrics import cohen_kappa_score

    people, machine, query = judged()
    found = calibration(people, machine, query, top_grade=4)
    assert found.raw is not None
    assert found.raw.kappa.value == pytest.approx(quadratic_kappa(people.astype(float), machine))
    assert found.raw.kappa.value == pytest.approx(cohen_kappa_score(people, machine, weights="quadratic"))
    assert found.raw.kappa.low < found.raw.kappa.value < found.raw.kappa.high


def test_groups_are_told_apart_and_empty_ones_left_out() -> None:
    people, machine, query = judged()
    where = query % 2 * 2
    machine = np.where(where == 2, people, machine)
    found = calibration(people, machine, query, top_grade=4, groups={"show": (["kind", "none", "right"], where)})
    assert found.raw is not None
    kind, right = found.raw.by_group["show"]
    assert (kind.name, kind.pairs, kind.queries, right.name, right.above.value) == ("kind", 300, 30, "right", 0)
    assert kind.above.low > 0.4


def test_recalibration_takes_what_a_machine_is_above_people_and_costs_no_agreement() -> None:
    people, machine, query = judged(200)
    found = calibration(people, machine, query, top_grade=4)
    assert found.raw is not None and found.recalibrated is not None
    assert found.raw.above.low > 0.4 and found.raw.error.low > 0.4
    assert abs(found.recalibrated.above.value) < 0.01 and found.recalibrated.error.value < 0.1
    assert found.recalibrated.kappa.value > found.raw.kappa.value


def test_sureness_is_how_often_the_likeliest_grade_is_people_s() -> None:
    people = np.array([0, 1, 2, 3])
    told = np.array([[0.75, 0.25, 0, 0, 0], [0.75, 0.25, 0, 0, 0], [0, 0, 1, 0, 0], [NONE] * 5])
    found = calibration(people, np.array([0.0, 0, 2, 1]), np.arange(4), top_grade=4, distribution=told)
    assert found.sureness is not None and found.raw is not None
    assert [(one.said, one.people, one.pairs) for one in found.sureness.curve] == [(0.75, 0.5, 2), (1, 1, 1)]
    assert found.sureness.pairs == 3 and found.sureness.error.value == pytest.approx(0.5 / 3)
    assert found.raw.curve[0].said == 0.25, "what is expected is the distribution's mean"


def test_a_machine_that_always_abstains_has_no_figures_but_that() -> None:
    people, machine, query = judged()
    found = calibration(people, np.full_like(machine, NONE), query, top_grade=4)
    assert (found.graded, found.abstained.value, found.raw, found.recalibrated) == (0, 1, None, None)


def test_a_constant_machine_has_kappa_0_and_is_recalibrated_to_the_mean() -> None:
    people, machine, query = judged()
    found = calibration(people, np.full_like(machine, 3), query, top_grade=4)
    assert found.raw is not None and found.recalibrated is not None
    assert found.raw.kappa.value == 0 and found.raw.above.value == pytest.approx(3 - people.mean())
    assert abs(found.recalibrated.above.value) < 0.02
    same = calibration(np.full_like(people, 3), np.full_like(machine, 3), query, top_grade=4)
    assert same.raw is not None and math.isnan(same.raw.kappa.value) and math.isnan(same.raw.kappa.low)


def test_one_query_has_figures_without_intervals_and_nothing_to_recalibrate_by() -> None:
    people, machine, query = judged(1)
    found = calibration(people, machine, query, top_grade=4)
    assert found.raw is not None and found.recalibrated is None and found.few
    assert found.raw.above.value > 0 and math.isnan(found.raw.above.low)


def test_no_pair_at_all_is_no_fault() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    found = calibration(nothing, nothing.astype(float), nothing, top_grade=4)
    assert (found.pairs, found.queries, found.raw, found.sureness) == (0, 0, None, None)


@pytest.mark.parametrize(("people", "machine"), [(5, 0.0), (0, 5.0), (0, -1.0)])
def test_grades_beyond_the_scale_are_refused(people: int, machine: float) -> None:
    with pytest.raises(EvaluationError, match="expected 0 to 4"):
        calibration(np.array([people]), np.array([machine]), np.array([0]), top_grade=4)


def test_intervals_hold_where_pairs_of_a_query_are_judged_alike() -> None:
    """200 samples of 60 queries, each with a lean of its own: the mean lean is covered in about 95 %."""
    covered = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        query = np.repeat(np.arange(60), 10)
        people = np.full(600, 1)
        machine = people + (rng.random(600) < np.repeat(rng.beta(0.5, 0.5, 60), 10))
        found: Calibration = calibration(people, machine.astype(float), query, top_grade=4, draws=250)
        assert found.raw is not None
        covered += found.raw.above.low <= 0.5 <= found.raw.above.high
    assert 0.90 < covered / 200 <= 0.99
