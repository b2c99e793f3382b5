"""Every measure against the slow oracle, however the work is cut."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import (
    EvaluationError,
    GroundTruth,
    JudgedMoment,
    Prediction,
    Run,
    Threshold,
    evaluate,
    matches_of_query,
    parse_measure,
)
from evaluation.moments.alignment import align
from tests.evaluation import oracle
from tests.evaluation.worlds import World, worlds

Oracle = Callable[[World, str], float]
KS = (1, 3, 10)


def by_oracle(measure: str) -> Oracle:
    """The oracle's reading of a written name."""
    name, _, rest = measure.partition("@")
    k = int(rest.partition(",")[0]) if rest else 0
    mu, strict = 0.0, False
    if "IoU>" in measure:
        boundary = measure.rpartition("IoU>")[2]
        strict = not boundary.startswith("=")
        mu = float(boundary.removeprefix("="))
    table: dict[str, Callable[[oracle.Judged, oracle.Ranked], float]] = {
        "NDCG": lambda j, r: oracle.ndcg(j, r, k, mu, strict),
        "NDCG(gain=exp)": lambda j, r: oracle.ndcg(j, r, k, mu, strict, exponential=True),
        "R": lambda j, r: oracle.recall(j, r, k, mu, strict),
        "VCMR": lambda j, r: oracle.recall(j, r, k, mu, strict),
        "AxIoU": lambda j, r: oracle.axiou(j, r, k),
        "AxIoU(graded)": lambda j, r: oracle.axiou(j, r, k, graded=True),
        "NCxIoU(persistence=0.5)": lambda j, r: oracle.ncxiou(j, r, k, 0.5),
        "AP": lambda j, r: oracle.ap(j, r, k, mu, strict),
        "AP(hits)": lambda j, r: oracle.ap_over_hits(j, r, k, mu, strict),
        "DCG": lambda j, r: oracle.dcg(j, r, k),
        "DCG(graded)": lambda j, r: oracle.dcg(j, r, k, graded=True),
        "mIoU": lambda j, r: oracle.mean_iou(j, r, k or 1),
        "mAP": lambda j, r: oracle.mean_ap(j, r, mu, strict, k),
        "mAP,IoU>=0.5": lambda j, r: oracle.mean_ap(j, r, mu, strict),
        "mAP(interpolated)": lambda j, r: oracle.interpolated_ap(j, r, mu, strict, k),
        "mAP(video)": oracle.mean_ap_of_videos,
        "VR": lambda j, r: oracle.video_recall(j, r, k),
        "SVMR": lambda j, r: oracle.svmr(j, r, k, mu, strict),
    }
    return lambda world, query_id: table[name](world.judged[query_id], world.ranked(query_id))


ALL = [f"{name}@{k},IoU{sign}{mu}" for name in ("NDCG", "NDCG(gain=exp)", "R", "VCMR", "AP", "AP(hits)", "SVMR", "mAP",
                                       "mAP(interpolated)")
       for k in KS for sign in (">", ">=") for mu in (0, 0.3, 0.5, 1)]  # fmt: skip
ALL += [
    f"{name}@{k}"
    for name in ("AxIoU", "AxIoU(graded)", "NCxIoU(persistence=0.5)", "DCG", "DCG(graded)", "VR", "mIoU")
    for k in KS
]
ALL += ["mIoU", "mAP,IoU>=0.5", "mAP(video)"]


@settings(max_examples=120, deadline=None)
@given(world=worlds())
def test_every_measure_agrees_with_the_slow_oracle_query_by_query(world: World) -> None:
    truth, run = world.ground_truth(), world.run()
    for record in evaluate(truth, [run], ALL):
        expected = [by_oracle(record.measure)(world, query_id) for query_id in truth.query_ids]
        assert record.per_query is not None
        np.testing.assert_allclose(record.per_query, expected, atol=1e-12, err_msg=record.measure)


@settings(max_examples=60, deadline=None)
@given(world=worlds())
def test_the_matches_shown_are_those_that_count(world: World) -> None:
    truth, run = world.ground_truth(), world.run()
    for query_id, judged in world.judged.items():
        ranked = world.ranked(query_id)
        expected = oracle.take(judged, ranked, 0.3, strict=True)
        matches = matches_of_query(truth, run, query_id, Threshold(0.3, strict=True))
        assert [match.rank for match in matches] == list(range(1, len(ranked) + 1))
        for match, prediction, moment in zip(matches, ranked, expected, strict=True):
            assert (match.prediction.video_name, match.prediction.start, match.prediction.end) == prediction
            if moment is None:
                assert match.moment is None
            else:
                assert match.moment == JudgedMoment(*judged[moment])
                assert match.iou == oracle.iou(*prediction[1:], *judged[moment][1:3])
    with pytest.raises(EvaluationError, match="has no query 'z'"):
        matches_of_query(truth, run, "z", Threshold(0.3, strict=True))


@settings(max_examples=60, deadline=None)
@given(world=worlds())
def test_uap_agrees_with_the_slow_oracle(world: World) -> None:
    queries = [
        (judged, world.ranked(query_id), sorted(world.scores.get(query_id, []), reverse=True))
        for query_id, judged in world.judged.items()
    ]
    (record,) = evaluate(world.ground_truth(), [world.run()], ["uAP,IoU>=0.5"])
    assert record.value == pytest.approx(oracle.micro_ap(queries, 0.5, strict=False), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(world=worlds(), pairs_at_once=st.integers(1, 20))
def test_cutting_into_blocks_changes_nothing(world: World, pairs_at_once: int) -> None:
    truth, run = world.ground_truth(), world.run()
    (whole,) = align(truth, run)
    parts = list(align(truth, run, pairs_at_once=pairs_at_once))
    assert sum(map(len, parts)) == len(truth)
    for name in ALL[::5]:
        measure = parse_measure(name)
        joined = np.concatenate([measure.per_query(part) for part in parts])
        np.testing.assert_allclose(joined, measure.per_query(whole), atol=1e-12, err_msg=name)


def test_memory_does_not_grow_with_the_pairs() -> None:
    queries, predictions, moments = 300, 100, 30
    starts = np.arange(moments) * 2.0
    truth = GroundTruth.of(
        (str(q), [JudgedMoment("v", s, s + 3, 1 + i % 4) for i, s in enumerate(starts)]) for q in range(queries)
    )
    run = Run.of(
        "run",
        ((str(q), [Prediction("v", i * 0.6, i * 0.6 + 3) for i in range(predictions)]) for q in range(queries)),
    )
    evaluate(truth, [run], ["R@1,IoU>0.5"])  # whatever is prepared once is there now
    measure = parse_measure("NDCG@100,IoU>=0.5")
    peaks = []
    for pairs_at_once in (queries * predictions * moments, 20_000):
        tracemalloc.start()
        total = sum(measure.per_query(part).sum() for part in align(truth, run, pairs_at_once=pairs_at_once))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert total > 0
    assert peaks[0] > 30e6  # 900,000 pairs at once are felt
    assert peaks[1] < 5e6


@settings(max_examples=60, deadline=None)
@given(world=worlds(), order=st.randoms(use_true_random=False))
def test_the_order_of_queries_and_of_the_runs_rows_is_no_matter(world: World, order: object) -> None:
    assert hasattr(order, "shuffle")
    rows = list(world.answers)
    order.shuffle(rows)
    shuffled = World(world.judged, {q: world.answers[q] for q in rows}, world.scores)
    before = evaluate(world.ground_truth(), [world.run()], ALL[::7])
    after = evaluate(world.ground_truth(), [shuffled.run()], ALL[::7])
    for a, b in zip(before, after, strict=True):
        assert a.value == b.value or (math.isnan(a.value) and math.isnan(b.value))
