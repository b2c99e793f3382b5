"""Every measure: worked by hand, and against the slow oracle."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable
from dataclasses import fields

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
from evaluation.measures import Measure
from evaluation.measures.interpolated_map import InterpolatedMAP
from evaluation.measures.names import MEASURES
from evaluation.measures.usual import SINGLE, usual_measures
from evaluation.moments.alignment import align
from tests.evaluation import oracle
from tests.evaluation.worlds import World, value, worlds

LOG3 = math.log2(3)


def test_recall_by_hand() -> None:
    judged, ranked = [("a", 0.0, 10.0, 1.0)], [("b", 0.0, 10.0), ("a", 0.0, 5.0), ("a", 0.0, 9.0)]
    assert value("R@1,IoU>0.3", judged, ranked) == 0
    assert value("R@2,IoU>0.3", judged, ranked) == 1
    assert value("R@2,IoU>0.5", judged, ranked) == 0
    assert value("R@2,IoU>=0.5", judged, ranked) == 1
    assert value("R@3,IoU>0.5", judged, ranked) == 1
    assert value("R@10,IoU>=0.95", judged, ranked) == 0


def test_moments_that_touch_at_a_point_do_not_overlap() -> None:
    judged, ranked = [("a", 0.0, 5.0, 1.0)], [("a", 5.0, 9.0)]
    assert value("AxIoU@1", judged, ranked) == 0
    assert value("R@1,IoU>0", judged, ranked) == 0
    assert value("R@1,IoU>=0", judged, ranked) == 1  # as written: every moment of the video reaches 0


def test_axiou_by_hand() -> None:
    judged, ranked = [("a", 0.0, 10.0, 1.0)], [("a", 0.0, 4.0), ("a", 0.0, 2.0), ("a", 0.0, 8.0)]
    assert value("AxIoU@1", judged, ranked) == pytest.approx(0.4)
    assert value("AxIoU@3", judged, ranked) == pytest.approx((0.4 + 0.4 + 0.8) / 3)


def test_axiou_keeps_the_best_so_far_past_the_end_of_a_list() -> None:
    assert value("AxIoU@5", [("a", 0.0, 10.0, 1.0)], [("a", 0.0, 4.0)]) == pytest.approx(0.4)


def test_ncxiou_weighs_the_ranks_by_where_users_stop() -> None:
    judged, ranked = [("a", 0.0, 10.0, 1.0)], [("a", 0.0, 4.0), ("a", 0.0, 2.0), ("a", 0.0, 8.0)]
    stop = [0.5, 0.25, 0.125]  # of 7/8
    expected = (0.4 * stop[0] + 0.4 * stop[1] + 0.8 * stop[2]) / sum(stop)
    assert value("NCxIoU(persistence=0.5)@3", judged, ranked) == pytest.approx(expected)
    # The longer users go on, the nearer to AxIoU; a short list keeps its best.
    assert value("NCxIoU(persistence=1)@5", judged, ranked) == pytest.approx(value("AxIoU@5", judged, ranked))
    assert value("NCxIoU(persistence=0.5)@1000000", judged, [("a", 0.0, 4.0)]) == pytest.approx(0.4)


def test_a_cutoff_far_past_every_list_costs_nothing() -> None:
    judged, ranked = [("a", 0.0, 10.0, 1.0)], [("a", 0.0, 4.0), ("a", 0.0, 8.0)]
    deep = 1_000_000
    assert value(f"AxIoU@{deep}", judged, ranked) == pytest.approx((0.4 + 0.8 * (deep - 1)) / deep)
    assert value(f"DCG@{deep}", judged, ranked) == value("DCG@2", judged, ranked)
    harmonic = sum(1 / k for k in range(1, deep + 1))
    assert value(f"AP@{deep},IoU>0.3", judged, ranked) == pytest.approx((harmonic + harmonic - 1) / deep)
    assert value(f"AP(hits)@{deep},IoU>0.3", judged, ranked) == 1
    assert value(f"AxIoU@{deep}", judged, []) == 0


def test_axiou_graded_is_worth_half_on_a_half_relevant_moment() -> None:
    judged = [("a", 0.0, 10.0, 2.0), ("b", 0.0, 10.0, 4.0)]
    assert value("AxIoU(graded)@1", judged, [("a", 0.0, 10.0)]) == pytest.approx(0.5)
    assert value("AxIoU@1", judged, [("a", 0.0, 10.0)]) == pytest.approx(1.0)


def test_ap_averages_the_precision_over_all_ranks_and_pays_redundant_hits() -> None:
    judged = [("a", 0.0, 100.0, 1.0)]

    def ap(*percents: float) -> float:
        return value("AP@4,IoU>0.5", judged, [("a", 0.0, percent) for percent in percents])

    assert ap(60, 1, 60) == pytest.approx((1 + 1 / 2 + 2 / 3 + 2 / 4) / 4) == pytest.approx(0.6667, abs=5e-5)
    assert ap(60, 1, 1) == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4) == pytest.approx(0.5208, abs=5e-5)
    assert ap(60, 60, 60, 60) == 1
    assert ap(50) == 0  # the boundary is >


def test_ap_over_the_hits_by_hand() -> None:
    judged = [("a", 0.0, 10.0, 1.0)]
    ranked = [("a", 0.0, 9.0), ("b", 0.0, 9.0), ("a", 0.0, 10.0)]
    assert value("AP(hits)@3,IoU>0.5", judged, ranked) == pytest.approx((1 + 2 / 3) / 2)
    assert value("AP(hits)@2,IoU>0.5", judged, ranked) == pytest.approx(1)
    assert value("AP(hits)@1,IoU>0.95", judged, ranked) == 0


def test_dcg_by_hand() -> None:
    judged, ranked = [("a", 0.0, 10.0, 2.0)], [("a", 0.0, 4.0), ("b", 0.0, 1.0), ("a", 0.0, 8.0)]
    assert value("DCG@3", judged, ranked) == pytest.approx(0.4 + 0.8 / 2)
    assert value("DCG(graded)@3", judged, ranked) == pytest.approx(0.8 + 1.6 / 2)


def test_map_over_moments_by_hand_misses_cost() -> None:
    judged = [("a", 0.0, 10.0, 1.0), ("b", 0.0, 10.0, 3.0), ("c", 0.0, 10.0, 2.0), ("d", 0.0, 1.0, 0.0)]
    ranked = [("a", 0.0, 10.0), ("a", 0.0, 10.0), ("b", 0.0, 10.0)]
    assert value("mAP,IoU>=0.5", judged, ranked) == pytest.approx((1 + 2 / 3) / 3)
    assert value("mAP@1,IoU>=0.5", judged, ranked) == pytest.approx(1 / 3)
    assert value("mAP,IoU>=0.5,rel>=2", judged, ranked) == pytest.approx((1 / 3) / 2)


def test_interpolated_map_by_hand_counts_a_hit_with_the_best_precision_from_there_on() -> None:
    judged = [("a", 0.0, 10.0, 1.0), ("b", 0.0, 10.0, 3.0), ("c", 0.0, 10.0, 2.0), ("d", 0.0, 1.0, 0.0)]
    ranked = [("x", 0.0, 10.0), ("a", 0.0, 10.0), ("b", 0.0, 10.0), ("a", 0.0, 10.0)]
    # Hits at ranks 2 and 3: precision 1/2 and 2/3, and the first counts with the second's.
    assert value("mAP(interpolated),IoU>=0.5", judged, ranked) == pytest.approx((2 / 3 + 2 / 3) / 3)
    assert value("mAP,IoU>=0.5", judged, ranked) == pytest.approx((1 / 2 + 2 / 3) / 3)
    assert value("mAP(interpolated)@2,IoU>=0.5", judged, ranked) == pytest.approx((1 / 2) / 3)
    assert value("mAP(interpolated),IoU>=0.5,rel>=2", judged, ranked) == pytest.approx((1 / 3) / 2)
    assert value("mAP(interpolated),IoU>=0.5", judged, []) == 0


def test_interpolated_map_over_several_iou_is_their_mean_with_both_ends_and_the_boundary_as_written() -> None:
    judged, ranked = [("a", 0.0, 100.0, 1.0)], [("a", 0.0, 75.0)]
    # IoU 0.75 reaches 0.5, 0.55, ..., 0.75: six of the ten thresholds; five where it has to be greater.
    assert value("mAP(interpolated)@10,IoU>=0.5:0.95", judged, ranked) == pytest.approx(6 / 10)
    assert value("mAP(interpolated)@10,IoU>0.5:0.95", judged, ranked) == pytest.approx(5 / 10)
    assert value("mAP(interpolated),IoU>=0.75:0.8", judged, ranked) == pytest.approx(1 / 2)
    measure = parse_measure("mAP(interpolated)@10,IoU>=.5:.95")
    assert isinstance(measure, InterpolatedMAP) and len(measure.thresholds) == 10
    assert str(measure) == "mAP(interpolated)@10,IoU>=0.5:0.95" and measure.thresholds[-1].value == 0.95


def test_interpolated_map_keeps_queries_apart_and_leaves_out_those_without_a_relevant_moment() -> None:
    judged = [JudgedMoment("a", 0, 10, 1)]
    truth = GroundTruth.of([("q1", judged), ("q2", [JudgedMoment("a", 0, 10, 0)]), ("q3", judged), ("q4", judged)])
    late, first = [Prediction("b", 0, 10), Prediction("a", 0, 10)], [Prediction("a", 0, 10)]
    run = Run.of("run", [("q1", late), ("q2", first), ("q3", first)])
    (record,) = evaluate(truth, [run], ["mAP(interpolated),IoU>=0.5"])
    assert record.per_query is not None
    np.testing.assert_array_equal(record.per_query, [0.5, np.nan, 1.0, 0.0])
    assert (record.value, record.queries) == (0.5, 3)


def test_map_over_videos_by_hand() -> None:
    judged = [("a", 0.0, 10.0, 1.0), ("a", 20.0, 30.0, 1.0), ("b", 0.0, 10.0, 3.0)]
    ranked = [("x", 0.0, 1.0), ("a", 50.0, 51.0), ("a", 0.0, 1.0), ("b", 0.0, 10.0)]
    assert value("mAP(video)", judged, ranked) == pytest.approx((1 / 2 + 2 / 3) / 2)


def test_map_leaves_out_queries_without_a_relevant_moment() -> None:
    truth = GroundTruth.of([("q1", [JudgedMoment("a", 0, 10, 1)]), ("q2", [JudgedMoment("a", 0, 10, 0)])])
    run = Run.of("run", [("q1", [Prediction("a", 0, 10)]), ("q2", [Prediction("a", 0, 10)])])
    (record,) = evaluate(truth, [run], ["mAP,IoU>=0.5"])
    assert (record.value, record.queries) == (1.0, 1)


def test_uap_by_hand_ranks_all_queries_together() -> None:
    truth = GroundTruth.of([("q1", [JudgedMoment("a", 0, 10, 1)]), ("q2", [JudgedMoment("b", 0, 10, 1)])])
    run = Run.of(
        "run",
        [
            ("q1", [Prediction("a", 0, 10, 0.2)]),
            ("q2", [Prediction("x", 0, 10, 0.9), Prediction("b", 0, 10, 0.8)]),
        ],
    )
    # Joint ranking: x (miss), b (hit at 2), a (hit at 3).
    assert evaluate(truth, [run], ["uAP,IoU>=0.5"])[0].value == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert evaluate(truth, [run], ["uAP(video)"])[0].value == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert evaluate(truth, [run], ["uAP(video)"])[0].per_query is None
    # Released: a query that isn't answered has no part in it.
    first = Run.of("first", [("q1", [Prediction("a", 0, 10, 0.2)])])
    assert evaluate(truth, [first], ["uAP,IoU>=0.5"])[0].value == 0.5
    assert evaluate(truth, [first], ["uAP,IoU>=0.5"], convention="released")[0].value == 1


def test_usual_measures_are_axious_where_each_query_has_one_moment_of_grade_1() -> None:
    def usual(*grades: list[int]) -> bool:
        judged = [(str(q), [JudgedMoment("v", n, n + 1, g) for n, g in enumerate(own)]) for q, own in enumerate(grades)]
        return usual_measures(GroundTruth.of(judged)) == SINGLE

    assert usual([1], [1])
    assert not usual([1, 1], [1]) and not usual([1], [3])


def test_uap_refuses_predictions_without_scores() -> None:
    with pytest.raises(EvaluationError, match="predictions without one"):
        value("uAP,IoU>=0.5", [("a", 0.0, 10.0, 1.0)], [("a", 0.0, 10.0)])


def test_mean_iou_by_hand() -> None:
    judged, ranked = [("a", 0.0, 10.0, 1.0)], [("a", 0.0, 4.0), ("a", 0.0, 8.0)]
    assert value("mIoU", judged, ranked) == pytest.approx(0.4)
    assert value("mIoU@2", judged, ranked) == pytest.approx(0.8)


def test_tvrs_three_recalls_by_hand() -> None:
    judged = [("a", 0.0, 10.0, 1.0)]
    ranked = [("x", 0.0, 10.0), ("x", 5.0, 10.0), ("a", 50.0, 60.0), ("a", 0.0, 5.0)]
    assert [value(f"VCMR@{k},IoU>=0.5", judged, ranked) for k in (1, 3, 4)] == [0, 0, 1]
    assert [value(f"SVMR@{k},IoU>=0.5", judged, ranked) for k in (1, 2)] == [0, 1]  # of video a alone
    assert [value(f"VR@{k}", judged, ranked) for k in (1, 2)] == [0, 1]  # x once, then a


def test_svmr_is_the_mean_over_the_videos_that_have_a_relevant_moment() -> None:
    judged = [("a", 0.0, 10.0, 1.0), ("b", 0.0, 10.0, 2.0), ("c", 0.0, 10.0, 0.0)]
    assert value("SVMR@1,IoU>=0.5", judged, [("c", 0.0, 10.0), ("b", 0.0, 9.0)]) == pytest.approx(0.5)


def test_plain_ir_measures_ask_for_the_exact_moment() -> None:
    judged = [("a", 0.0, 10.0, 1.0), ("b", 0.0, 10.0, 3.0)]
    ranked = [("b", 0.0, 9.9), ("a", 0, 10), ("b", 0.0, 10.0), ("a", 0.0, 10.0)]
    assert value("P@1", judged, ranked) == 0
    assert value("RR", judged, ranked) == pytest.approx(1 / 2)
    assert value("nDCG@10", judged, ranked) == pytest.approx((1 / LOG3 + 3 / 2) / (3 + 1 / LOG3))
    assert value("R@2", judged, ranked) == pytest.approx(1 / 2)  # ir_measures' recall: no IoU is written


@pytest.mark.parametrize("name", ["R@0", "P@0", "AP@0", "nDCG@0"])
def test_plain_ir_measures_refuse_a_cutoff_of_which_trec_eval_would_die(name: str) -> None:
    with pytest.raises(EvaluationError, match="found the cutoff 0, expected at least 1"):
        parse_measure(name)


def test_plain_ir_measures_refuse_half_grades() -> None:
    with pytest.raises(EvaluationError, match=r"whole grades only, and one is 1\.5"):
        value("nDCG@10", [("a", 0.0, 10.0, 1.5)], [("a", 0.0, 10.0)])


ONE_OF_EACH = ["NDCG@5,IoU>=0.5", "R@5,IoU>0.5", "AxIoU@5", "AP(hits)@5,IoU>0.5", "DCG@5", "mAP,IoU>=0.5"]
ONE_OF_EACH += ["mAP(video)", "mIoU", "VCMR@5,IoU>=0.5", "SVMR@5,IoU>=0.5", "VR@5", "nDCG@5", "uAP(video)"]
ONE_OF_EACH += ["AP@1,IoU>0.5"]


@pytest.mark.parametrize("measure", ONE_OF_EACH)
def test_an_empty_list_and_an_unanswered_query_score_0_as_paper(measure: str) -> None:
    truth = GroundTruth.of([(q, [JudgedMoment("a", 0, 10, 1)]) for q in ("q1", "q2", "q3", "q4")])
    run = Run.of("run", [("q1", []), ("q2", [Prediction("a", 0, 10, 1.0)])])
    (record,) = evaluate(truth, [run], [measure])
    assert record.value == pytest.approx(1 / 4)
    assert record.unanswered == 2


def test_released_averages_over_the_queries_of_the_run_an_empty_list_among_them() -> None:
    truth = GroundTruth.of([(q, [JudgedMoment("a", 0, 10, 1)]) for q in ("q1", "q2", "q3", "q4")])
    run = Run.of("run", [("q1", []), ("q2", [Prediction("a", 0, 10, 1.0)])])
    (record,) = evaluate(truth, [run], ["NDCG@5,IoU>=0.5"], convention="released")
    assert (record.value, record.queries, record.unanswered) == (0.5, 2, 2)
    assert (record.measure, record.computed) == ("NDCG@5,IoU>=0.5", "NDCG(gain=exp)@5,IoU>0.5")


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


@pytest.mark.parametrize("name", [*ALL, "uAP,IoU>=0.5", "uAP(video)@5", "R@5,IoU>0.5,rel>=3", "P@10"])
def test_a_written_name_reads_back_as_itself(name: str) -> None:
    assert str(parse_measure(str(parse_measure(name)))) == str(parse_measure(name))
    assert parse_measure(str(parse_measure(name))) == parse_measure(name)


@pytest.mark.parametrize("measure", MEASURES.values())
def test_every_declared_option_and_part_of_a_measure_is_written_and_read_back(measure: type[Measure]) -> None:
    declared = {field.name: field for field in fields(measure)}
    parts = {"cutoff": 7, "iou": Threshold(0.25, strict=True), "last": 0.75, "least_grade": 2.0}
    numbers = {number.field: 0.5 for number in measure.NUMBERS.values()}
    values = numbers | {name: part for name, part in parts.items() if name in declared}
    plain = measure(**values)
    assert parse_measure(str(plain)) == plain
    for name, given_value in measure.OPTIONS.values():
        written = measure(**values | {name: given_value})
        assert parse_measure(str(written)) == written
        assert (str(written) == str(plain)) == (given_value == declared[name].default)
    of_options = {name for name, _ in measure.OPTIONS.values()} | numbers.keys()
    assert declared.keys() <= parts.keys() | of_options, "a field that no written name can set"


def test_a_fault_is_told_with_every_form_of_its_measure_and_of_no_other() -> None:
    with pytest.raises(EvaluationError) as refused:
        parse_measure("mAP(interpolated)@5")
    assert str(refused.value) == (
        "'mAP(interpolated)@5': the boundary IoU>mu or IoU>=mu is missing; it is written mAP,IoU>=mu or mAP(video) or "
        "mAP(condensed),IoU>=mu or mAP(interpolated)@K,IoU>=mu or mAP(interpolated)@K,IoU>=mu:nu"
    )


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("NDCG@20", "IoU>mu or IoU>=mu is missing"),
        ("NDCG,IoU>=0.5", "cutoff @K is missing"),
        ("NCxIoU@5", "persistence is missing"),
        ("NCxIoU(persistence=1.5)@5", "at most at 1, not at 1.5"),
        ("AP(misses)@5,IoU>0.5", r"\(misses\) is not an option"),
        ("NDCG@0,IoU>=0.5", "at least 1"),
        ("AxIoU@9999999", "at most 1,000,000"),
        ("NDCG@5,IoU>=1.5", "between 0 and 1"),
        ("NDCG@5,IoU=0.5", "'IoU=0.5' is not understood"),
        ("NDCG@5,IoU>=0.5,IoU>=0.7", "not understood"),
        ("NDCG(gain=log)@5,IoU>=0.5", r"\(gain=log\) is not an option"),
        ("NDCG@5,IoU>=0.5,rel>=2", "rel>=g has no meaning"),
        ("AxIoU@5,IoU>0.5", "no IoU boundary"),
        ("mAP", "is missing"),
        ("mAP(interpolated)", "is missing"),
        ("mAP,IoU>=0.5:0.95", "only mAP.interpolated. is a mean over several"),
        ("mAP(interpolated),IoU>=0.5:0.4", "the last IoU is above 0.5"),
        ("R@5,IoU>0.5,rel>=0", "g above 0"),
        ("NDGC@5,IoU>=0.5", "not a known measure"),
        ("", "not a known measure"),
        ("R @5,IoU>0.5", "is not a measure; expected one of .*NDCG@K,IoU>=mu"),
        ("R@5,IoU>0.5,rel>=2,rel>=3", "'rel>=3' is not understood"),
        ("RBP(p=much),IoU>=0.5", r"\(p=much\) is not an option"),
    ],
)
def test_a_wrong_name_is_refused_with_its_reason(name: str, why: str) -> None:
    with pytest.raises(EvaluationError, match=why):
        parse_measure(name)
