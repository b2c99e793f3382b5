"""Check that the tables in a release's `tables/` say what its JSON files do, in each of their forms."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ..formats.latex import latex_text

SIZES, LENGTHS, JUDGING = "size-of-the-splits", "queries-moments-videos", "judging"
SPLITS = {"Training": "train", "Validation": "val", "Test": "test"}
FILES = {"train": "train_top40.json", "val": "val.json", "test": "test.json"}
COUNTS = ("#Query", "#Moment", "#Video")
KINDS = {"Min": "least", "Avg.": "mean", "Max": "most"}
LENGTH_ROWS = {"Query Length": "words", "Moment Duration (s)": "moment_seconds", "Video Duration (s)": "video_seconds"}
RATIO, RELEVANT = "Avg. Moment-Video Duration Ratio", "Avg. Relevant Moments per Query"
NUMBERS = {"Pairs decided": "pairs_decided", "Judgments": "judgments"}
SHARES = {
    "Consensus in the first round": "share_in_round_one",
    "Consensus in the second round": "share_in_round_two",
    "Consensus over all": "share_in_consensus",
    "Discarded": "share_discarded",
}

Table = Mapping[str, Mapping[str, str]]
"""Row -> column -> cell."""


def check_tables(folder: Path, figures: Mapping[str, Any] | None) -> Iterator[str]:
    """What differs: Tables 1 and 4 and that of judging from the figures; the other forms of each table from its CSV.

    Args: figures: as `Recount` has them; None: there is nothing to compare with.
    """
    paths = sorted((folder / "tables").glob("*.csv"))
    rows = {path.stem: _rows(path) for path in paths}
    sizes, lengths, judging = (_by_name(rows[key]) for key in (SIZES, LENGTHS, JUDGING))
    splits = {} if figures is None else figures["splits"]
    for place, (name, split) in enumerate(SPLITS.items(), start=1):
        if "extent" in splits.get(split, {}):
            yield from _differing_sizes(name, sizes[name], splits[split], FILES[split])
            column = rows[LENGTHS][0][place]
            for row, value, decimals in _lengths(splits[split], split):
                yield from _differing(LENGTHS, lengths, row, column, value, decimals, FILES[split])
    for split, own in (figures or {}).get("judging", {}).items():
        for row, field in NUMBERS.items():
            yield from _differing(JUDGING, judging, row, split, own[field], 0, "raw_annotations.csv")
        for row, field in SHARES.items():
            share = None if own[field] is None else 100 * own[field]
            yield from _differing(JUDGING, judging, row, split, share, 2, "raw_annotations.csv")
    for path in paths:
        yield from _other_forms(path, rows[path.stem])


def _differing_sizes(name: str, row: Mapping[str, str], own: Mapping[str, Any], file: str) -> Iterator[str]:
    extent = own["extent"]
    stated = tuple(row[column] for column in COUNTS)
    counted = tuple(map(str, (own["queries"], extent["moments"], extent["videos"])))
    if stated != counted:
        yield f"tables/{SIZES}.csv: {name} has {stated} queries, moments and videos, but {counted} in {file}"
    others = {"Vocab.": own["vocabulary"], "M.Dur": extent["moment_hours"], "V.Dur": extent["video_hours"]}
    for column, value in others.items():
        yield from _differing(SIZES, {name: row}, name, column, value, 2, file)


def _lengths(own: Mapping[str, Any], split: str) -> Iterator[tuple[str, float | None, int]]:
    """The cells of Table 4 of a split: row, value, decimals."""
    for words, field in LENGTH_ROWS.items():
        spread = own[field] if field == "words" else own["extent"][field]
        for kind, name in KINDS.items():
            yield f"{kind} {words}", (spread or {}).get(name), 2
    yield RATIO, own["extent"]["moment_video_ratio"], 2
    if split != "train":
        relevant = own["relevant_per_query"]
        yield RELEVANT, relevant[min(relevant, key=int)], 1


def _differing(
    key: str, table: Table, row: str, column: str, value: float | None, decimals: int, file: str
) -> Iterator[str]:
    cell = table[row][column].removesuffix(" %")
    same = not cell if value is None else cell and abs(float(cell) - value) <= 0.501 * 0.1**decimals
    if not same:
        yield f"tables/{key}.csv: {row} is {cell!r} in {column}, but {value} follows from {file}"


def _other_forms(path: Path, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """That the table is the same as Markdown and LaTeX, but for thousands apart and the sign for none."""
    markdown, latex = (path.with_suffix(ending).read_text(encoding="utf-8") for ending in (".md", ".tex"))
    lines = [line for line in markdown.splitlines() if line.startswith("| ") and not line.startswith("| ---")]
    forms = {
        ".md": [[cell.replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines],
        ".tex": [line.removesuffix(r"\\").split(" & ") for line in latex.splitlines() if line.endswith(r" \\")],
    }
    none: list[str] = []
    for ending, found in forms.items():
        told = [list(map(latex_text, row)) for row in rows] if ending == ".tex" else rows
        for number, (one, other) in enumerate(zip_longest(found, told, fillvalue=none), start=1):
            if list(map(_bare, one)) != list(map(_bare, other)):
                yield f"tables/{path.stem}{ending}: row {number} isn't that of {path.name}"
                break


def _bare(cell: str) -> str:
    return re.sub(r"[,–]|--", "", cell).strip()


def _by_name(rows: Sequence[Sequence[str]]) -> Table:
    return {row[0]: dict(zip(rows[0], row, strict=True)) for row in rows[1:]}


def _rows(path: Path) -> list[list[str]]:
    """The rows of a table, the first has its columns. Raises: ValueError for an empty file or rows that are shorter."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    if len({len(row) for row in rows}) != 1:
        raise ValueError(f"{path.name} has rows of {sorted({len(row) for row in rows})} columns")
    return rows
