"""A release is read as a baseline needs it, and what is wrong with it is said with file, line and query."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from baselines.errors import BaselineError
from baselines.reading.release import Query, read_release
from evaluation.errors import InputError
from tests.baselines.worlds import moment, write_release


def test_training_pairs_come_in_rank_order_with_their_similarity(tmp_path: Path) -> None:
    training = read_release(write_release(tmp_path)).training_of(2)
    assert len(training) == 3
    assert training.queries[0].text == "A man rests."
    names = [training.video_names[video] for video in training.video[2:4]]
    columns = (training.start[2:4].tolist(), training.end[2:4].tolist(), training.similarity[2:4].tolist())
    assert (names, *columns) == (["night", "noon"], [0, 3], [3, 7.5], [1.0, 0.5])
    assert training.query.tolist() == [0, 0, 1, 1, 2, 2]
    assert training.offset.tolist() == [0, 2, 4, 6]


def test_a_shallower_training_set_is_the_beginning_of_a_deeper_file(tmp_path: Path) -> None:
    release = read_release(write_release(tmp_path, depth=2))
    assert release.training_of(1).offset.tolist() == [0, 1, 2, 3]
    assert release.training_of(1).similarity.tolist() == [1.0, 1.0, 1.0]


def test_the_queries_of_a_split_have_ids_as_text(tmp_path: Path) -> None:
    release = read_release(write_release(tmp_path))
    assert release.queries("test") == [Query("3", "A woman eats."), Query("4b", "A dog barks.")]
    assert release.query_texts()[:2] == ["A man sleeps.", "A cat walks."]
    assert len(release.query_texts()) == 7


def test_a_deeper_training_set_than_the_release_has_is_refused_by_its_files(tmp_path: Path) -> None:
    release = read_release(write_release(tmp_path, depth=2))
    with pytest.raises(BaselineError, match=r"found train_top02.json, expected .* with 20 or more moments"):
        release.training_of(20)


def test_a_release_without_a_training_file_says_so(tmp_path: Path) -> None:
    (write_release(tmp_path) / "train_top02.json").unlink()
    with pytest.raises(BaselineError, match=r"found no training file, expected train_top01\.json"):
        read_release(tmp_path).training_of(1)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path / "gone", "found nothing, expected a release's folder"),
        (lambda path: _file(path / "release.zip"), r"found a file, expected a release's folder \(unpack"),
        (lambda path: path, "found no video_corpus.json"),
    ],
)
def test_a_wrong_folder_is_named_with_what_was_expected(tmp_path: Path, make: Any, said: str) -> None:
    with pytest.raises(BaselineError, match=said):
        read_release(make(tmp_path))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("video_corpus.json", {"night": -1}, "video 'night': found -1, expected a duration"),
        ("video_corpus.json", {}, "found no video"),
        ("train_top02.json", [7], "record 1: found 7"),
        ("train_top02.json", [], "found no query with a moment"),
        ("train_top02.json", [{"query_id": 1, "query": ""}], "found query '', expected query: text"),
        (
            "train_top02.json",
            [{"query_id": 1, "query": "A man", "relevant_moment": [moment("dusk", 0, 1, similarity=1)]}],
            "query_id 1, moment 1: found video_name 'dusk', expected a video of video_corpus.json",
        ),
        (
            "train_top02.json",
            [{"query_id": 1, "query": "A man", "relevant_moment": [moment("night", 2, 1, similarity=1)]}],
            "a reversed interval",
        ),
        (
            "train_top02.json",
            [{"query_id": 1, "query": "A man", "relevant_moment": [moment("night", 0, 1, relevance=4)]}],
            "found no similarity, expected similarity: a number from -1 to 1",
        ),
        (
            "train_top02.json",
            [{"query_id": 1, "query": text, "relevant_moment": []} for text in ("A man", "A dog")],
            "found query_id '1' a second time",
        ),
    ],
)
def test_a_bad_record_is_named_with_line_found_and_expected(tmp_path: Path, name: str, content: Any, said: str) -> None:
    (write_release(tmp_path) / name).write_text(json.dumps(content))
    with pytest.raises(InputError, match=said) as caught:
        read_release(tmp_path).training_of(2)
    assert name in str(caught.value)


def test_a_training_file_that_was_cut_off_is_no_json(tmp_path: Path) -> None:
    path = write_release(tmp_path) / "train_top02.json"
    path.write_text(path.read_text()[:150])
    with pytest.raises(InputError, match="expected JSON"):
        read_release(tmp_path).training_of(2)


def _file(path: Path) -> Path:
    path.write_text("")
    return path
