"""What XML and ReLoCLNet have in common: two streams that are encoded apart and meet in their scores (late fusion).

A stream is the video's frames or its subtitles; without subtitles there is one. Queries become a vector for each
stream.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from baselines.models.hinge import hinge
from baselines.models.interface import Batch, Dimensions, Encoded, ModelConfig, Queries, RetrievalModel, Videos
from baselines.models.layers import (
    ConvSE,
    CrossAttention,
    Positions,
    Projection,
    SelfAttention,
    best_clips,
    draw_weights,
    masked,
    pair_products,
)


@dataclass(frozen=True)
class TwoStreamConfig(ModelConfig):
    """What both have in their configurations.

    Attributes:
        input_dropout: a share. margin: of the hinge loss.
        hard_pool: how many of the hardest hard negatives are drawn from.
        weight_negative_video, weight_negative_query: of the loss's parts.
        weigh_hinge: whether a pair's similarity weighs its hinge losses too.
        positive_mask: whether the paper's mask is applied (appendix C.1): videos that the training set pairs with a
        query are no negatives of it, and a contrastive loss sums them all. False: each pair's own video alone is
        positive, as in the published code.
        summed_positives: whether the hinge losses sum the masked scores, too: that text to the letter (`hinge`).
    """

    input_dropout: float = 0.1
    margin: float = 0.1
    hard_pool: int = 20
    weight_negative_video: float = 1.0
    weight_negative_query: float = 1.0
    weigh_hinge: bool = True
    positive_mask: bool = True
    summed_positives: bool = False


class Stream(nn.Module):
    """One stream: projected, then self-attention once; `second` and `third` come after the streams have met."""

    def __init__(self, features: int, config: TwoStreamConfig, *, third: bool, crosses: bool) -> None:
        super().__init__()
        block = partial(SelfAttention, config.hidden, config.heads, config.dropout)
        self.project = Projection(features, config.hidden, config.input_dropout)
        self.first = block()
        self.cross = CrossAttention(config.hidden, config.heads, config.dropout) if crosses else None
        self.second = block()
        self.third = block() if third else None
        self.query = nn.Linear(config.hidden, config.hidden)

    def met(self, clips: Tensor, other: Tensor | None, mask: Tensor) -> Tensor:
        """After attention to the other stream, where there is one, and once more to itself."""
        if self.cross is not None and other is not None:
            clips = self.cross(clips, other, mask)
        return self.second(clips, mask)  # type: ignore[no-any-return]

    def last(self, clips: Tensor, mask: Tensor) -> Tensor:
        """After the third self-attention."""
        assert self.third is not None
        return self.third(clips, mask)  # type: ignore[no-any-return]


class TwoStreamModel(RetrievalModel):
    """The shared part: encoders, video scores, start and end. A subclass says which encodings serve for what."""

    config: TwoStreamConfig
    query_blocks: ClassVar[int] = 1
    """How many times words attend to each other."""
    third: ClassVar[bool] = False
    """Whether streams have a third block beside subtitles; one alone always has, no cross-attention comes between."""

    def __init__(self, config: TwoStreamConfig, dimensions: Dimensions) -> None:
        super().__init__(config, dimensions)
        crosses = dimensions.subtitles is not None
        sizes = [size for size in (dimensions.visual, dimensions.subtitles) if size is not None]
        self.streams = nn.ModuleList(
            Stream(size, config, third=self.third or not crosses, crosses=crosses) for size in sizes
        )
        self.clip_positions = Positions(config.max_clips, config.hidden, config.input_dropout)
        self.word_positions = Positions(config.max_words, config.hidden, config.input_dropout)
        self.project_words = Projection(dimensions.words, config.hidden, config.input_dropout)
        self.word_blocks = nn.ModuleList(
            SelfAttention(config.hidden, config.heads, config.dropout) for _ in range(self.query_blocks)
        )
        self.modular = nn.Linear(config.hidden, len(sizes), bias=False)
        self.detector = ConvSE(config.kernel)
        self.apply(partial(draw_weights, deviation=config.initial_deviation))

    @property
    def each_stream(self) -> list[Stream]:
        """The streams: the frames', and the subtitles' where there are any."""
        return cast(list[Stream], list(self.streams))

    def encode_queries(self, queries: Queries) -> Encoded:
        """A vector for each stream: the words' mean under that stream's attention.

        a_m = softmax over words of w_m . h; q_m = sum of a_m h (Lei et al. 2020, section 4, "modular" queries).
        """
        words = self.word_positions(self.project_words(queries.words))
        for block in self.word_blocks:
            words = block(words, queries.mask)
        attention = masked(self.modular(words), queries.mask.unsqueeze(-1)).softmax(1)  # (Q, W, streams)
        vectors = torch.einsum("qws,qwd->sqd", attention, words)
        return Encoded(tuple(vectors), queries.mask)

    def first_blocks(self, videos: Videos) -> list[Tensor]:
        """Each stream projected, with positions, after its first self-attention: (V, L, D) each."""
        inputs = [videos.visual] if len(self.streams) == 1 else [videos.visual, videos.subtitles]
        return [
            stream.first(self.clip_positions(stream.project(features)), videos.mask)
            for stream, features in zip(self.each_stream, inputs, strict=True)
        ]

    def second_blocks(self, first: list[Tensor], mask: Tensor) -> list[Tensor]:
        """Each stream after it attended to the other (where there are two), and once more to itself."""
        others = [None] if len(first) == 1 else list(reversed(first))
        return [
            stream.met(own, other, mask) for stream, own, other in zip(self.each_stream, first, others, strict=True)
        ]

    def third_blocks(self, second: list[Tensor], mask: Tensor) -> list[Tensor]:
        """Each stream after its third self-attention."""
        return [stream.last(clips, mask) for stream, clips in zip(self.each_stream, second, strict=True)]

    def ranked(self, videos: Encoded) -> tuple[Tensor, ...]:
        """The encodings by which videos are ranked, a stream each: (V, L, D)."""
        raise NotImplementedError

    def localised(self, videos: Encoded) -> tuple[Tensor, ...]:
        """The encodings in which start and end are found, a stream each: (V, L, D)."""
        raise NotImplementedError

    def video_scores(self, queries: Encoded, videos: Encoded) -> Tensor:
        """The greatest cosine of the query and a clip, mean over the streams: (Q, V), from -1 to 1."""
        scores = [
            best_clips(F.normalize(query, dim=-1), F.normalize(clips, dim=-1), videos.mask)
            for query, clips in zip(queries.parts, self.ranked(videos), strict=True)
        ]
        return torch.stack(scores).mean(0)

    def row_scores(self, queries: Encoded, videos: Encoded) -> Tensor:
        """`video_scores` of row i of the queries with row i of the videos: (rows,)."""
        cosines = [
            torch.einsum("pd,pld->pl", F.normalize(query, dim=-1), F.normalize(clips, dim=-1))
            for query, clips in zip(queries.parts, self.ranked(videos), strict=True)
        ]
        return masked(torch.stack(cosines), videos.mask).amax(2).mean(0)

    def spans(self, queries: Encoded, videos: Encoded) -> tuple[Tensor, Tensor]:
        """ConvSE over S = mean over the streams of (W_m q_m) . clips."""
        similarity = [
            torch.einsum("pd,pld->pl", stream.query(vectors), clips)
            for stream, vectors, clips in zip(self.each_stream, queries.parts, self.localised(videos), strict=True)
        ]
        starts, ends = self.detector(torch.stack(similarity).mean(0), videos.mask)
        return starts, ends

    def span_losses(self, batch: Batch, queries: Encoded, videos: Encoded) -> Tensor:
        """Cross-entropy of start and of end, summed, for each pair: (N,)."""
        similarity = [
            pair_products(stream.query(vectors), clips, batch.query, batch.video)
            for stream, vectors, clips in zip(self.each_stream, queries.parts, self.localised(videos), strict=True)
        ]
        mask = videos.mask.index_select(0, batch.video)
        starts, ends = self.detector(torch.stack(similarity).mean(0), mask)
        return F.cross_entropy(starts, batch.span[:, 0], reduction="none") + F.cross_entropy(
            ends, batch.span[:, 1], reduction="none"
        )

    def positive(self, batch: Batch) -> Tensor:
        """(N, N) bool: which videos are positive for each pair's query, by the mask or the diagonal alone."""
        return batch.positive if self.config.positive_mask else torch.eye(len(batch), device=batch.video.device).bool()

    def hinge_losses(self, batch: Batch, scores: Tensor, *, hard_negatives: bool) -> dict[str, Tensor]:
        """The two hinge losses as parts. ``scores`` (Q, V)."""
        config = self.config
        by_video, by_query = hinge(
            batch.paired(scores),
            self.positive(batch),
            margin=config.margin,
            pool=config.hard_pool if hard_negatives else None,
            summed=config.summed_positives,
        )
        weight = batch.weight if config.weigh_hinge else torch.ones_like(batch.weight)
        return {
            "negative_video": config.weight_negative_video * (by_video * weight).mean(),
            "negative_query": config.weight_negative_query * (by_query * weight).mean(),
        }
