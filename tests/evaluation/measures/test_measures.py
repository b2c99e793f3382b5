"""Every measure, worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evaluation import (
    EvaluationError,
    GroundTruth,
    JudgedMoment,
    Prediction,
    Run,
    evaluate,
    parse_measure,
)
from evaluation.measures.interpolated_map import InterpolatedMAP
from evaluation.measures.usual import SINGLE, usual_measures
from tests.evaluation.worlds import value

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
