"""The places of a collection's moments, in 28 bytes each: objects would take ten times that."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class MomentLocation:
    """A moment's place: video, start and end in seconds, and the video's duration (None: unknown)."""

    video_name: str
    timestamp: tuple[float, float]
    duration: float | None


_ROW = np.dtype([("moment", np.int64), ("video", np.int32), ("start", np.float64), ("end", np.float64)])


class MomentLocations:
    """Moment id -> place, made when it is asked for.

    Args:
        moments: (moment id, video id, start, end) of each, by rising moment id.
        names: video id -> name, in the order of the names.
        durations: video name -> seconds, or None.
    """

    def __init__(
        self,
        moments: Iterable[tuple[int, int, float, float]],
        *,
        names: Mapping[int, str],
        durations: Mapping[str, float | None],
    ) -> None:
        self._names = list(names.values())
        self._durations = [durations[name] for name in self._names]
        number = {pk: place for place, pk in enumerate(names)}
        rows = np.fromiter(((pk, number[video], start, end) for pk, video, start, end in moments), _ROW)
        # Columns of their own: within a record they would be looked up by stride, several times as slow.
        self._moments, self._videos = rows["moment"].copy(), rows["video"].copy()
        self._starts, self._ends = rows["start"].copy(), rows["end"].copy()

    def __len__(self) -> int:
        return len(self._moments)

    def __contains__(self, moment: int) -> bool:
        row = int(np.searchsorted(self._moments, moment))
        return row < len(self) and int(self._moments[row]) == moment

    def __getitem__(self, moment: int) -> MomentLocation:
        """Raises: KeyError for a moment of another collection."""
        row = int(np.searchsorted(self._moments, moment))
        if row == len(self) or int(self._moments[row]) != moment:
            raise KeyError(moment)
        return self._place(row)

    def __iter__(self) -> Iterator[MomentLocation]:
        """All of them, by moment id."""
        return map(self._place, range(len(self)))

    def in_order(self) -> Iterator[MomentLocation]:
        """All of them, by video name and time."""
        return map(self._place, np.lexsort((self._ends, self._starts, self._videos)).tolist())

    def seconds(self) -> np.ndarray:
        """(moments,) how long each is, by moment id."""
        return np.asarray(self._ends - self._starts)

    def shares(self) -> np.ndarray:
        """The share of its video that each moment is, those left out whose video has no duration, or 0."""
        durations = np.array([duration or np.nan for duration in self._durations], dtype=np.float64)[self._videos]
        shares = self.seconds() / durations
        return np.asarray(shares[~np.isnan(durations)])

    def moments_a_video(self) -> list[int]:
        """How many moments each video has that has any."""
        counts = np.bincount(self._videos, minlength=1)
        return [int(count) for count in counts.tolist() if count]

    def nothing_selected(self) -> "MomentSelection":
        """An empty selection of moments."""
        return MomentSelection(self)

    def _place(self, row: int) -> MomentLocation:
        video = self._videos[row]
        return MomentLocation(
            self._names[video], (float(self._starts[row]), float(self._ends[row])), self._durations[video]
        )


class MomentSelection:
    """Some of the moments, each once, in a byte each."""

    def __init__(self, places: MomentLocations) -> None:
        self._places = places
        self._chosen = np.zeros(len(places), dtype=bool)

    def add(self, moments: np.ndarray) -> None:
        """Add these moment ids. Those that aren't the collection's (any longer) are passed over."""
        rows = np.searchsorted(self._places._moments, moments)
        rows[rows == len(self._chosen)] = 0
        if len(self._chosen):
            self._chosen[rows[self._places._moments[rows] == moments]] = True

    def __len__(self) -> int:
        return int(self._chosen.sum())

    def __iter__(self) -> Iterator[MomentLocation]:
        """The places of those chosen, by moment id."""
        return map(self._places._place, np.flatnonzero(self._chosen).tolist())

    @property
    def videos(self) -> int:
        """How many videos they are in."""
        return len(np.unique(self._places._videos[self._chosen]))
