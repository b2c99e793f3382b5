"""What a file looks like, in words: for messages about a file that isn't what was expected."""

from __future__ import annotations

import csv
import json

from ..errors import shown

GZIP = "a gzip file"
_SIGNATURES = {
    b"\x1f\x8b": GZIP,
    b"PK\x03\x04": "a zip archive, as Excel's files are",
    b"\xd0\xcf\x11\xe0": "a file of old Excel or Word",
    b"%PDF": "a PDF",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"7z\xbc\xaf": "a 7z archive",
    b"(\xb5/\xfd": "a Zstandard file",
    b"PAR1": "a Parquet file",
    b"SQLite format 3": "an SQLite database",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
}
_SEPARATORS = {"\t": "tabs", ",": "commas", ";": "semicolons"}


def looks_binary(head: bytes) -> str:
    """The kind of a file that isn't UTF-8 text, recognised by its first 512 bytes; "" if it may be text."""
    if head[257:262] == b"ustar":
        return "a tar archive"
    for signature, kind in _SIGNATURES.items():
        if head.startswith(signature):
            return kind
    return "binary data" if b"\0" in head else ""


def looks_like(beginning: str) -> str:
    """What kind of text begins like this: JSON with its fields, or how the first line is divided into columns.

    >>> looks_like("1\\ta:0-10\\t1\\n"), looks_like('{"qid": 3, "vid": "k"}\\n')
    ("3 columns separated by tabs: '1\\\\ta:0-10\\\\t1'", 'JSON Lines of qid, vid')
    """
    text = beginning.lstrip("\ufeff \t\r\n")
    line = text.splitlines()[0].rstrip() if text else ""
    if not line:
        return "nothing"
    if line[0] == "<":
        return f"XML, HTML or TREC's topics: {shown(line)}"
    if line[0] == "#":
        return f"a comment: {shown(line)}"
    if line[0] in "[{":
        return _json(text, line)
    for separator, name in _SEPARATORS.items():
        if separator in line:
            return f"{_columns(line, separator)} columns separated by {name}: {shown(line)}"
    words = len(line.split())
    return f"{words} columns separated by blanks: {shown(line)}" if words > 1 else shown(line)


def _json(text: str, line: str) -> str:
    kind = "a JSON list" if line[0] == "[" else "a JSON object" if line == "{" else "JSON Lines"
    try:
        record, _ = json.JSONDecoder().raw_decode(text[line[0] == "[" :].lstrip())
    except (ValueError, RecursionError):
        return kind
    return f"{kind} of {', '.join(map(str, record))[:80]}" if isinstance(record, dict) and record else kind


def _columns(line: str, separator: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=separator)))
    except (csv.Error, StopIteration):
        return line.count(separator) + 1
