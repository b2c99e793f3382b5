"""Predictions become moments as the rule says, compared with plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import EvaluationError, GroundTruth, JudgedMoment, Prediction, Run
from evaluation.pooling import lists as lists_module
from evaluation.pooling.lists import PoolLists, pool_lists
from evaluation.pooling.spans import best_overlaps, leaders
from tests.evaluation.oracle import iou as overlap_of
from tests.evaluation.worlds import World, worlds

Span = tuple[str, float, float]
Linked = tuple[str, int, Span, float]
"""Run, rank, the moment's span, the IoU with it."""


def linked_by_hand(judged: list[Span], answers: dict[str, list[Span]], least: float) -> list[Linked]:
    """One query: each prediction with its moment, by run and rank."""
    inorder = sorted(
        (rank, place, run, span)
        for place, (run, ranked) in enumerate(answers.items())
        for rank, span in enumerate(ranked, start=1)
    )

    def nearest(span: Span, moments: list[Span]) -> tuple[float, int]:
        of_video = [(overlap_of(*span[1:], *m[1:]), -i) for i, m in enumerate(moments) if m[0] == span[0]]
        best, place = max(of_video, default=(-1.0, 0))
        return best, -place

    own: list[Span] = []
    for _, _, _, span in inorder:
        if nearest(span, judged)[0] < least and nearest(span, own)[0] < least:
            own.append(span)
    found = []
    for rank, place, run, span in inorder:
        moments = judged if nearest(span, judged)[0] >= least else own
        best, at = nearest(span, moments)
        found.append((place, rank, run, moments[at], best))
    return [(run, rank, moment, best) for _, rank, run, moment, best in sorted(found, key=lambda row: row[:2])]


def linked(block: PoolLists, query: int) -> list[Linked]:
    mine = np.flatnonzero(block.query == query)
    return [
        (
            block.runs[block.run[i]],
            int(block.rank[i]),
            (
                block.video_names[block.video[block.moment[i]]],
                float(block.start[block.moment[i]]),
                float(block.end[block.moment[i]]),
            ),
            float(block.iou[i]),
        )
        for i in mine.tolist()
    ]


@settings(max_examples=150, deadline=None)
@given(worlds(), worlds(), st.sampled_from((0.3, 0.5, 1.0)), st.sampled_from((3, 100)))
def test_every_prediction_stands_for_the_moment_that_the_rule_says(
    first: World, second: World, least: float, depth: int
) -> None:
    truth = first.ground_truth()
    runs = [first.run("one"), second.run("two")]
    blocks = list(pool_lists(truth, runs, iou=least, depth=depth))
    assert [block.first_query for block in blocks] == [0]
    for place, query_id in enumerate(truth.query_ids):
        records = truth.records()[query_id]  # in the ground truth's order, which decides between equal overlaps
        judged = [(m.video_name, m.start, m.end) for m in records]
        answers = {"one": first.ranked(query_id)[:depth], "two": second.ranked(query_id)[:depth]}
        assert linked(blocks[0], place) == linked_by_hand(judged, answers, least)


@settings(deadline=None)
@given(worlds(), worlds())
def test_a_list_has_each_moment_once_at_its_first_rank(first: World, second: World) -> None:
    truth = first.ground_truth()
    (block,) = pool_lists(truth, [first.run("one"), second.run("two")])
    for query, lists in enumerate(block.of_each_query()):
        for run, own in enumerate(lists):
            mine = (block.query == query) & (block.run == run)
            assert own == list(dict.fromkeys(block.moment[mine].tolist()))


def test_blocks_of_queries_give_what_one_block_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    spans = [
        ("v", float(s), float(s + n)) for s, n in zip(rng.integers(0, 30, 60), rng.integers(1, 9, 60), strict=True)
    ]
    truth = GroundTruth.of((f"q{i}", [JudgedMoment(*spans[i], 2.0)]) for i in range(6))
    runs = [
        Run.of(name, ((f"q{i}", [Prediction(*s) for s in spans[9 * i : 9 * i + 9]]) for i in range(6))) for name in "ab"
    ]
    (whole,) = pool_lists(truth, runs)
    monkeypatch.setattr(lists_module, "PREDICTIONS_AT_ONCE", 20)
    parts = list(pool_lists(truth, runs))
    assert [part.queries for part in parts] == [1] * 6
    assert [linked(part, 0) for part in parts] == [linked(whole, query) for query in range(6)]


def test_a_thousand_spans_in_one_video_and_pairs_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    start = np.arange(1000, dtype=np.float64)
    group = np.zeros(1000, dtype=np.int64)
    assert len(leaders(group, start, start + 1, 0.5)) == 1000
    whole = best_overlaps(group, start, start + 3, group, start, start + 2)
    monkeypatch.setattr("evaluation.pooling.spans.PAIRS_AT_ONCE", 2500)
    parts = best_overlaps(group, start, start + 3, group, start, start + 2)
    assert (whole[0] == parts[0]).all() and (whole[1] == parts[1]).all()
    assert whole[0].tolist() == [*range(1000)]  # of two that overlap equally the earlier one


def test_unknown_queries_and_videos_are_no_fault() -> None:
    truth = GroundTruth.of([("q", [JudgedMoment("v", 0, 5, 2)])])
    run = Run.of("mine", [("other", [Prediction("v", 0, 5)]), ("q", [Prediction("new", 0, 5), Prediction("v", 0, 4)])])
    (block,) = pool_lists(truth, [run])
    assert list(block.of_each_query()) == [[[1, 0]]]
    assert block.judged.tolist() == [0, -1]
    assert block.video_names == ("v", "new")


@pytest.mark.parametrize(
    ("runs", "options", "told"),
    [
        ([], {}, "found no run, expected at least one"),
        (["a", "a"], {}, "two runs are named 'a'"),
        (["a"], {"iou": 0.0}, "found IoU 0, expected a number above 0, at most 1"),
        (["a"], {"iou": 1.5}, "found IoU 1.5"),
        (["a"], {"depth": 0}, "found depth 0, expected 1 or more"),
    ],
)
def test_what_makes_no_pool_is_said(runs: list[str], options: dict[str, float], told: str) -> None:
    truth = GroundTruth.of([("q", [JudgedMoment("v", 0, 5, 2)])])
    made = [Run.of(name, [("q", [Prediction("v", 0, 5)])]) for name in runs]
    with pytest.raises(EvaluationError, match=told):
        list(pool_lists(truth, made, **options))  # type: ignore[arg-type]
