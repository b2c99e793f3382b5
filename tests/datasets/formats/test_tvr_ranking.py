"""The files of format tvr-ranking, read back plainly."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation.judging.judgments import take_back_last
from annotation.models import Judgment
from corpus.models import Clip, Video
from datasets.content.moment_locations import MomentLocation
from datasets.content.splits import public_query_id
from datasets.content.training import TrainingQuery
from datasets.formats.material import Material
from datasets.formats.tvr_ranking import write_tvr_ranking
from datasets.releases.make_release import create_release, write_release
from tests.datasets.conftest import World, make_caption


def export(world: World, folder: Path) -> dict[str, Any]:
    """The release's JSON files by name, and the rows of raw_annotations.csv under "raw"."""
    write_release(release=create_release(collection=world.collection), folder=folder)
    files: dict[str, Any] = {path.stem: json.loads(path.read_text()) for path in folder.glob("*.json")}
    with (folder / "raw_annotations.csv").open(newline="", encoding="utf-8") as file:
        files["raw"] = list(csv.DictReader(file))
    return files


def test_val_and_test_hold_the_graded_pairs_in_rank_order(judged: World, tmp_path: Path) -> None:
    files = export(judged, tmp_path / "out")
    assert [query["query_id"] for query in files["val"]] == [102, 101], "in the order of the draw"
    assert [query["query_id"] for query in files["test"]] == [103, 104]
    assert files["val"][0] == {
        "query_id": 102,
        "query": "A man pours coffee, and a dog watches.",
        "relevant_moment": [
            {
                "pair_id": judged.pair("102", 1).pk,
                "video_name": "beta",
                "timestamp": [2.5, 6.75],
                "duration": 29.25,
                "caption": "A man pours coffee, and a dog watches.",
                "similarity": 1.0,
                "relevance": 1,
            },
            {
                "pair_id": judged.pair("102", 3).pk,
                "video_name": "gamma",
                "timestamp": [5.0, 9.25],
                "duration": 40.0,
                "caption": 'Two people argue about "the chair".',
                "similarity": 0.8,
                "relevance": 1,
            },
        ],
    }, "rank 2 is discarded"


def test_a_grade_of_0_is_in_the_file(judged: World, tmp_path: Path) -> None:
    val = export(judged, tmp_path / "out")["val"]
    assert [moment["relevance"] for moment in val[1]["relevant_moment"]] == [4, 0, 1]


def test_the_second_batch_follows_the_first(judged: World, tmp_path: Path) -> None:
    files = export(judged, tmp_path / "out")
    assert [len(query["relevant_moment"]) for query in files["test"]] == [6, 3]


def test_raw_annotations_have_a_row_for_each_counted_judgment_of_a_decided_pair(judged: World, tmp_path: Path) -> None:
    rows = export(judged, tmp_path / "out")["raw"]
    assert len(rows) == Judgment.objects.count() == 42
    discarded = judged.pair("102", 2)
    assert [row for row in rows if row["pair_id"] == str(discarded.pk)] == [
        {
            "pair_id": str(discarded.pk),
            "query_id": "102",
            "query": "A man pours coffee, and a dog watches.",
            "video_name": "alpha",
            "timestamp": "[0.0, 4.25]",
            "duration": "60.5",
            "caption": "A woman opens the door.",
            "similarity": "0.833333",
            "worker": judged.members[who].worker,
            "relevance": grade,
        }
        for who, grade in (("bo", "0"), ("cy", "4"), ("di", "1"), ("ed", "3"))
    ]


def test_raw_annotations_come_by_split_query_rank_and_judgment(judged: World, tmp_path: Path) -> None:
    rows = export(judged, tmp_path / "out")["raw"]
    assert list(dict.fromkeys(row["query_id"] for row in rows)) == ["102", "101", "103", "104"]
    ranks = [judged.pair("103", rank).pk for rank in range(1, 7)]
    in_file = dict.fromkeys(int(row["pair_id"]) for row in rows if row["query_id"] == "103")
    assert list(in_file) == ranks


def test_a_judgment_that_does_not_count_is_in_no_file(unjudged: World, tmp_path: Path) -> None:
    pair = unjudged.pair("101", 1)
    unjudged.judge(pair, ("bo", 0), ("cy", 4))
    take_back_last(member=unjudged.members["cy"])
    unjudged.judge(pair, ("di", 1))
    rows = export(unjudged, tmp_path / "out")["raw"]
    assert [(row["worker"], row["relevance"]) for row in rows] == [("w02", "0"), ("w04", "1")]


def test_what_is_not_decided_yet_is_left_out(unjudged: World, tmp_path: Path) -> None:
    unjudged.judge(unjudged.pair("101", 2), ("bo", 3), ("cy", 3))
    unjudged.judge(unjudged.pair("101", 3), ("bo", 3))
    unjudged.judge(unjudged.pair("103", 1), ("bo", 0), ("cy", 4), ("di", 4))
    files = export(unjudged, tmp_path / "out")
    (query,) = files["val"]
    assert query["query_id"] == 101
    assert [moment["relevance"] for moment in query["relevant_moment"]] == [3]
    assert files["test"] == [], "its only judged query has no grade yet"
    assert len(files["raw"]) == 2
    assert files["manifest"]["counts"]["val"]["queries_without_grade"] == 1
    assert files["manifest"]["counts"]["test"]["pairs_undecided"] == 6


def test_training_queries_are_the_other_captions_under_their_own_ids(judged: World, tmp_path: Path) -> None:
    top40 = export(judged, tmp_path / "out")["train_top40"]
    assert [query["query_id"] for query in top40] == [105, 106, 107, 108, "s-109", "010", 111]
    assert top40[0]["query"] == "A woman waves from a café."
    assert top40[5]["query"] == "A man enters with\na box."


def test_training_moments_carry_captions_and_similarities_to_six_digits(judged: World, tmp_path: Path) -> None:
    files = export(judged, tmp_path / "out")
    assert files["train_top40"][1]["relevant_moment"][:2] == [
        {
            "video_name": "gamma",
            "timestamp": [12.5, 16.75],
            "duration": 40.0,
            "caption": "A man sits down.",
            "similarity": 1.0,
        },
        {
            "video_name": "alpha",
            "timestamp": [0.0, 4.25],
            "duration": 60.5,
            "caption": "A woman opens the door.",
            "similarity": 0.812345,
        },
    ]
    text = (tmp_path / "out" / "train_top40.json").read_text()
    assert '"similarity": 0.812345}' in text


def test_a_query_with_fewer_candidates_has_as_many_as_there_are(judged: World, tmp_path: Path) -> None:
    files = export(judged, tmp_path / "out")
    assert [len(query["relevant_moment"]) for query in files["train_top40"]] == [6, 6, 6, 6, 6, 6, 2]
    assert [len(query["relevant_moment"]) for query in files["train_top20"]] == [6, 6, 6, 6, 6, 6, 2]
    assert [len(query["relevant_moment"]) for query in files["train_top01"]] == [1] * 7


class DeepTraining:
    """One training query with 45 moments."""

    def captions(self) -> Iterator[tuple[str, MomentLocation]]:
        return ((f"Caption {pk}", MomentLocation("v", (float(pk), pk + 1.0), 99.0)) for pk in range(45))

    def __iter__(self) -> Iterator[TrainingQuery]:
        yield TrainingQuery(1, "A query", np.arange(45), 1 - np.arange(45) / 100)


class NoSplits:
    durations = {"v": 99.0}

    def judged_queries(self, split: str) -> list[Any]:
        return []

    raw_judgments = judged_queries


def test_the_training_files_end_at_1_20_and_40(tmp_path: Path) -> None:
    material = Material(NoSplits(), DeepTraining(), tmp_path, {}, (1, 20, 40), lambda queries: None)  # type: ignore[arg-type]
    write_tvr_ranking(material)
    for depth, name in ((1, "train_top01"), (20, "train_top20"), (40, "train_top40")):
        (query,) = json.loads((tmp_path / f"{name}.json").read_text())
        captions = [moment["caption"] for moment in query["relevant_moment"]]
        assert captions == [f"Caption {pk}" for pk in range(depth)]
    assert (tmp_path / "val.json").read_text() == "[]\n"


def test_the_video_corpus_has_every_video(judged: World, tmp_path: Path) -> None:
    Video.objects.create(collection=judged.collection, name="unused", duration=12.0)
    Video.objects.create(collection=judged.collection, name="unknown")
    files = export(judged, tmp_path / "out")
    assert files["video_corpus"] == {
        "alpha": 60.5,
        "beta": 29.25,  # nobody states it: its last moment ends there
        "gamma": 40.0,
        "unknown": None,
        "unused": 12.0,
    }
    assert files["manifest"]["counts"]["videos"] == {"all": 5, "duration_estimated": 2}


def test_a_description_that_can_have_no_candidates_is_counted_not_exported(judged: World, tmp_path: Path) -> None:
    collection = judged.collection
    collection.has_clips = True
    collection.save()
    caption = make_caption(collection, collection.videos.get(name="gamma"), 13, "113", "A woman sings.")
    Clip.objects.create(moment=caption.description.moment, problem="the file ends before it")
    files = export(judged, tmp_path / "out")
    assert files["manifest"]["counts"]["training"] == {"queries": 7, "without_candidates": 1}
    assert 113 not in [query["query_id"] for query in files["train_top01"]]


def test_only_manifest_and_corpus_are_objects_at_the_top(judged: World, tmp_path: Path) -> None:
    files = export(judged, tmp_path / "out")
    assert {name for name, value in files.items() if isinstance(value, dict)} == {"manifest", "video_corpus"}


@pytest.mark.parametrize(
    ("source_id", "query_id"),
    [
        *(("90200", 90200), ("0", 0), ("-5", -5), ("007", "007"), ("1.0", "1.0"), ("1e3", "1e3"), ("-0", "-0")),
        *(("٣", "٣"), (" 1", " 1"), ("1\n", "1\n"), ("", ""), ("12a", "12a")),
    ],
)
def test_an_id_is_a_number_only_where_it_is_written_as_one(source_id: str, query_id: int | str) -> None:
    assert public_query_id(source_id) == query_id
    assert str(query_id) == source_id, "the same in JSON and CSV"
