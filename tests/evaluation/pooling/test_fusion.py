"""Runs fused: by hand, against plain loops, and as a command."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import EvaluationError, Prediction, Run, fuse, read_run
from evaluation.pooling.differences import queries_of
from evaluation.pooling.lists import pool_lists
from evaluation.pooling.recipes import recipe_named
from tests.evaluation.files import run_rows, told, write_lines
from tests.evaluation.oracle import iou

Lists = list[list[tuple[str, float, float, float]]]
"""Run by run one query's predictions by score: video, start, end, score."""
SPANS = st.tuples(st.sampled_from("ab"), st.integers(0, 6), st.integers(1, 4), st.integers(0, 9))
LISTS = st.lists(st.lists(SPANS, max_size=7), min_size=2, max_size=4).filter(any)


def lists_of(drawn: list[list[tuple[str, int, int, int]]]) -> Lists:
    return [
        sorted(((v, float(s), float(s + d), float(x)) for v, s, d, x in one), key=lambda row: -row[3]) for one in drawn
    ]


def runs_of(lists: Lists) -> list[Run]:
    return [Run.of(f"r{at}", [("q", [Prediction(*row) for row in one])]) for at, one in enumerate(lists)]


def slowly(lists: Lists, method: str, mu: float) -> list[tuple[str, float, float, float]]:
    """Prediction by prediction: leaders, then each run's first of each moment, then the sums."""
    by_rank = sorted((rank, at) for at, one in enumerate(lists) for rank in range(len(one)))
    moments: list[tuple[str, float, float]] = []
    for rank, at in by_rank:
        video, start, end, _ = lists[at][rank]
        if not any(video == m[0] and iou(start, end, *m[1:]) >= mu for m in moments):
            moments.append((video, start, end))
    total, having, first = ([0.0] * len(moments) for _ in range(3))
    for at, one in enumerate(lists):
        seen: list[int] = []
        scores = [row[3] for row in one]
        for video, start, end, score in one:
            same = [i for i, m in enumerate(moments) if m[0] == video]
            moment = max(same, key=lambda i: (iou(start, end, *moments[i][1:]), -i))
            if moment in seen:
                continue
            seen.append(moment)
            spread = max(scores) - min(scores)
            normal = (score - min(scores)) / spread if spread else 1.0
            total[moment] += 1 / (60 + len(seen)) if method == "rrf" else normal
            having[moment] += 1
            first[moment] = min(first[moment] or 1e9, len(seen) + at / 100)
    value = [round(t * (n if method == "combmnz" else 1), 12) for t, n in zip(total, having, strict=True)]
    order = sorted(range(len(moments)), key=lambda i: (-value[i], first[i]))
    return [(*moments[i], value[i]) for i in order]


@settings(max_examples=150, deadline=None)
@given(drawn=LISTS, method=st.sampled_from(["rrf", "combsum", "combmnz"]), mu=st.sampled_from([0.3, 0.5, 1.0]))
def test_it_is_what_plain_loops_make_of_it(
    drawn: list[list[tuple[str, int, int, int]]], method: str, mu: float
) -> None:
    lists = lists_of(drawn)
    fused = fuse(runs_of(lists), method, iou=mu).of_query("q")
    expected = slowly(lists, method, mu)
    assert [(one.video_name, one.start, one.end) for one in fused] == [row[:3] for row in expected]
    assert [one.score for one in fused] == pytest.approx([row[3] for row in expected], abs=1e-11)


@settings(max_examples=60, deadline=None)
@given(drawn=LISTS)
def test_reciprocal_ranks_order_moments_as_the_pools_recipe_does(drawn: list[list[tuple[str, int, int, int]]]) -> None:
    runs = runs_of(lists_of(drawn))
    (block,) = pool_lists(queries_of(runs), runs)
    (lists,) = block.of_each_query()
    picks = [pick.moment for pick in recipe_named("rrf").walk(lists, lambda moment: None)]
    fused = [(one.start, one.end) for one in fuse(runs).of_query("q")]
    assert fused == [(block.start[moment], block.end[moment]) for moment in picks]


def test_queries_of_one_run_alone_stay_and_depth_ends_lists() -> None:
    one = Run.of("one", [("q1", [Prediction("a", 0, 9, 3), Prediction("a", 20, 30, 1)]), ("q2", [])])
    two = Run.of("two", [("q3", [Prediction("b", 0, 9, 5)]), ("q1", [Prediction("a", 1, 9, -2)])])
    fused = fuse([one, two], "combmnz", depth=1, name="both")
    assert (fused.name, fused.query_ids) == ("both", ("q1", "q2", "q3"))
    assert [fused.of_query(query) for query in fused.query_ids] == [
        [Prediction("a", 0, 9, 4.0)],  # 1 in each run, for they stand alone, times two runs
        [],
        [Prediction("b", 0, 9, 1.0)],
    ]


def test_what_cant_be_fused_is_refused() -> None:
    scored = Run.of("one", [("q", [Prediction("a", 0, 9, float("inf"))])])
    bare = Run.of("two", [("q", [Prediction("a", 0, 9)])])
    assert len(fuse([scored, bare])) == 1
    for runs, method, why in (
        ([scored], "rrf", "found 1 run, expected two or more"),
        ([scored, bare], "borda", "'borda' is no way to fuse: expected one of rrf, combsum, combmnz"),
        ([bare, scored], "combsum", "two, query q: found no score, expected a number to sum"),
        ([scored, bare], "combmnz", "one, query q: found the score inf"),
        ([bare, bare], "rrf", "two runs are named 'two'"),
    ):
        with pytest.raises(EvaluationError, match=why):
            fuse(runs, method)


def test_the_command_writes_a_run_and_no_file_that_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = write_lines(tmp_path / "one.jsonl", run_rows((1, [("a", [0, 10], 3), ("b", [0, 10], 1)])))
    two = write_lines(tmp_path / "two.jsonl", run_rows((1, [("b", [1, 10], 9)])))
    out, _ = told(capsys, "fuse", one, two, tmp_path / "both.jsonl.gz", "--method", "combsum")
    assert out == f"{tmp_path / 'both.jsonl.gz'}: 1 query, 2 moments of 2 runs by combsum\n"
    with gzip.open(tmp_path / "both.jsonl.gz", "rt") as file:
        assert file.read().count("\n") == 1
    run = read_run(tmp_path / "both.jsonl.gz")
    assert run.of_query("1") == [Prediction("a", 0, 10, 1.0), Prediction("b", 1, 10, 1.0)]
    before = two.read_bytes()
    _, said = told(capsys, "fuse", one, two, code=2)
    assert "two.jsonl is there already: expected the name of a new file at the end" in said
    assert two.read_bytes() == before
