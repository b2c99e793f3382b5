"""A release in every format is read back by readers that know nothing of Qreels, and all say the same."""

import csv
import json
import logging
import math
from pathlib import Path
from typing import Any

import ir_measures
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from huggingface_hub import DatasetCard

from corpus.models import Description
from datasets.formats import FORMATS
from datasets.releases.make_release import create_release, write_release
from evaluation.__main__ import main
from evaluation.outlets.registry import OUTLETS
from evaluation.reading import read_ground_truth
from evaluation.releases.check_release import check_release
from tests.datasets.conftest import World
from tests.paths import ROOT

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


def test_outlets_have_the_grades_of_the_formats(release: Path) -> None:
    before = {path: path.read_bytes() for path in release.rglob("*") if path.is_file()}
    for name in OUTLETS:
        assert main(["export", str(release), str(release.parent / name), "--to", name]) == 0
    assert {path: path.read_bytes() for path in release.rglob("*") if path.is_file()} == before
    for split in ("val", "test"):
        qrels = release / "trec" / f"qrels.{split}.txt"
        assert (release.parent / "ir-datasets" / qrels.name).read_text() == qrels.read_text()
        truth = read_ground_truth(release.parent / "qvhighlights" / f"highlight_{split}_release.jsonl")
        relevant = read_ground_truth(release / f"{split}.json").relevant()
        assert len(truth.grade) == relevant.sum() > 0


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
    described = {info["config_name"]: info for info in metadata["dataset_info"]}
    assert described.keys() == {config["config_name"] for config in metadata["configs"]}
    for config in metadata["configs"]:
        info = described[config["config_name"]]
        files = {entry["split"]: folder / entry["path"] for entry in config["data_files"]}
        held = {split: pq.read_table(path) for split, path in files.items()}
        assert {split["name"]: split["num_examples"] for split in info["splits"]} == {
            split: len(table) for split, table in held.items()
        }
        for split in info["splits"]:
            table = held[split["name"]]  # a reader may add a bit a cell, by which it says that there is a value
            assert 0 <= table.nbytes - split["num_bytes"] <= table.num_columns * math.ceil(len(table) / 8)
        for table in held.values():
            assert [(column["name"], column["dtype"]) for column in info["features"]] == [
                (field.name, str(field.type).replace("double", "float64")) for field in table.schema
            ]
        assert info["dataset_size"] == sum(split["num_bytes"] for split in info["splits"])
        assert info["download_size"] == sum(path.stat().st_size for path in files.values())
        for path in files.values():
            column = pq.ParquetFile(path).metadata.row_group(0).column(0)
            assert column.has_offset_index and column.has_column_index, "the viewer finds its rows by them"


HUB = {
    "annotations_creators": {"found", "other"},
    "language_creators": {"found", "machine-generated", "other"},
    "multilinguality": {"monolingual"},
    "size_categories": {"n<1K"},
    "task_categories": {"other"},
}
"""What the Hub knows, and can be so of a release in one language."""


def test_the_cards_fields_have_the_hubs_words(judged: World, tmp_path: Path) -> None:
    about = {
        "licence": "Our own terms (https://example.org/terms)",
        "sources": "TVR, https://huggingface.co/datasets/somebody/tvr-1.0.\nour own films, https://example.org/films",
    }
    made = create_release(collection=judged.collection, name="v1", formats=["parquet"], about=about)
    write_release(release=made, folder=tmp_path / "out")
    told = DatasetCard.load(tmp_path / "out" / "README.md").data.to_dict()
    for field, known in HUB.items():
        assert told[field] and set(told[field]) <= known, field
    assert told["annotations_creators"] == ["other"], "judged here, by whom nobody says"
    assert told["source_datasets"] == ["somebody/tvr-1.0"]
    assert (told["license"], told["license_name"], told["license_link"]) == (
        *("other", "our-own-terms", "https://example.org/terms"),
    )


def test_the_cards_metadata_holds_whatever_title_and_languages_there_are(judged: World, tmp_path: Path) -> None:
    title = 'Tîny: "📽" \\ #1 \x7f\u2028- x'
    judged.collection.title = title
    judged.collection.save()
    for source_id, language in (("106", "en-GB"), ("107", "sv"), ("108", "en"), ("111", "x-klingon")):
        Description.objects.filter(source_id=source_id).update(language=language)
    made = create_release(collection=judged.collection, name="v1", formats=["parquet"])
    write_release(release=made, folder=tmp_path / "out")
    card = DatasetCard.load(tmp_path / "out" / "parquet" / "README.md")
    assert card.data.pretty_name == f"{title}, release v1"
    # The Hub takes ISO 639 codes of two or three letters there, and whole BCP 47 tags in a field of their own.
    assert card.data.language == ["en", "sv"]
    assert card.data.to_dict()["language_details"] == ["en-GB", "x-klingon"]
    assert card.data.multilinguality == ["multilingual"]


def test_the_datasheet_says_what_captions_are_and_leaves_the_rest_to_the_authors(release: Path) -> None:
    text = (release / "datasheet" / "DATASHEET.md").read_text()
    assert "Captions are queries, never an input of a retrieval system" in text
    assert text.count("> **For the authors to answer.**") >= 10
    assert "With a grade: 5 pairs of 2 val queries and 9 pairs of 2 test queries." in text


def edit_text(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def edit_table(path: Path, column: str, change: Any) -> None:
    table = pq.read_table(path)
    field = table.schema.field(column)
    first, *rest = table.column(column).to_pylist()
    changed = pa.array([change(first), *rest], field.type)
    pq.write_table(table.set_column(table.schema.get_field_index(column), field, changed), path)


CHANGES: list[tuple[str, Any, str]] = [
    ("trec/qrels.val.txt", (" 4\n", " 3\n"), "trec, val: grade"),
    ("trec/topics.test.tsv", ("letter", "book"), "trec, test: query 104 is"),
    ("trec/moments.tsv", ("\t60.5\n", "\t61.5\n"), "trec: the moment alpha@"),
    ("trec/moments.tsv", ("alpha@0.0-4.25\talpha", "alpha@0.0-4.25\tbeta"), "trec can't be read: found the moment"),
    ("beir/qrels/test.tsv", ("\t0\n", "\t1\n"), "beir, test: grade"),
    ("beir/queries.jsonl", ("coffee", "tea"), "beir, val: query 102"),
    ("beir/corpus.jsonl", ('"text": ""', '"text": "A man."'), "beir can't be read: corpus.jsonl:"),
    ("parquet/grades/val.parquet", ("caption", str.upper), "parquet, grades of val: row 1"),
    ("parquet/grades/test.parquet", ("pair_id", lambda pair: pair + 1), "parquet, grades of test: row 1"),
    ("parquet/grades/val.parquet", ("relevance", lambda grade: (grade + 1) % 5), "parquet, val: grade 1"),
    ("parquet/raw_annotations/val.parquet", ("worker", lambda worker: "w99"), "parquet, raw_annotations: row 1"),
    ("parquet/train/train.parquet", ("similarity", lambda found: found / 2), "parquet, train: row 1"),
    ("parquet/videos/all.parquet", ("duration", lambda found: found + 1), "parquet, videos: row 1"),
    ("parquet/moments/all.parquet", ("duration", lambda found: found + 1), "beir: the moment alpha@"),
    (
        "parquet/README.md",
        ("path: grades/val.parquet", "path: grades/va.parquet"),
        "parquet/README.md: its metadata",
    ),
    ("croissant/croissant.json", ('"column": "query"', '"column": "text"'), "croissant/croissant.json: grades/val"),
    ("datasheet/DATASHEET.md", ("# Datasheet", "# Sheet"), "datasheet/DATASHEET.md is no datasheet"),
    ("tables/size-of-the-splits.csv", ("Test,2", "Test,3"), "tables/size-of-the-splits.csv: Test has"),
    ("tables/size-of-the-splits.csv", ("Training,7,11", "Training,7,9"), "tables/size-of-the-splits.csv: Training has"),
]
"""A file, what is changed in it (a text, or the first value of a column), and the problem that has to be told."""


def test_a_format_that_says_something_else_is_told(release: Path) -> None:
    for path, change, problem in CHANGES:
        original = (release / path).read_bytes()
        (edit_table if path.endswith(".parquet") else edit_text)(release / path, *change)
        found = check_release(release)
        assert [one for one in found if one.startswith(problem)], (path, problem, found)
        (release / path).write_bytes(original)
    assert check_release(release) == []


def test_without_the_json_files_the_others_are_held_against_each_other(judged: World, tmp_path: Path) -> None:
    made = create_release(collection=judged.collection, name="v1", formats=["trec", "beir", "parquet"])
    write_release(release=made, folder=tmp_path / "out")
    assert check_release(tmp_path / "out") == []
    edit_text(tmp_path / "out" / "beir" / "qrels" / "val.tsv", "\t4\n", "\t3\n")
    assert any(problem.startswith("beir, val: grade") for problem in check_release(tmp_path / "out"))


def test_equal_states_give_equal_bytes_in_every_format(judged: World) -> None:
    first = create_release(collection=judged.collection, formats=list(FORMATS))
    first.delete()
    second = create_release(collection=judged.collection, formats=list(FORMATS))
    assert (second.name, second.archive_sha256) == (first.name, first.archive_sha256)


def test_every_format_is_in_the_manual() -> None:
    manual = (ROOT / "docs" / "releases.md").read_text()
    assert not [name for name in FORMATS if f"## `{name}`" not in manual]
