"""The formats of judgment files, and which one a file has."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from datasets.judgment_import.qrels import read_qrels
from datasets.judgment_import.readers import JudgmentRow, read_label_studio, read_raw_annotations

FORMATS: dict[str, Callable[..., Iterator[JudgmentRow]]] = {
    "tvr-ranking": read_raw_annotations,
    "label-studio": read_label_studio,
    "trec": read_qrels,
}
_QRELS_LINE = re.compile(rb"\S+\s+\S+\s+\S+\s+-?\d+\s*")


def guess_format(path: Path) -> str:
    """`label-studio` for a file that begins as a JSON list or object does, `trec` for one whose first line has four
    columns, the last of them a whole number, else `tvr-ranking`."""
    with path.open("rb") as file:
        beginning = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    if beginning[:1] in (b"[", b"{"):
        return "label-studio"
    return "trec" if _QRELS_LINE.fullmatch(beginning.partition(b"\n")[0]) else "tvr-ranking"
