"""Runs by vectors from files: each layout of each format, windows, suppression, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluation.reading import read_run
from tests.baselines.worlds import run_line, write_release

EAST, NORTH, BACK = [2.0, 0.0], [0.0, 1.0], [-1.0, 0.0]
ROWS: dict[str, list[Any]] = {
    "video_name": ["night", "noon", "noon", "noon", "morning"],
    "start": [0.0, 0.0, 1.0, 8.0, 0.0],
    "end": [9.0, 4.0, 5.0, 12.0, 3.0],
    "vector": [[1.0, 1.0], [1.0, 9.0], NORTH, EAST, BACK],
}
ASKED: dict[str, list[Any]] = {"query_id": ["4b", "3", "99"], "vector": [[5.0, 0.0], [0.0, 3.0], BACK]}
CLIPS = {"night": [EAST, BACK, BACK], "noon": [BACK, NORTH, NORTH, [0.0, 0.5]], "unknown": [EAST]}


def as_npz(path: Path, columns: dict[str, list[Any]]) -> Path:
    np.savez(path.with_suffix(".npz"), **{name: np.array(values) for name, values in columns.items()})  # type: ignore[arg-type]
    return path.with_suffix(".npz")


def as_hdf5(path: Path, columns: dict[str, list[Any]]) -> Path:
    with h5py.File(path.with_suffix(".h5"), "w") as file:
        for name, values in columns.items():
            file[name] = values
    return path.with_suffix(".h5")


def as_parquet(path: Path, columns: dict[str, list[Any]]) -> Path:
    pq.write_table(pa.table(columns), path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


Write = Callable[[Path, dict[str, list[Any]]], Path]


def ranked(folder: Path, moments: Path, queries: Path, *more: Any) -> dict[str, list[tuple[str, float, float, float]]]:
    """The run of a command, by query."""
    release, out = write_release(folder / "release"), folder / "x-test-seed1.jsonl"
    line = ("embed-run", release, out, "--split", "test", "--moments", moments, "--queries", queries)
    assert run_line(*line, *more) == 0
    run = read_run(out)
    return {
        query: [(one.video_name, one.start, one.end, round(one.score or 0, 4)) for one in run.of_query(query)]
        for query in run.query_ids
    }


@pytest.mark.parametrize("write", [as_npz, as_hdf5, as_parquet])
def test_rows_of_every_format_are_ranked_by_their_cosine(tmp_path: Path, write: Write) -> None:
    found = ranked(tmp_path, write(tmp_path / "m", ROWS), write(tmp_path / "q", ASKED), "--depth", 3)
    assert list(found) == ["3", "4b"]
    assert found["3"] == [("noon", 1.0, 5.0, 1.0), ("noon", 0.0, 4.0, 0.9939), ("night", 0.0, 9.0, 0.7071)]
    assert found["4b"][:2] == [("noon", 8.0, 12.0, 1.0), ("night", 0.0, 9.0, 0.7071)]
    manifest = json.loads((tmp_path / "x-test-seed1.manifest.json").read_text())
    assert (manifest["system"], manifest["features"]["files"]["moments"]["name"][:1]) == ("embeddings", "m")
    assert manifest["search"] == {"similarity": "cosine", "windows": None, "nms": None, "depth": 3}


def test_products_count_lengths_and_suppression_leaves_out_what_overlaps(tmp_path: Path) -> None:
    moments, queries = as_npz(tmp_path / "m", ROWS), as_npz(tmp_path / "q", ASKED)
    found = ranked(tmp_path, moments, queries, "--similarity", "dot", "--nms", 0.6)
    assert found["3"][1:3] == [("night", 0.0, 9.0, 3.0), ("noon", 8.0, 12.0, 0.0)]  # an IoU of exactly 0.6 is left out
    found = ranked(tmp_path, moments, queries, "--similarity", "dot", "--nms", 0.61)
    assert found["3"][1:3] == [("night", 0.0, 9.0, 3.0), ("noon", 1.0, 5.0, 3.0)]


@pytest.mark.parametrize("write", [as_npz, as_hdf5])
def test_windows_slide_over_the_clips_of_each_video(tmp_path: Path, write: Write) -> None:
    moments = write(tmp_path / "m", CLIPS)
    queries = write(tmp_path / "q", {"3": NORTH, "4b": [EAST]})
    found = ranked(tmp_path, moments, queries, "--clip-seconds", 3.5, "--windows", 7, "--model", "mine")
    # Two clips a window, by halves; the last one ends with the video, not with its last clip.
    assert found["3"][:2] == [("noon", 3.5, 10.5, 1.0), ("noon", 7.0, 12.0, 1.0)]
    assert [(moment[:3], moment[3]) for moment in found["4b"][:2]] == [
        (("night", 0.0, 7.0), 0.0),
        (("noon", 3.5, 10.5), 0.0),
    ]
    assert json.loads((tmp_path / "x-test-seed1.manifest.json").read_text())["system"] == "mine"


def test_windows_without_a_length_are_as_long_as_the_collection_s_moments(tmp_path: Path) -> None:
    rows = {"video_name": ["noon"] * 8, "start": np.arange(8) * 1.5, "end": np.arange(1, 9) * 1.5}
    columns: dict[str, Any] = rows | {"vector": [EAST] * 4 + [NORTH] * 2 + [EAST] * 2}
    found = ranked(tmp_path, as_npz(tmp_path / "m", columns), as_npz(tmp_path / "q", ASKED), "--windows")
    assert found["3"][0] == ("noon", 6.0, 9.0, 1.0)
    assert {round(end - start, 1) for _, start, end, _ in found["3"]} == {3.0, 4.5}


BAD: list[tuple[dict[str, Any], dict[str, Any], list[Any], str]] = [
    ({"video_name": ["x"] * 5}, {}, [], "m.npz, row 1: found video_name 'x', expected a video of the release"),
    ({"end": [9, 0, 5, 12, 3]}, {}, [], "m.npz, row 2: found [0.0, 0.0], expected 0 <= start < end in seconds"),
    ({"start": ["a"] * 5}, {}, [], "m.npz: found start of the type <U1, expected numbers"),
    ({"end": [1.0]}, {}, [], "m.npz: found the shapes video_name (5,), start (5,), end (1,), vector (5, 2)"),
    ({"vector": [EAST] * 4 + [[1, np.nan]]}, {}, [], "m.npz, row 5: found a number that isn't finite"),
    ({"vector": [[1.0]] * 5}, {}, [], "m.npz: found 1 numbers a vector, expected 2, as the queries have"),
    ({}, {"query_id": ["3", "5", "6"]}, [], "found no vector for 1 of 2 queries, among them the query_id '4b'"),
    ({}, {"query_id": ["3", "4b", "3"]}, [], "q.npz, row 3: found query_id '3' a second time"),
    ({}, {}, ["--clip-seconds", 1], "m.npz: found rows with times of their own"),
    ({}, {}, ["--windows", 3], "m.npz, video 'noon': found moments that overlap, [0.0, 4.0] and [1.0, 5.0]"),
    ({}, {}, ["--nms", 1.5], "--nms: found 1.5, expected an IoU above 0, at most 1"),
    ({}, {}, ["--windows", -1], "--windows: found [-1.0]"),
]


@pytest.mark.parametrize(("moments", "queries", "more", "said"), BAD)
def test_what_can_t_be_used_is_said_and_nothing_is_written(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    moments: dict[str, Any],
    queries: dict[str, Any],
    more: list[Any],
    said: str,
) -> None:
    release, out = write_release(tmp_path / "release"), tmp_path / "x.jsonl"
    files = ("--moments", as_npz(tmp_path / "m", ROWS | moments), "--queries", as_npz(tmp_path / "q", ASKED | queries))
    assert run_line("embed-run", release, out, "--split", "test", *files, *more) == 2
    assert said in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("m.csv", b"a,b", "a file's name with the ending '.csv', expected vectors as .npz, .h5, .hdf5, .parquet"),
        ("m.npz", b"PK", "m.npz: can't be read as NPZ"),
        ("m.h5", b"no", "m.h5: can't be read as HDF5"),
        ("m.parquet", b"no", "m.parquet: can't be read as Parquet"),
    ],
)
def test_a_file_that_is_none_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    files = ("--moments", tmp_path / name, "--queries", as_npz(tmp_path / "q", ASKED))
    line = ("embed-run", write_release(tmp_path / "release"), tmp_path / "x.jsonl", "--split", "test")
    assert run_line(*line, *files) == 2
    assert said in capsys.readouterr().err


def test_vectors_of_two_lengths_in_parquet_are_refused_by_their_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moments = as_parquet(tmp_path / "m", ROWS | {"vector": [EAST, EAST, [1.0], EAST, EAST]})
    files = ("--moments", moments, "--queries", as_npz(tmp_path / "q", ASKED))
    line = ("embed-run", write_release(tmp_path / "release"), tmp_path / "x.jsonl", "--split", "test")
    assert run_line(*line, *files) == 2
    assert "m.parquet, row 3: found vector of 1 numbers, expected 2, as in row 1" in capsys.readouterr().err
