"""Which lines of subtitles are said in which clip."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evaluation.reading.subtitles import SubtitleLine


def clip_lines(lines: Sequence[SubtitleLine], clips: int, clip_seconds: float) -> list[list[int]]:
    """For each clip the lines that are said in it, by their places, rising.

    A line belongs to the clips from ``floor(start / clip)`` to before ``ceil(end / clip)``.
    Source: TVR (jayleicn/TVRetrieval), convert_sub_feature_word_to_clip.py.
    """
    of_clip: list[list[int]] = [[] for _ in range(clips)]
    for place, line in enumerate(lines):
        for clip in range(math.floor(line.start / clip_seconds), min(clips, math.ceil(line.end / clip_seconds))):
            of_clip[clip].append(place)
    return of_clip
