"""Check that all formats of a release agree, from its files alone.

They are read plainly, by other code than wrote them: no database, and pyarrow only where there are Parquet files.
"""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from itertools import islice, zip_longest
from operator import itemgetter
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ..formats.system_names import SPLITS
from ..progress import Stage, untold
from .check_capsule import check_capsule
from .check_files import formats_of
from .check_ro_crate import check_ro_crate
from .check_tables import check_tables
from .claims import Claims
from .spilled import Spilled
from .untrusted_files import (
    RAW_COLUMNS,
    csv_rows,
    in_types,
    moment_id,
    place_key,
    read_object,
    read_records,
    sha256_of,
)

Grade = tuple[str, str, float, float, int]
"""(query id, video name, start, end, grade)."""
Place = tuple[str, float, float]
"""(video name, start, end)."""
Listed = tuple[str, Place, float | None]
"""(moment id, place, the video's duration)."""
Texts = dict[str, str]


class ListedMoments:
    """The moments that a format lists, each with its id and its video's duration."""

    def __init__(self, moments: Iterable[Listed]) -> None:
        """Raises: ValueError if an id says another place, or a moment is there twice."""
        self._listed = Spilled()
        for name, place, duration in moments:
            if _moment(name) != place:
                raise ValueError(f"found the moment {name} at {place}")
            if place in self:
                raise ValueError(f"found the moment {name} twice")
            self._listed[place_key(*place)] = (name, duration)

    def __contains__(self, place: Place) -> bool:
        return place_key(*place) in self._listed

    def first_difference(self, other: "ListedMoments") -> str:
        """A moment (id) that only one of them lists, or otherwise than the other; "" if there is none."""
        both = zip_longest(self._listed.items(by_key=True), other._listed.items(by_key=True))
        for pair in both:
            if pair[0] != pair[1]:
                return str(min((moment for moment in pair if moment), key=itemgetter(0))[1][0])
        return ""


def check_formats(
    folder: Path,
    manifest: dict[str, Any],
    claims: Claims,
    figures: Mapping[str, Any] | None = None,
    stage: Stage = untold,
) -> None:
    """Tell all differences between the formats of a release.

    Compared: queries, their texts and all grades of every format with val.json and test.json, or where there are none
    with the first format that has them; moments among the formats that list them; the Parquet tables, column by
    column, with raw_annotations.csv, the deepest training file and video_corpus.json; what the card and croissant.json
    say of the Parquet files with these; the tables in `tables/` with the JSON files; the capsule with its own lists.

    Args: figures: counted from the JSON files, see `Recount`; None without them.
    """
    formats = formats_of(manifest)
    if not set(formats) - {"tvr-ranking"}:
        return
    for name in [name for name in OF_PARQUET if name in formats and find_spec("pyarrow") is None]:
        claims.needs(name, "its tables are read by pyarrow, which isn't installed")
        formats.remove(name)
    compared = stage("Formats", None, "comparisons")
    first, *others = [name for name in GRADED if name in formats] or [""]
    for name in others:
        for split in SPLITS:
            _tell(claims, name, partial(_compare, folder, name, first, split))
    compared(1)
    _differing_moments(folder, [name for name in LISTED if name in formats], claims)
    compared(1)
    checks: dict[str, Callable[[], Iterator[str]]] = {
        "parquet": lambda: _check_parquet(folder, manifest),
        "croissant": lambda: _check_croissant(folder),
        "datasheet": lambda: _check_datasheet(folder),
        "tables": lambda: check_tables(folder, figures),
        "capsule": lambda: check_capsule(folder),
        "ro-crate": lambda: check_ro_crate(folder, manifest),
    }
    for name, check in checks.items():
        if name in formats:
            _tell(claims, name, check)
            compared(1)


def _tell(claims: Claims, name: str, check: Callable[[], Iterable[str]]) -> None:
    """The problems of a format, or that it can't be read."""
    claims.check(name)
    try:
        problems = list(check())
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        problems = [f"{name} can't be read: {error}"]
    for problem in problems:
        path = problem.partition(":")[0]
        claims.tell(name, problem, path if path.startswith(f"{name}/") else f"{name}/")


def _compare(folder: Path, name: str, other: str, split: str) -> Iterator[str]:
    (own_texts, own_grades), (other_texts, other_grades) = GRADED[name], GRADED[other]
    theirs, texts = own_texts(folder, split), other_texts(folder, split)
    where = f"{split}.json" if other == "tvr-ranking" else other
    if name == "trec":
        texts = {query: " ".join(text.split()) for query, text in texts.items()}
    for query in sorted(texts.keys() | theirs.keys()):
        if theirs.get(query) != texts.get(query):
            yield f"{name}, {split}: query {query} is {theirs.get(query)!r}, but {texts.get(query)!r} in {where}"
            return
    grades = zip_longest(own_grades(folder, split), other_grades(folder, split))
    for number, (grade, expected) in enumerate(grades, start=1):
        if grade != expected:
            yield f"{name}, {split}: grade {number} is {grade}, but {expected} in {where}"
            return


def _differing_moments(folder: Path, names: list[str], claims: Claims) -> None:
    listed: dict[str, ListedMoments] = {}

    def take(name: str) -> Iterable[str]:
        listed[name] = ListedMoments(LISTED[name](folder))
        return ()

    for name in names:
        _tell(claims, name, partial(take, name))
    for name, moments in listed.items():
        first = next(iter(listed))
        if moment := moments.first_difference(listed[first]):
            claims.tell(name, f"{name}: the moment {moment} is in it otherwise than in {first}", f"{name}/")
    for name, moments in listed.items():
        for split in SPLITS:
            _tell(claims, name, partial(_unlisted, folder, name, split, moments))


def _unlisted(folder: Path, name: str, split: str, listed: ListedMoments) -> Iterator[str]:
    for grade in GRADED[name][1](folder, split):
        if grade[1:4] not in listed:
            yield f"{name}, {split}: {grade[1]} {list(grade[2:4])} has a grade and is not among the moments"
            return


def _moment(name: str) -> Place:
    video, _, stretch = name.rpartition("@")
    start, _, end = stretch.partition("-")
    return unquote(video), float(start), float(end)


def _texts_in_json(folder: Path, split: str) -> Texts:
    return {str(query["query_id"]): query["query"] for query in read_records(folder / f"{split}.json")}


def _grades_in_json(folder: Path, split: str) -> Iterator[Grade]:
    for query in read_records(folder / f"{split}.json"):
        for moment in query["relevant_moment"]:
            start, end = moment["timestamp"]
            yield str(query["query_id"]), moment["video_name"], start, end, moment["relevance"]


def _lines(path: Path) -> Iterator[str]:
    """The lines of a file that end as they should; what follows the last end isn't one."""
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            if line.endswith("\n"):
                yield line[:-1]


def _texts_in_trec(folder: Path, split: str) -> Texts:
    lines = (line.partition("\t") for line in _lines(folder / "trec" / f"topics.{split}.tsv"))
    return {unquote(query): text for query, _, text in lines}


def _grades_in_trec(folder: Path, split: str) -> Iterator[Grade]:
    for line in _lines(folder / "trec" / f"qrels.{split}.txt"):
        query, _, moment, grade = line.split(" ")
        yield unquote(query), *_moment(moment), int(grade)


def _listed_in_trec(folder: Path) -> Iterator[Listed]:
    for line in islice(_lines(folder / "trec" / "moments.tsv"), 1, None):
        name, video, start, end, duration = line.split("\t")
        if " ".join(_moment(name)[0].split()) != video:
            raise ValueError(f"found the moment {name} in the video {video}")
        place = (_moment(name)[0], float(start), float(end))
        yield name, place, float(duration) if duration else None


def _texts_in_beir(folder: Path, split: str) -> Texts:
    return {
        unquote(query["_id"]): query["text"]
        for query in _json_lines(folder / "beir" / "queries.jsonl")
        if query["metadata"]["split"] == split
    }


def _grades_in_beir(folder: Path, split: str) -> Iterator[Grade]:
    with (folder / "beir" / "qrels" / f"{split}.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            yield unquote(row["query-id"]), *_moment(row["corpus-id"]), int(row["score"])


def _listed_in_beir(folder: Path) -> Iterator[Listed]:
    for document in _json_lines(folder / "beir" / "corpus.jsonl"):
        about = document["metadata"]
        yield document["_id"], (about["video_name"], about["start"], about["end"]), about["duration"]
        if document["text"]:
            raise ValueError(f"corpus.jsonl: {document['_id']} has a text, and captions are no input of a system")


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            yield json.loads(line)


def _texts_in_parquet(folder: Path, split: str) -> Texts:
    rows = _rows(folder / "parquet" / "grades" / f"{split}.parquet", "query_id", "query")
    return {row["query_id"]: row["query"] for row in rows}


def _grades_in_parquet(folder: Path, split: str) -> Iterator[Grade]:
    for row in _rows(folder / "parquet" / "grades" / f"{split}.parquet"):
        yield row["query_id"], row["video_name"], row["start"], row["end"], row["relevance"]


def _listed_in_parquet(folder: Path) -> Iterator[Listed]:
    for row in _rows(folder / "parquet" / "moments" / "all.parquet"):
        yield row["moment_id"], (row["video_name"], row["start"], row["end"]), row["duration"]


GRADED: dict[str, tuple[Callable[[Path, str], Texts], Callable[[Path, str], Iterator[Grade]]]] = {
    "tvr-ranking": (_texts_in_json, _grades_in_json),
    "parquet": (_texts_in_parquet, _grades_in_parquet),
    "beir": (_texts_in_beir, _grades_in_beir),
    "trec": (_texts_in_trec, _grades_in_trec),
}
"""Formats with grades: what reads a split's queries with their texts, and its grades in the order of the file, one at a
time. The others are compared with the first that a release has."""
LISTED: dict[str, Callable[[Path], Iterator[Listed]]] = {
    "parquet": _listed_in_parquet,
    "beir": _listed_in_beir,
    "trec": _listed_in_trec,
}
"""The formats that list the collection's moments; each has grades."""
OF_PARQUET = ("parquet", "croissant")


def _check_parquet(folder: Path, manifest: dict[str, Any]) -> Iterator[str]:
    tables = folder / "parquet"
    card = (tables / "README.md").read_text(encoding="utf-8").split("---\n")[1]
    for path in sorted(path.relative_to(tables).as_posix() for path in tables.rglob("*.parquet")):
        if f"path: {path}\n" not in card and next(_rows(tables / path), None) is not None:
            yield f"parquet/README.md: its metadata doesn't list {path}"
    if "tvr-ranking" not in manifest["formats"]:
        return
    for split in SPLITS:
        rows = _rows(tables / "grades" / f"{split}.parquet")
        yield from _first_difference(f"parquet, grades of {split}", rows, _rows_in_json(folder / f"{split}.json"))
    judged = (row for split in SPLITS for row in _rows(tables / "raw_annotations" / f"{split}.parquet"))
    yield from _first_difference("parquet, raw_annotations", judged, _raw(folder))
    trained = _rows_in_json(folder / f"train_top{max(manifest['training_depths']):02d}.json", ranked=True)
    yield from _first_difference("parquet, train", _rows(tables / "train" / "train.parquet"), trained)
    rows = _rows(tables / "videos" / "all.parquet")
    durations = sorted(read_object(folder / "video_corpus.json").items())
    stated = ({"video_name": name, "duration": duration} for name, duration in durations)
    yield from _first_difference("parquet, videos", rows, stated)


def _rows(path: Path, *columns: str) -> Iterator[dict[str, Any]]:
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        for batch in file.iter_batches(10_000, columns=list(columns) or None):
            yield from batch.to_pylist()


def _flat(query: Mapping[str, Any], moment: dict[str, Any]) -> dict[str, Any]:
    start, end = moment["timestamp"]
    about = {"query_id": str(query["query_id"]), "query": query["query"], "moment_id": moment_id(moment)}
    place = {"start": start, "end": end} | {name: value for name, value in moment.items() if name != "timestamp"}
    return about | place


def _rows_in_json(path: Path, *, ranked: bool = False) -> Iterator[dict[str, Any]]:
    for query in read_records(path):
        for rank, moment in enumerate(query["relevant_moment"], start=1):
            yield _flat(query, moment) | ({"rank": rank} if ranked else {})


def _raw(folder: Path) -> Iterator[dict[str, Any]]:
    for _, row in csv_rows(folder / "raw_annotations.csv", RAW_COLUMNS):
        moment = {name: value for name, value in row.items() if name not in ("query_id", "query")} | in_types(row)
        yield _flat(row, moment | {"pair_id": int(row["pair_id"]), "relevance": int(row["relevance"])})


def _first_difference(table: str, found: Iterator[dict[str, Any]], stated: Iterator[dict[str, Any]]) -> Iterator[str]:
    for number, (row, other) in enumerate(zip_longest(found, stated), start=1):
        if row != other:
            yield f"{table}: row {number} is {row}, expected {other}"
            return


def _check_croissant(folder: Path) -> Iterator[str]:
    from pyarrow.parquet import read_schema

    document = read_object(folder / "croissant" / "croissant.json")
    columns: dict[str, list[str]] = {}
    for entry in document["distribution"]:
        path = (folder / "croissant" / unquote(entry["contentUrl"])).resolve()
        if not path.is_file():
            yield f"croissant/croissant.json: {entry['contentUrl']} is not there"
        elif sha256_of(path) != entry["sha256"]:
            yield f"croissant/croissant.json: {entry['contentUrl']} has another SHA-256"
        elif path.suffix == ".csv":
            columns[entry["@id"]] = _header(path)
        elif path.suffix == ".parquet":
            columns[entry["@id"]] = read_schema(path).names
    described: dict[str, list[str]] = {name: [] for name in columns}
    for records in document["recordSet"]:
        for field in records["field"]:
            described.setdefault(field["source"]["fileObject"]["@id"], []).append(field["source"]["extract"]["column"])
    for name, names in columns.items():
        if described[name] != names:
            yield f"croissant/croissant.json: {name} has the columns {names}, but {described[name]} are described"


def _header(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file), [])


def _check_datasheet(folder: Path) -> Iterator[str]:
    if not (folder / "datasheet" / "DATASHEET.md").read_text(encoding="utf-8").startswith("# Datasheet"):
        yield "datasheet/DATASHEET.md is no datasheet"
