"""CONQUER: Hou, Ngo and Chan, "CONQUER: Contextual Query-aware Ranking for Video Corpus Moment Retrieval", MM 2021.

It doesn't search by itself: it localises in the videos that another system found. A moment's score is r * P(begin) *
P(end): with ``exclusive`` False (the paper's "general", its best result) r is the other system's score, with True the
softmax, over the query's videos, of CONQUER's own video scoring head.

What the text leaves open is as in its published code (github.com/houzhijian/CONQUER); padding is treated otherwise
(`heads`, `fusion`). Of the paper's adaptation (TVR-Ranking, appendix C.1) no code of CONQUER is published; the text is
read so: a pair's similarity multiplies the whole loss of the pair, negatives are videos that the other system found and
the training set doesn't pair with the query, and begin and end are labelled as in the adaptation's code of ReLoCLNet,
where the end is the first clip after the moment. CONQUER's own code labels the last clip within it; lengths are 1 to 24
clips in both. Features are brought to length 1 as for the other models; CONQUER's own code leaves those of texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor

from baselines.models.conquer.blocks import BlockSizes, Embedded, Encoder, ProjectedBlock
from baselines.models.conquer.fusion import BidirectionalAttention, QueryWeights
from baselines.models.conquer.heads import MomentHead, VideoHead
from baselines.models.interface import (
    Batch,
    Dimensions,
    Encoded,
    Losses,
    ModelConfig,
    Queries,
    RetrievalModel,
    RetrieverConfig,
    Videos,
)
from baselines.models.layers import draw_weights


@dataclass(frozen=True)
class ConquerConfig(RetrieverConfig):
    """The published parameters.

    Attributes:
        intermediate: of a BERT block. clusters: of NetVLAD. channels: of the heads' inner layers.
        exclusive: whether CONQUER's own head scores videos. weight_video: of that head in the loss.
    """

    max_clips: int = 100
    score_scale: float = 1.0
    shortest: int = 1
    longest: int = 25
    hidden: int = 768
    heads: int = 12
    intermediate: int = 3072
    clusters: int = 32
    channels: int = 128
    exclusive: bool = False
    weight_video: float = 0.05


class CONQUER(RetrievalModel):
    """Query-dependent fusion, attention both ways, heads for moments and videos."""

    NAME: ClassVar[str] = "conquer"
    Config: ClassVar[type[ModelConfig]] = ConquerConfig
    needs_retriever: ClassVar[bool] = True
    own_batch_size: ClassVar[int | None] = 16

    config: ConquerConfig

    def __init__(self, config: ConquerConfig, dimensions: Dimensions) -> None:
        super().__init__(config, dimensions)
        sizes = BlockSizes(config.hidden, config.heads, config.intermediate, config.dropout)
        streams = tuple(size for size in (dimensions.visual, dimensions.subtitles) if size is not None)
        self.video_encoder = Encoder(streams, config.max_clips, sizes)
        self.query_encoder = Encoder((dimensions.words,), config.max_words, sizes)
        self.weights = (
            QueryWeights(config.hidden, config.clusters, len(streams), config.dropout) if len(streams) > 1 else None
        )
        self.attention = BidirectionalAttention(config.hidden)
        self.contextual = ProjectedBlock(4 * config.hidden, sizes)
        self.moment_head = MomentHead(sizes, config.channels, config.kernel)
        self.video_head = VideoHead(sizes, config.channels) if config.exclusive else None
        self.apply(partial(draw_weights, deviation=config.initial_deviation))

    def encode_videos(self, videos: Videos) -> Encoded:
        """Parts: the clips as seen, and their subtitles where there are any, each in the other's context: (V, L, D)."""
        if videos.subtitles is None:
            parts = self.video_encoder((videos.visual,), (Embedded.SEEN,), videos.mask)
        else:
            both = (videos.visual, videos.subtitles)
            parts = self.video_encoder(both, (Embedded.SEEN, Embedded.TEXT), videos.mask)
        return Encoded(parts, videos.mask)

    def encode_queries(self, queries: Queries) -> Encoded:
        """Parts: the words in their context, (Q, W, D); and the modalities' weights (Q, modalities), if several."""
        (words,) = self.query_encoder((queries.words,), (Embedded.TEXT,), queries.mask)
        parts = (words,) if self.weights is None else (words, self.weights(words, queries.mask))
        return Encoded(parts, queries.mask)

    def spans(self, queries: Encoded, videos: Encoded) -> tuple[Tensor, Tensor]:
        """Logits of begin and end of each pair, (rows, L) each."""
        begin, end = self.moment_head(*self._joint(queries, videos), videos.mask)
        return begin, end

    def pair_scores(self, queries: Encoded, videos: Encoded) -> Tensor | None:
        """r of each pair, before its softmax over a query's videos: (rows,). None unless ``exclusive``."""
        if self.video_head is None:
            return None
        return self.video_head(self._joint(queries, videos)[0], videos.mask)  # type: ignore[no-any-return]

    def losses(self, batch: Batch, *, hard_negatives: bool) -> Losses:
        """L = lambda_1 (CE(begin) + CE(end)) + lambda_2 CE(r), each pair's weighted by its similarity.

        Shared normalisation: the softmax of begin and end goes over the clips of a pair's own video and its negatives
        together, so that logits are comparable between videos; that of r over those videos.
        Scores of videos for another ranking loss are in (0, 1): the sigmoid of r, or without that head of the mean of
        the greatest begin and end logit. They are there for the videos that a pair was given, and no others.
        """
        queries, videos = self.encode_queries(batch.queries), self.encode_videos(batch.videos)
        given = batch.video.unsqueeze(1)
        if batch.negatives is not None:
            given = torch.cat([given, batch.negatives], dim=1)
        pairs, shared = given.shape
        of_pair = videos.rows(given.flatten())
        joint, contextual = self._joint(queries.rows(batch.query.repeat_interleave(shared)), of_pair)
        begin, end = self.moment_head(joint, contextual, of_pair.mask)
        spans = F.cross_entropy(begin.view(pairs, -1), batch.span[:, 0], reduction="none")
        spans = spans + F.cross_entropy(end.view(pairs, -1), batch.span[:, 1], reduction="none")
        parts = {"span": self.config.weight_span * (spans * batch.weight).mean()}
        if self.video_head is None:
            scores = ((begin.amax(1) + end.amax(1)) / 2).view(pairs, shared)
        else:
            scores = self.video_head(joint, of_pair.mask).view(pairs, shared)
            own = F.cross_entropy(scores, torch.zeros_like(batch.video), reduction="none")
            parts["video"] = self.config.weight_video * (own * batch.weight).mean()
        there = batch.relevance.new_zeros(batch.relevance.shape)
        place = (batch.query.repeat_interleave(shared), given.flatten())
        return Losses(
            parts,
            frozenset(parts) - {"span"},
            there.index_put(place, scores.flatten().sigmoid()),
            torch.zeros_like(batch.related).index_put(place, torch.ones_like(place[0], dtype=torch.bool)),
        )

    def _joint(self, queries: Encoded, videos: Encoded) -> tuple[Tensor, Tensor]:
        """G = [QAL; C] (rows, L, 5D) and C (rows, L, D) of each pair of query and video."""
        if len(videos.parts) == 1:
            fused = videos.parts[0]
        else:
            fused = torch.einsum("mnld,nm->nld", torch.stack(videos.parts), queries.parts[1])
        aware = self.attention(fused, queries.parts[0], videos.mask, queries.mask)
        contextual = self.contextual(aware, videos.mask)
        return torch.cat([aware, contextual], dim=2), contextual
