"""Files of subtitles: SRT and WebVTT files named as their videos, or TVR's JSON Lines of all videos."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from unicodedata import normalize

from ..errors import EvaluationError
from ..reading.json_stream import json_lines, whole_text
from ..reading.subtitles import ENDINGS, SubtitleLine, said_lines, tvr_subtitles
from ..reading.timed_text import timed_text


def read_subtitles(path: Path) -> dict[str, list[SubtitleLine]]:
    """Subtitles by video, whose names are NFC, each in the order of their file, without markup.

    Args: path: a folder of ``VIDEO.srt`` and ``VIDEO.vtt``, or a JSON Lines file of
    ``{"vid_name", "sub": [{"text", "start", "end"}]}`` (TVR's tvqa_preprocessed_subtitles.jsonl).
    Times before the video begins become its beginning. What is left out is counted on standard error.
    Raises: EvaluationError if there is nothing of the kind, InputError naming file, line, found and expected.
    """
    left = _Left()
    subtitles = _folder(path, left) if path.is_dir() else dict(tvr_subtitles(path, json_lines(path), left.out))
    for sentence in left.sentences():
        print(sentence, file=sys.stderr)
    return subtitles


def _folder(path: Path, left: _Left) -> dict[str, list[SubtitleLine]]:
    subtitles: dict[str, list[SubtitleLine]] = {}
    for file in sorted(path.iterdir()):
        if file.suffix.lower() in ENDINGS and not file.name.startswith(".") and file.is_file():
            video = normalize("NFC", file.stem)
            if video in subtitles:
                raise EvaluationError(f"{file}: found a second file for {video}, expected one a video")
            subtitles[video] = said_lines(file, timed_text(file, whole_text(file), left.out), left.out)
    if not subtitles:
        raise EvaluationError(f"{path}: found no subtitles, expected files that end in {' or '.join(ENDINGS)}")
    return subtitles


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
