"""What a search has found so far, in memory and in a file from which a killed one goes on."""

from __future__ import annotations

import time
import zipfile
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from baselines.arrays import SingleArray
from baselines.whole_files import whole_file
from evaluation.arrays import IntArray

SECONDS_BETWEEN = 20.0
TIMES_LONGER = 20
"""A state that takes long to write is written less often: this many times longer passes between."""


@dataclass
class SearchState:
    """The best so far, of Q queries.

    Attributes:
        ranked: whether the videos are ranked, so that moments are looked for. block: the next block of that walk.
        video, video_score: (Q, K) the best videos, or segments, by their places in the corpus; -1 and -inf where there
        are fewer.
        score, found_video, start, end: (Q, M) the best moments; times in clips; score -inf where there are fewer.
    """

    ranked: bool
    block: int
    video: IntArray
    video_score: SingleArray
    score: SingleArray
    found_video: IntArray
    start: IntArray
    end: IntArray

    @classmethod
    def empty(cls, queries: int, videos: int, moments: int) -> SearchState:
        """Nothing found yet."""

        def nothing(width: int) -> SingleArray:
            return np.full((queries, width), -np.inf, np.float32)

        def nowhere(width: int) -> IntArray:
            return np.full((queries, width), -1, np.int64)

        return cls(False, 0, nowhere(videos), nothing(videos), nothing(moments), *(nowhere(moments) for _ in range(3)))

    def take_videos(self, rows: slice, columns: IntArray, scores: SingleArray) -> None:
        """Keep the best of what is there and these videos.

        Args: columns: their places, (V,) or (rows, V). scores: (rows, V).
        """
        both = np.concatenate((self.video_score[rows], scores), axis=1)
        places = np.concatenate((self.video[rows], np.broadcast_to(columns, scores.shape)), axis=1)
        best = np.argsort(-both, axis=1, kind="stable")[:, : self.video.shape[1]]
        self.video_score[rows] = np.take_along_axis(both, best, 1)
        self.video[rows] = np.take_along_axis(places, best, 1)

    def take_moments(self, rows: IntArray, video: IntArray, score: SingleArray, start: IntArray, end: IntArray) -> None:
        """Keep the best of what is there and these moments.

        Args: rows: (P,) queries, rising. video: (P,). score, start, end: (P, K).
        """
        distinct, first = np.unique(rows, return_index=True)
        for row, begin, stop in zip(distinct, first, [*first[1:], len(rows)], strict=True):
            pair, column = np.nonzero(score[begin:stop] > self.score[row].min())
            pair += begin
            if len(pair):
                both = np.concatenate((self.score[row], score[pair, column]))
                best = np.argsort(-both, kind="stable")[: self.score.shape[1]]
                self.score[row] = both[best]
                self.found_video[row] = np.concatenate((self.found_video[row], video[pair]))[best]
                self.start[row] = np.concatenate((self.start[row], start[pair, column]))[best]
                self.end[row] = np.concatenate((self.end[row], end[pair, column]))[best]


class StateFile:
    """A search's state in a file, which is replaced as a whole every so often."""

    def __init__(self, path: Path, search: str, *, seconds_between: float = SECONDS_BETWEEN) -> None:
        """Args: search: a text that names queries, videos and model: the state of another search isn't continued.

        seconds_between: how long `write_if_due` waits at least; 0 for every time.
        """
        self._seconds_between = self._pause = seconds_between
        self.path = path
        self._search = search
        self._written = time.monotonic()

    def read(self) -> SearchState | None:
        """The state of this very search, or None."""
        try:
            with np.load(self.path, allow_pickle=False) as file:
                if str(file["search"]) != self._search:
                    return None
                values = {field.name: file[field.name] for field in fields(SearchState)}
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None
        return SearchState(**values | {"ranked": bool(values["ranked"]), "block": int(values["block"])})

    def write_if_due(self, state: SearchState) -> None:
        """Keep the state, if the last time is long enough ago."""
        if time.monotonic() - self._written >= self._pause:
            self.write(state)

    def write(self, state: SearchState) -> None:
        """Keep the state; a kill meanwhile leaves the one before.

        Raises: BaselineError if the place can't be written.
        """
        began = time.monotonic()
        with whole_file(self.path) as file:
            values = {field.name: getattr(state, field.name) for field in fields(state)}
            np.savez(file, search=self._search, **values)
        self._written = time.monotonic()
        if self._seconds_between:
            self._pause = max(self._seconds_between, TIMES_LONGER * (self._written - began))

    def remove(self) -> None:
        """Forget the state: the search is done."""
        self.path.unlink(missing_ok=True)
