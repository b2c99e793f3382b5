"""Whether a release's other formats say what its `tvr-ranking` files say, told from the files alone.

They are read plainly, by other code than wrote them: no database, and pyarrow only where there are Parquet files.
"""

import csv
import json
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from datasets.release_files import Unreadable, moment_id, read_object, read_records, sha256_of

SPLITS = ("val", "test")

Grade = tuple[str, str, float, float, int]
"""(query id, video name, start, end, grade)."""
Texts = dict[str, str]
Graded = tuple[Texts, list[Grade]]


def check_formats(folder: Path, manifest: dict[str, Any]) -> list[str]:
    """What differs between the formats of a release; empty if nothing does.

    Compared: queries, their texts and all grades with val.json and test.json (trec, beir, parquet); the judgments with
    raw_annotations.csv and the pseudo-training rows with the deepest training file (parquet); hashes with the files
    (croissant).
    """
    checks: dict[str, Callable[[Path, dict[str, Any]], Iterator[str]]] = {
        "trec": _check_trec,
        "beir": _check_beir,
        "parquet": _check_parquet,
        "croissant": _check_croissant,
        "datasheet": _check_datasheet,
    }
    problems: list[str] = []
    for name in manifest.get("formats", []):
        if name in checks:
            try:
                problems += checks[name](folder, manifest)
            except (OSError, ValueError, KeyError, Unreadable) as error:
                problems.append(f"{name} can't be read: {error}")
    return problems


def _stated(folder: Path, split: str) -> tuple[Texts, list[Grade]]:
    """The queries and grades of val.json or test.json, in order."""
    texts: Texts = {}
    grades: list[Grade] = []
    for query in read_records(folder / f"{split}.json"):
        texts[str(query["query_id"])] = query["query"]
        for moment in query["relevant_moment"]:
            start, end = moment["timestamp"]
            grades.append((str(query["query_id"]), moment["video_name"], start, end, moment["relevance"]))
    return texts, grades


def _compare(
    what: str, split: str, found: tuple[Texts, list[Grade]], stated: tuple[Texts, list[Grade]]
) -> Iterator[str]:
    for query in sorted(stated[0].keys() | found[0].keys()):
        if found[0].get(query) != stated[0].get(query):
            yield f"{what}: query {query} is {found[0].get(query)!r}, but {stated[0].get(query)!r} in {split}.json"
            return
    for number, (one, other) in enumerate(zip_longest(found[1], stated[1]), start=1):
        if one != other:
            yield f"{what}: grade {number} is {one}, but {other} in {split}.json"
            return


def _moment(moment_id: str) -> tuple[str, float, float]:
    name, _, stretch = moment_id.rpartition("@")
    start, _, end = stretch.partition("-")
    return unquote(name), float(start), float(end)


def _one_line(texts: Texts) -> Texts:
    return {query: " ".join(text.split()) for query, text in texts.items()}


def _check_trec(folder: Path, manifest: dict[str, Any]) -> Iterator[str]:
    with (folder / "trec" / "moments.tsv").open(encoding="utf-8", newline="") as file:
        moments = {line.split("\t")[0] for line in file}
    for split in SPLITS:
        lines = (folder / "trec" / f"topics.{split}.tsv").read_text(encoding="utf-8").split("\n")[:-1]
        texts = {unquote(query): text for query, _, text in (line.partition("\t") for line in lines)}
        grades = []
        for line in (folder / "trec" / f"qrels.{split}.txt").read_text(encoding="utf-8").splitlines():
            query, _, moment, grade = line.split(" ")
            grades.append((unquote(query), *_moment(moment), int(grade)))
            if moment not in moments:
                yield f"trec/qrels.{split}.txt: {moment} is not in moments.tsv"
        stated = _stated(folder, split)
        yield from _compare(f"trec, {split}", split, (texts, grades), (_one_line(stated[0]), stated[1]))


def _check_beir(folder: Path, manifest: dict[str, Any]) -> Iterator[str]:
    moments = set()
    with (folder / "beir" / "corpus.jsonl").open(encoding="utf-8", newline="\n") as file:
        for line in file:
            document = json.loads(line)
            moments.add(document["_id"])
            if document["text"]:
                yield f"beir/corpus.jsonl: {document['_id']} has a text, and captions are no input of a system"
    texts: dict[str, Texts] = {split: {} for split in SPLITS}
    with (folder / "beir" / "queries.jsonl").open(encoding="utf-8", newline="\n") as file:
        for line in file:
            query = json.loads(line)
            texts[query["metadata"]["split"]][unquote(query["_id"])] = query["text"]
    for split in SPLITS:
        with (folder / "beir" / "qrels" / f"{split}.tsv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        grades = [(unquote(row["query-id"]), *_moment(row["corpus-id"]), int(row["score"])) for row in rows]
        yield from _compare(f"beir, {split}", split, (texts[split], grades), _stated(folder, split))
        for row in rows:
            if row["corpus-id"] not in moments:
                yield f"beir/qrels/{split}.tsv: {row['corpus-id']} is not in corpus.jsonl"


def _check_parquet(folder: Path, manifest: dict[str, Any]) -> Iterator[str]:
    for split in SPLITS:
        rows = list(_rows(folder / "parquet" / "grades" / f"{split}.parquet"))
        texts = {row["query_id"]: row["query"] for row in rows}
        grades = [(row["query_id"], row["video_name"], row["start"], row["end"], row["relevance"]) for row in rows]
        yield from _compare(f"parquet, {split}", split, (texts, grades), _stated(folder, split))
    found = (
        _judgment(row) for split in SPLITS for row in _rows(folder / "parquet/raw_annotations" / f"{split}.parquet")
    )
    yield from _first_difference("parquet, raw_annotations", found, _raw(folder))
    deepest = f"train_top{max(manifest['training_depths']):02d}.json"
    trained = (_trained(row) for row in _rows(folder / "parquet" / "train" / "train.parquet"))
    yield from _first_difference("parquet, train", trained, _training(folder / deepest))


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        for batch in file.iter_batches(10_000):
            yield from batch.to_pylist()


def _judgment(row: dict[str, Any]) -> tuple[Any, ...]:
    return (
        row["pair_id"],
        row["query_id"],
        row["video_name"],
        row["start"],
        row["end"],
        row["worker"],
        row["relevance"],
    )


def _raw(folder: Path) -> Iterator[tuple[Any, ...]]:
    with (folder / "raw_annotations.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            place = (row["video_name"], *json.loads(row["timestamp"]))
            yield (int(row["pair_id"]), row["query_id"], *place, row["worker"], int(row["relevance"]))


def _trained(row: dict[str, Any]) -> tuple[Any, ...]:
    place = (row["moment_id"], row["duration"], row["caption"], row["similarity"])
    return (row["query_id"], row["query"], row["rank"], *place)


def _training(path: Path) -> Iterator[tuple[Any, ...]]:
    for query in read_records(path):
        for rank, moment in enumerate(query["relevant_moment"], start=1):
            place = (moment_id(moment), moment["duration"], moment["caption"], moment["similarity"])
            yield (str(query["query_id"]), query["query"], rank, *place)


def _first_difference(what: str, found: Iterator[tuple[Any, ...]], stated: Iterator[tuple[Any, ...]]) -> Iterator[str]:
    for number, (one, other) in enumerate(zip_longest(found, stated), start=1):
        if one != other:
            yield f"{what}: row {number} is {one}, expected {other}"
            return


def _check_croissant(folder: Path, manifest: dict[str, Any]) -> Iterator[str]:
    document = read_object(folder / "croissant" / "croissant.json")
    for entry in document["distribution"]:
        path = (folder / "croissant" / entry["contentUrl"]).resolve()
        if not path.is_file():
            yield f"croissant/croissant.json: {entry['contentUrl']} is not there"
        elif sha256_of(path) != entry["sha256"]:
            yield f"croissant/croissant.json: {entry['contentUrl']} has another SHA-256"


def _check_datasheet(folder: Path, manifest: dict[str, Any]) -> Iterator[str]:
    if not (folder / "datasheet" / "DATASHEET.md").read_text(encoding="utf-8").startswith("# Datasheet"):
        yield "datasheet/DATASHEET.md is no datasheet"
