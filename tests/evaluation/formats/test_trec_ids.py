"""Ids in TREC's files: whoever writes them, encoded or as they are, everybody reads the same queries and moments."""

from __future__ import annotations

import json
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from evaluation import InputError, Prediction, Run, evaluate
from evaluation.formats.trec_ids import moment_id, read_id, read_ids, split_moment_id, written_id
from evaluation.formats.writing import trec_text
from evaluation.reading import read_ground_truth, read_run
from evaluation.reading.locate_in_run import locate_in_run
from tests.evaluation.files import told, truth_rows, write_json

IDS = st.one_of(st.text(min_size=1, max_size=8), st.text("q%:3A25 @#/é", min_size=1, max_size=6)).map(
    lambda text: normalize("NFC", text)
)
AWKWARD = {"q:1", "q%3A1", "a b", "a%20b", "100%", "é/ü", "#1", "%", "a@1-2", "\u2028"}


@settings(deadline=None)
@given(ids=st.sets(IDS, min_size=1, max_size=8))
@example(ids=AWKWARD)
@example(ids={"\ud800", "50%ad"})
def test_ids_written_by_us_come_back_whatever_else_is_known(ids: set[str]) -> None:
    written = {written_id(one): one for one in ids}
    assert len(written) == len(ids) and not any(char.isspace() or char == "#" for text in written for char in text)
    assert {text: read_id(text) for text in written} == written
    if not any(text in ids and text != one for text, one in written.items()):
        assert read_ids(written, ids) == written


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ids=st.sets(IDS, min_size=1, max_size=5), names=st.sets(IDS, min_size=1, max_size=3))
@example(ids=AWKWARD - {"q%3A1", "a%20b"}, names={"a b:1", "c%"})
def test_a_perfect_run_scores_1_after_any_writer_and_reader(ids: set[str], names: set[str], tmp_path: Path) -> None:
    judged = [(one, [(name, [0.25, 10], 3) for name in sorted(names)]) for one in sorted(ids)]
    truth = read_ground_truth(write_json(tmp_path / "truth.json", truth_rows(*judged)))
    run = Run.of("own", [(one, [Prediction(name, 0.25, 10, 1.0) for name in sorted(names)]) for one in sorted(ids)])
    path = tmp_path / "run.txt"
    path.write_text("".join(trec_text(run)))
    if not any(written_id(one) in known for known in (ids, names) for one in known if written_id(one) != one):
        again = read_run(path, queries=truth.index, videos=truth.video_index)
        assert [record.value for record in evaluate(truth, [again], ["mAP,IoU>=1"])] == [1.0]
    back = read_run(path)
    assert {one: back.of_query(one) for one in ids} == {one: run.of_query(one) for one in ids}
    qrels = "".join(f"{written_id(one)} 0 {moment_id(name, 0.25, 10)} 3\n" for one in ids for name in names)
    (tmp_path / "qrels").write_text(qrels)
    judged_again = read_ground_truth(tmp_path / "qrels")
    assert set(judged_again.query_ids) == ids and set(judged_again.video_names) == names


def score(tmp_path: Path, capsys: pytest.CaptureFixture[str], queries: list[str], run: str) -> float:
    truth = write_json(tmp_path / "truth.json", truth_rows(*((one, [("a", [0, 10], 1)]) for one in queries)))
    (tmp_path / "run.txt").write_text(run)
    out, _ = told(capsys, "score", truth, tmp_path / "run.txt", "--measures", "mAP,IoU>=0.5", "--json")
    value: float = json.loads(out)["run.txt"]["mAP,IoU>=0.5"]
    return value


@pytest.mark.parametrize(
    ("queries", "written"),
    [
        (["q:1", "2"], ["q%3A1", "2"]),
        (["q:1", "2"], ["q%3a1", "2"]),
        (["q:1", "2"], ["q:1", "2"]),
        (["a%20b", "2"], ["a%20b", "2"]),
        (["a%20b", "2"], ["a%2520b", "2"]),
        (["100%", "50%ad"], ["100%", "50%ad"]),
        (["é", "2"], ["e\u0301", "2"]),
        (["é", "2"], ["e%CC%81", "2"]),
        # Both readings of q%3A1 are known: the other ids tell how the file is written.
        (["q:1", "q%3A1"], ["q%3A1", "q%253A1"]),
        (["q:1", "q%3A1"], ["q:1", "q%3A1"]),
    ],
)
def test_a_run_reaches_its_queries_encoded_or_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], queries: list[str], written: list[str]
) -> None:
    lines = "".join(f"{one} Q0 a@0-10 1 1.0 own\n" for one in written)
    assert score(tmp_path, capsys, queries, lines) == 1.0


def test_what_can_be_meant_twice_is_refused_with_both(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("q%3A1 Q0 a:0-10 1 1.0 own\n")
    with pytest.raises(InputError, match=r"'q%3A1', which is an id itself and stands for 'q:1'.*q%253A1 or q%3A1"):
        read_run(path, queries={"q:1", "q%3A1"})
    path.write_text("q%3A1 Q0 a:0-10 1 1.0 own\nq:1 Q0 a:0-10 1 1.0 own\n")
    with pytest.raises(InputError, match=r"'q:1' in two spellings, q%3A1 and q:1"):
        read_run(path, queries={"q:1"})
    path.write_text("q%3A1 0 a:0-10 1\nq:1 0 a:0-10 1\n")
    with pytest.raises(InputError, match="in two spellings"):
        read_ground_truth(path)


def test_video_names_are_understood_as_query_ids_are(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("1 Q0 50%25.mp4:0-10 1 1.0 own\n1 Q0 a%3Ab@0-10 1 0.5 own\n")
    assert set(read_run(path).video_names) == {"50%.mp4", "a:b"}
    assert set(read_run(path, videos={"50%25.mp4", "a:b"}).video_names) == {"50%25.mp4", "a:b"}
    assert locate_in_run(path, "1", ("a:b", 0.0, 10.0)) == "line 2"
    assert split_moment_id("a%3Ab:0-10") == ("a%3Ab", 0.0, 10.0) and split_moment_id("a:b@0.0-10.0")[0] == "a:b"


def test_convert_writes_ids_with_blanks_as_releases_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run.jsonl"
    one = {"query_id": "a b", "predictions": [{"video_name": "v:1 x", "timestamp": [0, 2.5], "score": 1}]}
    run.write_text(json.dumps(one))
    told(capsys, "convert", run, tmp_path / "out.txt", "--to", "trec")
    assert (tmp_path / "out.txt").read_text() == "a%20b Q0 v%3A1%20x@0.0-2.5 1 1.0 run\n"
    told(capsys, "convert", tmp_path / "out.txt", tmp_path / "back.jsonl", "--to", "qreels")
    assert json.loads((tmp_path / "back.jsonl").read_text())["query_id"] == "a b"
