"""QVHighlights' annotations: windows and saliency of a query in one video.

Source: jayleicn/moment_detr, data/README.md and standalone_eval/eval.py, which also Lighthouse reads and uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from ..outlets.outlet import Left, LeftOut, Wanted, write_lines
from ..outlets.release import Release
from ..releases.queries import Moment, Query

NAME = "qvhighlights"
READ_BY = "QVHighlights' standalone_eval, Moment-DETR and its successors, Lighthouse"
LOSES = (
    "one line a query and video, numbered by qid (query_id says whose it is); grades are kept as saliency of the "
    "2-second clips, three times the same, brought to 0-4"
)
CLIP = 2.0
"""Seconds."""
ANNOTATORS = 3
"""Each clip has so many ratings in QVHighlights."""
TOP_SALIENCY = 4


def write(release: Release, wanted: Wanted, folder: Path) -> list[Left]:
    """highlight_SPLIT_release.jsonl for train, val and test."""
    out, numbers = LeftOut(wanted.relevant), count(1)
    for split, queries in release.splits():
        records = (
            _record(next(numbers), query, video, moments, release)
            for query in map(out.relevant, queries)
            for video, moments in query.by_video().items()
        )
        write_lines(folder / f"highlight_{split}_release.jsonl", records)
    return out.told()


def _record(qid: int, query: Query, video: str, moments: Sequence[Moment], release: Release) -> dict[str, Any]:
    duration = release.durations[video]
    record = {
        "qid": qid,
        "query": query.text,
        "duration": duration,
        "vid": video,
        "query_id": query.query_id,
        "relevant_windows": [[moment.start, moment.end] for moment in moments],
    }
    if all(moment.grade is None for moment in moments):
        return record  # of a training file: nobody rated anything
    ratings = clip_ratings(moments, duration, release.top_grade)
    return record | {
        "relevant_clip_ids": list(ratings),
        "saliency_scores": [[rating] * ANNOTATORS for rating in ratings.values()],
    }


def clip_ratings(moments: Sequence[Moment], duration: float, top_grade: int) -> dict[int, int]:
    """The ratings of the clips that moments cover by half and more, by the clip's number, rising.

    A clip has the highest grade of its moments; one that covers half of no clip counts for the clip at its middle. Of
    the video's last seconds, which are no whole clip, there is none, unless the video has no other.

    >>> clip_ratings([Moment("v", 0, 3, 2, "", ""), Moment("v", 2.5, 3.1, 4, "", "")], 10, 4)
    {0: 2, 1: 4}
    """
    last = max(int(duration / CLIP), 1) - 1
    ratings: dict[int, int] = {}
    for moment in moments:
        first, end = int(moment.start / CLIP), min(int(moment.end / CLIP), last)
        covered = [
            clip
            for clip in range(first, end + 1)
            if min(moment.end, (clip + 1) * CLIP) - max(moment.start, clip * CLIP) >= CLIP / 2
        ]
        for clip in covered or [min(int((moment.start + moment.end) / 2 / CLIP), last)]:
            rating = int((moment.grade or 0) * TOP_SALIENCY / top_grade + 0.5)
            ratings[clip] = max(ratings.get(clip, 0), rating)
    return dict(sorted(ratings.items()))
