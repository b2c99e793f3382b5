"""Subtitles: SRT and WebVTT files named as their videos, or TVR's JSON Lines of all videos."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unicodedata import category, normalize

from baselines.errors import BaselineError
from baselines.reading.timed_text import Cue, plain, timed_text
from evaluation.errors import InputError, shown
from evaluation.reading.fields import list_of, name, number
from evaluation.reading.json_stream import json_lines

ENDINGS = (".srt", ".vtt")


@dataclass(frozen=True)
class SubtitleLine:
    """What is said from `start` to `end`, in seconds."""

    text: str
    start: float
    end: float


def read_subtitles(path: Path) -> dict[str, list[SubtitleLine]]:
    """Subtitles by video, whose names are NFC, each in the order of their file, without markup.

    Args: path: a folder of ``VIDEO.srt`` and ``VIDEO.vtt``, or a JSON Lines file of
    ``{"vid_name", "sub": [{"text", "start", "end"}]}`` (TVR's tvqa_preprocessed_subtitles.jsonl).
    Times before the video begins become its beginning. What is left out is counted on standard error.
    Raises: BaselineError if there is nothing of the kind, InputError naming file, line, found and expected.
    """
    left = _Left()
    subtitles = _folder(path, left) if path.is_dir() else _json_lines(path, left)
    for sentence in left.sentences():
        print(sentence, file=sys.stderr)
    return subtitles


def _folder(path: Path, left: _Left) -> dict[str, list[SubtitleLine]]:
    subtitles: dict[str, list[SubtitleLine]] = {}
    for file in sorted(path.iterdir()):
        if file.suffix.lower() in ENDINGS and not file.name.startswith(".") and file.is_file():
            video = normalize("NFC", file.stem)
            if video in subtitles:
                raise BaselineError(f"{file}: found a second file for {video}, expected one a video")
            subtitles[video] = _lines(file, timed_text(file, left.out), left)
    if not subtitles:
        raise BaselineError(f"{path}: found no subtitles, expected files that end in {' or '.join(ENDINGS)}")
    return subtitles


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


class _Left:
    """What is left out of subtitles: how often why, and where first."""

    def __init__(self) -> None:
        self._whys: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def out(self, file: str, place: str, why: str) -> None:
        self._whys[why] += 1
        self._first.setdefault(why, f"{file}, {place}")

    def sentences(self) -> list[str]:
        return [
            f"Subtitles left out for {why}: {many:,}; the first: {self._first[why]}."
            for why, many in self._whys.items()
        ]


def _json_lines(path: Path, left: _Left) -> dict[str, list[SubtitleLine]]:
    subtitles: dict[str, list[SubtitleLine]] = {}
    for line, record in json_lines(path):
        video = normalize("NFC", name(path, line, record, "vid_name"))
        if video in subtitles:
            raise InputError(path, line, found=f"vid_name {shown(video)} a second time", expected="each video once")
        cues = [
            _cue(path, f"{line}, subtitle {at}", cue) for at, cue in enumerate(list_of(path, line, record, "sub"), 1)
        ]
        subtitles[video] = _lines(path, cues, left)
    if not subtitles:
        raise InputError(path, "", found="no video", expected='lines of {"vid_name", "sub": [...]}')
    return subtitles


def _cue(path: Path, place: str, record: Any) -> Cue:
    fields: dict[str, Any] = record if isinstance(record, dict) else {}
    text = fields.get("text")
    times: list[Any] = [fields.get("start"), fields.get("end")]
    if not (isinstance(text, str) and all(number(time) and math.isfinite(time) for time in times)):
        raise InputError(path, place, found=shown(record), expected='{"text", "start", "end"}, times in seconds')
    return Cue(place, float(times[0]), float(times[1]), plain(text).split("\n"), word_times=False)


def _lines(path: Path, cues: Iterable[Cue], left: _Left) -> list[SubtitleLine]:
    """The lines of one video: what has words, and a length within the video (TVR's file has others).

    Raises: InputError for an end before the beginning.
    """
    lines = []
    for cue in cues:
        text, start = " ".join(" ".join(cue.rows).split()), max(0.0, cue.start)
        if cue.end < cue.start:
            times = f"{cue.start:g} s to {cue.end:g} s"
            raise InputError(path, cue.place, found=times, expected="a beginning before the end")
        if not any(category(sign)[0] in "LNPS" for sign in text):
            left.out(path.name, cue.place, "having no words")
        elif cue.end <= start:
            left.out(
                path.name, cue.place, "having no length" if cue.start == cue.end else "ending before the video begins"
            )
        else:
            lines.append(SubtitleLine(text, start, cue.end))
    return lines
