"""ReLoCLNet: Zhang, Sun, Jing, Nan, Zhen, Zhou and Goh, "Video Corpus Moment Retrieval with Contrastive Learning",
SIGIR 2021, section 4.

What the text leaves open is as in its published code (github.com/IsaacChanghau/ReLoCLNet), the adaptation as in
github.com/Ranking-VMR/TVR-Ranking: a pair's similarity weighs its span and contrastive losses, not the hinge losses.
That code has no positive-pair mask though its paper (TVR-Ranking, appendix C.1) asks for one; here it is, in
`video_contrast` and in `hinge`, unless `TwoStreamConfig.positive_mask` is False. Without subtitles, which neither has,
the cross-attention is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from baselines.models.interface import Batch, Encoded, Losses, ModelConfig, Videos
from baselines.models.layers import best_clips, pair_products
from baselines.models.reloclnet.contrastive import frame_contrast, video_contrast
from baselines.models.two_streams import TwoStreamConfig, TwoStreamModel


@dataclass(frozen=True)
class ReLoCLNetConfig(TwoStreamConfig):
    """The published parameters: D = 384, 8 heads, 128 clips, alpha = 30, contrastive losses by 0.03."""

    hidden: int = 384
    heads: int = 8
    weight_frame: float = 0.03
    weight_video: float = 0.03
    weigh_hinge: bool = False


class ReLoCLNet(TwoStreamModel):
    """Late fusion as in XML, with contrastive learning on videos and on frames."""

    NAME: ClassVar[str] = "reloclnet"
    Config: ClassVar[type[ModelConfig]] = ReLoCLNetConfig

    config: ReLoCLNetConfig

    query_blocks: ClassVar[int] = 2
    third: ClassVar[bool] = True

    def encode_videos(self, videos: Videos) -> Encoded:
        """Parts: each stream after its third block."""
        return self._encoded(videos)[1]

    def _encoded(self, videos: Videos) -> tuple[list[Tensor], Encoded]:
        second = self.second_blocks(self.first_blocks(videos), videos.mask)
        return second, Encoded(tuple(self.third_blocks(second, videos.mask)), videos.mask)

    def ranked(self, videos: Encoded) -> tuple[Tensor, ...]:
        """The third blocks' encodings."""
        return videos.parts

    def localised(self, videos: Encoded) -> tuple[Tensor, ...]:
        """The same."""
        return videos.parts

    def losses(self, batch: Batch, *, hard_negatives: bool) -> Losses:
        """L = L_span + L_hinge + L_VideoCL + L_FrameCL; the contrastive ones see the second blocks' encodings."""
        config, weight, mask = self.config, batch.weight, batch.videos.mask
        queries = self.encode_queries(batch.queries)
        second, videos = self._encoded(batch.videos)
        scores = self.video_scores(queries, videos)
        streams = list(zip(queries.parts, second, strict=True))

        places = torch.arange(mask.shape[1], device=mask.device)
        foreground = (places >= batch.span[:, :1]) & (places <= batch.span[:, 1:])
        pair_mask = mask.index_select(0, batch.video)
        frame = torch.stack(
            [
                frame_contrast(pair_products(query, clips, batch.query, batch.video), foreground, pair_mask)
                for query, clips in streams
            ]
        ).mean(0)
        unnormalised = torch.stack([best_clips(query, clips, mask) for query, clips in streams]).mean(0)
        video = video_contrast(batch.paired(unnormalised), self.positive(batch))
        span = self.span_losses(batch, queries, videos)
        ranking = {
            "video": config.weight_video * (video * weight).mean(),
            **self.hinge_losses(batch, scores, hard_negatives=hard_negatives),
        }
        parts = {
            "span": config.weight_span * (span * weight).mean(),
            "frame": config.weight_frame * (frame * weight).mean(),
            **ranking,
        }
        return Losses(parts, frozenset(ranking), scores)
