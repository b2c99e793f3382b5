"""XML: Lei, Yu, Berg and Bansal, "TVR: A Large-Scale Dataset for Video-Subtitle Moment Retrieval", ECCV 2020, part 4.

What the text leaves open is as in its published code (github.com/jayleicn/TVRetrieval): the first blocks' encodings
rank videos, those after cross-attention localise. Of the paper's adaptation (TVR-Ranking, appendix C.1) no code of XML
was at hand; the text is read so: the pair's similarity multiplies the whole loss, the hinge losses included, and the
positive-pair mask keeps the query's other videos from being negatives (`TwoStreamConfig` has the other readings). A
batch is XML's own 128 pairs, the adaptation's 512 being those of its ReLoCLNet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from baselines.models.interface import Batch, Encoded, Losses, ModelConfig, Videos
from baselines.models.two_streams import TwoStreamConfig, TwoStreamModel


@dataclass(frozen=True)
class XMLConfig(TwoStreamConfig):
    """The published parameters: D = 256, 4 heads, 100 clips, alpha = 20."""

    max_clips: int = 100
    score_scale: float = 20.0


class XML(TwoStreamModel):
    """Late fusion of video and subtitles, ConvSE, hinge loss on videos."""

    NAME: ClassVar[str] = "xml"
    Config: ClassVar[type[ModelConfig]] = XMLConfig
    own_batch_size: ClassVar[int | None] = 128

    def encode_videos(self, videos: Videos) -> Encoded:
        """Parts: each stream after its first block, then each after its last."""
        first = self.first_blocks(videos)
        last = self.second_blocks(first, videos.mask)
        if len(first) == 1:
            last = self.third_blocks(last, videos.mask)
        return Encoded((*first, *last), videos.mask)

    def ranked(self, videos: Encoded) -> tuple[Tensor, ...]:
        """The first blocks' encodings."""
        return videos.parts[: len(self.streams)]

    def localised(self, videos: Encoded) -> tuple[Tensor, ...]:
        """The last blocks' encodings."""
        return videos.parts[len(self.streams) :]

    def losses(self, batch: Batch, *, hard_negatives: bool) -> Losses:
        """L = lambda_1 L_span + lambda_2 L_negative_video + lambda_3 L_negative_query, each weighted by similarity."""
        queries, videos = self.encode_queries(batch.queries), self.encode_videos(batch.videos)
        scores = self.video_scores(queries, videos)
        span = (self.span_losses(batch, queries, videos) * batch.weight).mean()
        ranking = self.hinge_losses(batch, scores, hard_negatives=hard_negatives)
        return Losses({"span": self.config.weight_span * span, **ranking}, frozenset(ranking), scores)
