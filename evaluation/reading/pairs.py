"""What pairs are about: a release's val.json and test.json, or CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from unicodedata import normalize

from evaluation.errors import Faults, InputError, shown
from evaluation.reading.fields import interval
from evaluation.reading.ground_truths import read_ground_truth
from evaluation.reading.json_stream import head, open_text
from evaluation.reading.judgments import ABOUT, Moment, decoded
from evaluation.reading.sniffing import looks_like

COLUMNS = ("pair_id", *ABOUT)


def read_pairs(paths: Sequence[Path]) -> dict[str, Moment]:
    """The pairs of all these files by pair_id.

    Raises: InputError naming the first faults of a file; a pair_id with two moments is one.
    """
    pairs: dict[str, Moment] = {}
    for path in paths:
        faults = Faults()
        for place, pair_id, moment in _of_json(path) if head(path).startswith(("[", "{")) else _of_csv(path, faults):
            if pairs.setdefault(pair_id, moment) != moment:
                found = f"pair_id {shown(pair_id)} with another query or moment than before"
                faults.add(InputError(path, place, found=found, expected="one query and one moment a pair"))
        faults.raise_any()
    return pairs


def _of_json(path: Path) -> list[tuple[str, str, Moment]]:
    truth = read_ground_truth(path)
    return [
        (f"query_id {query_id}", moment.pair_id, (query_id, moment.video_name, moment.start, moment.end))
        for query_id, moments in truth.records().items()
        for moment in moments
        if moment.pair_id is not None
    ]


def _of_csv(path: Path, faults: Faults) -> Iterator[tuple[str, str, Moment]]:
    with open_text(path) as file:
        rows = csv.DictReader(file)
        if missing := [name for name in COLUMNS if name not in (rows.fieldnames or ())]:
            found = f"no column {', '.join(missing)} in {looks_like(','.join(rows.fieldnames or ()))}"
            raise InputError(path, "line 1", found=found, expected=", ".join(COLUMNS))
        try:
            for row in rows:
                place = f"line {rows.line_num}"
                try:
                    pair_id, query_id, video, times = (row[name] or "" for name in COLUMNS)
                    if not pair_id or not query_id or not video:
                        raise InputError(path, place, found="an empty column", expected=", ".join(COLUMNS))
                    yield place, normalize("NFC", pair_id), (query_id, video, *interval(path, place, decoded(times)))
                except InputError as fault:
                    faults.add(fault)
        except (UnicodeDecodeError, csv.Error) as error:
            faults.add(InputError(path, f"line {rows.line_num}", found=str(error), expected="a CSV file in UTF-8"))
