"""Pseudo-training pairs: one query and one of its N most similar moments at a time, weighted by their similarity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from baselines.arrays import SingleArray
from baselines.collation.collator import Collator
from baselines.errors import BaselineError
from baselines.models.interface import Batch
from baselines.reading.release import Training
from evaluation.arrays import BoolArray, IntArray


class Retriever(Protocol):
    """What a model that `needs_retriever` is trained with: the videos that another system found."""

    def videos_of(self, query_id: str) -> list[str]:
        """The videos it ranked for a query, best first."""


class PseudoPairs:
    """All pairs of a training file, and batches of them.

    A moment's labels are the clip in which it starts, floor(start / clip), and ceil(end / clip), the first clip after
    it; both at most the last clip. That is the published code's reading of start and end (search undoes it alike).
    """

    def __init__(
        self,
        training: Training,
        collator: Collator,
        *,
        retriever: Retriever | None = None,
        negatives: int = 0,
        pool: int = 0,
    ) -> None:
        """Raises: BaselineError if a video has no features, or the retriever found too few negatives for a query.

        Args:
            retriever, negatives, pool: for models that need them. Each pair gets so many negatives, drawn from the
            retriever's videos that the training set doesn't pair with the query, the best of them up to ``pool`` places
            after the pair's own video (up to the first ``pool`` + 100 where it isn't found).
        """
        collator.require(training.video_names, "of the training file")
        self._training = training
        self._collator = collator
        self._first, self._last = _spans(training, collator)
        self._weight = np.clip(training.similarity, 0.0, 1.0).astype(np.float32)
        self._video_row = np.full(len(training.video_names), -1, np.int64)
        self._retriever = retriever if negatives else None
        self._negatives, self._pool = negatives, pool
        self._places = {name: place for place, name in enumerate(training.video_names)}
        if self._retriever is not None:
            self._require_negatives()

    def __len__(self) -> int:
        """How many pairs there are."""
        return len(self._weight)

    def order(self, seed: int, epoch: int) -> IntArray:
        """The pairs' order in an epoch, the same for the same seed."""
        return np.random.default_rng([seed, epoch]).permutation(len(self))

    def batch(self, pairs: IntArray, draw: Sequence[int] = (0,)) -> Batch:
        """Some of the pairs, by their indices. Each query and each video is encoded once, however many share it.

        Args: draw: the seed of the negatives, such as the training's with the step.
        """
        training = self._training
        queries, query = np.unique(training.query[pairs], return_inverse=True)
        drawn = self._drawn(pairs, np.random.default_rng(list(draw)))
        others = {str(name) for name in drawn.flat}
        in_training = [self._places[name] for name in others if name in self._places]
        videos = np.unique([*training.video[pairs], *in_training])
        video = np.searchsorted(videos, training.video[pairs])
        names = [training.video_names[index] for index in videos]
        names += sorted(others - self._places.keys())
        relevance, related = (
            np.pad(part, ((0, 0), (0, len(names) - len(videos)))) for part in self._related(queries, videos)
        )
        row = {name: place for place, name in enumerate(names)}
        negatives = np.array([[row[name] for name in of_pair] for of_pair in drawn], np.int64)
        span = np.stack([self._first[pairs], self._last[pairs]], axis=1)
        return Batch(
            self._collator.queries([training.queries[index] for index in queries]),
            self._collator.videos(names),
            torch.from_numpy(query),
            torch.from_numpy(video),
            torch.from_numpy(span),
            torch.from_numpy(self._weight[pairs]),
            torch.from_numpy(relevance),
            torch.from_numpy(related),
            torch.from_numpy(negatives) if self._retriever is not None else None,
        )

    def _drawn(self, pairs: IntArray, rng: np.random.Generator) -> NDArray[np.object_]:
        """The names of each pair's negatives: (N, negatives)."""
        drawn = np.empty((len(pairs), self._negatives if self._retriever else 0), np.object_)
        if self._retriever is None:
            return drawn
        training = self._training
        for place, pair in enumerate(pairs):
            query = int(training.query[pair])
            ranking = self._retriever.videos_of(training.queries[query].query_id)
            own = training.video_names[training.video[pair]]
            last = (ranking.index(own) if own in ranking else 100) + self._pool
            unrelated = self._unrelated(query, ranking)
            drawn[place] = rng.choice(unrelated[: max(last, self._negatives)], self._negatives, replace=False)
        return drawn

    def _unrelated(self, query: int, ranking: list[str]) -> list[str]:
        training = self._training
        pairs = slice(training.offset[query], training.offset[query + 1])
        related = {training.video_names[video] for video in training.video[pairs]}
        return [name for name in ranking if name not in related]

    def _require_negatives(self) -> None:
        assert self._retriever is not None
        for place, query in enumerate(self._training.queries):
            there = len(self._unrelated(place, self._retriever.videos_of(query.query_id)))
            if there < self._negatives:
                raise BaselineError(
                    f"the query {query.query_id!r} of the training file: found {there} of the retriever's videos that "
                    f"aren't paired with it, expected {self._negatives} as negatives; --set negatives=0 does without"
                )

    def _related(self, queries: IntArray, videos: IntArray) -> tuple[SingleArray, BoolArray]:
        """Similarities (Q, V) of what the training file pairs, and whether it does."""
        training = self._training
        start, end = training.offset[queries], training.offset[queries + 1]
        row = np.repeat(np.arange(len(queries)), end - start)
        place = np.arange(len(row)) - np.repeat(np.cumsum(end - start) - (end - start), end - start)
        entry = np.repeat(start, end - start) + place
        self._video_row[videos] = np.arange(len(videos))
        column = self._video_row[training.video[entry]]
        self._video_row[videos] = -1
        here = column >= 0
        # The most similar moment of a video comes first: written last, it is the one that stays.
        row, column, entry = row[here][::-1], column[here][::-1], entry[here][::-1]
        relevance = np.zeros((len(queries), len(videos)), np.float32)
        related = np.zeros((len(queries), len(videos)), np.bool_)
        relevance[row, column] = self._weight[entry]
        related[row, column] = True
        return relevance, related


def _spans(training: Training, collator: Collator) -> tuple[IntArray, IntArray]:
    seconds = np.array([collator.clip_seconds(name) for name in training.video_names])
    clips = np.array([collator.clips(name) for name in training.video_names])
    clip, last = seconds[training.video], clips[training.video] - 1
    return (
        np.minimum(np.floor(training.start / clip), last).astype(np.int64),
        np.minimum(np.ceil(training.end / clip), last).astype(np.int64),
    )
