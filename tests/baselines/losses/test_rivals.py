"""The losses that QuadLinear-AP is compared with, against their formulas written as loops."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from baselines.copy_retrieval.settings import RIVALS as NAMES
from baselines.losses import RIVALS, HAPSettings, LossError, exact_ap_risk, hap_loss, smooth_ap
from baselines.losses.rivals import circle, contrastive, fast_ap, triplet

Sides = tuple[list[float], list[float]]


def contrastive_by_hand(own: list[float], others: list[float]) -> float:
    near = [(1 - s) ** 2 / 2 for s in own]
    far = [max(0.0, 0.5 - (1 - s)) ** 2 / 2 for s in others]
    return sum(near + far) / (len(own) + len(others))


def triplet_by_hand(own: list[float], others: list[float]) -> float:
    return sum(max(0.0, 0.2 + n - p) for p in own for n in others) / (len(own) * len(others))


def circle_by_hand(own: list[float], others: list[float]) -> float:
    m, gamma = 0.25, 256.0
    low = sum(math.exp(gamma * max(0.0, n + m) * (n - m)) for n in others)
    high = sum(math.exp(-gamma * max(0.0, 1 + m - p) * (p - 1 + m)) for p in own)
    return math.log1p(low * high)


def infonce_by_hand(own: list[float], others: list[float]) -> float:
    against = sum(math.exp(n / 0.07) for n in others)
    return sum(math.log1p(against / math.exp(p / 0.07)) for p in own) / len(own)


def smooth_ap_by_hand(own: list[float], others: list[float]) -> float:
    def above(of: list[float], p: float) -> float:
        return sum(1 / (1 + math.exp(-(s - p) / 0.01)) for s in of)

    found = 0.0
    for place, p in enumerate(own):
        better = 1 + above(own[:place] + own[place + 1 :], p)
        found += better / (better + above(others, p))
    return 1 - found / len(own)


def fast_ap_by_hand(own: list[float], others: list[float]) -> float:
    found = positive = all_of_them = 0.0
    for place in range(11):
        centre = 1 - 0.2 * place
        h = [sum(max(0.0, 1 - abs(s - centre) / 0.2) for s in side) for side in (own, others)]
        positive, all_of_them = positive + h[0], all_of_them + h[0] + h[1]
        found += h[0] * positive / all_of_them if all_of_them else 0.0
    return 1 - found / len(own)


BY_HAND: dict[str, Callable[[list[float], list[float]], float]] = {
    "contrastive": contrastive_by_hand,
    "triplet": triplet_by_hand,
    "circle": circle_by_hand,
    "infonce": infonce_by_hand,
    "smooth-ap": smooth_ap_by_hand,
    "fast-ap": fast_ap_by_hand,
}


def drawn(seed: int = 1) -> tuple[Tensor, Tensor, Tensor]:
    """Scores, positives and what is counted: 5 rows of 8, each with both sides."""
    generator = torch.Generator().manual_seed(seed)
    scores = torch.rand(5, 8, generator=generator, dtype=torch.float64)
    positives = torch.rand(5, 8, generator=generator) < 0.4
    positives[:, 0], positives[:, 1] = True, False
    counted = torch.rand(5, 8, generator=generator) < 0.8
    counted[:, :2] = True
    return scores, positives, counted


def test_the_commands_names_are_the_losses() -> None:
    assert tuple(RIVALS) == NAMES == tuple(BY_HAND)


@pytest.mark.parametrize("name", NAMES)
def test_a_row_is_the_formula_and_its_gradient_autograds(name: str) -> None:
    scores, positives, counted = drawn()
    values = RIVALS[name](scores, positives, counted=counted)
    for row, value in enumerate(values.tolist()):
        own = scores[row][positives[row] & counted[row]].tolist()
        others = scores[row][~positives[row] & counted[row]].tolist()
        assert value == pytest.approx(BY_HAND[name](own, others)), row
    if name != "circle":  # its weights have no gradient
        assert torch.autograd.gradcheck(
            lambda s: RIVALS[name](s, positives, counted=counted), (scores.requires_grad_(),)
        )


@pytest.mark.parametrize("name", NAMES)
def test_it_lifts_positives_lowers_negatives_and_leaves_the_uncounted(name: str) -> None:
    scores, positives, counted = drawn(2)
    scores.requires_grad_()
    (slope,) = torch.autograd.grad(RIVALS[name](scores, positives, counted=counted).sum(), scores)
    assert (slope[~counted] == 0).all()
    assert slope[positives & counted].sum() < 0 < slope[~positives & counted].sum()
    assert slope.isfinite().all()


@pytest.mark.parametrize("name", NAMES)
def test_rows_without_a_side_have_finite_gradients_and_bad_masks_are_said(name: str) -> None:
    scores = torch.rand(2, 3, requires_grad=True)
    values = RIVALS[name](scores, torch.tensor([[True] * 3, [False] * 3]))
    (slope,) = torch.autograd.grad(values.sum(), scores)
    assert values[1] == 0
    assert slope.isfinite().all()
    assert (slope[1] == 0).all()
    with pytest.raises(LossError, match=r"positives: found torch.int64, expected a boolean tensor"):
        RIVALS[name](scores.detach(), torch.ones(2, 3, dtype=torch.int64))


def test_a_cold_smooth_ap_is_the_exact_risk_and_fast_ap_too_with_a_place_for_each_score() -> None:
    _, positives, _ = drawn(3)
    scores = torch.stack([torch.randperm(8, generator=torch.Generator().manual_seed(row)) / 10 for row in range(5)])
    risks = [float(exact_ap_risk(scores[row], positives[row])) for row in range(5)]
    assert smooth_ap(scores, positives, temperature=1e-4).tolist() == pytest.approx(risks, abs=1e-6)
    assert fast_ap(scores, positives, bins=20).tolist() == pytest.approx(risks, abs=1e-5)


@pytest.mark.parametrize("loss", [contrastive, triplet, circle])
def test_a_margin_that_is_kept_costs_nothing(loss: Callable[[Tensor, Tensor], Tensor]) -> None:
    value = loss(torch.tensor([[1.0, 1.0, 0.0, 0.1]]), torch.tensor([[True, True, False, False]]))
    assert float(value) == pytest.approx(0.0, abs=1e-6)


def test_in_the_whole_loss_it_ranks_videos_and_frames() -> None:
    scores, positives, counted = drawn()
    similarities = scores[:, :5]
    own = torch.eye(5, dtype=torch.bool)
    loss = hap_loss(similarities, own, scores, positives, counted, HAPSettings(ranking="triplet"))
    assert float(loss.video) == pytest.approx(float(triplet(similarities, own).mean()))
    assert float(loss.frame) == pytest.approx(float(triplet(scores, positives, counted=counted).mean()))
    assert float(loss.total) == pytest.approx(float(loss.base + 4 * loss.video + 6 * loss.frame))
