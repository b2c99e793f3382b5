"""Subtitles of videos: cues of SRT and WebVTT, and lines of TVR's JSON Lines, as text with times."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unicodedata import category, normalize

from ..errors import InputError, shown
from ..reading.fields import list_of, name, number
from ..reading.timed_text import Cue, Leave, plain

ENDINGS = (".srt", ".vtt")
"""Of files that hold one video's subtitles, and are called as it is."""


@dataclass(frozen=True)
class SubtitleLine:
    """What is said from `start` to `end`, in seconds."""

    text: str
    start: float
    end: float


def tvr_subtitles(
    path: Path, records: Iterable[tuple[str, Any]], leave: Leave
) -> Iterator[tuple[str, list[SubtitleLine]]]:
    """Each video, whose name is NFC, with its lines, of ``{"vid_name", "sub": [{"text", "start", "end"}]}``.

    Args: records: the place of each in its file, and what it is.
    Raises: InputError naming file, line, found and expected; also for a video that comes twice, and for no video.
    Source: TVR's tvqa_preprocessed_subtitles.jsonl.
    """
    known: set[str] = set()
    for line, record in records:
        video = normalize("NFC", name(path, line, record, "vid_name"))
        if video in known:
            raise InputError(path, line, found=f"vid_name {shown(video)} a second time", expected="each video once")
        known.add(video)
        said = enumerate(list_of(path, line, record, "sub"), start=1)
        yield video, said_lines(path, [_cue(path, f"{line}, subtitle {at}", cue) for at, cue in said], leave)
    if not known:
        raise InputError(path, "", found="no video", expected='lines of {"vid_name", "sub": [...]}')


def _cue(path: Path, place: str, record: Any) -> Cue:
    fields: dict[str, Any] = record if isinstance(record, dict) else {}
    text = fields.get("text")
    times: list[Any] = [fields.get("start"), fields.get("end")]
    if not (isinstance(text, str) and all(number(time) and math.isfinite(time) for time in times)):
        raise InputError(path, place, found=shown(record), expected='{"text", "start", "end"}, times in seconds')
    return Cue(place, float(times[0]), float(times[1]), plain(text).split("\n"), word_times=False)


def said_lines(path: Path, cues: Iterable[Cue], leave: Leave) -> list[SubtitleLine]:
    """The lines of one video: what has words, and a length within the video (TVR's file has others).

    Times before the video begins become its beginning.
    Raises: InputError for an end before the beginning.
    """
    lines = []
    for cue in cues:
        text, start = " ".join(" ".join(cue.rows).split()), max(0.0, cue.start)
        if cue.end < cue.start:
            times = f"{cue.start:g} s to {cue.end:g} s"
            raise InputError(path, cue.place, found=times, expected="a beginning before the end")
        if not any(category(sign)[0] in "LNPS" for sign in text):
            leave(path.name, cue.place, "having no words")
        elif cue.end <= start:
            leave(
                path.name, cue.place, "having no length" if cue.start == cue.end else "ending before the video begins"
            )
        else:
            lines.append(SubtitleLine(text, start, cue.end))
    return lines
