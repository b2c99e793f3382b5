"""What training and search ask of a model.

A model sees videos as sequences of clips and queries as sequences of words, both as features. It encodes each alone
(`encode_videos`, `encode_queries`), scores whole videos (`video_scores`), and says in which clip of a given video a
moment begins and ends (`spans`); a `SegmentModel` scores segments of videos, and looks in windows around them. Search
puts the two together; training asks for `losses` of a batch.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Self

import torch
from torch import Tensor, nn

from baselines.errors import BaselineError


@dataclass(frozen=True)
class Dimensions:
    """Lengths of the feature vectors. ``subtitles`` is None where a model sees the videos alone."""

    visual: int
    subtitles: int | None
    words: int


@dataclass(frozen=True)
class ModelConfig:
    """What every model's configuration has; a model adds its own. Defaults are those of the published code.

    Attributes:
        max_clips: longer videos are pooled to so many clips. max_words: longer queries are cut.
        score_scale: a moment's score is exp(score_scale * its video's score) * P(start) * P(end).
        shortest, longest: a moment's length in clips, from ``shortest`` to ``longest`` - 1.
        hard_negatives_from: the epoch, from 0, in which negatives are drawn from the hardest alone.
        initial_deviation: standard deviation of the weights at first.
        hidden: the size D of all vectors. heads: of attention. dropout: a share.
        kernel: clips that what finds start and end sees at once. weight_span: of the spans' part of the loss.
    """

    max_clips: int = 128
    max_words: int = 30
    score_scale: float = 30.0
    shortest: int = 2
    longest: int = 16
    hard_negatives_from: int = 20
    initial_deviation: float = 0.02
    hidden: int = 256
    heads: int = 4
    dropout: float = 0.1
    kernel: int = 5
    weight_span: float = 0.01

    def __post_init__(self) -> None:
        """Raises: BaselineError if the vectors can't be shared among the heads."""
        if self.heads < 1 or self.hidden < 1 or self.hidden % self.heads:
            raise BaselineError(f"hidden={self.hidden} is no multiple of heads={self.heads}")

    def as_dict(self) -> dict[str, Any]:
        """Every value by its name, for checkpoints and manifests."""
        return asdict(self)


@dataclass(frozen=True)
class RetrieverConfig(ModelConfig):
    """What a model that `needs_retriever` has besides.

    Attributes:
        negatives: how many of the retriever's videos each pair gets as negatives; 0 for none.
        pool: they are drawn from its videos up to so many places after the pair's own.
        candidates: in how many of its videos a query's moments are looked for.
    """

    negatives: int = 3
    pool: int = 1000
    candidates: int = 10


@dataclass(frozen=True)
class SegmentConfig(ModelConfig):
    """What a model that finds segments has besides.

    Attributes:
        segment: clips in a segment; the paper's 4 s are about three of TVR's clips.
        segments: how many a query gets of the whole corpus. share: no more than that of those there are: where all are
        found, all of a video follow one another.
        context: clips before and after a proposal that are looked at with it; the paper's 8 s, in whole clips.
        window: clips of a proposal with its context at most.
    """

    segment: int = 3
    segments: int = 200
    share: float = 0.25
    context: int = 6
    window: int = 64

    @property
    def longest_proposal(self) -> int:
        """Segments of a proposal at most."""
        return (self.window - 2 * self.context) // self.segment


def retriever_config(config: ModelConfig) -> RetrieverConfig:
    """The configuration of a model that `needs_retriever`."""
    assert isinstance(config, RetrieverConfig)
    return config


class OnDevice:
    """A record of tensors, of records of them, and of None."""

    def to(self, device: torch.device) -> Self:
        """The same on a device."""
        moved = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        for name, value in moved.items():
            if isinstance(value, tuple):
                moved[name] = tuple(part.to(device) for part in value)
            elif value is not None:
                moved[name] = value.to(device)
        return type(self)(**moved)


@dataclass(frozen=True)
class Videos(OnDevice):
    """V videos, padded to L clips.

    Attributes:
        visual: (V, L, Dv) float32, each clip of length 1. subtitles: (V, L, Ds) float32, or None.
        mask: (V, L) float32, 1 for a clip and 0 for padding; the clips come first.
    """

    visual: Tensor
    subtitles: Tensor | None
    mask: Tensor

    def __len__(self) -> int:
        """How many videos there are."""
        return len(self.mask)


@dataclass(frozen=True)
class Queries(OnDevice):
    """Q queries, padded to W words: features (Q, W, Dq) float32, and mask (Q, W) float32, 1 for a word."""

    words: Tensor
    mask: Tensor

    def __len__(self) -> int:
        """How many queries there are."""
        return len(self.mask)


@dataclass(frozen=True)
class Encoded(OnDevice):
    """What a model made of videos or queries: tensors whose first dimension is the video or query.

    ``mask`` (rows, L) is that of the clips or words. What the parts are, only the model knows.
    """

    parts: tuple[Tensor, ...]
    mask: Tensor

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.mask)

    def rows(self, rows: Tensor) -> Encoded:
        """Chosen rows, in the order given; a row may come several times."""
        return Encoded(tuple(part.index_select(0, rows) for part in self.parts), self.mask.index_select(0, rows))


@dataclass(frozen=True)
class Batch(OnDevice):
    """N pairs of a query and a moment. Queries and videos that several pairs share are here once.

    Attributes:
        queries: Q queries. videos: V videos.
        query, video: (N,) int64, each pair's rows in them.
        span: (N, 2) int64, the moment's first clip and the clip in which it ends.
        weight: (N,) float32, how much the pair counts: the similarity of query and caption, from 0 to 1.
        relevance: (Q, V) float32, the greatest similarity of the query to a moment of the video among the query's top
        N of the training set, 0 where it has none there. Where `related`, the video is no negative of the query.
        related: (Q, V) bool, whether the training set pairs them: the paper's positive-pair mask (appendix C.1).
        negatives: (N, M) int64, rows of videos that a retriever found for the query and that aren't related to it, or
        None for a model that retrieves by itself.
    """

    queries: Queries
    videos: Videos
    query: Tensor
    video: Tensor
    span: Tensor
    weight: Tensor
    relevance: Tensor
    related: Tensor
    negatives: Tensor | None = None

    def __len__(self) -> int:
        """How many pairs there are."""
        return len(self.query)

    @property
    def positive(self) -> Tensor:
        """(N, N) bool: whether pair i's query is related to pair j's video; true on the diagonal."""
        return self.paired(self.related)

    def paired(self, values: Tensor) -> Tensor:
        """(Q, V) to (N, N): of pair i's query and pair j's video."""
        return values.index_select(0, self.query).index_select(1, self.video)


@dataclass(frozen=True)
class Losses:
    """A batch's loss in parts.

    Attributes:
        parts: name -> scalar, each with its weight in the configuration; the loss is their sum.
        ranking: those of them that rank videos; another loss may take their place (``--loss``).
        video_scores: (Q, V), each query's scores of the batch's videos, with gradient; higher is better.
        scored: (Q, V) bool, which of them the model gave; None for all.
    """

    parts: dict[str, Tensor]
    ranking: frozenset[str]
    video_scores: Tensor
    scored: Tensor | None = None

    def total(self) -> Tensor:
        """The loss, a scalar."""
        return torch.stack(list(self.parts.values())).sum()


class RetrievalModel(nn.Module):
    """A model that finds moments for a query. Its weights are drawn from torch's generator when it is made."""

    NAME: ClassVar[str]
    Config: ClassVar[type[ModelConfig]]
    needs_retriever: ClassVar[bool] = False
    """Whether it localises in the videos that another system's run found, and asks batches for `Batch.negatives`."""
    own_batch_size: ClassVar[int | None] = None
    """Pairs in a step, where the model's published code has another number than the adaptation's."""

    config: ModelConfig
    dimensions: Dimensions

    def __init__(self, config: ModelConfig, dimensions: Dimensions) -> None:
        """New weights. Args: config: of the class `Config`."""
        super().__init__()
        self.config = config
        self.dimensions = dimensions

    def encode_videos(self, videos: Videos) -> Encoded:
        """Videos alone, before any query is known."""
        raise NotImplementedError

    def encode_queries(self, queries: Queries) -> Encoded:
        """Queries alone."""
        raise NotImplementedError

    def video_scores(self, queries: Encoded, videos: Encoded) -> Tensor:
        """Every query with every video: (Q, V), higher is better. Not asked of a model that `needs_retriever`."""
        raise NotImplementedError

    def spans(self, queries: Encoded, videos: Encoded) -> tuple[Tensor, Tensor]:
        """Row i of the queries with row i of the videos: logits of start and end, (rows, L) each.

        Padding has logits so low that its probability is 0; it changes no other clip's.
        """
        raise NotImplementedError

    def pair_scores(self, queries: Encoded, videos: Encoded) -> Tensor | None:
        """How well row i of the videos fits row i of the queries, (rows,); the softmax over a query's videos replaces
        the retriever's scores. None to keep those. Asked only of a model that `needs_retriever`."""
        return None

    def losses(self, batch: Batch, *, hard_negatives: bool) -> Losses:
        """The model's own loss with the paper's adaptation."""
        raise NotImplementedError


class SegmentModel(RetrievalModel):
    """A model that finds segments of videos, and a moment in each window around some that follow one another.

    `spans` and `pair_scores` are asked of `windows` alone, never of whole videos.
    """

    config: SegmentConfig

    def video_scores(self, queries: Encoded, videos: Encoded) -> Tensor:
        """Those of each video's best segment."""
        return self.segment_scores(queries, videos).amax(2)

    def segment_scores(self, queries: Encoded, videos: Encoded) -> Tensor:
        """Every query with every segment of every video: (Q, V, S), higher is better, -inf where there is none."""
        raise NotImplementedError

    def windows(self, videos: Encoded, video: Tensor, begin: Tensor, end: Tensor) -> Encoded:
        """Stretches of videos, as short videos of their own. Args: video, begin, end: (P,), in clips."""
        raise NotImplementedError

    def pair_scores(self, queries: Encoded, videos: Encoded) -> Tensor:
        """How well row i of the windows fits row i of the queries: (rows,)."""
        raise NotImplementedError

    def around(self, first: Tensor, last: Tensor, clips: Tensor) -> tuple[Tensor, Tensor]:
        """Where windows around segments ``first`` to ``last``, in videos of so many clips, begin and end: (P,) each."""
        config = self.config
        begin = (first * config.segment - config.context).clamp(min=0)
        end = torch.minimum((last + 1) * config.segment + config.context, clips)
        return begin, torch.minimum(end, begin + config.window)
