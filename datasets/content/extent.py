"""The extent of some moments and of their videos, as the paper's Tables 1 and 4 count it. Pure."""

from collections.abc import Iterable
from math import fsum
from typing import Any

from datasets.content.moment_locations import MomentLocation
from datasets.content.summaries import DECIMALS, summary


def extent(places: Iterable[MomentLocation]) -> dict[str, Any]:
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
