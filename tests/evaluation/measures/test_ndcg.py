"""NDCG@K,IoU>=mu worked by hand, the paper's Figure 2 first."""

from __future__ import annotations

import math

import pytest

from evaluation import GroundTruth, JudgedMoment, Prediction, Run, Threshold, matches_of_query
from tests.evaluation import oracle
from tests.evaluation.worlds import value

LOG3 = math.log2(3)

# The paper's Figure 2: p1 and p2 are duplicates with IoU .35 to g1 (grade 4) and .4 to g3 (grade 2); p3 has .5 to g4.
FIGURE_2_JUDGED = [("a", 0.0, 35.0, 4.0), ("b", 0.0, 10.0, 2.0), ("a", 60.0, 100.0, 2.0), ("a", 200.0, 250.0, 2.0)]
FIGURE_2_RANKED = [("a", 0.0, 100.0), ("a", 0.0, 100.0), ("a", 200.0, 300.0)]


def test_ndcg_of_the_papers_figure_2_takes_the_highest_iou_and_removes_it() -> None:
    reached = 2 + 4 / LOG3 + 2 / 2
    ideal = 4 + 2 / LOG3 + 2 / 2
    assert reached / ideal == pytest.approx(0.8821, abs=5e-5)
    assert value("NDCG@3,IoU>=0.3", FIGURE_2_JUDGED, FIGURE_2_RANKED) == pytest.approx(reached / ideal)
    assert oracle.ndcg(FIGURE_2_JUDGED, FIGURE_2_RANKED, 3, 0.3, strict=False) == pytest.approx(reached / ideal)
    truth = GroundTruth.of([("q", [JudgedMoment(*moment) for moment in FIGURE_2_JUDGED])])
    run = Run.of("run", [("q", [Prediction(*prediction) for prediction in FIGURE_2_RANKED])])
    matches = matches_of_query(truth, run, "q", Threshold(0.3, strict=False))
    g1, _, g3, g4 = (JudgedMoment(*moment) for moment in FIGURE_2_JUDGED)
    assert [(match.moment, match.iou) for match in matches] == [(g3, 0.4), (g1, 0.35), (g4, 0.5)]
    # Above .35 nothing is left for the duplicate.
    assert value("NDCG@3,IoU>=0.36", FIGURE_2_JUDGED, FIGURE_2_RANKED) == pytest.approx((2 + 2 / 2) / ideal)


def test_ndcg_as_released_gains_exponentially() -> None:
    reached = 3 + 15 / LOG3 + 3 / 2
    ideal = 15 + 3 / LOG3 + 3 / 2
    assert value("NDCG@3,IoU>=0.3", FIGURE_2_JUDGED, FIGURE_2_RANKED, "released") == pytest.approx(reached / ideal)


def test_ndcg_pays_a_moment_once_and_a_moment_of_grade_0_uses_up_its_prediction() -> None:
    judged = [("a", 0.0, 10.0, 3.0), ("a", 1.0, 11.0, 0.0)]
    # The first prediction equals the moment of grade 0 and takes it; the second takes the good one.
    ranked = [("a", 1.0, 11.0), ("a", 1.0, 11.0), ("a", 0.0, 10.0)]
    assert value("NDCG@3,IoU>=0.5", judged, ranked) == pytest.approx((3 / LOG3) / 3)


def test_ndcg_gives_equal_overlap_to_the_higher_grade() -> None:
    judged = [("a", 0.0, 4.0, 1.0), ("a", 6.0, 10.0, 4.0)]
    assert value("NDCG@1,IoU>=0.2", judged, [("a", 2.0, 8.0)]) == pytest.approx(1.0)


def test_ndcg_counts_exactly_mu_only_when_it_says_so() -> None:
    judged, ranked = [("a", 0.0, 10.0, 1.0)], [("a", 0.0, 5.0)]
    assert value("NDCG@1,IoU>=0.5", judged, ranked) == 1
    assert value("NDCG@1,IoU>0.5", judged, ranked) == 0
    assert value("NDCG@1,IoU>=0.5", judged, ranked, "released") == 0


def test_ndcg_has_no_ideal_without_relevant_moments_and_is_0() -> None:
    assert value("NDCG@5,IoU>=0.5", [("a", 0.0, 10.0, 0.0)], [("a", 0.0, 10.0)]) == 0
    assert value("NDCG@5,IoU>=0.5", [], [("a", 0.0, 10.0)]) == 0
