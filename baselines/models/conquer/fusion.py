"""Where query and video meet: query-dependent fusion of the modalities, and attention both ways."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from baselines.models.layers import masked


class QueryWeights(nn.Module):
    """How much each modality counts for a query: NetVLAD over its words, a linear layer, softmax.

    With cluster centres c_k: a_wk = softmax over k of norm(x_w C); v_k = sum over words of a_wk (x_w - c_k); the v_k,
    each brought to length 1, side by side and together to length 1, are the query's vector (Arandjelovic et al. 2016;
    Hou et al. 2021, section 3.3, query-dependent fusion). Padding counts as no word; the published code pads every
    query to 30 words and lets the padding in.
    """

    def __init__(self, hidden: int, clusters: int, modalities: int, dropout: float) -> None:
        super().__init__()
        deviation = hidden**-0.5
        self.assign = nn.Parameter(deviation * torch.randn(hidden, clusters))
        self.centres = nn.Parameter(deviation * torch.randn(hidden, clusters))
        self.norm = nn.LayerNorm(clusters)
        self.dropout = nn.Dropout(dropout)
        self.weigh = nn.Linear(hidden * clusters, modalities, bias=False)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Args: words: (N, W, D). mask: (N, W). Returns: (N, modalities), rows sum to 1."""
        assigned = self.norm(words @ self.assign).softmax(dim=-1) * mask.unsqueeze(-1)
        pooled = torch.einsum("nwk,nwd->ndk", assigned, words) - assigned.sum(1).unsqueeze(1) * self.centres
        vector = F.normalize(F.normalize(pooled, dim=1).flatten(1), dim=1)
        return self.weigh(self.dropout(vector)).softmax(dim=1)  # type: ignore[no-any-return]


class BidirectionalAttention(nn.Module):
    """Clips attend to words and a video to its clips: S_ij = w . [v_i; q_j; v_i * q_j] (Seo et al. 2017).

    a_i = sum over words of softmax_j(S_ij) q_j; b = sum over clips of softmax_i(max_j S_ij) v_i; what comes out is
    [v_i; a_i; v_i * a_i; v_i * b] (Hou et al. 2021, section 3.4). The product with w is taken in three parts, so that
    no tensor of clips x words x 3D is made.
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.similarity = nn.Linear(3 * hidden, 1, bias=False)

    def forward(self, clips: Tensor, words: Tensor, clip_mask: Tensor, word_mask: Tensor) -> Tensor:
        """Args: clips: (N, L, D). words: (N, W, D). Masks: (N, L), (N, W). Returns: (N, L, 4D)."""
        of_clip, of_word, of_both = self.similarity.weight.squeeze(0).chunk(3)
        similarity = (clips @ of_clip).unsqueeze(2) + (words @ of_word).unsqueeze(1)
        similarity = similarity + (clips * of_both) @ words.transpose(1, 2)
        similarity = masked(similarity, clip_mask.unsqueeze(2) * word_mask.unsqueeze(1))
        from_words = similarity.softmax(dim=2) @ words
        from_clips = similarity.amax(dim=2).softmax(dim=1).unsqueeze(1) @ clips
        return torch.cat([clips, from_words, clips * from_words, clips * from_clips], dim=2)
