"""Guess a file's format from its beginning."""

import json
import re
from typing import BinaryIO

from corpus.description_formats.charades_sta import LINE
from corpus.description_formats.csv_dialects import SEPARATORS, names_columns
from corpus.description_formats.qreels_columns import NEEDED
from corpus.description_formats.rows import BadRow

HEAD = 1 << 16
LINES = 20
"""How many lines are tried, since the first may be broken."""
_MEMBER = re.compile(r'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{')
_ITEM = re.compile(r"\[\s*\{")
_FIELDS = {"tvr": {"vid_name", "desc"}, "qvhighlights": {"qid", "query", "vid"}, "jsonl": set(NEEDED)}
_DOCUMENTS = (
    ("ego4d-nlq", re.compile(r"\{"), ("clips", "language_queries")),
    ("mad", _MEMBER, ("movie", "movie_duration", "sentence")),
    ("activitynet", _MEMBER, ("timestamps", "duration")),
    ("tacos", _MEMBER, ("timestamps", "num_frames")),
    ("activitynet", _MEMBER, ("timestamps",)),
    ("didemo", _ITEM, ("times", "annotation_id")),
    ("medvidqa", _ITEM, ("answer_start_second", "video_id")),
)
"""Of one JSON document: how it begins, and names of fields near its beginning; the first that fits."""


def guess_format(file: BinaryIO) -> str:
    """The name of the format that a file's beginning matches; the file is rewound.

    Raises: BadRow if it is of none.
    """
    file.seek(0)
    head = file.read(HEAD).decode("utf-8-sig", errors="replace").lstrip()
    file.seek(0)
    if not head:
        raise BadRow("file", None, "descriptions")
    lines = [line for line in head.splitlines() if line.strip()][:LINES]
    for line in lines:
        named = _by_fields(line)
        if named:
            return named
    for name, beginning, names in _DOCUMENTS:
        if beginning.match(head) and all(f'"{field}"' in head for field in names):
            return name
    if any(LINE.fullmatch(line) for line in lines):
        return "charades-sta"
    if any(names_columns(lines[0], separator) for separator in SEPARATORS):
        return "csv"
    raise BadRow("format", lines[0], "a format that can be detected").settled_by("format")


def _by_fields(line: str) -> str | None:
    if not line.lstrip().startswith("{"):
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return next((name for name, fields in _FIELDS.items() if fields <= record.keys()), None)
