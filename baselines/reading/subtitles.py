"""Subtitles: SRT and WebVTT files named as their videos, or TVR's JSON Lines of all videos."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from baselines.errors import BaselineError
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
    """Subtitles by video, each in the order of their file; lines without text are left out.

    Args: path: a folder of ``VIDEO.srt`` and ``VIDEO.vtt``, or a JSON Lines file of
    ``{"vid_name", "sub": [{"text", "start", "end"}]}`` (TVR's tvqa_preprocessed_subtitles.jsonl).
    Raises: BaselineError if there is nothing of the kind, InputError naming file, line, found and expected.
    """
    if path.is_dir():
        found: dict[str, list[SubtitleLine]] = {}
        for file in sorted(path.iterdir()):
            if file.suffix.lower() in ENDINGS and not file.name.startswith(".") and file.is_file():
                if file.stem in found:
                    raise BaselineError(f"{file}: found a second file for {file.stem}, expected one a video")
                found[file.stem] = _timed_text(file)
        if not found:
            raise BaselineError(f"{path}: found no subtitles, expected files that end in {' or '.join(ENDINGS)}")
        return found
    return _json_lines(path)


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


def _timed_text(path: Path) -> list[SubtitleLine]:
    import pysubs2

    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(path, "", found="bytes that are not text", expected="UTF-8") from error
    except OSError as error:
        raise InputError(path, "", found=str(error.strerror).lower(), expected="a readable file") from error
    kind = path.suffix.lower().removeprefix(".")
    try:
        events = pysubs2.SSAFile.from_string(text, format_=kind).events
    except (pysubs2.Pysubs2Error, ValueError) as error:
        raise InputError(path, "", found=str(error), expected=f"{kind.upper()} subtitles") from error
    if text.strip() and not events:
        raise InputError(path, "", found="no line with a time", expected=f"{kind.upper()} subtitles")
    lines = []
    for place, event in enumerate(events, start=1):
        if not event.start < event.end:
            raise InputError(
                path,
                f"subtitle {place}",
                found=f"{event.start / 1000:g} s to {event.end / 1000:g} s",
                expected="a beginning before the end",
            )
        if words := " ".join(event.plaintext.split()):
            lines.append(SubtitleLine(words, event.start / 1000, event.end / 1000))
    return lines


def _json_lines(path: Path) -> dict[str, list[SubtitleLine]]:
    found: dict[str, list[SubtitleLine]] = {}
    for place, record in json_lines(path):
        video = name(path, place, record, "vid_name")
        if video in found:
            raise InputError(path, place, found=f"vid_name {shown(video)} a second time", expected="each video once")
        lines = [
            _line(path, f"{place}, subtitle {i}", one)
            for i, one in enumerate(list_of(path, place, record, "sub"), start=1)
        ]
        found[video] = [line for line in lines if line is not None]
    if not found:
        raise InputError(path, "", found="no video", expected='lines of {"vid_name", "sub": [...]}')
    return found


def _line(path: Path, place: str, record: Any) -> SubtitleLine | None:
    """A line; None where it has no text, or no length (TVR's file has both)."""
    expected = '{"text", "start", "end"}, seconds with 0 <= start <= end'
    if not isinstance(record, dict) or not isinstance(record.get("text"), str):
        raise InputError(path, place, found=shown(record), expected=expected)
    start, end = record.get("start"), record.get("end")
    if not (number(start) and number(end) and 0 <= start <= end < math.inf):  # type: ignore[operator]
        raise InputError(path, place, found=f"start {shown(start)}, end {shown(end)}", expected=expected)
    text = " ".join(record["text"].split())
    return SubtitleLine(text, float(start), float(end)) if text and start < end else None  # type: ignore[arg-type, operator]
