"""Files: what is read, and what is said of files that cannot be."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation import EvaluationError, InputError, Prediction, evaluate
from evaluation.formats.trec_ids import moment_id, read_id, split_moment_id
from evaluation.reading import read_ground_truth, read_run, run_name
from evaluation.reading.tvr import read_video_indices
from tests.evaluation.files import real_files, run_rows, told, truth_rows, write_json, write_lines

MOMENT = {"video_name": "a", "timestamp": [0, 10], "relevance": 3}
PREDICTION = {"video_name": "a", "timestamp": [0, 10], "score": 0.5}


def test_a_ground_truth_needs_four_fields_and_keeps_pair_ids(tmp_path: Path) -> None:
    row = {
        "query_id": 7,
        "relevant_moment": [MOMENT, {**MOMENT, "relevance": 4, "pair_id": 12, "caption": "x"}],
    }
    truth = read_ground_truth(write_json(tmp_path / "val.json", [row]))
    assert truth.query_ids == ("7",)
    assert truth.grade.tolist() == [4, 3]
    assert truth.pair_ids == ("12", None)
    assert (truth.start.tolist(), truth.end.tolist()) == ([0, 0], [10, 10])


def test_a_ground_truth_may_also_be_json_lines_and_gzipped(tmp_path: Path) -> None:
    rows = truth_rows(("q1", [("a", [0, 1], 1)]), ("q2", []))
    one = read_ground_truth(write_json(tmp_path / "val.json", rows))
    two = read_ground_truth(write_lines(tmp_path / "val.jsonl.gz", rows))
    assert one.query_ids == two.query_ids == ("q1", "q2")


def test_query_ids_are_compared_as_text(tmp_path: Path) -> None:
    truth = read_ground_truth(write_json(tmp_path / "val.json", truth_rows((7, [("a", [0, 10], 1)]))))
    run = read_run(write_lines(tmp_path / "run.jsonl", run_rows(("7", [("a", [0, 10], 1)]))))
    assert evaluate(truth, [run], ["R@1,IoU>0.5"])[0].value == 1


@pytest.mark.parametrize("form", ["qreels", "tvr-ranking", "trec"])
def test_names_in_two_unicode_forms_are_one(tmp_path: Path, form: str) -> None:
    truth = read_ground_truth(write_json(tmp_path / "val.json", truth_rows(("thé", [("café", [0, 10], 1)]))))
    prediction = {"video_name": "cafe\u0301", "timestamp": [0, 10], "score": 1, "model_scores": 1}
    contents = {
        "qreels": json.dumps({"query_id": "the\u0301", "predictions": [prediction]}),
        "tvr-ranking": json.dumps({"the\u0301": [prediction]}),
        "trec": "the\u0301 Q0 cafe%CC%81@0-10 1 1 boat\n",
    }
    (tmp_path / "run").write_text(contents[form])
    run = read_run(tmp_path / "run")
    assert (run.query_ids, run.video_names) == (("thé",), ("café",))
    assert evaluate(truth, [run], ["R@1,IoU>0.5"])[0].value == 1


@pytest.mark.parametrize("file_name", ["run.jsonl", "run.jsonl.gz"])
def test_a_run_is_named_after_its_file(tmp_path: Path, file_name: str) -> None:
    run = read_run(write_lines(tmp_path / file_name, run_rows((1, [("a", [0, 10], 1)]))))
    assert run.name == "run"
    assert run_name(Path("x.gz")) == "x.gz"


def test_predictions_are_ranked_by_score_and_equal_scores_keep_file_order(tmp_path: Path) -> None:
    predictions = [("a", [0, 1], 1), ("b", [0, 1], 3), ("c", [0, 1], 1), ("d", [0, 1], 3)]
    run = read_run(write_lines(tmp_path / "run.jsonl", run_rows((1, predictions))))
    assert [prediction.video_name for prediction in run.of_query("1")] == ["b", "d", "a", "c"]
    assert (run.unsorted, run.tied) == (1, 2)


def test_predictions_without_scores_keep_file_order(tmp_path: Path) -> None:
    rows = [{"query_id": 1, "predictions": [{"video_name": v, "timestamp": [0, 1]} for v in "ba"]}]
    run = read_run(write_lines(tmp_path / "run.jsonl", rows))
    assert run.of_query("1") == [Prediction("b", 0, 1), Prediction("a", 0, 1)]
    assert run.of_query("2") == []
    assert np.isnan(run.score).all()


def test_infinite_scores_can_be_ranked(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(
        '{"query_id": 1, "predictions": [{"video_name": "a", "timestamp": [0, 1], "score": -Infinity},'
        ' {"video_name": "b", "timestamp": [0, 1], "score": 2}]}\n'
    )
    assert [p.video_name for p in read_run(path).of_query("1")] == ["b", "a"]


def test_tvr_rankings_own_format_is_read(tmp_path: Path) -> None:
    predictions = [{"video_name": "a", "timestamp": [0.0, 4.5], "model_scores": s} for s in (0.1, 0.9)]
    run = read_run(write_json(tmp_path / "preds.json", {"3": predictions, "4": []}))
    assert run.name == "preds.json"
    assert [p.score for p in run.of_query("3")] == [0.9, 0.1]
    assert run.query_ids == ("3", "4")


def test_tvrs_submission_is_read_in_list_order_whatever_its_scores(tmp_path: Path) -> None:
    submission = {
        "video2idx": {"a": 5, "b": 9},
        "VCMR": [{"desc_id": 1, "desc": "x", "predictions": [[5, 9.0, 12.0, 1.72], [9, 0, 3, 1.73]]}],
        "SVMR": [{"desc_id": 1, "predictions": [[9, 1, 2, 0.5]]}],
        "VR": [{"desc_id": 1, "predictions": [[9, 0, 0, 0.5], [5, 0, 0, 0.6]]}],
    }
    path = write_json(tmp_path / "tvr.json", submission)
    assert [p.video_name for p in read_run(path).of_query("1")] == ["a", "b"]
    assert [p.video_name for p in read_run(path, task="SVMR").of_query("1")] == ["b"]
    ranking = read_run(path, task="VR")
    truth = read_ground_truth(write_json(tmp_path / "gt.json", truth_rows((1, [("a", [9, 12], 1)]))))
    assert [r.value for r in evaluate(truth, [ranking], ["VR@1", "VR@2"])] == [0, 1]
    with pytest.raises(EvaluationError, match="ranks videos without times"):
        evaluate(truth, [ranking], ["R@1,IoU>0.5"])


def test_qvhighlights_predictions_and_annotations_are_read(tmp_path: Path) -> None:
    row = {"qid": 3, "query": "x", "vid": "a", "pred_relevant_windows": [[0, 2, 0.1], [4, 10, 0.9]]}
    run = read_run(write_lines(tmp_path / "hl.jsonl", [{**row, "pred_saliency_scores": [0.1]}]))
    gold = {
        "qid": 3,
        "vid": "a",
        "duration": 10,
        "relevant_windows": [[4, 8]],
        "saliency_scores": [[1, 2, 3]],
    }
    truth = read_ground_truth(write_lines(tmp_path / "gold.jsonl", [gold]))
    assert evaluate(truth, [run], ["mIoU"])[0].value == pytest.approx(4 / 6)


def test_tvrs_descriptions_are_a_ground_truth(tmp_path: Path) -> None:
    row = {"vid_name": "a", "duration": 60, "ts": [16.5, 33.9], "desc": "x", "type": "v", "desc_id": 90200}
    truth = read_ground_truth(write_lines(tmp_path / "tvr_val.jsonl", [row]))
    assert (truth.query_ids, truth.video_names, truth.end.tolist()) == (("90200",), ("a",), [33.9])


def test_trec_runs_and_qrels_with_moment_ids_are_read(tmp_path: Path) -> None:
    (tmp_path / "run.trec").write_text("q1 Q0 a:0-10 1 0.4 tag\nq1 Q0 b%20c:1.5-2 2 0.9 tag\n\n")
    (tmp_path / "qrels").write_text("q1 0 a:0-10 3\nq1 0 b%20c:1.5-2 0\n")
    run = read_run(tmp_path / "run.trec")
    assert run.of_query("q1") == [Prediction("b c", 1.5, 2, 0.9), Prediction("a", 0, 10, 0.4)]
    truth = read_ground_truth(tmp_path / "qrels")
    assert evaluate(truth, [run], ["RR", "R@2,IoU>0.9"])[0].value == 0.5
    (tmp_path / "released").write_text("q1 0 a@0.0-10.0 3\nq1 0 b%20c@1.5-2.0 0\n")
    assert evaluate(read_ground_truth(tmp_path / "released"), [run], ["RR"])[0].value == 0.5


@settings(deadline=None)
@given(
    video=st.text(min_size=1, max_size=8),
    start=st.floats(-1e6, 1e6),
    end=st.floats(-1e6, 1e6),
)
def test_a_moment_id_reads_back_exactly(video: str, start: float, end: float) -> None:
    text = moment_id(video, start, end)
    assert not any(character.isspace() for character in text)
    written, *times = split_moment_id(text)
    assert (read_id(written), *times) == (video, start, end)


BAD_TRUTHS: list[tuple[str, Any, str]] = [
    ("no list", {"a": 1}, "no query_id"),
    ("no record", [5], r"record 1: found 5, expected \{\"query_id\""),
    ("no query_id", [{"relevant_moment": []}], "found no query_id"),
    ("query_id true", [{"query_id": True, "relevant_moment": []}], "found query_id True"),
    ("query_id 1.5", [{"query_id": 1.5, "relevant_moment": []}], "found query_id 1.5"),
    ("no moments", [{"query_id": 1}], "found no relevant_moment, expected relevant_moment: a list"),
    ("twice", truth_rows((1, []), ("1", [])), "'1' a second time"),
    ("empty", [], "no query"),
    ("no video", truth_rows((1, [("", [0, 1], 1)])), "expected video_name: text"),
    (
        "reversed",
        truth_rows((1, [("a", [5, 2], 1)])),
        r"moment 1: found timestamp \[5, 2\], a reversed interval",
    ),
    ("no length", truth_rows((1, [("a", [5, 5], 1)])), "an interval without length"),
    ("three times", truth_rows((1, [("a", [1, 2, 3], 1)])), "expected timestamp"),
    ("text times", [{"query_id": 1, "relevant_moment": [{**MOMENT, "timestamp": ["0", "1"]}]}], "timestamp"),
    ("negative", truth_rows((1, [("a", [0, 1], -1)])), "found relevance -1"),
    ("text grade", [{"query_id": 1, "relevant_moment": [{**MOMENT, "relevance": "4"}]}], "relevance '4'"),
    ("true grade", [{"query_id": 1, "relevant_moment": [{**MOMENT, "relevance": True}]}], "relevance True"),
    (
        "training file",
        [{"query_id": 1, "relevant_moment": [{"video_name": "a", "timestamp": [0, 1]}]}],
        "no relevance, expected relevance: a number of 0 or more .a training file",
    ),
]


@pytest.mark.parametrize(("what", "value", "said"), BAD_TRUTHS, ids=[row[0] for row in BAD_TRUTHS])
def test_a_bad_ground_truth_is_refused_with_its_place(tmp_path: Path, what: str, value: Any, said: str) -> None:
    path = write_json(tmp_path / "val.json", value)
    with pytest.raises(InputError, match=said) as caught:
        read_ground_truth(path)
    assert str(path) in str(caught.value)


def _run_with(**fields: Any) -> list[Any]:
    return [{"query_id": 1, "predictions": [PREDICTION, {**PREDICTION, **fields}]}]


BAD_RUNS: list[tuple[str, list[Any], str]] = [
    ("not an object", [[1, 2]], "a JSON list"),
    ("no query_id", [{"predictions": []}], "line 1: found no query_id"),
    ("no predictions", [{"query_id": 1}], "line 1: found no predictions"),
    ("predictions an object", [{"query_id": 1, "predictions": {}}], "expected predictions: a list"),
    ("a number", [{"query_id": 1, "predictions": [3]}], "line 1, prediction 1: found 3"),
    ("twice", run_rows((1, []), ("1", [])), "line 2: found query_id '1' a second time"),
    ("no video", _run_with(video_name=None), "prediction 2: found video_name None"),
    ("reversed", _run_with(timestamp=[5, 1]), "prediction 2: found timestamp .5, 1., a reversed interval"),
    ("no length", _run_with(timestamp=[5, 5]), "an interval without length"),
    ("infinite", _run_with(timestamp=[0, float("inf")]), "both finite"),
    ("nan time", _run_with(timestamp=[0, float("nan")]), "both finite"),
    ("one time", _run_with(timestamp=[0]), "prediction 2: found timestamp"),
    ("true time", _run_with(timestamp=[False, True]), "two numbers of seconds"),
    ("nan score", _run_with(score=float("nan")), "line 1, prediction 2: found score nan"),
    ("text score", _run_with(score="0.4"), "prediction 2: found score '0.4'"),
    ("a score missing", _run_with(score=None), "prediction 2: found no score, expected a score, as other"),
]


@pytest.mark.parametrize(("what", "rows", "said"), BAD_RUNS, ids=[row[0] for row in BAD_RUNS])
def test_a_bad_run_is_refused_with_its_line(tmp_path: Path, what: str, rows: list[Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_run(write_lines(tmp_path / "run.jsonl", rows))


def test_a_missing_timestamp_is_named(tmp_path: Path) -> None:
    rows = [{"query_id": 1, "predictions": [{"video_name": "a"}]}]
    with pytest.raises(InputError, match="line 1, prediction 1: found no timestamp"):
        read_run(write_lines(tmp_path / "run.jsonl", rows))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"query_id": 1, "predictions": []}\n{"query_id": 2, "predic', "line 2: found"),
        ("q1 Q0 a:0-10 1 x tag\n", "line 1: found score 'x'"),
        ("q1 Q0 a:0-10 1 0.5 tag\nq1 Q0 a 2 0.4 tag\n", "line 2: found 'a', expected a moment id"),
        ("q1 Q0 a:10-0 1 0.5 tag\n", "expected a moment with start < end"),
        ("q1 Q0 a:0-10 1 0.5 tag\nq1 Q0\n", "line 2: found 2 columns"),
        ('{"7": [{"video_name": "a", "timestamp": [0, 1]}],\n "7": []}', "line 2, query_id '7'.*second time"),
        ('{"7": [{"video_name": "a", "timestamp": [0, 1]}],\n "8": 3}', "line 2, query_id '8': found 3"),
        ('{"7": [],\n "8": [}', "line 2: found"),
        ('{"7": []} x', "expected the end of the file"),
        (
            '{"video2idx": {"a": 1}, "VR": []}',
            "found predictions for VR, expected the task VCMR: a list by the key VCMR",
        ),
        ('{"video2idx": {"a": 1}, "VCMR": [{"desc_id": 1, "predictions": [[2, 0, 1, 0]]}]}', "video index 2"),
        ('{"video2idx": {"a": 1, "b": 1}, "VCMR": []}', "one index for two videos"),
        ('{"qid": 1, "vid": "a", "pred_relevant_windows": [[3, 1, 0.2]]}', "window 1: found timestamp"),
        ('{"qid": 1, "vid": "a", "pred_relevant_windows": [[3, 1]]}', r"expected \[start, end, score\]"),
        ("hello\n", "line 1: found 'hello'"),
        ('{"query_id": ' + "1" * 5000 + ', "predictions": []}', "a number too long"),
        ('{"query_id": 1, "predictions": ' + "[" * 100_000, "nested too deep"),
        ('{"7": ' + "[" * 100_000, "nested too deep"),
    ],
)
def test_broken_text_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        read_run(path)


def test_files_that_cannot_be_opened_or_are_not_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_run(tmp_path / "nowhere.jsonl")
    with pytest.raises(InputError, match="found a folder"):
        read_ground_truth(tmp_path)
    (tmp_path / "latin.jsonl").write_bytes(b'{"query_id": "\xe9", "predictions": []}')
    with pytest.raises(InputError, match="expected UTF-8"):
        read_run(tmp_path / "latin.jsonl")
    whole = gzip.compress(json.dumps({"query_id": 1, "predictions": []}).encode() * 500)
    (tmp_path / "cut.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="broken compression"):
        read_run(tmp_path / "cut.jsonl.gz")


def test_ground_truth_and_run_exchanged_is_said(tmp_path: Path) -> None:
    truth = write_json(tmp_path / "val.json", truth_rows((1, [("a", [0, 1], 1)])))
    run = write_lines(tmp_path / "run.jsonl", run_rows((1, [("a", [0, 1], 1)])))
    with pytest.raises(InputError, match="found a run, expected a ground truth"):
        read_ground_truth(run)
    with pytest.raises(InputError, match="a JSON list, as a ground truth is"):
        read_run(truth)


def test_an_empty_file_is_an_empty_run(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text("")
    run = read_run(tmp_path / "run.jsonl")
    truth = read_ground_truth(write_json(tmp_path / "val.json", truth_rows((1, [("a", [0, 1], 1)]))))
    assert evaluate(truth, [run], ["NDCG@5,IoU>=0.5"])[0].value == 0
    with pytest.raises(EvaluationError, match="answers no query"):
        evaluate(truth, [run], ["NDCG@5,IoU>=0.5"], convention="released")


ODD = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.just([]), st.just({}))
TIMES = st.one_of(ODD, st.lists(st.one_of(ODD, st.floats(0, 9)), max_size=3))
PREDICTIONS = st.one_of(
    ODD,
    st.lists(
        st.one_of(ODD, st.fixed_dictionaries({}, optional={"video_name": ODD, "timestamp": TIMES, "score": ODD})),
        max_size=3,
    ),
)
WINDOWS = st.one_of(ODD, st.lists(TIMES, max_size=3))
RECORDS = st.one_of(
    ODD,
    st.fixed_dictionaries({}, optional={"query_id": ODD, "predictions": PREDICTIONS}),
    st.fixed_dictionaries({}, optional={"query_id": ODD, "relevant_moment": PREDICTIONS}),
    st.fixed_dictionaries({}, optional={"qid": ODD, "vid": ODD, "pred_relevant_windows": WINDOWS}),
    st.fixed_dictionaries({}, optional={"qid": ODD, "vid": ODD, "relevant_windows": WINDOWS}),
    st.fixed_dictionaries({}, optional={"desc_id": ODD, "vid_name": ODD, "ts": TIMES}),
    st.dictionaries(st.sampled_from(["1", "video2idx", "VCMR", "x"]), PREDICTIONS, max_size=3),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=st.lists(RECORDS, min_size=1, max_size=3), lines=st.booleans())
def test_whatever_stands_in_a_file_it_is_read_or_refused(records: list[Any], lines: bool, tmp_path: Path) -> None:
    path = tmp_path / "odd"
    path.write_text("\n".join(map(json.dumps, records)) if lines else json.dumps(records[0]))
    for read in (read_run, read_ground_truth):
        with contextlib.suppress(InputError):
            read(path)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(alphabet='{}[]",:ab1-. \n\t0e', max_size=40))
def test_whatever_text_is_read_or_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "odd"
    path.write_text(text)
    for read in (read_run, read_ground_truth):
        with contextlib.suppress(InputError):
            read(path)


def test_runs_whose_videos_are_indices_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"query_id": 7, "desc": "A man.", "predictions": [[3, 0.0, 5.0, 1.5], [4, 2, 4, 2.5]]}]
    run = write_json(tmp_path / "XML.json", rows)
    for written in ({"v": 3, "w": 4}, {"v": [9.5, 3], "w": [9.5, 4]}, {"train": {"v": [9.5, 3]}, "val": {"w": [9, 4]}}):
        indices = read_video_indices(write_json(tmp_path / "videos.json", written))
        read = read_run(run, video_indices=indices)
        assert [(moment.video_name, moment.score) for moment in read.of_query("7")] == [("w", 2.5), ("v", 1.5)]
    truth = write_json(tmp_path / "val.json", truth_rows((7, [("w", [2, 4], 4)])))
    name = "NDCG@20,IoU>=0.5"
    out, _ = told(capsys, "score", truth, run, "--videos", tmp_path / "videos.json", "--measures", name, "--json")
    assert json.loads(out) == {"XML.json": {name: 1.0}}
    _, said = told(capsys, "score", truth, run, code=2)
    assert "--videos FILE" in said and "video_name_duration_id.json" in said


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"query_id": 7, "predictions": [[9, 0, 5, 1]]}], "prediction 1: found video index 9"),
        ([{"query_id": 7, "predictions": [[3, 0, 5]]}], "expected [video index, start, end, score]"),
        ([{"query_id": 7, "predictions": []}] * 2, "a query_id a second time"),
        ([{"query_id": 7, "predictions": [[3, 5, 0, 1]]}], "a reversed interval"),
    ],
)
def test_faults_of_a_run_with_indices_are_named(rows: list[Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        read_run(write_json(tmp_path / "run.json", rows), video_indices={"v": 3})


def test_one_index_of_two_videos_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the index 3 for 'w' and 'v'"):
        read_video_indices(write_json(tmp_path / "videos.json", {"v": 3, "w": [9, 3]}))


def test_the_nine_published_runs_are_read() -> None:
    folder = real_files("tvr_ranking")
    indices = read_video_indices(folder / "video_name_duration_id.json")
    runs = [read_run(path, video_indices=indices) for path in sorted((folder / "val_runs").glob("*.json.gz"))]
    assert len(runs) == 9
    assert {len(run.query_ids) for run in runs} == {497, 500}  # CONQUER lacks three


def test_of_a_query_that_comes_again_the_first_list_or_the_last_counts(tmp_path: Path) -> None:
    a, b, c = (("v", [place, place + 1], 1.0) for place in range(3))
    path = write_lines(tmp_path / "run.jsonl", run_rows((1, []), (2, [a]), (1, [b, c]), (2, [c]), (1, [a])))
    first, last = (read_run(path, repeated=repeated) for repeated in ("first", "last"))
    assert [[one.start for one in first.of_query(query)] for query in "12"] == [[1, 2], [0]]
    assert [[one.start for one in last.of_query(query)] for query in "12"] == [[0], [2]]
    assert (first.query_ids, first.repeated, last.offset.tolist()) == (("1", "2"), 3, [0, 1, 2])
    with pytest.raises(InputError, match="line 3: found query_id '1' a second time"):
        read_run(path)
    with pytest.raises(EvaluationError, match="found 'middle' for repeated queries, expected refuse, first, last"):
        read_run(path, repeated="middle")
