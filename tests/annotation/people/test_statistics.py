"""Figures about people: hand-computed small cases, scikit-learn on real ratings, and properties."""

import json
from datetime import UTC, date, datetime
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.people.alerts import alerts_of, median_pace
from annotation.people.statistics import (
    JudgmentColumns,
    PeopleStatistics,
    kappa_of,
    meetings_of,
    people_statistics,
    self_agreement,
)
from tests.paths import DATA, NO_DATA

RATINGS = DATA / "qvhighlights" / "highlight_val_release.jsonl"
MONDAY = datetime(2026, 11, 16, tzinfo=UTC)
WEEK = 7 * 86400


def judged(rows: list[tuple[int, int, int]], **columns: Any) -> JudgmentColumns:
    """Rows of (pair, person, grade); every other column with what is plain, or as given."""
    size = len(rows)
    pair, person, grade = (np.array([row[place] for row in rows], dtype=np.int64) for place in range(3))
    plain = {
        "round": np.ones(size, dtype=np.int64),
        "decided": MONDAY.timestamp() + np.arange(size, dtype=np.float64),
        "active": np.full(size, 10.0),
        "played": np.ones(size),
        "too_soon": np.zeros(size, dtype=bool),
        "settled": np.ones(size, dtype=bool),
        "second": np.zeros(size, dtype=bool),
    }
    return JudgmentColumns(pair=pair, person=person, grade=grade, **(plain | columns))


def figures(of: JudgmentColumns, **more: Any) -> PeopleStatistics:
    return people_statistics(of, **({"needed": 0.8, "recent_from": 0.0} | more))


class TestByHand:
    """Bo (1) and cy (2) met at four pairs, bo and di (3) at one."""

    rows = [
        (1, 1, 4),
        (1, 2, 4),
        (2, 1, 3),
        (2, 2, 2),
        (3, 1, 2),
        (3, 2, 0),
        (4, 1, 1),
        (4, 2, 0),
        (5, 1, 0),
        (5, 3, 4),
    ]

    def test_who_is_lenient_and_who_is_harsh(self) -> None:
        bo, cy, di = figures(judged(self.rows)).people
        # Bo minus partner: 0, 1, 2, 1, -4.
        assert (bo.member, bo.overall.judgments, bo.overall.compared, bo.overall.difference) == (1, 5, 5, 0.0)
        assert (cy.overall.difference, di.overall.difference) == (-1.0, 4.0)
        assert (bo.overall.exact, bo.overall.within_one) == (0.2, 0.6)
        assert (cy.overall.exact, cy.overall.within_one) == (0.25, 0.75)
        assert bo.overall.grades == [1, 1, 1, 1, 1]
        assert cy.overall.grades == [2, 0, 1, 0, 1]

    def test_partners_are_listed_once_from_the_lower_id(self) -> None:
        first, second = figures(judged(self.rows)).partners
        assert (first.one, first.other, first.met, first.difference) == (1, 2, 4, 1.0)
        assert (second.one, second.other, second.met, second.difference) == (1, 3, 1, -4.0)
        assert first.kappa is None, "four meetings are too few for a kappa"

    def test_a_kappa_by_hand(self) -> None:
        # 20 both 0, 15 both 1, 5 and 10 crossed: observed 0.7, by chance 0.5.
        table = np.array([[20, 5], [10, 15]])
        assert kappa_of(table) == pytest.approx(0.4)
        assert kappa_of(np.array([[7, 0], [0, 0]])) is None
        assert kappa_of(np.zeros((5, 5))) is None

    def test_rounds_are_kept_apart(self) -> None:
        rows = [(1, 1, 0), (1, 2, 4), (1, 3, 2), (1, 4, 2)]
        turns = np.array([1, 1, 2, 2])
        statistics = figures(judged(rows, round=turns, second=np.ones(4, dtype=bool)))
        assert [(met.one, met.other) for met in statistics.partners] == [(1, 2), (3, 4)]
        assert [person.overall.second_round for person in statistics.people] == [1.0, 1.0, None, None]

    def test_a_first_round_that_is_not_over_has_no_share_yet(self) -> None:
        rows = [(1, 1, 0), (2, 1, 0), (3, 1, 0)]
        settled, second = np.array([True, True, False]), np.array([True, False, False])
        (bo,) = figures(judged(rows, settled=settled, second=second)).people
        assert bo.overall.second_round == 0.5

    def test_pace_is_of_the_judgments_whose_time_is_known(self) -> None:
        rows = [(pair, 1, 2) for pair in range(40)]
        active = np.array([20.0] * 30 + [np.nan] * 10)
        (bo,) = figures(judged(rows, active=active)).people
        assert (bo.overall.active_seconds, bo.overall.per_hour) == (600.0, 180)
        (quick,) = figures(judged(rows[:10])).people
        assert quick.overall.per_hour is None, "a hundred seconds make no pace"

    def test_played_and_too_soon(self) -> None:
        rows = [(pair, 1, 2) for pair in range(4)]
        played, soon = np.array([0.8, 0.84, 1.0, np.nan]), np.array([True, False, False, False])
        (bo,) = figures(judged(rows, played=played, too_soon=soon)).people
        assert (bo.overall.played, bo.overall.barely_played, bo.overall.too_soon) == (0.88, round(2 / 3, 6), 1)
        (whole,) = figures(judged(rows, played=played), needed=1.0).people
        assert whole.overall.barely_played is None, "who has to see it all can't stop early"

    def test_weeks_begin_on_monday(self) -> None:
        rows = [(pair, 1, 2) for pair in range(3)]
        start = MONDAY.timestamp()
        decided = np.array([start - 1, start, start + WEEK])
        (bo,) = figures(judged(rows, decided=decided), recent_from=start).people
        assert [(week.begins, week.figures.judgments) for week in bo.weeks] == [
            (date(2026, 11, 9), 1),
            (date(2026, 11, 16), 1),
            (date(2026, 11, 23), 1),
        ]
        assert bo.recent.judgments == 2

    def test_ten_equal_grades_at_double_pace_are_a_fast_run(self) -> None:
        rows = [(pair, 1, pair % 5) for pair in range(30)] + [(100 + pair, 1, 3) for pair in range(10)]
        active = np.array([20.0] * 30 + [9.0] * 10)
        (bo,) = figures(judged(rows, active=active)).people
        (run,) = bo.runs
        assert (run.length, run.grade, run.seconds, run.usual_seconds) == (10, 3, 9.0, 20.0)
        (calm,) = figures(judged(rows, active=np.full(40, 20.0))).people
        assert calm.runs == [], "ten equal grades alone are nothing"

    def test_self_agreement(self) -> None:
        own = self_agreement([4, 3, 2, 0], [4, 2, 4, 0])
        assert (own["repeats"], own["exact"], own["within_one"], own["difference"]) == (4, 0.5, 0.75, 0.25)
        assert own["kappa"] is None

    def test_nobody_is_no_fault(self) -> None:
        assert figures(judged([])) == PeopleStatistics([], [])


@pytest.mark.skipif(not RATINGS.exists(), reason=NO_DATA)
def test_kappas_of_the_real_ratings_are_scikit_learn_s() -> None:
    from sklearn.metrics import cohen_kappa_score

    ratings = np.array([row for line in RATINGS.open() for row in json.loads(line)["saliency_scores"]], dtype=np.int64)
    assert ratings.shape[1] == 3 and len(ratings) > 10_000
    rows = [(pair, person, int(row[person])) for pair, row in enumerate(ratings) for person in range(3)]
    statistics = figures(judged(rows))
    assert [(partner.one, partner.other, partner.met) for partner in statistics.partners] == [
        (one, other, len(ratings)) for one, other in combinations(range(3), 2)
    ]
    for met in statistics.partners:
        one, other = ratings[:, met.one], ratings[:, met.other]
        assert met.kappa == pytest.approx(cohen_kappa_score(one, other), abs=1e-6)
        assert met.weighted == pytest.approx(cohen_kappa_score(one, other, weights="quadratic"), abs=1e-6)
        assert met.exact == pytest.approx(np.mean(one == other), abs=1e-6)
        assert met.within_one == pytest.approx(np.mean(abs(one - other) <= 1), abs=1e-6)
        assert met.difference == pytest.approx(np.mean(one - other), abs=1e-6)
    for person in statistics.people:
        mine = np.concatenate([ratings[:, person.member]] * 2)
        theirs = np.concatenate([ratings[:, other] for other in range(3) if other != person.member])
        assert person.overall.weighted == pytest.approx(cohen_kappa_score(mine, theirs, weights="quadratic"), abs=1e-6)


grades = st.integers(0, 4)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4), grades, st.sampled_from([1, 2])), max_size=60))
def test_meetings_are_those_that_a_plain_loop_finds(rows: list[tuple[int, int, int, int]]) -> None:
    rows = list({(pair, person, turn): (pair, person, grade, turn) for pair, person, grade, turn in rows}.values())
    of = judged([row[:3] for row in rows], round=np.array([row[3] for row in rows], dtype=np.int64))
    mine, theirs = meetings_of(of)
    plain = {
        (here, there)
        for here, row in enumerate(rows)
        for there, other in enumerate(rows)
        if here != there and (row[0], row[3]) == (other[0], other[3])
    }
    assert set(zip(mine.tolist(), theirs.tolist(), strict=True)) == plain and len(mine) == len(plain)


class TestAlerts:
    def person(self, **recent: Any) -> dict[str, Any]:
        plain = {
            "judgments": 100,
            "per_hour": 200,
            "too_soon": 0,
            "compared": 100,
            "difference": 0.0,
            "weighted": 0.7,
            "barely_played": 0.1,
        }
        return {"recent": plain | recent, "self_agreement": None}

    def kinds(self, person: dict[str, Any], **more: Any) -> list[str]:
        return [alert.kind for alert in alerts_of(person, **({"pace": 200.0} | more))]

    def test_plain_work_raises_none(self) -> None:
        assert self.kinds(self.person()) == []

    @pytest.mark.parametrize(
        ("recent", "kind"),
        [
            ({"too_soon": 3}, ["fast"]),
            ({"too_soon": 2}, []),
            ({"per_hour": 501}, ["fast"]),
            ({"per_hour": 500}, []),
            ({"difference": -0.5}, ["bias"]),
            ({"difference": 0.49}, []),
            ({"weighted": 0.39}, ["kappa"]),
            ({"weighted": None}, []),
            ({"barely_played": 0.91}, ["played"]),
            ({"judgments": 49, "too_soon": 49, "barely_played": 1.0}, []),
            ({"compared": 49, "difference": 4.0, "weighted": -1.0}, []),
        ],
        ids=repr,
    )
    def test_each_threshold(self, recent: dict[str, Any], kind: list[str]) -> None:
        assert self.kinds(self.person(**recent)) == kind

    def test_the_reason_says_figure_and_threshold(self) -> None:
        (alert,) = alerts_of(self.person(difference=0.62), pace=None)
        assert alert.reason == "+0.62 from partners over 100 comparisons: lenient (from ±0.5)"

    def test_runs_silence_and_self(self) -> None:
        own = {"repeats": 10, "within_one": 0.7}
        person = {**self.person(), "self_agreement": own}
        assert self.kinds(person, runs=2, silent_days=4.0) == ["runs", "self", "silence"]
        assert self.kinds({**person, "self_agreement": own | {"repeats": 9}}, silent_days=2.9) == []

    def test_the_pace_to_compare_with_is_the_median(self) -> None:
        people = [self.person(per_hour=pace) for pace in (100, 300, None, 200)]
        assert median_pace(people) == 200
        assert median_pace([*people, self.person(per_hour=250)]) == 225
        assert median_pace(people[:2]) is None
