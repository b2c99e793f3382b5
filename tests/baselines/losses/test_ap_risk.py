"""QuadLinear-AP is what the supplement proves of it, and the exact risk is 1 - AP."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from torch import Tensor

from baselines.losses import (
    LossError,
    exact_ap_risk,
    heaviside,
    mean_quadlinear_ap,
    quadlinear_ap,
    quadlinear_ap_of_rows,
    r_minus,
    r_minus_derivative,
)
from baselines.losses.ap_risk import _risk
from evaluation import GroundTruth, JudgedMoment, Prediction, Run, evaluate

patient = settings(max_examples=40, deadline=None)
deltas = st.floats(0.01, 2.0)
rhos = st.floats(0.0, 50.0)
numbers = st.floats(-3.0, 3.0)


def exact(values: list[float]) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


@st.composite
def rankings(draw: DrawFn) -> tuple[Tensor, Tensor]:
    """Untied scores of 2 to 12 items, at least one of them positive."""
    scores = draw(st.lists(st.integers(-400, 400), min_size=2, max_size=12, unique=True))
    positives = draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    assume(any(positives))
    return exact([score / 200 for score in scores]), torch.tensor(positives)


def by_hand(scores: Tensor, positives: Tensor, delta: float, rho: float) -> float:
    """The formula written as two loops."""

    def surrogate(x: float) -> float:
        if x >= 0:
            return 2 * x / delta + 1
        return x * x / delta**2 + 2 * x / delta + 1 if x >= -delta else 0.0

    terms = []
    for i in range(len(scores)):
        if not positives[i]:
            continue
        others = [j for j in range(len(scores)) if j != i]
        above = sum(surrogate(float(scores[j] - scores[i])) for j in others if not positives[j])
        better = sum(float(scores[j] >= scores[i]) for j in others if positives[j])
        ratio = above / (1 + rho * better)
        terms.append(ratio / (1 + ratio))
    return sum(terms) / len(terms)


@given(deltas)
@patient
def test_r_minus_has_its_values_and_no_jump_at_minus_delta_and_0(delta: float) -> None:
    near = delta * 1e-9
    below, at, zero, above = r_minus(exact([-delta - near, -delta, 0.0, near]), delta)
    assert below == 0
    assert at == pytest.approx(0, abs=1e-12)
    assert zero == 1
    assert above == pytest.approx(1, abs=1e-8)


@given(numbers, numbers, st.floats(0, 1), deltas)
@patient
def test_r_minus_is_convex_and_never_falls(a: float, b: float, t: float, delta: float) -> None:
    at_a, at_b, between = r_minus(exact([a, b, t * a + (1 - t) * b]), delta)
    assert t * at_a + (1 - t) * at_b >= between - 1e-7
    assert (at_a - at_b) * (a - b) >= 0


@given(numbers, deltas)
@patient
def test_r_minus_is_at_least_the_heaviside_function(x: float, delta: float) -> None:
    assert r_minus(exact([x]), delta) >= heaviside(exact([x]))


@given(st.lists(numbers, min_size=1, max_size=8), deltas)
@patient
def test_the_derivative_is_autograds(xs: list[float], delta: float) -> None:
    x = exact([*xs, 0.0, -delta]).requires_grad_()
    (slope,) = torch.autograd.grad(r_minus(x, delta).sum(), x)
    assert torch.allclose(slope, r_minus_derivative(x.detach(), delta), atol=1e-9)


def test_the_slope_is_2_by_delta_for_wrong_order_and_0_below_minus_delta() -> None:
    x = exact([0.0, 0.01, 5.0, -0.1001, -3.0])
    assert r_minus_derivative(x, 0.1).tolist() == pytest.approx([20.0, 20.0, 20.0, 0.0, 0.0])


def test_a_far_wrong_score_has_a_finite_gradient() -> None:
    x = torch.tensor([1e30, -1e30], requires_grad=True)
    (slope,) = torch.autograd.grad(r_minus(x, 0.05).sum(), x)
    assert slope.tolist() == pytest.approx([40.0, 0.0])


def test_an_example_worked_by_hand() -> None:
    # Positives 0.5 and 0.9; negatives 0.5 (a tie), 0.85 and 0.1; delta 0.1, rho 0.5.
    scores = exact([0.5, 0.9, 0.5, 0.85, 0.1])
    positives = torch.tensor([True, True, False, False, False])
    # Of 0.5: R-(0) + R-(0.35) + 0 = 1 + 8 = 9; one positive above, 9 / 1.5 = 6; h = 6/7.
    # Of 0.9: R-(-0.4) + R-(-0.05) + 0 = 0.25; nothing above, h = 0.2.
    value = quadlinear_ap(scores, positives, delta=0.1, rho=0.5)
    assert value.shape == ()
    assert float(value) == pytest.approx((6 / 7 + 0.2) / 2)


@given(rankings(), deltas, rhos)
@patient
def test_it_is_the_formula_written_as_loops(ranking: tuple[Tensor, Tensor], delta: float, rho: float) -> None:
    assert float(quadlinear_ap(*ranking, delta=delta, rho=rho)) == pytest.approx(by_hand(*ranking, delta, rho))


@given(rankings(), deltas, rhos)
@patient
def test_gradients_lift_positives_and_lower_negatives(ranking: tuple[Tensor, Tensor], delta: float, rho: float) -> None:
    scores, positives = ranking
    scores.requires_grad_()
    value = quadlinear_ap(scores, positives, delta=delta, rho=rho)
    (slope,) = torch.autograd.grad(value, scores)
    assert 0 <= value < 1
    assert (slope[positives] <= 0).all()
    assert (slope[~positives] >= 0).all()
    assert float(slope.sum()) == pytest.approx(0, abs=1e-9)  # only differences count


def test_a_ranking_with_every_margin_kept_has_no_loss_and_no_gradient() -> None:
    scores = exact([0.9, 0.8, 0.1]).requires_grad_()
    value = quadlinear_ap(scores, torch.tensor([True, True, False]), delta=0.05, rho=1.0)
    (slope,) = torch.autograd.grad(value, scores)
    assert value == 0
    assert slope.tolist() == [0, 0, 0]


def test_gradients_pass_gradcheck_in_double_precision() -> None:
    generator = torch.Generator().manual_seed(3)
    scores = torch.rand(3, 7, generator=generator, dtype=torch.float64).requires_grad_()
    positives = torch.rand(3, 7, generator=generator) < 0.4
    assert positives.any()
    assert torch.autograd.gradcheck(lambda s: mean_quadlinear_ap(s, positives, delta=0.3, rho=0.7), (scores,))


def test_the_weight_of_positives_has_no_gradient() -> None:
    # The second positive changes the first one's weight only; moving it moves nothing of the first.
    scores = exact([0.5, 0.9, 0.52]).requires_grad_()
    value = quadlinear_ap(scores, torch.tensor([True, True, False]), delta=0.05, rho=1.0)
    (slope,) = torch.autograd.grad(value, scores)
    assert slope[1] == 0
    assert slope[0] == -slope[2] < 0


@given(rankings())
@patient
def test_the_exact_risk_is_one_minus_average_precision(ranking: tuple[Tensor, Tensor]) -> None:
    from sklearn.metrics import average_precision_score  # a second to import: not where files are only collected

    scores, positives = ranking
    precision = average_precision_score(positives.numpy(), scores.numpy())
    assert float(exact_ap_risk(scores, positives)) == pytest.approx(1 - float(precision))


def test_the_exact_risk_is_one_minus_the_evaluations_map_over_videos() -> None:
    scores = np.random.default_rng(7).permutation(20) / 20
    relevant = [3, 8, 15]
    truth = GroundTruth.of([("q", [JudgedMoment(f"v{i}", 0, 1, 1) for i in relevant])])
    run = Run.of("run", [("q", [Prediction(f"v{i}", 0, 1, float(s)) for i, s in enumerate(scores)])])
    (record,) = evaluate(truth, [run], ["mAP(video)"])
    positives = torch.zeros(20, dtype=torch.bool)
    positives[relevant] = True
    assert float(exact_ap_risk(torch.from_numpy(scores), positives)) == pytest.approx(1 - record.value)


@given(rankings(), deltas)
@patient
def test_rho_1_bounds_the_exact_risk_and_the_heaviside_function_gives_it(
    ranking: tuple[Tensor, Tensor], delta: float
) -> None:
    scores, positives = ranking
    risk = exact_ap_risk(scores, positives)
    assert quadlinear_ap(scores, positives, delta=delta, rho=1.0) >= risk - 1e-12
    with_heaviside = _risk(scores[None], positives[None], None, heaviside, 1.0)[0]
    assert with_heaviside == risk
    # A steeper and steeper step in place of R- comes to it (no two scores are nearer than 0.005).
    step = _risk(scores[None], positives[None], None, lambda x: torch.sigmoid(x * 1e5), 1.0)[0]
    assert float(step) == pytest.approx(float(risk))


def test_ties_cost_as_if_the_other_stood_above() -> None:
    tied = exact([0.5, 0.5])
    assert float(exact_ap_risk(tied, torch.tensor([True, False]))) == 0.5


def test_a_batch_is_its_rows_and_what_is_not_counted_is_not_there() -> None:
    scores = torch.rand(3, 6, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    positives = torch.tensor([[1, 0, 0, 1, 0, 0], [0, 1, 0, 0, 0, 1], [0, 0, 0, 0, 0, 1]], dtype=torch.bool)
    counted = torch.ones_like(positives)
    counted[:, 5] = False
    rows = quadlinear_ap_of_rows(scores, positives, delta=0.2, rho=0.5, counted=counted)
    for row in (0, 1):
        alone = quadlinear_ap(scores[row, :5], positives[row, :5], delta=0.2, rho=0.5)
        assert float(rows[row]) == pytest.approx(float(alone))
    assert rows[2] == 0  # its only positive isn't counted
    mean = mean_quadlinear_ap(scores, positives, delta=0.2, rho=0.5, counted=counted)
    assert float(mean) == pytest.approx(float(rows[:2].mean()))


def test_without_negatives_nothing_can_stand_above() -> None:
    scores = exact([0.1, 0.2]).requires_grad_()
    value = quadlinear_ap(scores, torch.tensor([True, True]), delta=0.1, rho=1.0)
    (slope,) = torch.autograd.grad(value, scores)
    assert value == 0
    assert slope.tolist() == [0, 0]


GOOD, MARKS = torch.tensor([0.1, 0.2]), torch.tensor([True, False])


@pytest.mark.parametrize(
    ("scores", "positives", "delta", "rho", "said"),
    [
        (GOOD[None], MARKS, 0.1, 1.0, r"scores: found shape \(1, 2\), expected 1 dimension"),
        (torch.tensor([1, 2]), MARKS, 0.1, 1.0, "scores: found torch.int64"),
        (torch.tensor([0.1, math.nan]), MARKS, 0.1, 1.0, "NaN or infinity"),
        (torch.tensor([0.1, math.inf]), MARKS, 0.1, 1.0, "NaN or infinity"),
        (torch.empty(0), torch.empty(0).bool(), 0.1, 1.0, "at least one number"),
        (GOOD, torch.tensor([1, 0]), 0.1, 1.0, "positives: found torch.int64"),
        (GOOD, torch.tensor([True]), 0.1, 1.0, r"positives: found shape \(1,\)"),
        (GOOD, torch.tensor([False, False]), 0.1, 1.0, "positives: found none"),
        (GOOD, MARKS, 0.0, 1.0, "delta: found 0.0, expected a number > 0"),
        (GOOD, MARKS, -0.1, 1.0, "delta: found -0.1"),
        (GOOD, MARKS, math.nan, 1.0, "delta: found nan"),
        (GOOD, MARKS, 0.1, -1.0, "rho: found -1.0, expected a number >= 0"),
        (GOOD, MARKS, 0.1, math.inf, "rho: found inf"),
    ],
)
def test_what_has_no_value_is_refused_with_what_was_found(
    scores: Tensor, positives: Tensor, delta: float, rho: float, said: str
) -> None:
    with pytest.raises(LossError, match=said):
        quadlinear_ap(scores, positives, delta=delta, rho=rho)
