"""What is said of files that are something else: what they look like, their columns, and how much is wrong."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation import InputError
from evaluation.errors import Faults
from evaluation.reading import read_ground_truth, read_run
from evaluation.reading.judgments import read_judgments
from evaluation.reading.sniffing import looks_binary, looks_like
from tests.evaluation.files import run_rows, truth_rows, write_json, write_lines


def refused(read: Callable[[Path], Any], path: Path, content: bytes | str) -> str:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(InputError) as caught:
        read(path)
    return str(caught.value)


RUNS = [
    ("1\ta:0-10\t1\n", "line 1: found 3 columns separated by tabs: '1\\ta:0-10\\t1', expected a run: JSON Lines"),
    ("1 a:0-10 1\n", "line 1: found 3 columns separated by blanks"),
    ("query,video,start\n", "line 1: found 3 columns separated by commas: 'query,video,start', expected a run"),
    ("query;video\n", "found 2 columns separated by semicolons"),
    ("<top>\n<num> 1\n", "found XML, HTML or TREC's topics"),
    ("# our best run\n1 Q0 a:0-10 1 0.9 x\n", "line 1: found a comment: '# our best run', expected query_id Q0"),
    ("# five words stand here now\n1 Q0 a:0-10 1 0.9 x\n", "line 1: found a comment"),
    ("my query Q0 a:0-10 1 0.9 x\n", "line 1: found 7 columns separated by blanks"),
    ('{"query_id": 1, "predictions": [],}\n', "line 1: found .* .a comma with nothing after it"),
    ('{"7": [],}', "line 1: found a comma before the final }, expected none there"),
    (b"PK\x03\x04abc", "found a zip archive, as Excel's files are, expected text in UTF-8"),
    ("1 Q0 a:0-10 1 0.9 x\n".encode("utf-16"), "found text in UTF-16, expected text in UTF-8"),
    ("1 Q0 a:0-10 1 0.9 x\n".encode("utf-16-le"), "found binary data"),
]


@pytest.mark.parametrize(("content", "said"), RUNS, ids=[said[:40] for _, said in RUNS])
def test_what_is_no_run_is_told_by_what_it_looks_like(tmp_path: Path, content: bytes | str, said: str) -> None:
    message = refused(read_run, tmp_path / "run", content)
    wanted = said.split(" .* ")
    assert all(part.strip(".") in message for part in wanted), message
    assert "expected one JSON object" not in message or (content.__class__ is str and str(content)[0] == "{")


TRUTHS = [
    ("# judged by three people\n1 0 a:0-10 1\n", "a comment: '# judged by three people', expected query_id 0"),
    ("# judged by us\n1 0 a:0-10 1\n", "line 1: found a comment"),
    ("1\ta:0-10\t1\n", "found 3 columns separated by tabs: '1\\ta:0-10\\t1', expected a ground truth: a JSON list"),
    ("1 Q0 a:0-10 1 0.9 my tag\n", "line 1: found a TREC run, expected a ground truth"),
    ('[{"query_id": 1, "relevant_moment": []},]', "line 1: found a comma before the final ], expected none there"),
    ('[\n{"query_id": 1,\n"relevant_moment": [],}]', "found '{\"query_id\""),
]  # fmt: skip


@pytest.mark.parametrize(("content", "said"), TRUTHS, ids=[said[:40] for _, said in TRUTHS])
def test_what_is_no_ground_truth_is_told_by_what_it_looks_like(tmp_path: Path, content: str, said: str) -> None:
    assert said in refused(read_ground_truth, tmp_path / "truth", content)


def test_a_tag_may_have_blanks(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("1 Q0 a:0-10 1 0.9 my run v2\n#2 Q0 b:0-10 1 0.9 my run v2\n")
    assert read_run(tmp_path / "run").query_ids == ("1", "#2")


def test_every_fault_of_a_file_is_counted_and_the_first_ten_are_told(tmp_path: Path) -> None:
    rows = [{"qid": n, "vid": "a", "relevant_windows": [[n, n]] * (1 + n % 2)} for n in range(12)]
    said = refused(read_ground_truth, tmp_path / "truth", "".join(json.dumps(row) + "\n" for row in rows[:11]))
    assert said.count("an interval without length") == 10 and said.endswith("... and 6 more")
    assert "line 2, window 2" in said
    said = refused(read_run, tmp_path / "run", "1 Q0 a:5-5 1 1 x\n" * 17)
    assert said.count("line ") == 10 and said.endswith("... and 7 more")
    truth = truth_rows((1, [("a", [5, 5], 1)] * 9), (2, [("a", [5, 5], 1)] * 8))
    said = refused(read_ground_truth, tmp_path / "truth.json", json.dumps(truth))
    assert "query_id 2, moment 1" in said and said.endswith("... and 7 more")
    runs = run_rows((1, [("a", [5, 5], 1), ("a", [1, 2], 1)]), (2, [("a", [3, 3], 1)]))
    said = refused(read_run, tmp_path / "run.jsonl", "".join(json.dumps(row) + "\n" for row in runs) + "{\n")
    assert [line.split("found")[0].split("jsonl, ")[1] for line in said.splitlines()] == [
        "line 1, prediction 1: ",
        "line 2, prediction 1: ",
        "line 3: ",
    ]


def test_a_reader_that_is_given_a_place_for_faults_reads_on(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("1 Q0 a:0-10 1 0.9 x\n2 Q0 a:5-5 1 1 x\n2 Q0 a:5-6 1 1 x\n3\n")
    faults = Faults()
    run = read_run(tmp_path / "run", faults=faults)
    assert run.query_ids == ("1", "2") and len(run) == 2
    assert [fault.place for fault in faults.first] == ["line 2", "line 4"]


def test_a_packed_file_is_known_by_its_content(tmp_path: Path) -> None:
    truth = json.dumps(truth_rows((1, [("a", [0, 10], 1)]))).encode()
    (tmp_path / "truth.json").write_bytes(gzip.compress(truth))
    assert read_ground_truth(tmp_path / "truth.json").query_ids == ("1",)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("truth.json"))
    assert "found a tar archive" in refused(read_ground_truth, tmp_path / "truth.tgz", packed.getvalue())


def test_lines_may_end_as_on_old_macs_and_cells_may_be_long(tmp_path: Path) -> None:
    write_json(tmp_path / "truth.json", truth_rows((1, [("a", [0, 10], 1)])))
    (tmp_path / "run").write_bytes(b"1 Q0 a:0-10 1 0.9 x\r1 Q0 a:0-9 2 0.8 x\r")
    assert len(read_run(tmp_path / "run")) == 2
    head = "pair_id,worker,query_id,video_name,timestamp,relevance,note\r"
    row = '1,w,1,a,"[0, 1]",{},' + "x" * 200_000 + "\r"
    (tmp_path / "raw.csv").write_text(head + row.format(1) + row.format(2))
    assert read_judgments(tmp_path / "raw.csv").count.tolist() == [2]
    said = refused(read_judgments, tmp_path / "raw.csv", "a;b\n1;2\n")
    assert "the columns pair_id, worker" in said and "2 columns separated by semicolons: 'a;b'" in said


def test_looks_are_told_of_whatever_comes_first(tmp_path: Path) -> None:
    write_lines(tmp_path / "run.jsonl", run_rows((1, [])))
    assert looks_like((tmp_path / "run.jsonl").read_text()) == "JSON Lines of query_id, predictions"
    assert looks_like('[\n {"id": 1, "data": {}}]') == "a JSON list of id, data"
    assert (
        looks_like("{\n") == "a JSON object" and looks_like("[[[") == "a JSON list" and looks_like(" \n") == "nothing"
    )
    assert looks_like('"a,b",c') == "2 columns separated by commas: '\"a,b\",c'" and looks_like("word") == "'word'"
    assert looks_binary(b"%PDF-1.7") == "a PDF" and looks_binary(b"text") == ""
