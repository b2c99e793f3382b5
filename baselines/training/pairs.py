"""Pseudo-training pairs: one query and one of its N most similar moments at a time, weighted by their similarity."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import torch

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
        self, training: Training, collator: Collator, *, retriever: Retriever | None = None, negatives: int = 0
    ) -> None:
        """Raises: BaselineError if a video has no features, or the retriever found nothing for a query.

        Args: retriever, negatives: for models that need them, how many of its videos each pair gets as negatives.
        """
        collator.require(training.video_names, "of the training file")
        self._training = training
        self._collator = collator
        self._first, self._last = _spans(training, collator)
        self._weight = np.clip(training.similarity, 0.0, 1.0).astype(np.float32)
        self._video_row = np.full(len(training.video_names), -1, np.int64)
        self._found: list[list[str]] | None = None
        self._negatives = negatives
        if retriever is not None:
            self._found = [retriever.videos_of(query.query_id) for query in training.queries]
            if any(not found for found in self._found):
                raise BaselineError("the retriever's run has queries of the training file without a video")

    def __len__(self) -> int:
        """How many pairs there are."""
        return len(self._weight)

    def order(self, seed: int, epoch: int) -> IntArray:
        """The pairs' order in an epoch, the same for the same seed."""
        return np.random.default_rng([seed, epoch]).permutation(len(self))

    def batch(self, pairs: IntArray) -> Batch:
        """Some of the pairs, by their indices. Each query and each video is encoded once, however many share it."""
        training = self._training
        queries, query = np.unique(training.query[pairs], return_inverse=True)
        videos, video = np.unique(training.video[pairs], return_inverse=True)
        names = [training.video_names[index] for index in videos]
        relevance, related = self._related(queries, videos)
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
