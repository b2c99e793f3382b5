"""InfoNCE with several positives, SSHN, their sum, the whole loss, and the loss over grades."""

from __future__ import annotations

import math

import pytest
import torch

from baselines.losses import (
    HAPSettings,
    LossError,
    base_loss,
    graded_quadlinear_ap,
    hap_loss,
    info_nce,
    mean_quadlinear_ap,
    quadlinear_ap,
    similarity_thresholds,
    sshn,
)


def random_batch(n: int = 6) -> tuple[torch.Tensor, torch.Tensor]:
    """Similarities in (0, 1) and pairs of copies as positives."""
    scores = torch.rand(n, n, generator=torch.Generator().manual_seed(5), dtype=torch.float64) * 0.98 + 0.01
    copy = torch.arange(n) // 2
    return scores, copy[:, None] == copy[None, :]


def test_info_nce_is_the_formula_with_other_positives_left_out() -> None:
    scores = torch.tensor([[0.9, 0.4, 0.3, 0.1]], dtype=torch.float64)
    positives = torch.tensor([[True, True, False, False]])
    e = [math.exp(s / 0.5) for s in scores[0].tolist()]
    expected = -(math.log(e[0] / (e[0] + e[2] + e[3])) + math.log(e[1] / (e[1] + e[2] + e[3]))) / 2
    assert info_nce(scores, positives, temperature=0.5).tolist() == pytest.approx([expected])


def test_info_nce_of_a_row_without_negatives_or_positives_is_0_with_finite_gradients() -> None:
    scores = torch.tensor([[0.9, 0.4], [0.3, 0.2]], requires_grad=True)
    positives = torch.tensor([[True, True], [False, False]])
    values = info_nce(scores, positives, temperature=0.07)
    (slope,) = torch.autograd.grad(values.sum(), scores)
    assert values.tolist() == [0, 0]
    assert slope.eq(0).all()


def test_sshn_punishes_the_hardest_negative_as_the_text_says() -> None:
    scores = torch.tensor([[0.8, 0.1, 0.99]], dtype=torch.float64, requires_grad=True)
    negatives = torch.tensor([[True, True, False]])
    value = sshn(torch.tensor([0.9], dtype=torch.float64), scores, negatives)
    assert value.tolist() == pytest.approx([-math.log(0.9) - math.log(0.2)])
    (slope,) = torch.autograd.grad(value.sum(), scores)
    assert slope[0].tolist() == pytest.approx([5.0, 0.0, 0.0])  # 1 / (1 - 0.8), of the hardest alone


def test_sshn_without_negatives_has_its_first_term_and_stays_finite_at_the_ends() -> None:
    none = torch.zeros(1, 2, dtype=torch.bool)
    assert sshn(torch.tensor([1.0]), torch.tensor([[0.5, 0.5]]), none).tolist() == [0]
    at_the_ends = sshn(torch.tensor([0.0]), torch.tensor([[1.0]]), torch.tensor([[True]]))
    assert at_the_ends.isfinite().all()


def test_base_loss_is_the_mean_of_both_and_ignores_what_stands_on_the_diagonal_of_positives() -> None:
    scores, positives = random_batch()
    off = ~torch.eye(6, dtype=torch.bool)
    expected = info_nce(scores, positives & off, temperature=0.1, counted=off)
    expected = expected + 0.5 * sshn(scores.diagonal(), scores, ~positives & off)
    for marks in (positives, positives & off):
        value = base_loss(scores, marks, temperature=0.1, lambda_s=0.5)
        assert float(value) == pytest.approx(float(expected.mean()))


def test_the_whole_loss_is_the_weighted_sum_and_passes_gradcheck() -> None:
    scores, positives = random_batch()
    frames = torch.rand(4, 5, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    frame_positives = frames > 0.7
    counted = (frames > 0.7) | (frames < 0.5)
    settings = HAPSettings(delta_v=0.3, delta_f=0.4)
    loss = hap_loss(scores, positives, frames, frame_positives, counted, settings)
    assert float(loss.total) == pytest.approx(float(loss.base + 4 * loss.video + 6 * loss.frame))
    assert loss.video > 0

    def total(of_videos: torch.Tensor, of_frames: torch.Tensor) -> torch.Tensor:
        return hap_loss(of_videos, positives, of_frames, frame_positives, counted, settings).total

    assert torch.autograd.gradcheck(total, (scores.requires_grad_(), frames.requires_grad_()))


def of_videos(scores: torch.Tensor, positives: torch.Tensor, settings: HAPSettings) -> torch.Tensor:
    none = torch.zeros(1, 2, dtype=torch.bool)
    return hap_loss(scores, positives, torch.rand(1, 2), none, none, settings).video


def test_rho_v_weighs_the_videos_themselves_and_changes_loss_and_gradient_as_the_formula_says() -> None:
    # Two clips with one copy each. Row 0: itself 0.9, its copy 0.5, the others 0.48 and 0.1.
    scores = torch.tensor(
        [[0.9, 0.5, 0.48, 0.1], [0.5, 0.9, 0.1, 0.1], [0.1, 0.1, 0.9, 0.6], [0.1, 0.1, 0.6, 0.9]], dtype=torch.float64
    ).requires_grad_()
    clip = torch.arange(4) // 2
    positives = clip[:, None] == clip[None, :]
    wrong, slope = (1 - 0.02 / 0.05) ** 2, 2 / 0.05 * (1 - 0.02 / 0.05)  # R-(-0.02; 0.05) and its derivative
    for rho in (0.02, 0.1, 5.0):
        loss = of_videos(scores, positives, HAPSettings(rho_v=rho))
        # The copy has one positive above it, the video itself: h(wrong / (1 + rho)), one of two positives of one of 4.
        ratio = wrong / (1 + rho)
        assert loss.item() == pytest.approx(ratio / (1 + ratio) / 2 / 4)
        (gradient,) = torch.autograd.grad(loss, scores)
        assert float(gradient[0, 2]) == pytest.approx(slope / (1 + rho) / (1 + ratio) ** 2 / 8)
        assert float(gradient[0, 1]) == pytest.approx(-float(gradient[0, 2]))
        assert gradient.diagonal().eq(0).all()
    without = [of_videos(scores, positives, HAPSettings(rho_v=rho, own=False)).item() for rho in (0.02, 5.0)]
    assert without[0] == without[1] == pytest.approx(wrong / (1 + wrong) / 4)


@pytest.mark.parametrize("own", [True, False])
def test_what_stands_on_the_diagonal_of_positives_has_no_effect(own: bool) -> None:
    scores, positives = random_batch()
    bare = positives & ~torch.eye(6, dtype=torch.bool)
    settings = HAPSettings(own=own)
    assert of_videos(scores, positives, settings) == of_videos(scores, bare, settings)


def test_a_weight_of_0_leaves_a_part_out() -> None:
    scores, positives = random_batch()
    none = torch.zeros(2, 3, dtype=torch.bool)
    loss = hap_loss(scores, positives, torch.rand(2, 3), none, none, HAPSettings(lambda_v=0))
    assert float(loss.video) == float(loss.frame) == 0
    assert loss.total == loss.base


def test_each_grade_makes_a_positive_set() -> None:
    scores = torch.tensor([[0.9, 0.7, 0.8, 0.1]], dtype=torch.float64)
    grades = torch.tensor([[4, 2, 1, 0]])
    parts = [
        quadlinear_ap(scores[0], torch.tensor(marks), delta=0.3, rho=1.0)
        for marks in (
            [True, True, True, False],
            [True, True, False, False],
            [True, False, False, False],
            [True, False, False, False],
        )
    ]
    value = graded_quadlinear_ap(scores, grades, thresholds=(1, 2, 3, 4), delta=0.3, rho=1.0)
    assert float(value) == pytest.approx(float(torch.stack(parts).mean()))


def test_a_threshold_that_nothing_reaches_is_left_out_and_one_threshold_is_the_plain_loss() -> None:
    scores, relevance = torch.tensor([[0.2, 0.3, 0.1]]), torch.tensor([[1.0, 0.0, 0.0]])
    plain = mean_quadlinear_ap(scores, relevance > 0, delta=0.1, rho=1.0)
    assert graded_quadlinear_ap(scores, relevance, thresholds=(1,), delta=0.1, rho=1.0) == plain
    assert graded_quadlinear_ap(scores, relevance, thresholds=(1, 4), delta=0.1, rho=1.0) == plain


def test_thresholds_of_similarities_are_their_quantiles_and_reach_every_pair() -> None:
    similarities = torch.linspace(0.3, 1.0, 100)
    thresholds = similarity_thresholds(similarities)
    assert len(thresholds) == 4
    assert thresholds[0] == pytest.approx(0.3)
    assert [int((similarities >= t).sum()) for t in thresholds] == [100, 75, 50, 25]
    assert similarity_thresholds(torch.ones(50)) == (1.0,)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: info_nce(torch.rand(2, 2), torch.eye(2) > 0, temperature=0.0), "temperature: found 0.0"),
        (lambda: base_loss(torch.rand(2, 3), torch.rand(2, 3) > 2, temperature=1, lambda_s=1), "expected a square"),
        (lambda: sshn(torch.tensor([1.5]), torch.rand(1, 2), torch.rand(1, 2) > 2), r"found 1.5 to 1.5"),
        (lambda: sshn(torch.rand(2), torch.rand(1, 2), torch.rand(1, 2) > 2), "found 2, expected one for each of 1"),
        (lambda: HAPSettings(delta_v=0.0), "delta_v: found 0.0"),
        (lambda: HAPSettings(lambda_f=-1.0), "lambda_f: found -1.0"),
        (lambda: HAPSettings(top_rate=0.0), "top_rate: found 0, expected above 0, at most 1"),
        (lambda: HAPSettings(top_rate=0.6, bottom_rate=0.5), r"found 0.6 \+ 0.5, expected at most 1 together"),
        (lambda: HAPSettings(ranking="ap"), "ranking: found 'ap', expected quadlinear or one of contrastive, triplet"),
        (lambda: similarity_thresholds(torch.zeros(3)), "found none above 0"),
        (lambda: similarity_thresholds(torch.ones(3), levels=0), "levels: found 0"),
        (
            lambda: graded_quadlinear_ap(torch.rand(1, 2), torch.ones(1, 2), thresholds=(2, 1), delta=1, rho=1),
            "rising numbers above 0",
        ),
        (
            lambda: graded_quadlinear_ap(torch.rand(1, 2), torch.zeros(1, 2), thresholds=(1,), delta=1, rho=1),
            "found nothing that reaches 1",
        ),
        (
            lambda: graded_quadlinear_ap(torch.rand(1, 2), torch.ones(2), thresholds=(1,), delta=1, rho=1),
            "relevance: found shape",
        ),
    ],
)
def test_bad_arguments_are_said(call: object, said: str) -> None:
    assert callable(call)
    with pytest.raises(LossError, match=said):
        call()
