"""ReLoCLNet's two contrastive losses: of videos (VideoCL) and of frames (FrameCL)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def video_contrast(scores: Tensor, positive: Tensor) -> Tensor:
    """VideoCL: noise-contrastive estimation with several positives (MIL-NCE).

    -log( sum of e^s over the query's positives / sum of e^s over its row and its video's column ), which is Zhang et
    al.'s VideoCL, where the diagonal alone is positive. The paper's adaptation puts a mask in its place: "we sum the
    scores masked by the positive pair mask instead of using only the diagonal elements as the nominator" (TVR-Ranking,
    appendix C.1; the published code has no mask). Read as the sum of e^s, as in MIL-NCE and in its SupCon, which it
    cites; a sum of s itself would have no lower bound as soon as there are two positives.
    Args:
        scores: (N, N), of pair i's query and pair j's video, not normalised. positive: (N, N) bool, true on the
        diagonal.
    Returns: (N,), each 0 or more.
    """
    nominator = scores.masked_fill(~positive, -torch.inf).logsumexp(1)
    return torch.cat((scores, scores.T), 1).logsumexp(1) - nominator


def frame_contrast(scores: Tensor, foreground: Tensor, mask: Tensor) -> Tensor:
    """FrameCL: clips of the moment against the video's others, by the Jensen-Shannon estimate of mutual information.

    E+ = mean over the moment of log 2 - softplus(-s), E- = mean over the rest of softplus(s) - log 2, s = q . clip;
    the loss is E- - E+.
    Args: scores: (N, L), of each clip of pair i's video. foreground: (N, L) bool, within mask. mask: (N, L).
    Returns: (N,). Where the moment is the whole video, E- is 0.
    Source: Zhang et al. 2021, section 4, FrameCL; estimate of Hjelm et al. 2019.
    """
    background = (mask != 0) & ~foreground
    inside = _mean(math.log(2) - F.softplus(-scores), foreground)
    outside = _mean(F.softplus(scores) - math.log(2), background)
    return outside - inside


def _mean(values: Tensor, chosen: Tensor) -> Tensor:
    return (values * chosen).sum(1) / chosen.sum(1).clamp(min=1)
