"""A run: the moments one system returned for each query, best first."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from unicodedata import normalize

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import EvaluationError
from ..texts import counted


@dataclass(frozen=True)
class Prediction:
    """One returned moment. Times in seconds; a higher score is better, None means unscored."""

    video_name: str
    start: float
    end: float
    score: float | None = None


@dataclass(frozen=True, eq=False)
class Run:
    """A system's ranked moments, as arrays, in order of rank.

    Attributes (N predictions, R answered queries, V videos):
        query_ids: R ids as text, in file order; each once. video_names: V names.
        offset: shape (R + 1,), the predictions of row r are ``offset[r]:offset[r + 1]``, best
        first. video: shape (N,), indices. start, end: shape (N,), seconds.
        score: shape (N,), NaN where the file gives none.
        unsorted: how many queries were not in order of score and were put in order.
        repeated: how many lists were left out because their query came again (`REPEATED`).
        tied: how many predictions share their score with the one ranked just above them.
        ranks_videos: True if this is a ranking of videos without times (TVR's task VR).
    """

    name: str
    query_ids: tuple[str, ...]
    video_names: tuple[str, ...]
    offset: IntArray
    video: IntArray
    start: FloatArray
    end: FloatArray
    score: FloatArray
    unsorted: int = 0
    tied: int = 0
    ranks_videos: bool = False
    repeated: int = 0

    @classmethod
    def of(cls, name: str, answers: Iterable[tuple[str, Sequence[Prediction]]]) -> Run:
        """Build from ``(query_id, predictions)`` pairs; see `RunBuilder` for order and errors.

        >>> run = Run.of("mine", [("q", [Prediction("v", 0, 1, 0.2), Prediction("v", 1, 2, 0.9)])])
        >>> run.score.tolist(), run.unsorted
        ([0.9, 0.2], 1)
        """
        builder = RunBuilder(name)
        for query_id, predictions in answers:
            builder.add(
                query_id,
                [prediction.video_name for prediction in predictions],
                np.array([(p.start, p.end) for p in predictions], dtype=np.float64).reshape(-1, 2),
                [prediction.score for prediction in predictions],
            )
        return builder.finished()

    def __repr__(self) -> str:
        return f"<run {self.name}: {counted(len(self.query_ids), 'query')}, {counted(len(self), 'prediction')}>"

    def __len__(self) -> int:
        """How many predictions there are."""
        return len(self.video)

    def of_query(self, query_id: str) -> list[Prediction]:
        """The predictions of one query in order of rank; empty if it was not answered."""
        if query_id not in self.query_ids:
            return []
        row = self.query_ids.index(query_id)
        return [self.prediction(place) for place in range(self.offset[row], self.offset[row + 1])]

    def prediction(self, place: int) -> Prediction:
        """The prediction at one place of the arrays."""
        score = float(self.score[place])
        return Prediction(
            self.video_names[self.video[place]],
            float(self.start[place]),
            float(self.end[place]),
            None if np.isnan(score) else score,
        )


REPEATED = ("refuse", "first", "last")
"""What is done with a query that comes again: it is an error, its first list with predictions counts, or its last."""


class RunBuilder:
    """Collects a run query by query in flat arrays, so that a million predictions stay small.

    Order: by score from high to low; equal scores keep the order in which they came. A query in
    which no prediction has a score keeps the order in which they came. Ids and names are kept in Unicode NFC.

    Args: repeated: one of `REPEATED`.
    """

    def __init__(self, name: str, *, ranks_videos: bool = False, repeated: str = "refuse") -> None:
        if repeated not in REPEATED:
            raise EvaluationError(f"found {repeated!r} for repeated queries, expected {', '.join(REPEATED)}")
        self._name = name
        self._ranks_videos = ranks_videos
        self._repeated = repeated
        self._rows: dict[str, int] = {}
        self._codes: dict[str, int] = {}
        self._lengths = array("q")
        self._video = array("q")
        self._start = array("d")
        self._end = array("d")
        self._score = array("d")
        self._unsorted = 0
        self._tied = 0

    def refuses(self, query_id: str) -> bool:
        """Whether the query is there, and may not come again."""
        return self._repeated == "refuse" and normalize("NFC", query_id) in self._rows

    def add(self, query_id: str, videos: Sequence[str], times: FloatArray, scores: Sequence[float | None]) -> None:
        """Add one query's predictions.

        Args: videos: names; times: shape (n, 2), seconds; scores: n numbers, or n times None.
        Raises: EvaluationError if the query is there already, only some predictions have a
        score, a score is NaN, or a moment's times are not finite with start < end.
        """
        query_id = normalize("NFC", query_id)
        if self.refuses(query_id):
            raise EvaluationError(f"{self._name}: query_id {query_id!r} comes twice")
        scored = [score for score in scores if score is not None]
        if len(scored) not in (0, len(videos)):
            raise EvaluationError(
                f"{self._name}: query_id {query_id!r}: only {len(scored)} of {len(videos)} have a score"
            )
        if not self._ranks_videos and not (np.isfinite(times).all() and (times[:, 0] < times[:, 1]).all()):
            raise EvaluationError(f"{self._name}: query_id {query_id!r}: times need finite start < end")
        names = (normalize("NFC", video) for video in videos)
        codes = np.array([self._codes.setdefault(name, len(self._codes)) for name in names], dtype=np.int64)
        values = np.array(scored or [np.nan] * len(videos), dtype=np.float64)
        if scored:
            if np.isnan(values).any():
                raise EvaluationError(f"{self._name}: query_id {query_id!r}: a score is NaN")
            if (values[1:] > values[:-1]).any():
                self._unsorted += 1
                order = np.argsort(-values, kind="stable")
                codes, times, values = codes[order], times[order], values[order]
            self._tied += int(np.count_nonzero(values[1:] == values[:-1]))
        held = self._rows.get(query_id)
        if held is None or self._repeated == "last" or not self._lengths[held]:
            self._rows[query_id] = len(self._lengths)
        self._lengths.append(len(videos))
        self._video.frombytes(codes.tobytes())
        self._start.frombytes(times[:, 0].tobytes())
        self._end.frombytes(times[:, 1].tobytes())
        self._score.frombytes(values.tobytes())

    def finished(self) -> Run:
        """The run collected so far."""
        every = np.array(self._lengths, dtype=np.int64)
        begin = np.cumsum(every) - every
        rows = np.fromiter(self._rows.values(), dtype=np.int64)
        offset = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(every[rows], out=offset[1:])
        kept: slice | IntArray = slice(None)
        if len(rows) < len(every):
            kept = np.arange(offset[-1]) + np.repeat(begin[rows] - offset[:-1], every[rows])
        return Run(
            self._name,
            tuple(self._rows),
            tuple(self._codes),
            offset,
            np.array(self._video, dtype=np.int64)[kept],
            np.array(self._start, dtype=np.float64)[kept],
            np.array(self._end, dtype=np.float64)[kept],
            np.array(self._score, dtype=np.float64)[kept],
            self._unsorted,
            self._tied,
            self._ranks_videos,
            len(every) - len(rows),
        )
