"""The cues of SRT and WebVTT files, without markup; what can't be read is reported to the caller."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from ..errors import InputError, shown

Leave = Callable[[str, str, str], None]
"""`leave(file, place, why)`, called for what is left out."""
STILL = 0.05
"""Seconds that rolling captions stand still between two lines; they last a hundredth there."""
_LINE_END = re.compile(r"\r\n|\r|\n")
_TIME = r"(-?)(?:(\d+):)?(\d+):(\d+(?:[.,]\d*)?)"
_TIMES = re.compile(rf"\s*{_TIME}\s*-+>\s*{_TIME}(?:\s.*)?", re.ASCII)
_MEANT_AS_TIMES = re.compile(r"\s*[-\d:.,]*\d\S*\s*-+>")
_NO_CUE = re.compile(r"(?:WEBVTT|NOTE|STYLE|REGION)(?:\s|$)")
_WORD_TIME = re.compile(r"<\d[\d:.]*>")
_MARKUP = re.compile(r"<(?:/?[a-z][^<>]*|/|\d[\d:.]*)>|\{\\[^{}]*\}|\{/?[biu]\}|\{[a-z]:[^{}]*\}", re.IGNORECASE)


@dataclass(frozen=True)
class Cue:
    """A text with its times in seconds, which may be negative, and its rows without markup; `place` is in its file."""

    place: str
    start: float
    end: float
    rows: list[str]
    word_times: bool


def timed_text(path: Path, text: str, leave: Leave) -> list[Cue]:
    """The cues of an SRT or WebVTT file's text, in its order; of rolling captions each line once.

    Args: path: its name says which of both it is, and errors name it.
    Raises: InputError where nothing looks like subtitles.
    """
    is_vtt = path.suffix.lower() == ".vtt"
    cues = list(_cues(text, is_vtt, lambda place, why: leave(path.name, place, why)))
    if text.strip() and not cues and not (is_vtt and _NO_CUE.match(text)):
        raise InputError(path, "", found="no line with a time", expected=f"{path.suffix[1:].upper()} subtitles")
    return list(_said_once(cues, lambda place, why: leave(path.name, place, why))) if _rolls(cues) else cues


def plain(text: str) -> str:
    """A text without tags, times of words and entities, with its line ends.

    >>> plain("<v Ada>so<00:00:00.480><c> today</c> I &lt;3 tea")
    'so today I <3 tea'
    """
    # What was escaped twice is markup, too; \\N and \\h are ASS's line end and blank.
    return _MARKUP.sub("", html.unescape(_MARKUP.sub("", text))).replace(r"\N", "\n").replace(r"\h", " ")


def _cues(text: str, is_vtt: bool, leave: Callable[[str, str], None]) -> Iterator[Cue]:
    number = 0
    held: Cue | None = None
    for block in _blocks(text):
        first, head = block[0]
        timed = [at for at, (_, row) in enumerate(block) if _has_times(row, at)]
        if is_vtt and _NO_CUE.match(head) and not (timed and head.startswith("WEBVTT")):
            continue
        if not timed and is_vtt:
            leave(f"line {first}", "having no time")
        elif not timed and held is not None and not (len(block) == 1 and head.strip().isdigit()):
            # An empty line within the text of an SRT file.
            held = replace(held, rows=held.rows + plain("\n".join(row for _, row in block)).split("\n"))
        for at, end in zip(timed, [*timed[1:], len(block)], strict=False):
            if held is not None:
                yield held
            held, number = None, number + 1
            (line, times), under = block[at], [row for _, row in block[at + 1 : end]]
            # Before the next time stands its number or name, where only a line of blanks parts it from this text.
            if end < len(block) and len(under) > 1 and (under[-1].strip().isdigit() or not under[-2].strip()):
                under.pop()
            parts = _TIMES.fullmatch(times)
            if parts is None:
                leave(f"line {line} ({shown(times.strip())})", "having no times that can be read")
                continue
            start, stop = (_seconds(*parts.group(*groups)) for groups in ((1, 2, 3, 4), (5, 6, 7, 8)))
            raw = "\n".join(under)
            held = Cue(
                f"line {line}, subtitle {number}", start, stop, plain(raw).split("\n"), bool(_WORD_TIME.search(raw))
            )
    if held is not None:
        yield held


def _blocks(text: str) -> Iterator[list[tuple[int, str]]]:
    """Blocks of numbered lines, divided by empty lines. A line of blanks divides none: rolling captions have it."""
    block: list[tuple[int, str]] = []
    for numbered in enumerate([*_LINE_END.split(text), ""], start=1):
        if numbered[1]:
            block.append(numbered)
        elif block:
            yield block
            block = []


def _has_times(row: str, at: int) -> bool:
    """Whether a line is meant as the times of a cue: by an arrow after a number, or as first or second of its block."""
    return bool(_MEANT_AS_TIMES.match(row)) or (at < 2 and "-->" in row)


def _seconds(sign: str, hours: str | None, minutes: str, seconds: str) -> float:
    told = round(3600 * int(hours or 0) + 60 * int(minutes) + float(seconds.replace(",", ".")), 3)
    return -told if sign else told


def _rolls(cues: Sequence[Cue]) -> bool:
    """Whether these are rolling captions: each shows the previous line once more, above the new one."""
    again = sum(cue.rows[-1] != "" and cue.rows[-1] == other.rows[0] for cue, other in pairwise(cues))
    return any(cue.word_times for cue in cues) or (again >= 3 and 2 * again >= len(cues))


def _said_once(cues: Sequence[Cue], leave: Callable[[str, str], None]) -> Iterator[Cue]:
    before: list[str] = []
    for cue in cues:
        rows = [words for row in cue.rows if (words := " ".join(row.split()))]
        again = max((n for n in range(1, len(rows) + 1) if before[-n:] == rows[:n]), default=0)
        if rows and again == len(rows) and not cue.word_times and cue.end - cue.start <= STILL:
            leave(cue.place, "only standing still, as rolling captions do between two lines")
        else:
            yield replace(cue, rows=rows[again:] or rows)
        before = rows or before
