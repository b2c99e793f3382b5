"""Strict parsing of single fields; errors name what was found and expected."""

import hashlib
import math
import re
from collections.abc import Sequence
from typing import Any, TypeGuard

from corpus.description_formats.rows import BadRow, DescriptionRow, FilePiece
from foundation.text import LANGUAGE_TAG, LONGEST_TAG, UNSTORABLE, composed, is_seen

KINDS = ("v", "t", "vt")
DERIVED = "auto-"
"""The prefix of ids derived from rows."""
SECONDS = "a number of seconds, 0 or more"
CLOCK = "seconds (62.5), minutes and seconds (1:02.5), or hours, minutes and seconds (1:01:02.5)"

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?|[+-]?(nan|inf|infinity)", re.ASCII | re.IGNORECASE)
_CLOCK = re.compile(r"(?:(?P<hours>\d{1,3}):)?(?P<minutes>\d{1,4}):(?P<seconds>\d{2}(?:\.\d*)?)", re.ASCII)


def require(record: Any, names: Sequence[str]) -> None:
    """Raises: BadRow naming the first of these fields that a record lacks, or saying that it is no object."""
    if not isinstance(record, dict):
        raise BadRow("JSON", record, "an object of " + ", ".join(names))
    for name in names:
        if name not in record:
            raise BadRow(name, None, "the fields " + ", ".join(names))


def is_text(value: object) -> TypeGuard[str]:
    """Whether a value is text that shows something and that PostgreSQL can store."""
    return isinstance(value, str) and is_seen(value) and not UNSTORABLE.search(value)


def sentence(value: object, field: str) -> str:
    """The description's text, as written but for its Unicode form. Raises: BadRow."""
    if not is_text(value):
        raise BadRow(field, value, "a sentence")
    return composed(value)


def video_name(value: object, field: str) -> str:
    """The video's name, without white space around it. Raises: BadRow."""
    name = composed(value).strip() if is_text(value) else ""
    if not 0 < len(name) <= 200:
        raise BadRow(field, value, "a name of 1 to 200 characters")
    return name


def source_id(value: object, field: str, longest: int = 64) -> str:
    """An id as text: text without white space around it, a whole number in decimal. Raises: BadRow."""
    if isinstance(value, bool) or not (isinstance(value, int) or is_text(value)):
        raise BadRow(field, value, "a whole number or a text")
    text = composed(str(value)).strip()
    if len(text) > longest:
        raise BadRow(field, value, f"at most {longest} characters")
    return text


def moment_id(value: object, field: str) -> str:
    """What a moment is called elsewhere: as `source_id`, without white space within it. Raises: BadRow."""
    text = source_id(value, field)
    if any(sign.isspace() for sign in text):
        raise BadRow(field, value, "an id without white space").settled_by("columns")
    return text


def kind(value: object, field: str) -> str:
    """A description's kind: v, t or vt. Raises: BadRow."""
    if value not in KINDS:
        raise BadRow(field, value, "one of v, t, vt")
    return str(value)


def language(value: object, field: str) -> str | None:
    """A language as BCP 47 tag, e.g. en or pt-BR; None if not stated. Raises: BadRow."""
    if value is None or value == "":
        return None
    if not isinstance(value, str) or len(value) > LONGEST_TAG or not LANGUAGE_TAG.match(value):
        raise BadRow(field, value, "a language tag such as en or pt-BR")
    return value


def duration(value: object, field: str) -> float | None:
    """A video's duration in seconds; None if not stated. Raises: BadRow."""
    if value is None:
        return None
    if not is_time(value) or value == 0:
        raise BadRow(field, value, "seconds, more than 0")
    return float(value)


def number_in(text: str, field: str, expected: str = SECONDS) -> float:
    """A number written as text; NaN and infinity are left for `times` to refuse. Raises: BadRow."""
    if not _NUMBER.fullmatch(text.strip()):
        raise BadRow(field, text, expected)
    return float(text)


def seconds_in(text: str, field: str, expected: str = SECONDS) -> float:
    """Seconds written as a number, as minutes and seconds, or as hours, minutes and seconds. Raises: BadRow.

    >>> seconds_in("62.5", "start"), seconds_in("1:02.5", "start"), seconds_in("1:00:02.5", "start")
    (62.5, 62.5, 3602.5)
    """
    if ":" not in text:
        return number_in(text, field, expected)
    clock = _CLOCK.fullmatch(text.strip())
    if clock is None:
        raise BadRow(field, text, CLOCK)
    hours, minutes, seconds = clock["hours"], int(clock["minutes"]), float(clock["seconds"])
    if seconds >= 60 or (hours is not None and minutes >= 60):
        raise BadRow(field, text, CLOCK)
    return 3600 * int(hours or 0) + 60 * minutes + seconds


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number with hundreds of digits
        return False


def is_time(value: object) -> TypeGuard[float]:
    """Whether a value is a number of seconds: finite, 0 or more."""
    return is_number(value) and value >= 0


def stretch(
    times: object, field: str, seconds: float | None, slack: float, *, rate: float | None = None
) -> tuple[float, float]:
    """[start, end] of a video of so many seconds (None: not known) and the slack allowed; seconds. Raises: BadRow.

    Args: rate: frames a second, where `times` are numbers of frames.
    """
    unit = "seconds" if rate is None else "frames"
    if not (isinstance(times, list) and len(times) == 2 and is_time(times[0]) and is_time(times[1])):
        raise BadRow(field, times, f"[start, end] in {unit}, finite and not negative")
    start, end = float(times[0]), float(times[1])
    if rate is not None:
        start, end = start / rate, end / rate
    return _within(start, end, seconds, slack, field, times, "a start before the end")


def start_and_end(
    start: object, end: object, seconds: float | None, slack: float, names: tuple[str, str] = ("start", "end")
) -> tuple[float, float]:
    """As `stretch`, from two fields of these names. Raises: BadRow naming the wrong one."""
    if not is_time(start):
        raise BadRow(names[0], start, SECONDS)
    if not is_time(end):
        raise BadRow(names[1], end, SECONDS)
    return _within(float(start), float(end), seconds, slack, names[1], end, "an end after the start ({:g} s)")


def _within(
    start: float, end: float, seconds: float | None, slack: float, field: str, found: object, order: str
) -> tuple[float, float]:
    # + 0.0 makes the same 0 of -0.0.
    start, end = start + 0.0, end + 0.0
    if not start < end:
        raise BadRow(field, found, order.format(start))
    if seconds is not None and end > seconds + slack:
        raise BadRow(field, found, f"an end within the video's {seconds:g} s (slack {slack:g} s)")
    return start, end


def row(
    piece: FilePiece,
    *,
    video: str,
    text: str,
    start: float,
    end: float,
    source_id: str | None = None,
    kind: str | None = None,
    language: str | None = None,
    duration: float | None = None,
    moment_id: str | None = None,
) -> DescriptionRow:
    """The description of a piece; its id is made of the row where the source gives none."""
    derived = source_id is None
    name = derived_id(video, start, end, text) if source_id is None else source_id
    place = (video, duration, start, end)
    return DescriptionRow(piece.line, piece.entry, name, derived, text, kind, language, *place, moment_id)


def derived_id(video: str, start: float, end: float, text: str) -> str:
    """The id of a row whose source gives none: a hash of its video, times and text."""
    content = "\x00".join((video, repr(start), repr(end), text))
    return DERIVED + hashlib.blake2b(content.encode(), digest_size=10).hexdigest()


def short_hash(text: str) -> str:
    """Eight hexadecimal characters of a text's hash, to make an id unique across the files of a dataset."""
    return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()


def brief(name: str) -> str:
    """A name as it may stand in an entry: its repr, cut to 40 characters."""
    return repr(name if len(name) <= 40 else name[:37] + "...")
