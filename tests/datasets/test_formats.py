"""A release in every format is read back by readers that know nothing of Qreels, and all say the same."""

import csv
import json
import logging
from pathlib import Path
from typing import Any

import ir_measures
import pyarrow.parquet as pq
import pytest
import yaml

from datasets.checking import check_release
from datasets.formats import FORMATS
from datasets.services import create_release, write_release
from tests.datasets.conftest import World

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def release(judged: World, tmp_path: Path) -> Path:
    made = create_release(collection=judged.collection, name="v1", formats=list(FORMATS))
    write_release(release=made, folder=tmp_path / "out")
    return tmp_path / "out"


def stated(folder: Path, split: str) -> list[tuple[str, str, float, float, int]]:
    return [
        (str(query["query_id"]), moment["video_name"], *moment["timestamp"], moment["relevance"])
        for query in json.loads((folder / f"{split}.json").read_text())
        for moment in query["relevant_moment"]
    ]


def records(folder: Path, name: str) -> list[dict[str, Any]]:
    import mlcroissant

    logging.getLogger("absl").setLevel(logging.ERROR)
    dataset = mlcroissant.Dataset(jsonld=folder / "croissant" / "croissant.json")
    assert not dataset.metadata.issues.errors
    return [
        {key.split("/")[1]: value.decode() if isinstance(value, bytes) else value for key, value in record.items()}
        for record in dataset.records(name)
    ]


def test_every_format_says_what_the_others_say(release: Path) -> None:
    assert check_release(release) == []
    for split in ("val", "test"):
        expected = stated(release, split)
        table = pq.read_table(release / "parquet" / "grades" / f"{split}.parquet").to_pylist()
        of_columns = [
            tuple(row[name] for name in ("query_id", "video_name", "start", "end", "relevance")) for row in table
        ]
        assert of_columns == expected
        ids = {(row["query_id"], row["moment_id"]): row["relevance"] for row in table}
        qrels = list(ir_measures.read_trec_qrels(str(release / "trec" / f"qrels.{split}.txt")))
        assert {(row.query_id, row.doc_id): row.relevance for row in qrels} == ids
        with (release / "beir" / "qrels" / f"{split}.tsv").open(newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        assert {(row["query-id"], row["corpus-id"]): int(row["score"]) for row in rows} == ids
        described = records(release, f"grades_{split}")
        assert [(row["query_id"], row["moment_id"], row["relevance"]) for row in described] == [
            (*key, grade) for key, grade in ids.items()
        ]
    train = pq.read_table(release / "parquet" / "train" / "train.parquet").to_pylist()
    assert [row["similarity"] for row in train] == [
        moment["similarity"]
        for query in json.loads((release / "train_top40.json").read_text())
        for moment in query["relevant_moment"]
    ]


def test_a_perfect_run_scores_1_on_the_qrels(release: Path) -> None:
    qrels = list(ir_measures.read_trec_qrels(str(release / "trec" / "qrels.val.txt")))
    run = [ir_measures.ScoredDoc(row.query_id, row.doc_id, float(row.relevance)) for row in qrels]
    scores = ir_measures.calc_aggregate([ir_measures.nDCG @ 20], qrels, run)
    assert scores[ir_measures.nDCG @ 20] == pytest.approx(1.0)


@pytest.mark.parametrize("place", ["", "parquet"])
def test_the_cards_metadata_is_yaml_that_names_every_table(release: Path, place: str) -> None:
    folder = release / place
    _, block, text = (folder / "README.md").read_text().split("---\n", 2)
    metadata = yaml.safe_load(block)
    assert metadata["pretty_name"] == "Tiny, release v1"
    named = {entry["path"] for config in metadata["configs"] for entry in config["data_files"]}
    assert named == {path.relative_to(folder).as_posix() for path in folder.rglob("*.parquet")}
    assert "| 0 | unrelated | 1 |" in text


def test_the_datasheet_says_what_captions_are_and_leaves_the_rest_to_the_authors(release: Path) -> None:
    text = (release / "datasheet" / "DATASHEET.md").read_text()
    assert "Captions are queries, never an input of a retrieval system" in text
    assert text.count("> **For the authors to answer.**") >= 10
    assert "5 pairs of 2 val queries and 9 pairs of 2 test queries have a grade" in text


def test_a_format_that_says_something_else_is_told(release: Path) -> None:
    path = release / "trec" / "qrels.val.txt"
    path.write_text(path.read_text().replace(" 4\n", " 3\n"))
    assert any(problem.startswith("trec, val: grade") for problem in check_release(release))


def test_equal_states_give_equal_bytes_in_every_format(judged: World) -> None:
    first = create_release(collection=judged.collection, formats=list(FORMATS))
    first.delete()
    second = create_release(collection=judged.collection, formats=list(FORMATS))
    assert (second.name, second.archive_sha256) == (first.name, first.archive_sha256)


def test_every_format_is_in_the_manual() -> None:
    manual = (Path(__file__).resolve().parent.parent.parent / "docs" / "releases.md").read_text()
    assert not [name for name in FORMATS if f"## `{name}`" not in manual]
