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
    if _MEMBER.match(head) and '"timestamps"' in head:
        return "activitynet"
    if _ITEM.match(head) and '"times"' in head and '"annotation_id"' in head:
        return "didemo"
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
