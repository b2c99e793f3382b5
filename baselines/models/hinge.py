"""The hinge loss on videos, which XML and ReLoCLNet share."""

from __future__ import annotations

import torch
from torch import Tensor


def hinge(scores: Tensor, positive: Tensor, *, margin: float, pool: int | None) -> tuple[Tensor, Tensor]:
    """How far each pair's score is from beating a negative's by the margin: max(0, margin + s_neg - s_pos).

    Two negatives a pair: a video for its query and a query for its video, drawn from the batch. A video that the
    training set pairs with the query is none (the paper's positive-pair mask; its text speaks of the numerator of a
    contrastive loss, which this one hasn't: here the mask keeps positives from being drawn as negatives, and the
    pair's own score stays the positive).
    Args:
        scores: (N, N), of pair i's query and pair j's video, the higher the better. positive: (N, N) bool.
        pool: negatives are drawn from the hardest so many (hard negatives), None draws from all.
    Returns: the losses with a negative video and with a negative query, (N,) each; 0 where there is no negative.
    Source: Lei et al. 2020, section 4, "Training and inference"; appendix C.1 of the TVR-Ranking paper for the mask.
    """
    own = scores.diagonal()
    return (
        _beaten(own, scores, positive, margin, pool),
        _beaten(own, scores.T, positive.T, margin, pool),
    )


def _beaten(own: Tensor, scores: Tensor, positive: Tensor, margin: float, pool: int | None) -> Tensor:
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
