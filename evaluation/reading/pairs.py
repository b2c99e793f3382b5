"""What pairs are about: a release's val.json and test.json, or CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from unicodedata import normalize

from ..errors import Faults, InputError, shown
from ..reading.csv_rows import csv_rows
from ..reading.fields import list_of, text_id
from ..reading.json_stream import head, json_items, json_lines
from ..reading.judgment_rows import ABOUT, About
from ..reading.judgments import Lines, Moment, moment_of

NEEDED = ("pair_id", "query_id", "video_name", "timestamp")

PairRow = tuple[int, str, str, About]
"""A pair's line or record, the same in words, its pair_id and what it is about, by the names of `ABOUT`."""


def read_pairs(paths: Sequence[Path]) -> dict[str, Moment]:
    """The pairs of all these files by pair_id.

    Raises: InputError naming the first faults of a file; a pair_id with two moments is one.
    """
    pairs: dict[str, Moment] = {}
    for path in paths:
        faults = Faults()
        for _, place, pair_id, about in pair_rows(path, Lines(path), faults, in_json=head(path)[:1] in ("[", "{")):
            try:
                moment = moment_of(path, place, about)
                if moment is None:
                    raise InputError(path, place, found="an empty column", expected=", ".join(NEEDED))
                if pairs.setdefault(pair_id, moment) != moment:
                    found = f"pair_id {shown(pair_id)} with another query or moment than before"
                    raise InputError(path, place, found=found, expected="one query and one moment a pair")
            except InputError as fault:
                faults.add(fault)
        faults.raise_any()
    return pairs


def pair_rows(path: Path, lines: Iterable[str], faults: Faults, *, in_json: bool) -> Iterator[PairRow]:
    """The pairs of a file, in its order; what is wrong is added to `faults`.

    Args: lines: the file's, of CSV; JSON is read from `path`, a list or JSON Lines of `{"query_id", "query",
        "relevant_moment": [{"pair_id", "video_name", "timestamp", ...}]}`. A moment without pair_id is passed over.
    Raises: InputError for a header that lacks a column of `NEEDED`, and for what is no JSON.
    """
    return _of_json(path, faults) if in_json else _of_csv(path, lines, faults)


def _of_json(path: Path, faults: Faults) -> Iterator[PairRow]:
    records = json_items(path) if head(path).startswith("[") else json_lines(path, faults)
    for number, (place, record) in enumerate(records, start=1):
        try:
            if not isinstance(record, dict):
                expected = '{"query_id", "relevant_moment"}'
                raise InputError(path, place, found=shown(record), expected=expected)
            query_id = text_id(path, place, record, "query_id")
            moments = list_of(path, f"{place}, query_id {query_id}", record, "relevant_moment")
        except InputError as fault:
            faults.add(fault)
            continue
        for nth, moment in enumerate(moments, start=1):
            at = f"{place}, query_id {query_id}, moment {nth}"
            if not isinstance(moment, dict):
                faults.add(InputError(path, at, found=shown(moment), expected='{"pair_id", "video_name", "timestamp"}'))
            elif moment.get("pair_id") is not None:
                about = {name: moment[name] for name in ABOUT if moment.get(name) is not None}
                about |= {"query_id": query_id, "query": record.get("query")}
                yield number, at, normalize("NFC", str(moment["pair_id"])), about


def _of_csv(path: Path, lines: Iterable[str], faults: Faults) -> Iterator[PairRow]:
    header: list[str] = []
    for line, cells in csv_rows(path, lines, faults):
        if not header:
            header = cells
            if missing := [name for name in NEEDED if header.count(name) != 1]:
                found = f"no column {', '.join(missing)} in {shown(','.join(header))}"
                raise InputError(path, f"line {line}", found=found, expected=", ".join(NEEDED), field="header")
            continue
        row = dict(zip(header, cells, strict=True))
        if row["pair_id"].strip():
            about = {name: row[name] for name in ABOUT if row.get(name, "").strip()}
            yield line, f"line {line}", normalize("NFC", row["pair_id"]), about
        else:
            faults.add(InputError(path, f"line {line}", found="an empty column", expected=", ".join(NEEDED)))
    if not header:
        raise InputError(path, "line 1", found="nothing", expected=", ".join(NEEDED), field="header")
