"""The formats of judgment files, and which one a file has."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from corpus.description_formats.rows import BadRow
from datasets.formats.tvr_ranking import RAW_COLUMNS
from datasets.judgment_import.label_studio import read_label_studio
from datasets.judgment_import.qrels import read_qrels
from datasets.judgment_import.readers import JudgmentRow, TextLines, read_raw_annotations
from evaluation.reading.sniffing import looks_binary, looks_like

FORMATS: dict[str, Callable[..., Iterator[JudgmentRow]]] = {
    "tvr-ranking": read_raw_annotations,
    "label-studio": read_label_studio,
    "trec": read_qrels,
}
_QRELS_LINE = re.compile(r"\S+\s+\S+\s+\S+\s+-?\d+\s*")
_MOMENT = re.compile(r"\S[@:]-?[\d.]+-[\d.]+")
_EXPECTED = (
    f"{','.join(RAW_COLUMNS)}; Label Studio's export as JSON or CSV; or qrels: query_id iteration moment_id grade"
)


def guess_format(path: Path) -> str:
    """The format that a file's first line tells: a JSON list or Label Studio's columns, qrels' columns, or others.

    Raises: BadRow, with what it looks like, if it is of none.
    """
    beginning = next((line for line in TextLines(path, lambda problem: None) if line.strip()), "").lstrip()
    names = set(re.split(r'["\s,]+', beginning))
    if beginning[:1] == "[" or {"annotator", "annotation_id"} <= names:
        return "label-studio"
    if _QRELS_LINE.fullmatch(beginning) or beginning[:1] == "#" or _MOMENT.search(beginning.partition(",")[0]):
        return "trec"
    if names & set(RAW_COLUMNS) and beginning[:1] != "{":
        return "tvr-ranking"
    raise BadRow.saying("format", looks_like(beginning), _EXPECTED)


def refuse_binary(path: Path) -> None:
    """Raises: BadRow for a file that is plainly no text, such as a packed one."""
    with path.open("rb") as file:
        kind = looks_binary(file.read(512))
    if kind and "UTF-16" not in kind:
        raise BadRow.saying("file", kind, "a text: unpack it, or export it as CSV or JSON")
