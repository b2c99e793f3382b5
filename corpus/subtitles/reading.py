"""Files of subtitles: SRT and WebVTT of one video each, and TVR's JSON Lines of all videos."""

from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from corpus.description_formats.charsets import BLOCK, UTF8, UTF16, charset_of_text, has_utf16, in_utf8, not_in_charset
from corpus.description_formats.lines import json_lines
from corpus.description_formats.rows import BadRow, Unreadable
from evaluation.errors import InputError, shown
from evaluation.reading.subtitles import ENDINGS, SubtitleLine, said_lines, tvr_subtitles
from evaluation.reading.timed_text import Leave, timed_text
from foundation.text import LANGUAGE_TAG, composed

JSON_LINES = ".jsonl"
LONGEST_FILE = 32 << 20
"""Bytes of one video's subtitles."""
_HEAD = 1 << 12


def holds_subtitles(path: Path, name: str) -> bool:
    """Whether a file that is known by this name is one of subtitles: JSON Lines by what its first line has."""
    suffix = PurePath(name).suffix.lower()
    if suffix != JSON_LINES or not path.is_file():
        return suffix in ENDINGS
    with path.open("rb") as file:
        first = file.read(_HEAD).split(b"\n")[0]
    return b'"vid_name"' in first and b'"sub"' in first and b'"desc"' not in first


def video_and_language(name: str, videos: Collection[str]) -> tuple[str, str] | None:
    """Whose subtitles a file of this name holds, and their language, "" where it says none; None: no video's.

    >>> video_and_language("s01e02.pt-BR.srt", {"s01e02"}), video_and_language("S1.en.vtt", {"S1.en"})
    (('s01e02', 'pt-BR'), ('S1.en', ''))
    """
    stem = composed(PurePath(name).stem)
    if stem in videos:
        return stem, ""
    video, _, language = stem.rpartition(".")
    return (video, language) if video in videos and LANGUAGE_TAG.match(language) else None


def read_file(path: Path, name: str, charset: str, leave: Leave) -> Iterator[tuple[str, list[SubtitleLine]]]:
    """The lines of each video of a file; the name of the video is "" where the file's own name tells it.

    Args: name: the file's, for messages; charset: a key of `CHARSETS`, "" to detect it; leave: hears of cues without
        words or length, which are left out.
    Raises: InputError naming file, line, found and expected.
    """
    called = Path(name)
    try:
        with path.open("rb") as file:
            if called.suffix.lower() == JSON_LINES:
                yield from tvr_subtitles(called, _records(called, file, charset), leave)
            else:
                text = _text(called, file, charset)
                if not text.strip():
                    raise InputError(called, "", found="nothing", expected=f"subtitles ({' or '.join(ENDINGS)})")
                yield "", said_lines(called, timed_text(called, text, partial(_refuse_unread, called, leave)), leave)
    except Unreadable as error:
        raise _wrong(called, f"line {error.line}", error.fault) from error
    except OSError as error:
        found = (error.strerror or str(error)).lower()
        raise InputError(called, "", found=found, expected="a readable file") from error


def _text(path: Path, file: BinaryIO, charset: str) -> str:
    if file.seek(0, 2) > LONGEST_FILE:
        raise InputError(path, "", found=f"{file.tell():,} bytes", expected=f"at most {LONGEST_FILE:,}")
    read = _in_utf8(file, charset)
    raw = b"".join(iter(partial(read.read, BLOCK), b""))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        fault = not_in_charset(read, raw[error.start : error.start + 1])
        raise Unreadable(raw.count(b"\n", 0, error.start) + 1, fault) from error


def _in_utf8(file: BinaryIO, charset: str) -> BinaryIO:
    return in_utf8(file, charset or (UTF16 if has_utf16(file) else charset_of_text(file)))


def _records(path: Path, file: BinaryIO, charset: str) -> Iterator[tuple[str, Any]]:
    for piece in json_lines(in_utf8(file, charset or (UTF16 if has_utf16(file) else UTF8))):
        if piece.fault is not None:
            raise _wrong(path, f"line {piece.line}", piece.fault)
        yield f"line {piece.line}", piece.value


def _refuse_unread(path: Path, leave: Leave, file: str, place: str, why: str) -> None:
    """A cue whose times can't be read may be any part of what is said: the file isn't taken without it."""
    if why.startswith("having no time"):
        at, _, found = place.partition(" (")
        times = "times such as 00:00:01.000 --> 00:00:02.500"
        raise InputError(path, at, found=found.rstrip(")") or "no times", expected=times)
    leave(file, place, why)


def _wrong(path: Path, place: str, fault: BadRow) -> InputError:
    return InputError(path, place, found=fault.found if fault.found else shown(None), expected=fault.expected)
