"""What runs return differently, compared with plain loops; ``python -m evaluation diff``."""

from __future__ import annotations

import csv
import io
import json
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import kendalltau

from evaluation import EvaluationError, GroundTruth, evaluate
from evaluation.pooling import differences as module
from evaluation.pooling.differences import differences, pooled_moments, queries_of
from evaluation.pooling.lists import pool_lists
from evaluation.reading import read_run
from evaluation.reading.tvr import read_video_indices
from tests.evaluation.files import real_files, run_rows, told, truth_rows, write_json, write_lines
from tests.evaluation.worlds import World, worlds

MEASURE = "NDCG@20,IoU>=0.5"


def ranks_by_hand(truth: GroundTruth, runs: list[Any], depth: int) -> dict[str, dict[str, dict[int, int]]]:
    """Query -> run -> moment -> its first rank."""
    found: dict[str, dict[str, dict[int, int]]] = {
        query_id: {run.name: {} for run in runs} for query_id in truth.query_ids
    }
    for block in pool_lists(truth, runs, iou=0.5, depth=depth):
        for query, run, rank, moment in zip(block.query, block.run, block.rank, block.moment, strict=True):
            of_run = found[truth.query_ids[block.first_query + query]][block.runs[run]]
            of_run.setdefault(int(moment), int(rank))
    return found


@settings(max_examples=60)
@given(worlds(), worlds(), worlds())
def test_counts_overlaps_and_orders_are_those_of_plain_loops(one: World, two: World, three: World) -> None:
    truth = one.ground_truth()
    runs = [world.run(name) for name, world in (("a", one), ("b", two), ("c", three))]
    if any(not set(run.query_ids) & set(truth.query_ids) for run in runs):
        return
    found = differences(runs, truth, measure=MEASURE, depth=20)
    ranks = ranks_by_hand(truth, runs, 20)
    values = {record.run: np.asarray(record.per_query) for record in evaluate(truth, runs, [MEASURE])}
    for pair, (a, b) in zip(found.pairs, combinations("abc", 2), strict=True):
        lists = {query: (ranks[query][a], ranks[query][b]) for query in truth.query_ids}
        both = [query for query, (x, y) in lists.items() if x and y]
        assert (pair.first, pair.second, pair.both_answer) == (a, b, len(both))
        assert pair.first_answers == [query for query, (x, y) in lists.items() if x and not y]
        assert pair.both == sum(len(x.keys() & y.keys()) for x, y in lists.values())
        assert pair.second_alone == sum(len(y.keys() - x.keys()) for x, y in lists.values())
        for k, mean in pair.overlap.items():
            tops = [[{m for m, rank in own.items() if rank <= k} for own in lists[query]] for query in both]
            shares = [len(x & y) / len(x | y) for x, y in tops]
            assert mean == pytest.approx(np.mean(shares) if shares else math.nan, nan_ok=True)
        taus = [
            kendalltau([x[m] for m in x if m in y], [y[m] for m in x if m in y])[0]
            for x, y in lists.values()
            if len(x.keys() & y.keys()) > 1
        ]
        assert pair.ordered == len(taus)
        assert pair.tau == pytest.approx(np.mean(taus) if taus else math.nan, nan_ok=True)
        gained = values[a] - values[b]
        assert pair.difference == pytest.approx(gained.mean())
        assert (pair.wins, pair.losses) == ((gained > 1e-12).sum(), (gained < -1e-12).sum())
        told_differences = [query.difference for query in pair.queries]
        assert told_differences == [*sorted(filter(positive, gained), reverse=True), *sorted(filter(negative, gained))]
    alone = [set(of_run) for of_query in ranks.values() for of_run in of_query.values()]
    assert sum(place * moments for place, moments in enumerate(found.moments, start=1)) == sum(map(len, alone))
    assert sum(system.alone for system in found.systems) == found.moments[0]


def positive(value: float) -> bool:
    return value > 1e-12


def negative(value: float) -> bool:
    return value < -1e-12


def test_order_is_compared_in_parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    spans = [("v", [place * 10, place * 10 + 5], float(place)) for place in range(6)]
    turned = [(video, times, -score) for video, times, score in spans]
    queries = [f"q{number}" for number in range(5)]
    paths = [
        write_lines(tmp_path / f"{name}.jsonl", run_rows(*((q, rows) for q in queries)))
        for name, rows in (("up", spans), ("down", turned))
    ]
    runs = [read_run(path) for path in paths]
    whole = differences(runs)
    monkeypatch.setattr(module, "SIGNS_AT_ONCE", 1)
    assert differences(runs) == whole and whole.pairs[0].tau == -1 and whole.pairs[0].ordered == 5


@pytest.fixture
def three_files(tmp_path: Path) -> list[Path]:
    """A ground truth and two runs: q1 is gained by one, q2 by two, q3 answered by one alone."""
    good, bad = ("v", [0, 10], 0.9), ("w", [3, 4], 0.8)
    truth = truth_rows(*((query, [("v", [0, 10], 4)]) for query in ("q1", "q2", "q3")))
    one = run_rows(("q1", [good, bad]), ("q2", [bad]), ("q3", [good]))
    two = run_rows(("q1", [bad]), ("q2", [("v", [0, 9], 0.7)]), ("q3", []))
    return [
        write_json(tmp_path / "truth.json", truth),
        write_lines(tmp_path / "one.jsonl", one),
        write_lines(tmp_path / "two.jsonl", two),
    ]


def test_which_queries_gain_and_lose_and_by_what(three_files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    truth, *runs = three_files
    out, _ = told(capsys, "diff", *runs, "--ground-truth", truth, "--json")
    found = json.loads(out)
    (pair,) = found["pairs"]
    assert (pair["first_answers"], pair["second_answers"], pair["both_answer"]) == (["q3"], [], 2)
    assert [(query["query_id"], query["difference"]) for query in pair["queries"]] == [("q1", 1), ("q3", 1), ("q2", -1)]
    assert (pair["first_alone"], pair["both"], pair["second_alone"]) == (3, 1, 1)
    assert [(own["alone"], own["relevant_alone"]) for own in found["systems"]] == [(3, 2), (1, 1)]
    assert found["unanswered"] == {"q3": ["two"]}
    assert pair["tau"] is None, "no query has two moments of both"
    out, _ = told(capsys, "diff", *runs, "--ground-truth", truth, "--most", 0, "--json")
    assert json.loads(out)["pairs"][0]["queries"] == []


def test_text_markdown_and_csv_say_the_same(three_files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    truth, *runs = three_files
    text, _ = told(capsys, "diff", *runs, "--ground-truth", truth)
    assert "one / two / q2         0.0000" in text and "Queries that not every run answers" in text
    markdown, _ = told(capsys, "diff", *runs, "--output", "markdown")
    assert "## Two runs" in markdown and "Queries with the least overlap" in markdown
    out, _ = told(capsys, "diff", *runs, "--ground-truth", truth, "--output", "csv")
    cells = {(row["table"], row["row"], row["column"]): row["value"] for row in csv.DictReader(io.StringIO(out))}
    assert cells["Queries that gain and lose most", "one / two / q2", "difference"] == "-1.0"
    assert cells["Two runs", "one / two", "tau"] == ""
    assert float(cells["Two runs", "one / two", "overlap@10"]) == 0.25


def test_the_pool_is_written_with_each_run_s_rank(
    three_files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth, *runs = three_files
    told(capsys, "diff", *runs, "--ground-truth", truth, "--moments", tmp_path / "pool.csv")
    with (tmp_path / "pool.csv").open() as file:
        rows = [tuple(row.values()) for row in csv.DictReader(file)]
    assert rows == [
        ("q1", "w", "3.0", "4.0", "", "2", "2", "1"),
        ("q1", "v", "0.0", "10.0", "4.0", "1", "1", ""),
        ("q2", "v", "0.0", "10.0", "4.0", "1", "", "1"),
        ("q2", "w", "3.0", "4.0", "", "1", "1", ""),
        ("q3", "v", "0.0", "10.0", "4.0", "1", "1", ""),
    ]
    told(capsys, "diff", *runs, "--moments", tmp_path / "no" / "pool.csv", code=2)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda truth, one, two: [one], "found one run, expected at least two"),
        (lambda truth, one, two: [one, one], "two runs are named 'one'"),
        (lambda truth, one, two: [one, two, "--iou", "0"], "found IoU 0, expected a number above 0"),
        (
            lambda truth, one, two: [one, two, "--ground-truth", truth, "--measure", "uAP,IoU>=0.5"],
            "no value per query",
        ),
        (lambda truth, one, two: [one, two, "--ground-truth", one], "truth"),
    ],
)
def test_bad_input_is_a_sentence(
    wrong: Any, sentence: str, three_files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, err = told(capsys, "diff", *wrong(*three_files), code=2)
    assert sentence in err
    with pytest.raises(EvaluationError, match="found no run"):
        differences([])


def test_the_nine_published_runs_and_the_three_queries_that_conquer_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    folder = real_files("tvr_ranking")
    paths = sorted((folder / "val_runs").glob("*.json.gz"))
    _, err = told(capsys, "diff", *paths, code=2)
    assert "--videos FILE" in err
    out, err = told(capsys, "diff", *paths, "--videos", folder / "video_name_duration_id.json", "--most", 1, "--json")
    found = json.loads(out)
    assert found["queries"] == 500 and len(found["pairs"]) == 36
    conquer = [f"CONQUER_top{top}.json.gz" for top in ("01", "20", "40")]
    assert found["unanswered"] == {query_id: conquer for query_id in ("20825", "11617", "83632")}
    assert {own["run"]: own["queries"] for own in found["systems"]} == {
        path.name: 497 if path.name in conquer else 500 for path in paths
    }
    of_two = {(pair["first"], pair["second"]): pair for pair in found["pairs"]}
    near, far = of_two["CONQUER_top20.json.gz", "CONQUER_top40.json.gz"], of_two[conquer[0], "XML_top01.json.gz"]
    assert near["overlap"]["10"] > 0.4 > 0.1 > far["overlap"]["10"]
    assert far["second_answers"] == ["20825", "11617", "83632"]


def test_a_pool_of_the_published_runs_has_every_moment_once() -> None:
    folder = real_files("tvr_ranking")
    indices = read_video_indices(folder / "video_name_duration_id.json")
    paths = [folder / "val_runs" / f"{name}_top01.json.gz" for name in ("CONQUER", "XML", "ReLoCLNet")]
    runs = [read_run(path, video_indices=indices) for path in paths]
    rows = list(pooled_moments(queries_of(runs), runs, depth=10))
    assert len({row[:4] for row in rows}) == len(rows) == sum(differences(runs, depth=10).moments)
