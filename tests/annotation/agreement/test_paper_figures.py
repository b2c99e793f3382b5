"""The appendix's figures: worked by hand on pairs one can count, and read of a collection as they are."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.agreement import paper_figures
from annotation.agreement.paper_figure_counts import appendix_from, appendix_of, graded_pairs, judged_pairs
from annotation.agreement.paper_figures import GradeCount, PairCount, Rounds, bin_of
from annotation.models import Judgment, Pair
from foundation.access.pages import FactsEncoder
from queries.models import Candidate, Query
from tests.annotation.judging_steps import judge, sit
from tests.conftest import build_world

JUDGED = [
    PairCount("test", "2026-01-05", (4, 4), "consensus", 3),
    PairCount("test", "2026-01-05", (0, 1), "consensus", 4),
    PairCount("val", "2026-01-12", (1, 3, 2, 2), "consensus", 2),
    PairCount("val", "2026-01-12", (0, 4, 1, 3), "discarded", 1),
    PairCount("val", "2026-01-12", (2,), "open", 5),
    PairCount("val", "2026-01-12", (0, 2), "disputed", 6),
]
GRADED = [
    GradeCount("test", 1, 20, 4, 2),
    GradeCount("test", 1, 20, 3, 1, own=True),
    GradeCount("val", 2, 13, 1, 4),
    GradeCount("test", 2, 13, 2, 2),
]


def worked() -> paper_figures.Appendix:
    return paper_figures.appendix(JUDGED, GRADED, top_grade=4, first_round=2)


def test_lowest_and_highest_raw_grades() -> None:
    assert worked().lowest_highest == [
        [0, 4, 6, 0, 1],  # (0, 1) four times, (0, 2) six times, 0-4 once
        [0, 0, 0, 2, 0],  # 1-3
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 3],
    ]


def test_how_pairs_were_decided() -> None:
    all_, val, test = (rounds for _, rounds in worked().rounds)
    assert all_ == Rounds(first=7, second=2, discarded=1, reached=0.9)
    assert val == Rounds(first=0, second=2, discarded=1, reached=pytest.approx(2 / 3))
    assert test == Rounds(first=7, second=0, discarded=0, reached=1.0)
    assert [name for name, _ in worked().rounds] == ["all", "val", "test"]


def test_relevance_by_rank_and_similarity() -> None:
    first, second = worked().by_rank
    assert (first.name, first.pairs, first.counts, first.mean) == ("1", 3, [0, 0, 0, 1, 2], pytest.approx(11 / 3))
    assert (second.name, second.pairs, second.counts, second.mean) == ("2", 6, [0, 4, 2, 0, 0], pytest.approx(8 / 6))
    assert [(spread.name, spread.pairs) for spread in worked().by_similarity] == [("0.65-0.70", 6), ("1.00", 3)]


def test_final_grades_by_split() -> None:
    assert [(spread.name, spread.counts) for spread in worked().final] == [
        ("all", [0, 4, 2, 1, 2]),
        ("val", [0, 4, 0, 0, 0]),
        ("test", [0, 0, 2, 1, 2]),
    ]


def test_own_moments_that_are_not_perfect() -> None:
    appendix = worked()
    assert (appendix.own.pairs, appendix.own.counts[-1]) == (3, 2)
    assert appendix.own_test_queries is not None
    assert appendix.own_test_queries.counts == [0, 0, 0, 1, 0], "one a query, though three are of similarity 1.0"


def test_agreement_is_told_for_all_for_each_split_and_each_week() -> None:
    rows = worked().agreement
    assert [(row.of, row.name) for row in rows] == [
        ("collection", "all"),
        ("split", "val"),
        ("split", "test"),
        ("week", "2026-01-05"),
        ("week", "2026-01-12"),
    ]
    assert rows[0].every.pairs == 16 and rows[0].every.judgments == 3 * 2 + 4 * 2 + 3 * 4 + 6 * 2
    assert rows[0].first_round.judgments == 16 * 2


def test_nothing_judged_is_no_figure_and_no_error() -> None:
    empty = paper_figures.appendix([], [], top_grade=4, first_round=2)
    assert empty.rounds == [("all", Rounds(0, 0, 0, None))]
    assert (empty.own.pairs, empty.own.mean, empty.by_rank, empty.agreement[0].every.alpha) == (0, None, [], None)


@pytest.mark.parametrize(
    ("similarity", "place"), [(1.0, 20), (0.999999, 19), (0.95, 19), (0.15, 3), (0.0, 0), (-0.2, -4)]
)
def test_a_similarity_falls_into_its_bin(similarity: float, place: int) -> None:
    assert bin_of(similarity) == place


@pytest.mark.django_db
class TestACollection:
    def test_pairs_are_counted_as_they_are(self) -> None:
        world = build_world(queries=1, candidates=5)
        Candidate.objects.filter(rank=1).update(similarity=1.0)
        Query.objects.update(split="val")
        sit(*(world[name] for name in ("bo", "cy")))
        by_rank = {pair.candidate.rank: pair for pair in Pair.objects.select_related("candidate")}
        for rank, (one, other) in enumerate([(3, 4), (0, 0), (1, 4), (2, 0)], start=1):
            judge(world["bo"], by_rank[rank], one)
            judge(world["cy"], by_rank[rank], other)
        judge(world["bo"], by_rank[5], 2)
        Pair.objects.filter(pk=by_rank[4].pk).update(status="withdrawn")
        judged = sorted((row.grades, row.status, row.pairs) for row in judged_pairs(world.collection))
        assert judged == [
            ((0, 0), "consensus", 1),
            ((1, 4), "disputed", 1),
            ((2,), "open", 1),
            ((3, 4), "consensus", 1),
        ]
        monday = timezone.now().date() - timedelta(days=timezone.now().weekday())
        assert {(row.split, row.week) for row in judged_pairs(world.collection)} == {("val", monday.isoformat())}
        graded = sorted((row.rank, row.bin, row.grade, row.pairs) for row in graded_pairs(world.collection))
        assert graded == [(1, 20, 4, 1), (2, bin_of(0.98), 0, 1)]
        assert [row.rank for row in graded_pairs(world.collection) if row.own] == [1], "the moment that it describes"

    def test_what_was_taken_back_and_other_collections_are_not_counted(self) -> None:
        world, other = build_world(), build_world(name="other")
        sit(world["bo"], other["bo"])
        judge(world["bo"], world.batch.pairs.first(), 3)
        judge(other["bo"], other.batch.pairs.first(), 1)
        Judgment.objects.filter(grade=3).update(counted=False, uncounted_because="taken-back")
        assert judged_pairs(world.collection) == []
        assert [row.grades for row in judged_pairs(other.collection)] == [(1,)]

    def test_they_are_two_statements_and_come_back_from_json(self, django_assert_num_queries: Any) -> None:
        world = build_world()
        with django_assert_num_queries(2):
            appendix = appendix_of(world.collection)
        assert appendix_from(json.loads(json.dumps(appendix, cls=FactsEncoder))) == appendix
        assert appendix_from(json.loads(json.dumps(worked(), cls=FactsEncoder))).final == worked().final
        earlier = json.loads(json.dumps(worked(), cls=FactsEncoder))
        del earlier["own_test_queries"]
        assert appendix_from(earlier).own_test_queries is None, "computed before an upgrade"
