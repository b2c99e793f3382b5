"""From logits of start and end to moments with scores."""

from __future__ import annotations

import torch
from torch import Tensor


def best_moments(
    starts: Tensor,
    ends: Tensor,
    mask: Tensor,
    video_score: Tensor,
    *,
    shortest: int,
    longest: int,
    scale: float,
    depth: int,
) -> tuple[Tensor, Tensor, Tensor]:
    """The best moments of each of P pairs of a query and a video.

    score = scale * video score + log P(start) + log P(end), for ends ``shortest`` to ``longest`` - 1 clips after the
    start: the logarithm of exp(scale * video score) P(start) P(end) (Lei et al. 2020, section 4; Zhang et al. 2021),
    which ranks the same and neither overflows nor ties at 0. A video with no more clips than ``shortest`` has one
    moment, the whole of it.
    Args: starts, ends: logits (P, L). mask: (P, L). video_score: (P,). depth: moments of each pair at most.
    Returns: score, start and end in clips, (P, K) each, best first; score -inf where there are fewer than K.
    """
    start, end = starts.log_softmax(1), ends.log_softmax(1)
    clips, width = mask.sum(1).long(), end.shape[1]
    whole = clips <= shortest
    place = torch.arange(width, device=clips.device)
    scores = []
    for length in range(min(longest, width)):
        allowed = torch.where(whole, clips - 1 == length, length >= shortest)
        there = allowed[:, None] & (place + length < clips[:, None])
        scores.append((start + end.roll(-length, 1)).masked_fill(~there, -torch.inf))
    flat = torch.stack(scores, 1).flatten(1)
    best, index = flat.topk(min(depth, flat.shape[1]), dim=1)
    first = index % width
    last = torch.where(whole[:, None], clips[:, None], first + index // width)
    return best + scale * video_score[:, None], first, last
