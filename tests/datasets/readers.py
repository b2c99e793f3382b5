"""Readers of a release that know nothing of Qreels: each takes one format and says what it read in the same words.

Python's json and csv, pyarrow, pandas, mlcroissant, ir_measures, pytrec_eval and huggingface_hub. No module of the
product is imported here, so that two of them that agree have not agreed by sharing code.
"""

import csv
import json
import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

SPLITS = ("val", "test")

QUERY = ["query_id", "query", "relevant_moment"]
GRADED = ["pair_id", "video_name", "timestamp", "duration", "caption", "similarity", "relevance"]
TRAINED = ["video_name", "timestamp", "duration", "caption", "similarity"]
RAW = [
    *("pair_id", "query_id", "query", "video_name", "timestamp"),
    *("duration", "caption", "similarity", "worker", "relevance"),
]
"""The fields of TVR-Ranking's files, each there once and no others."""

Moment = tuple[str, float, float]
"""(video name, start, end)."""
Row = dict[str, Any]


@dataclass
class Said:
    """What a format says. A part that a format doesn't have stays empty.

    texts: split -> query id -> text; grades: split -> (query id, moment) -> grade, in the order of the file;
    pairs: the graded rows with every field, likewise; moments: moment -> the video's duration; videos: name ->
    duration; judgments: the raw annotations, row by row; training: (query id, text, moments best first).
    """

    texts: dict[str, dict[str, str]] = field(default_factory=lambda: {split: {} for split in SPLITS})
    grades: dict[str, dict[tuple[str, Moment], int]] = field(default_factory=lambda: {split: {} for split in SPLITS})
    pairs: dict[str, list[Row]] = field(default_factory=lambda: {split: [] for split in SPLITS})
    moments: dict[Moment, float | None] = field(default_factory=dict)
    videos: dict[str, float | None] = field(default_factory=dict)
    judgments: list[Row] = field(default_factory=list)
    training: list[tuple[str, str, list[Row]]] = field(default_factory=list)

    def grade(self, split: str, query_id: str, moment: Moment, grade: int) -> None:
        assert (query_id, moment) not in self.grades[split], "a pair is there once"
        self.grades[split][query_id, moment] = grade


def moment_id(moment: Moment) -> str:
    """A moment's id as docs/releases.md states it."""
    return f"{quote(moment[0], safe='')}@{moment[1]!r}-{moment[2]!r}"


def moment_of(moment_id: str) -> Moment:
    """What a moment id stands for."""
    name, _, stretch = moment_id.rpartition("@")
    start, _, end = stretch.partition("-")
    return unquote(name), float(start), float(end)


def _fields(found: list[tuple[str, Any]]) -> Row:
    names = [name for name, _ in found]
    assert len(names) == len(set(names)), f"a field is there twice: {names}"
    return dict(found)


def _json(path: Path) -> Any:
    return json.loads(path.read_bytes().decode("utf-8"), object_pairs_hook=_fields)


def read_tvr_ranking(folder: Path, depth: int = 40) -> Said:
    """The files at the top, field by field: exactly TVR-Ranking's, in its order, of its types."""
    said = Said()
    said.videos = _json(folder / "video_corpus.json")
    for split in SPLITS:
        for query in _json(folder / f"{split}.json"):
            assert list(query) == QUERY
            query_id = str(query["query_id"])
            assert query_id not in said.texts[split]
            said.texts[split][query_id] = query["query"]
            for moment in query["relevant_moment"]:
                assert list(moment) == GRADED
                assert isinstance(moment["pair_id"], int)
                assert moment["relevance"] in range(5)
                said.grade(split, query_id, _place(moment), moment["relevance"])
                said.pairs[split].append(_graded(query_id, query["query"], moment))
    for query in _json(folder / f"train_top{depth:02d}.json"):
        assert list(query) == QUERY
        assert all(list(moment) == TRAINED for moment in query["relevant_moment"])
        said.training.append((str(query["query_id"]), query["query"], [_flat(one) for one in query["relevant_moment"]]))
    with (folder / "raw_annotations.csv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        for row in rows:
            assert list(row) == RAW
            moment = row | {"timestamp": json.loads(row["timestamp"]), "similarity": float(row["similarity"])}
            moment |= {"duration": float(row["duration"]) if row["duration"] else None}
            moment |= {"pair_id": int(row["pair_id"]), "relevance": int(row["relevance"])}
            said.judgments.append(_graded(row["query_id"], row["query"], moment) | {"worker": row["worker"]})
    return said


def _place(moment: Row) -> Moment:
    start, end = moment["timestamp"]
    assert isinstance(start, float) and isinstance(end, float) and 0 <= start < end
    return moment["video_name"], start, end


def _flat(moment: Row) -> Row:
    video_name, start, end = _place(moment)
    found = {"video_name": video_name, "start": start, "end": end, "duration": moment["duration"]}
    found["moment_id"] = moment_id((video_name, start, end))
    return found | {"caption": moment["caption"], "similarity": moment["similarity"]}


def _graded(query_id: str, text: str, moment: Row) -> Row:
    about = {"query_id": query_id, "query": text, "pair_id": moment["pair_id"], "relevance": moment["relevance"]}
    return about | _flat(moment)


def read_trec(folder: Path) -> Said:
    """Topics and moments by the line, the qrels by ir_measures."""
    import ir_measures

    said = Said()
    lines = (folder / "trec" / "moments.tsv").read_bytes().decode("utf-8").split("\n")
    assert lines[0] == "moment_id\tvideo_name\tstart\tend\tduration" and lines[-1] == ""
    for line in lines[1:-1]:
        name_of, video_name, start, end, duration = line.split("\t")
        assert moment_of(name_of) == (video_name, float(start), float(end))
        said.moments[moment_of(name_of)] = float(duration) if duration else None
    for split in SPLITS:
        for line in (folder / "trec" / f"topics.{split}.tsv").read_bytes().decode("utf-8").split("\n")[:-1]:
            query_id, text = line.split("\t")
            said.texts[split][unquote(query_id)] = text
        for row in ir_measures.read_trec_qrels(str(folder / "trec" / f"qrels.{split}.txt")):
            assert moment_of(row.doc_id) in said.moments
            said.grade(split, unquote(row.query_id), moment_of(row.doc_id), row.relevance)
    return said


def read_beir(folder: Path) -> Said:
    """As BEIR's own loader reads it: JSON by the line, qrels as three columns below a header."""
    said = Said()
    corpus = {document["_id"]: document for document in _lines(folder / "beir" / "corpus.jsonl")}
    for name_of, document in corpus.items():
        assert list(document) == ["_id", "title", "text", "metadata"]
        assert document["text"] == "", "captions are no input of a system"
        place = document["metadata"]
        assert moment_of(name_of) == (place["video_name"], place["start"], place["end"])
        said.moments[moment_of(name_of)] = place["duration"]
    split_of = {}
    for query in _lines(folder / "beir" / "queries.jsonl"):
        split_of[query["_id"]] = query["metadata"]["split"]
        said.texts[query["metadata"]["split"]][unquote(query["_id"])] = query["text"]
    for split in SPLITS:
        with (folder / "beir" / "qrels" / f"{split}.tsv").open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_MINIMAL)
            assert next(rows) == ["query-id", "corpus-id", "score"]
            for query_id, name_of, score in rows:
                assert name_of in corpus and split_of[query_id] == split
                said.grade(split, unquote(query_id), moment_of(name_of), int(score))
    return said


def _lines(path: Path) -> Iterator[Row]:
    for line in path.read_bytes().decode("utf-8").split("\n")[:-1]:
        yield json.loads(line, object_pairs_hook=_fields)


def read_by_pyarrow(folder: Path) -> Said:
    """The Parquet files, by the paths that the card's metadata names for them."""
    import pyarrow.parquet as pq

    def rows(table: str, split: str) -> list[Row]:
        path = _listed(folder, table, split)
        return pq.read_table(path).to_pylist() if path else []

    return _tables(rows)


def read_by_pandas(folder: Path) -> Said:
    """The same by pandas, which has no None among numbers and texts."""
    import pandas as pd

    def rows(table: str, split: str) -> list[Row]:
        path = _listed(folder, table, split)
        frame = pd.read_parquet(path) if path else pd.DataFrame()
        return [
            {name: None if pd.isna(value) else value for name, value in row.items()}
            for row in frame.to_dict(orient="records")
        ]

    return _tables(rows)


def _listed(folder: Path, table: str, split: str) -> Path | None:
    """A table's file as the Hub would find it: from the dataset card alone, which names no split without rows."""
    from huggingface_hub import DatasetCard

    configs = DatasetCard.load(folder / "parquet" / "README.md").data.to_dict()["configs"]
    (files,) = (config["data_files"] for config in configs if config["config_name"] == table)
    return next((folder / "parquet" / one["path"] for one in files if one["split"] == (split or table)), None)


def read_by_mlcroissant(folder: Path) -> Said:
    """The record sets of croissant.json, which mlcroissant has found valid and whose files it has found whole."""
    import mlcroissant

    logging.getLogger("absl").setLevel(logging.ERROR)
    dataset = mlcroissant.Dataset(jsonld=folder / "croissant" / "croissant.json")
    assert not dataset.metadata.issues.errors

    def rows(table: str, split: str) -> list[Row]:
        return [
            {name.split("/")[1]: _plain(value) for name, value in record.items()}
            for record in dataset.records(f"{table}_{split or 'all'}")
        ]

    return _tables(rows)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8")
    return None if isinstance(value, float) and value != value else value


def _tables(rows: Any) -> Said:
    said = Said()
    for row in rows("moments", ""):
        assert moment_of(row["moment_id"]) == (row["video_name"], row["start"], row["end"])
        said.moments[row["video_name"], row["start"], row["end"]] = row["duration"]
    said.videos = {row["video_name"]: row["duration"] for row in rows("videos", "")}
    for split in SPLITS:
        for row in rows("grades", split):
            moment = (row["video_name"], row["start"], row["end"])
            said.texts[split][row["query_id"]] = row["query"]
            said.grade(split, row["query_id"], moment, row["relevance"])
            said.pairs[split].append(row)
        said.judgments += rows("raw_annotations", split)
    said.training = list(_by_query(rows("train", "train")))
    return said


def _by_query(rows: Iterable[Row]) -> Iterator[tuple[str, str, list[Row]]]:
    queries: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        own = queries[row["query_id"], row["query"]]
        assert row["rank"] == len(own) + 1, "ranks run from 1"
        own.append({name: value for name, value in row.items() if name not in ("query_id", "query", "rank")})
    for (query_id, text), moments in queries.items():
        yield query_id, text, moments


def scores_of_libraries(folder: Path, split: str, run: dict[str, dict[str, float]]) -> tuple[float, float]:
    """NDCG@20 of a run over the qrels of a split, by ir_measures and by pytrec_eval.

    Args: run: query id -> moment id -> score; both as the qrels spell them.
    """
    import ir_measures
    import pytrec_eval

    qrels = list(ir_measures.read_trec_qrels(str(folder / "trec" / f"qrels.{split}.txt")))
    scored = [ir_measures.ScoredDoc(query, name, score) for query, own in run.items() for name, score in own.items()]
    by_ir_measures = ir_measures.calc_aggregate([ir_measures.nDCG @ 20], qrels, scored)[ir_measures.nDCG @ 20]
    judged: dict[str, dict[str, int]] = defaultdict(dict)
    for row in qrels:
        judged[row.query_id][row.doc_id] = row.relevance
    per_query = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.20"}).evaluate(run)
    by_pytrec_eval = sum(found["ndcg_cut_20"] for found in per_query.values()) / len(judged)
    return by_ir_measures, by_pytrec_eval
