"""The figures that a release states of its files, as the paper's tables count them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from statistics import median
from typing import Any, Protocol

DECIMALS = 4


class Place(Protocol):
    """A moment: its video with its duration (None: unknown), start and end in seconds."""

    @property
    def video_name(self) -> str: ...

    @property
    def timestamp(self) -> tuple[float, float]: ...

    @property
    def duration(self) -> float | None: ...


def summary(values: Sequence[float]) -> dict[str, float] | None:
    """Mean, median, least and most of some numbers, rounded; None of no numbers.

    >>> summary([1, 2, 6])
    {'mean': 3.0, 'median': 2, 'least': 1, 'most': 6}
    """
    if not values:
        return None
    return {
        "mean": round(fsum(values) / len(values), DECIMALS),
        "median": round(median(values), DECIMALS),
        "least": round(min(values), DECIMALS),
        "most": round(max(values), DECIMALS),
    }


def extent(places: Iterable[Place]) -> dict[str, Any]:
    """The distinct moments of a split and the distinct videos that they are in.

    Args: places: where the moments are, each once.
    Returns: `moments`, `videos`: how many; `moment_hours`, `video_hours`: their total durations (M.Dur, V.Dur);
        `moment_seconds`, `video_seconds`: spreads of their durations; `moment_video_ratio`: the mean over the moments
        of their share of their video, 0-1. A video whose duration nobody knows is left out of durations and ratio.
    Source: TVR-Ranking, Tables 1 and 4: there M.Dur / #Moment is the average duration of Table 4 in all three rows,
        and so is V.Dur / #Video, so that both are over distinct moments and videos.
    """
    moments: list[float] = []
    ratios: list[float] = []
    by_video: dict[str, float | None] = {}
    for place in places:
        seconds = place.timestamp[1] - place.timestamp[0]
        moments.append(seconds)
        by_video[place.video_name] = place.duration
        if place.duration is not None:
            ratios.append(seconds / place.duration)
    videos = [by_video[name] for name in sorted(by_video)]
    known = [duration for duration in videos if duration is not None]
    return {
        "moments": len(moments),
        "videos": len(videos),
        "moment_hours": round(fsum(moments) / 3600, DECIMALS),
        "video_hours": round(fsum(known) / 3600, DECIMALS),
        "moment_seconds": summary(moments),
        "video_seconds": summary(known),
        "moment_video_ratio": round(fsum(ratios) / len(ratios), DECIMALS) if ratios else None,
    }


def judging(counts: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """How many decided pairs of each split, and of `both`, ended in consensus, and after which round.

    Args: counts: of each split `judgments`, `pairs_discarded`, `pairs_graded_in_round_one`,
        `pairs_graded_in_round_two` and `pairs_by_grade`.
    """
    numbers = ("judgments", "pairs_discarded", "pairs_graded_in_round_one", "pairs_graded_in_round_two")
    both: dict[str, Any] = {name: sum(split[name] for split in counts.values()) for name in numbers}
    both["pairs_by_grade"] = {
        grade: sum(split["pairs_by_grade"][grade] for split in counts.values())
        for grade in next(iter(counts.values()))["pairs_by_grade"]
    }
    return {name: _shares(split) for name, split in {**counts, "both": both}.items()}


def _shares(counts: Mapping[str, Any]) -> dict[str, Any]:
    first, second = counts["pairs_graded_in_round_one"], counts["pairs_graded_in_round_two"]
    discarded = counts["pairs_discarded"]
    pairs = first + second + discarded

    def share(number: int) -> float | None:
        return round(number / pairs, DECIMALS) if pairs else None

    return {
        "pairs_decided": pairs,
        "judgments": counts["judgments"],
        "share_in_round_one": share(first),
        "share_in_round_two": share(second),
        "share_in_consensus": share(first + second),
        "share_discarded": share(discarded),
        "pairs_by_grade": counts["pairs_by_grade"],
    }
