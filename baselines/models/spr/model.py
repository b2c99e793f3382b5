"""SPR: Zhang, Zhu and Sun, "A Flexible and Scalable Framework for Video Moment Search", arXiv 2501.05072, 2025.

Three stages: segments of equal length are found by the product of two vectors; those that follow one another in a video
become a proposal (`baselines.retrieval.segments`); a proposal with some context is a short video of its own, in which
ReLoCLNet finds one moment and scores it, as in the paper's SPR_ReLo. Values that the text leaves open are those of its
published code (github.com/Ranking-VMR/SPR).

Otherwise than in the paper: the stages are trained together, on the same features, by the sum of their losses. So stage
three never sees what stage one found: it trains on the segments around each moment, widened at random, as the published
code does for moments that weren't found. Segments are a number of clips. All segments of a batch are contrasted
with its queries, by InfoNCE in place of MIL-NCE: each segment that a moment fills has to stand above the negatives, not
the best of them alone. In place of CLIP's text encoder there is attention over the features of words. The search for
segments is exact, without an index of approximate neighbours. Proposals longer than a window are cut.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import torch
from torch import Tensor

from baselines.errors import BaselineError
from baselines.models.interface import (
    Batch,
    Dimensions,
    Encoded,
    Losses,
    ModelConfig,
    Queries,
    SegmentConfig,
    SegmentModel,
    Videos,
)
from baselines.models.layers import draw_weights
from baselines.models.reloclnet.model import ReLoCLNet, ReLoCLNetConfig
from baselines.models.spr.segments import Embedding, filled, in_segments, segment_contrast


@dataclass(frozen=True)
class SPRConfig(ReLoCLNetConfig, SegmentConfig):
    """ReLoCLNet's parameters, of stage three, and those of the stages before it.

    Attributes:
        filled: a segment is positive for a query if a moment fills so much of it.
        temperature: of the segments' contrast. weight_segment: of it in the loss.
    """

    max_clips: int = 512
    hard_negatives_from: int = 10
    weight_span: float = 0.02
    filled: float = 0.3
    temperature: float = 0.05
    weight_segment: float = 1.0

    def __post_init__(self) -> None:
        """Raises: BaselineError if a number is out of range, or a window holds no segment with its context."""
        super().__post_init__()
        for name, least in (("segment", 1), ("segments", 1), ("context", 0)):
            if getattr(self, name) < least:
                raise BaselineError(f"{name}={getattr(self, name)}, expected {least} or more")
        for name in ("share", "filled"):
            if not 0 < getattr(self, name) <= 1:
                raise BaselineError(f"{name}={getattr(self, name)}, expected a number above 0, at most 1")
        if self.temperature <= 0:
            raise BaselineError(f"temperature={self.temperature}, expected a number above 0")
        if self.longest_proposal < 1:
            raise BaselineError(
                f"window={self.window} is shorter than a segment with its context, {self.segment} + 2 * {self.context}"
            )


class SPR(SegmentModel):
    """Two vectors whose product finds segments, and ReLoCLNet in windows around them."""

    NAME: ClassVar[str] = "spr"
    Config: ClassVar[type[ModelConfig]] = SPRConfig
    own_batch_size: ClassVar[int | None] = 256

    config: SPRConfig

    def __init__(self, config: SPRConfig, dimensions: Dimensions) -> None:
        super().__init__(config, dimensions)
        embedding = partial(Embedding, hidden=config.hidden, heads=config.heads, dropout=config.input_dropout)
        self.of_segment = embedding(dimensions.visual + (dimensions.subtitles or 0), config.segment)
        self.of_query = embedding(dimensions.words, config.max_words)
        self.apply(partial(draw_weights, deviation=config.initial_deviation))
        self.refiner = ReLoCLNet(replace(config, max_clips=config.window), dimensions)

    def encode_videos(self, videos: Videos) -> Encoded:
        """Parts: each segment's vector, (V, S, D), zeros for none; then the features as they are."""
        streams = [videos.visual] if videos.subtitles is None else [videos.visual, videos.subtitles]
        segments, mask = (in_segments(part, self.config.segment) for part in (torch.cat(streams, 2), videos.mask))
        there = mask.any(2)
        vectors = videos.visual.new_zeros(*there.shape, self.config.hidden)
        vectors[there] = self.of_segment(segments[there], mask[there])
        return Encoded((vectors, *streams), videos.mask)

    def encode_queries(self, queries: Queries) -> Encoded:
        """Parts: the vector that finds segments, (Q, D); then those of `ReLoCLNet`."""
        return Encoded(
            (self.of_query(queries.words, queries.mask), *self.refiner.encode_queries(queries).parts), queries.mask
        )

    def segment_scores(self, queries: Encoded, videos: Encoded) -> Tensor:
        """Cosines of every query with every segment: (Q, V, S), from -1 to 1."""
        scores = torch.einsum("qd,vsd->qvs", queries.parts[0], videos.parts[0])
        return scores.masked_fill(~in_segments(videos.mask, self.config.segment).any(2), -torch.inf)

    def windows(self, videos: Encoded, video: Tensor, begin: Tensor, end: Tensor) -> Encoded:
        """Stretches of videos as ReLoCLNet encodes them."""
        return self.refiner.encode_videos(_cut(videos, video, begin, end))

    def spans(self, queries: Encoded, videos: Encoded) -> tuple[Tensor, Tensor]:
        """ReLoCLNet's. Args: videos: of `windows`."""
        return self.refiner.spans(_refined(queries), videos)

    def pair_scores(self, queries: Encoded, videos: Encoded) -> Tensor:
        """ReLoCLNet's score of a video. Args: videos: of `windows`."""
        return self.refiner.row_scores(_refined(queries), videos)

    def losses(self, batch: Batch, *, hard_negatives: bool) -> Losses:
        """L = weight * L_segment + ReLoCLNet's loss in a window around each pair's moment.

        A video's score, for another ranking loss, is that of the best of the batch's windows in it.
        """
        videos, queries = self.encode_videos(batch.videos), batch.queries
        windows, span = self._windows_of(batch, videos)
        refined = self.refiner.losses(
            replace(
                batch,
                videos=windows,
                video=torch.arange(len(batch), device=span.device),
                span=span,
                relevance=batch.relevance.index_select(1, batch.video),
                related=batch.related.index_select(1, batch.video),
            ),
            hard_negatives=hard_negatives,
        )
        found = self._segment_loss(batch, self.of_query(queries.words, queries.mask), videos)
        place = batch.video.expand(len(queries), -1)
        scores = refined.video_scores.new_zeros(batch.related.shape)
        scores = scores.scatter_reduce(1, place, refined.video_scores, "amax", include_self=False)
        parts = {"segment": self.config.weight_segment * found, **refined.parts}
        return Losses(parts, refined.ranking, scores)

    def _segment_loss(self, batch: Batch, queries: Tensor, videos: Encoded) -> Tensor:
        """Of a video that the training set pairs with a query only what a pair of the batch is of counts for it."""
        config, shape = self.config, batch.related.shape
        scores = torch.einsum("qd,vsd->qvs", queries, videos.parts[0])
        grade = filled(batch.span, scores.shape[2], config.segment, config.filled) * batch.weight.unsqueeze(1)
        pair = (batch.query * shape[1] + batch.video).unsqueeze(1).expand_as(grade)
        grade = torch.zeros_like(scores).flatten(0, 1).scatter_reduce(0, pair, grade, "amax").view_as(scores)
        counted = (~batch.related | (grade > 0).any(2)).unsqueeze(2)
        there = counted & in_segments(videos.mask, config.segment).any(2)
        return segment_contrast(scores.flatten(1), grade.flatten(1), there.flatten(1), config.temperature)

    def _windows_of(self, batch: Batch, videos: Encoded) -> tuple[Videos, Tensor]:
        """A window for each pair, and its span in it; in training up to a segment wider to either side."""
        segment, first, end = self.config.segment, batch.span[:, 0], batch.span[:, 1]
        wider = torch.randint(2, (2, len(batch)), device=first.device) * int(self.training)
        begin, stop = self.around(
            first // segment - wider[0],
            torch.maximum(end - 1, first) // segment + wider[1],
            videos.mask.sum(1).long().index_select(0, batch.video),
        )
        span = torch.minimum(batch.span - begin.unsqueeze(1), (stop - begin - 1).unsqueeze(1))
        return _cut(videos, batch.video, begin, stop), span


def _refined(queries: Encoded) -> Encoded:
    return Encoded(queries.parts[1:], queries.mask)


def _cut(videos: Encoded, video: Tensor, begin: Tensor, end: Tensor) -> Videos:
    """Stretches of videos as videos. Args: video, begin, end: (P,). Returns: P of them."""
    width = videos.mask.shape[1]
    place = begin.unsqueeze(1) + torch.arange(int((end - begin).max()), device=begin.device)
    mask = place < end.unsqueeze(1)
    flat = (video.unsqueeze(1) * width + place.clamp(max=width - 1)).flatten()

    def stretches(features: Tensor) -> Tensor:
        return features.flatten(0, 1).index_select(0, flat).view(*place.shape, -1) * mask.unsqueeze(2)

    streams = [stretches(part) for part in videos.parts[1:]]
    return Videos(streams[0], streams[1] if len(streams) > 1 else None, mask.to(videos.mask.dtype))
