"""The formats of judgment files, and which one a file has."""

from pathlib import Path

from corpus.description_formats.rows import BadRow
from datasets.judgment_import.readers import TextLines
from evaluation.reading.judgment_rows import COLUMNS, format_of
from evaluation.reading.judgment_rows import FORMATS as FORMATS
from evaluation.reading.sniffing import looks_binary, looks_like

_EXPECTED = (
    f"{','.join(COLUMNS)}, or pair_id,worker,relevance alone; Label Studio's export as JSON or CSV; or qrels: "
    "query_id iteration moment_id grade"
)


def guess_format(path: Path) -> str:
    """The format that a file's first line tells. Raises: BadRow, with what it looks like, if it is of none."""
    beginning = next((line for line in TextLines(path, lambda problem: None) if line.strip()), "").lstrip()
    if told := format_of(beginning):
        return told
    raise BadRow.saying("format", looks_like(beginning), _EXPECTED)


def refuse_binary(path: Path) -> None:
    """Raises: BadRow for a file that is plainly no text, such as a packed one."""
    with path.open("rb") as file:
        kind = looks_binary(file.read(512))
    if kind and "UTF-16" not in kind:
        raise BadRow.saying("file", kind, "a text: unpack it, or export it as CSV or JSON")
