"""Videos and queries by name, as a model takes them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.arrays import SingleArray
from baselines.collation.clips import padded, pooled, unit_rows
from baselines.errors import BaselineError
from baselines.features.interface import Features
from baselines.models.interface import Dimensions, ModelConfig, Queries, Videos
from baselines.reading.release import Query

CACHE_BYTES = 2 << 30
"""How much of the features is kept in memory. Batches draw videos at random: what doesn't fit is read each time."""

Streams = tuple[SingleArray, SingleArray | None]


class Collator:
    """Reads features of named videos and of queries, and puts them together.

    Args: with_subtitles: whether the model sees them; they have to be in the features then.
    """

    def __init__(
        self, features: Features, config: ModelConfig, *, with_subtitles: bool, cache_bytes: int = CACHE_BYTES
    ) -> None:
        self.features = features
        self.config = config
        self.with_subtitles = with_subtitles
        self._room = cache_bytes
        self._videos: dict[str, Streams] = {}
        self._words: dict[str, SingleArray] = {}

    @property
    def dimensions(self) -> Dimensions:
        """The sizes that a model for these features has."""
        subtitles = self.features.subtitle_size if self.with_subtitles else None
        return Dimensions(self.features.visual_size, subtitles, self.features.word_size)

    def clips(self, video: str) -> int:
        """How many clips the model sees of a video."""
        return min(self.features.clips(video), self.config.max_clips)

    def clip_seconds(self, video: str) -> float:
        """How long each of them is; longer than the features' own where a long video was pooled.

        The published code takes the features' own for every video, and so misplaces moments of videos above its limit
        (128 clips, 192 s).
        """
        return self.features.clip_seconds * self.features.clips(video) / self.clips(video)

    def videos(self, names: Sequence[str]) -> Videos:
        """Videos, padded to the longest of them."""
        streams = [self._streams(name) for name in names]
        visual, mask = padded([pair[0] for pair in streams])
        with_lines = [subtitles for _, subtitles in streams if subtitles is not None]
        return Videos(visual, padded(with_lines)[0] if self.with_subtitles else None, mask)

    def queries(self, queries: Sequence[Query], *, full: bool = False) -> Queries:
        """Queries, padded to the longest of them, or to the longest that the model takes (``full``)."""
        return Queries(*padded([self._query(query) for query in queries], self.config.max_words if full else 0))

    def require(self, names: Sequence[str], why: str) -> None:
        """Raises: BaselineError if a video has no features."""
        there = set(self.features.videos)
        missing = [name for name in names if name not in there]
        if missing:
            raise BaselineError(
                f"{self.features.name}: found no features of {len(missing)} of {len(names)} videos {why}, "
                f"{missing[0]!r} the first; expected all of them"
            )

    def _streams(self, name: str) -> Streams:
        streams = self._videos.get(name)
        if streams is None:
            visual = self._read(self.features.visual(name))
            subtitles = self.features.subtitles(name) if self.with_subtitles else None
            streams = (visual, None if subtitles is None else self._read(subtitles))
            size = sum(part.nbytes for part in streams if part is not None)
            if size <= self._room:
                self._room -= size
                self._videos[name] = streams
        return streams

    def _read(self, rows: SingleArray) -> SingleArray:
        return unit_rows(pooled(rows, self.config.max_clips)).astype(np.float32, copy=False)

    def _query(self, query: Query) -> SingleArray:
        words = self._words.get(query.query_id)
        if words is None:
            words = unit_rows(self.features.words(query.text, query.query_id)[: self.config.max_words])
            if words.nbytes <= self._room:
                self._room -= words.nbytes
                self._words[query.query_id] = words
        return words
