"""`sampling.csv`: which queries, or which pairs of each query, people judged, and with which probability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isclose, nan
from pathlib import Path
from unicodedata import normalize

from ..errors import Faults, InputError, shown
from ..reading.csv_rows import csv_rows
from ..reading.judgments import Lines, Moment, moment_of

COLUMNS = ("query_id", "pair_id", "stratum", "stratum_size", "drawn", "probability")


@dataclass(frozen=True, slots=True)
class Stratum:
    """A stratum: `drawn` of its `size` units were drawn."""

    name: str
    size: int
    drawn: int


@dataclass(frozen=True)
class Sampling:
    """What a file says. `queries`: a query's stratum, where queries were drawn; `pairs`: query_id -> the pairs of its
    frame, drawn or not, each with its stratum, in the file's order. Where both are there, pairs were drawn in drawn
    queries."""

    name: str
    queries: Mapping[str, Stratum]
    pairs: Mapping[str, Mapping[Moment, Stratum]]


def read_sampling(path: Path | str) -> Sampling:
    """Read a file with the columns `COLUMNS`, and `video_name`, `timestamp` where pairs were drawn.

    Each row is a unit of the frame, drawn or not: a query (no `video_name`) or a pair. `drawn` is how many units of its
    stratum were drawn; strata of pairs are those of their query.

    Raises: InputError naming the first faults by line: a column that is missing, a number that is none, a probability
        that isn't drawn / stratum_size, a unit a second time, a stratum with two sizes or with other than as many
        pairs as it says.
    """
    path = Path(path)
    faults = Faults()
    rows = csv_rows(path, Lines(path), faults)
    header = next(rows, (1, []))[1]
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        expected = f"the columns {', '.join(COLUMNS)}, and video_name, timestamp where pairs were drawn"
        raise InputError(path, "line 1", found=f"no column {missing[0]}", expected=expected)
    queries: dict[str, Stratum] = {}
    pairs: dict[str, dict[Moment, Stratum]] = {}
    strata: dict[tuple[str, str], tuple[Stratum, str, int]] = {}
    for line, cells in rows:
        place, row = f"line {line}", dict(zip(header, cells, strict=True))
        try:
            _add(path, place, row, queries, pairs, strata)
        except InputError as fault:
            faults.add(fault)
    for (query_id, name), (stratum, place, count) in strata.items():
        if query_id and count != stratum.size:
            found = f"{count} pairs of stratum {shown(name)} of query_id {query_id}"
            faults.add(InputError(path, place, found=found, expected=f"{stratum.size}, its stratum_size"))
    faults.raise_any()
    if not strata:
        raise InputError(path, "", found="no row", expected="a row for each query or pair that could be drawn")
    return Sampling(path.name, queries, pairs)


def _add(
    path: Path,
    place: str,
    row: Mapping[str, str],
    queries: dict[str, Stratum],
    pairs: dict[str, dict[Moment, Stratum]],
    strata: dict[tuple[str, str], tuple[Stratum, str, int]],
) -> None:
    query_id = normalize("NFC", row["query_id"])
    if not query_id:
        raise InputError(path, place, found="no query_id", expected="query_id: text")
    stratum = _stratum(path, place, row)
    of_pair = bool(row.get("video_name"))
    key = (query_id if of_pair else "", stratum.name)
    before, first, count = strata.get(key, (stratum, place, 0))
    if before != stratum:
        found = f"stratum {shown(stratum.name)} with {stratum.drawn} of {stratum.size} drawn"
        raise InputError(path, place, found=found, expected=f"{before.drawn} of {before.size}, as in {first}")
    if of_pair:
        moment = moment_of(path, place, {**row, "query_id": query_id})
        if moment is None:
            raise InputError(path, place, found="no timestamp", expected="timestamp: [start, end], in seconds")
        moment = (moment[0], normalize("NFC", moment[1]), *moment[2:])
        again = pairs.setdefault(query_id, {}).setdefault(moment, stratum) is not stratum
    else:
        again = queries.setdefault(query_id, stratum) is not stratum
    if again:
        unit = "moment" if of_pair else "query"
        raise InputError(path, place, found=f"this {unit} of query_id {query_id} a second time", expected="it once")
    strata[key] = stratum, first, count + 1


def _stratum(path: Path, place: str, row: Mapping[str, str]) -> Stratum:
    size, drawn = (_whole(path, place, row, key) for key in ("stratum_size", "drawn"))
    if size < 1 or drawn > size:
        found = f"drawn {drawn} of stratum_size {size}"
        raise InputError(path, place, found=found, expected="at least one unit, and no more drawn than there are")
    try:
        probability = float(row["probability"])
    except ValueError:
        probability = nan
    if not isclose(probability, drawn / size, rel_tol=0, abs_tol=1e-5):
        found, expected = f"probability {shown(row['probability'])}", f"{drawn / size:.6g}, drawn / stratum_size"
        raise InputError(path, place, found=found, expected=expected)
    return Stratum(row["stratum"], size, drawn)


def _whole(path: Path, place: str, row: Mapping[str, str], key: str) -> int:
    if not row[key].isdecimal() or len(row[key]) > 12:
        raise InputError(path, place, found=f"{key} {shown(row[key])}", expected=f"{key}: a whole number from 0 on")
    return int(row[key])
