"""The hinge loss on videos, which XML and ReLoCLNet share."""

from __future__ import annotations

import torch
from torch import Tensor


def hinge(
    scores: Tensor, positive: Tensor, *, margin: float, pool: int | None, summed: bool = False
) -> tuple[Tensor, Tensor]:
    """How far each pair's score is from beating a negative's by the margin: max(0, margin + s_neg - s_pos).

    Two negatives a pair: a video for its query and a query for its video, drawn from the batch. What ``positive`` marks
    is none: the paper's positive-pair mask, or the diagonal alone as in the published code.
    Args:
        scores: (N, N), of pair i's query and pair j's video, the higher the better. positive: (N, N) bool, true on the
        diagonal.
        pool: negatives are drawn from the hardest so many (hard negatives), None draws from all.
        summed: s_pos is the sum of the scores that the mask leaves, the paper's words to the letter ("instead of using
        only the diagonal elements as the nominator"), not the pair's own. They fit a contrastive loss: of two positives
        whose scores are summed neither has to stand above the negative.
    Returns: the losses with a negative video and with a negative query, (N,) each; 0 where there is no negative.
    Source: Lei et al. 2020, section 4, "Training and inference"; appendix C.1 of the TVR-Ranking paper for the mask.
    """
    return (
        _beaten(scores, positive, margin, pool, summed),
        _beaten(scores.T, positive.T, margin, pool, summed),
    )


def _beaten(scores: Tensor, positive: Tensor, margin: float, pool: int | None, summed: bool) -> Tensor:
    own = (scores * positive).sum(1) if summed else scores.diagonal()
    with torch.no_grad():
        if pool is None:
            drawn = torch.rand_like(scores).masked_fill(positive, -1.0).argmax(1)
        else:
            hardest = scores.masked_fill(positive, -torch.inf).topk(min(pool, len(scores)), dim=1).indices
            there = (~positive).sum(1).clamp(1, hardest.shape[1])
            place = (torch.rand(len(scores), device=scores.device) * there).long().clamp(max=hardest.shape[1] - 1)
            drawn = hardest.gather(1, place[:, None]).squeeze(1)
        some = (~positive).any(1)
    negative = scores.gather(1, drawn[:, None]).squeeze(1)
    return (margin + negative - own).clamp(min=0) * some
