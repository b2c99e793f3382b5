"""A release says how near its training captions come to val and test queries, and leaves the nearest out if asked."""

import csv
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.files.storage import default_storage

from datasets.content.leakage import report_of_draw
from datasets.models import Release
from datasets.releases.diff import compare_releases
from datasets.releases.make_release import create_release, write_release
from evaluation.releases.check_release import check_release
from foundation.refused import Refused
from queries.models import Caption, Embedding, VectorShard
from queries.retrieval.vector_shards import pack
from tests.datasets.conftest import CAPTIONS, SOURCE_IDS, World, write_training

ENCODER = "tiny@0123456789abcdef+cls"
DEGREES = (0, 90, 180, 270, 3, 20, 84, 135, 160, 20, 280, 270)
"""Of each caption's vector; 102, 101, 103 and 104 are queries, 112 equals 104."""


def unit(degrees: float) -> bytes:
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], dtype="<f4").tobytes()


@pytest.fixture
def compared(judged: World) -> World:
    """Candidates were ranked by an encoder whose vectors of all captions are known."""
    captions = list(Caption.objects.order_by("description_id"))
    write_training(judged.collection, captions, encoder=ENCODER)
    for text, degrees in zip(CAPTIONS, DEGREES, strict=True):
        digest = hashlib.sha256(text.encode()).digest()
        Embedding.objects.create(encoder=ENCODER, digest=digest, vector=unit(degrees))
    return judged


def released(world: World, folder: Path, **asked: Any) -> dict[str, Any]:
    write_release(release=create_release(collection=world.collection, **asked), folder=folder)
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return manifest


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "leakage.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def trained_on(folder: Path) -> set[str]:
    return {str(query["query_id"]) for query in json.loads((folder / "train_top01.json").read_text())}


def cosine(first: str, second: str) -> float:
    turned = np.radians(DEGREES[SOURCE_IDS.index(first)] - DEGREES[SOURCE_IDS.index(second)])
    return float(np.cos(turned))


def test_a_release_names_the_nearest_training_caption_of_each_query(compared: World, tmp_path: Path) -> None:
    manifest = released(compared, tmp_path / "out")
    assert [(row["split"], row["query_id"], row["training_query_id"]) for row in rows(tmp_path / "out")] == [
        ("val", "102", "107"),
        ("val", "101", "105"),
        ("test", "103", "s-109"),
        ("test", "104", "111"),
    ]
    for row in rows(tmp_path / "out"):
        assert float(row["cosine"]) == pytest.approx(cosine(row["query_id"], row["training_query_id"]), abs=1e-6)
        assert row["query"] == CAPTIONS[SOURCE_IDS.index(row["query_id"])]
        assert row["training_query"] == CAPTIONS[SOURCE_IDS.index(row["training_query_id"])]
    assert manifest["leakage"] == {
        "file": "leakage.csv",
        "encoder": ENCODER,
        "pooling": "cls",
        "val": of_levels(2, 2, 2, 2),
        "test": of_levels(2, 2, 2, 1),
        "training": of_levels(7, 6, 6, 3),
        "train_below": None,
        "left_out": 0,
    }
    assert check_release(tmp_path / "out") == []
    told = "4 queries of val and test have a pseudo-training caption with a cosine of 0.9 or more."
    assert told in (tmp_path / "out" / "README.md").read_text()


def of_levels(queries: int, *counts: int) -> dict[str, Any]:
    of_level = zip(("0.85", "0.9", "0.95"), counts, strict=True)
    shares = {level: {"queries": count, "share": round(count / queries, 4)} for level, count in of_level}
    return {"queries": queries, "compared": queries, "from": shares}


def test_the_same_state_is_the_same_release_wherever_the_vectors_lie(compared: World) -> None:
    first = create_release(collection=compared.collection)
    Release.objects.all().delete()
    default_storage.delete(first.archive)
    pack(encoder=ENCODER)
    assert VectorShard.objects.exists() and not Embedding.objects.filter(shard=None).exists()
    second = create_release(collection=compared.collection)
    assert (second.name, second.archive_sha256) == (first.name, first.archive_sha256)


def test_near_duplicates_are_left_out_of_training_where_that_is_asked_for(compared: World, tmp_path: Path) -> None:
    whole = released(compared, tmp_path / "whole", name="whole")
    manifest = released(compared, tmp_path / "out", name="strict", train_below=0.95)
    gone = trained_on(tmp_path / "whole") - trained_on(tmp_path / "out")
    assert gone == {"105", "107", "111"}
    assert (manifest["leakage"]["train_below"], manifest["leakage"]["left_out"]) == (0.95, 3)
    assert manifest["counts"]["training"]["queries"] == whole["counts"]["training"]["queries"] - 3
    assert {row["query_id"]: row["training_query_id"] for row in rows(tmp_path / "out")} == {
        "102": "108",
        "101": "106",  # and 010 alike: the one that was imported first
        "103": "s-109",
        "104": "106",
    }
    assert all(float(row["cosine"]) < 0.95 for row in rows(tmp_path / "out"))
    assert check_release(tmp_path / "out") == []
    left_out = "3 pseudo-training queries were left out for a cosine of 0.95 or more with one of them."
    assert left_out in (tmp_path / "out" / "README.md").read_text()
    first, second = Release.objects.get(name="whole"), Release.objects.get(name="strict")
    comparison = compare_releases(first, second)
    assert comparison.counts["training"]["query"]["removed"] == 3
    assert {"name": "leakage.train_below", "before": None, "after": 0.95} in comparison.settings


def test_an_existing_release_keeps_its_limit(compared: World) -> None:
    create_release(collection=compared.collection, name="v1", train_below=0.95)
    assert create_release(collection=compared.collection, name="v1", train_below=0.95).name == "v1"
    assert create_release(collection=compared.collection, name="v1").name == "v1", "as it is"
    with pytest.raises(Refused, match=r"v1 was made with the limit 0\.95 .* with 0\.9 it needs another name"):
        create_release(collection=compared.collection, name="v1", train_below=0.9)
    create_release(collection=compared.collection, name="v2")
    with pytest.raises(Refused, match="v2 was made without a limit"):
        create_release(collection=compared.collection, name="v2", train_below=0.9)


@pytest.mark.parametrize("limit", [0.0, 0.49, 1.01, -1.0, float("nan"), float("inf")])
def test_a_limit_that_is_no_cosine_of_near_duplicates_is_refused(compared: World, limit: float) -> None:
    with pytest.raises(Refused, match=r"for training, expected 0\.5 to 1"):
        create_release(collection=compared.collection, train_below=limit)
    assert not Release.objects.exists()


def test_what_has_no_vector_is_counted_and_never_left_out_by_guess(compared: World, tmp_path: Path) -> None:
    texts = [CAPTIONS[SOURCE_IDS.index(source_id)] for source_id in ("101", "107")]
    Embedding.objects.filter(digest__in=[hashlib.sha256(text.encode()).digest() for text in texts]).delete()
    manifest = released(compared, tmp_path / "out")
    leakage = manifest["leakage"]
    assert (leakage["val"]["queries"], leakage["val"]["compared"]) == (2, 1)
    assert (leakage["training"]["queries"], leakage["training"]["compared"]) == (7, 6)
    assert [row["query_id"] for row in rows(tmp_path / "out")] == ["102", "103", "104"]
    assert check_release(tmp_path / "out") == []
    with pytest.raises(Refused, match="fetch candidates again first"):
        create_release(collection=compared.collection, train_below=0.9)


def test_a_release_whose_ranking_encoder_is_not_known_says_nothing(judged: World, tmp_path: Path) -> None:
    assert "leakage" not in released(judged, tmp_path / "out")
    assert not (tmp_path / "out" / "leakage.csv").exists()
    with pytest.raises(Refused, match="fetch candidates again first"):
        create_release(collection=judged.collection, train_below=0.9)


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("val,102,", "test,102,", "line 2: found query 102 of test, expected one of val.json or test.json with its"),
        ("A woman opens the door.,105", "A man opens,105", "line 3: found query 101 of val, expected one of val.json"),
        (",105,", ",999,", "line 3: training query 999 is not in the training files"),
        ("A woman waves from a café.", "A woman waves.", "training query 105 has another text in the training files"),
        (",0.99863", ",1.5", "line 3: found the cosine '1.5', expected -1 to 1"),
        ("val,101", "val,102", "line 3: found query 102 of val"),
        (",0.99863", ",0.09863", "found the counts {'compared': 2, '0.85': 1, '0.9': 1, '0.95': 1} of val"),
        ("split,", "part,", "leakage.csv: found the columns"),
    ],
)
def test_a_check_sees_what_is_wrong_with_the_file(
    compared: World, tmp_path: Path, before: str, after: str, problem: str
) -> None:
    released(compared, tmp_path / "out")
    path = tmp_path / "out" / "leakage.csv"
    content = path.read_text()
    assert before in content
    path.write_text(content.replace(before, after, 1))
    assert any(problem in found for found in check_release(tmp_path / "out")), check_release(tmp_path / "out")


def test_a_check_sees_a_file_that_nobody_speaks_of(judged: World, tmp_path: Path) -> None:
    released(judged, tmp_path / "out")
    (tmp_path / "out" / "leakage.csv").write_text("split\n")
    assert "leakage.csv is there, but the manifest says nothing of leakage" in check_release(tmp_path / "out")


def test_the_report_of_a_draw_encodes_what_is_missing_and_names_the_worst(judged: World) -> None:
    report = report_of_draw(judged.collection, "1")
    assert report["encoder"].startswith("all-MiniLM-L6-v2@") and report["pooling"] == "own"
    assert [report[split]["compared"] for split in ("val", "test", "training")] == [2, 2, 7]
    cosines = [row["cosine"] for row in report["worst"]]
    assert len(cosines) == 4 and cosines == sorted(cosines, reverse=True)
    assert {row["query_id"] for row in report["worst"]} == {101, 102, 103, 104}
    assert report_of_draw(judged.collection, "1") == report
