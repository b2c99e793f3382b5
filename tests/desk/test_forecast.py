"""The forecast against cases worked by hand."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.forecast import Work, forecast, judgments_left

TODAY = date(2026, 11, 21)


@pytest.mark.parametrize(
    ("work", "left"),
    [
        (Work(), 0),
        (Work(first_round=10), 20),
        (Work(first_round=10, first_given=4), 16),
        (Work(second_round=3, second_given=1, went_on=3), 5),
        # A fifth of 100 pairs went on: 50 fresh ones need 100 judgments and 10 of them two more.
        (Work(first_round=50, decided=90, second_round=10, second_given=20, went_on=20), 120),
        # A quarter of the batches was extended: 25 of 100 later pairs are to be expected.
        (Work(later=100, extended=1, reviewed=4), 50),
        (Work(later=100), 0),
        (Work(unopened=20, first_people=3, second_people=0), 60),
        # A third of one pair is a judgment that somebody has to give.
        (Work(first_round=1, decided=3, went_on=1), 3),
    ],
)
def test_judgments_left(work: Work, left: int) -> None:
    assert judgments_left(work) == left


def test_the_paper_s_second_rounds_are_foretold_by_its_first_half() -> None:
    # 227,808 judgments of 96,483 pairs: 17,421 pairs went on, if each of these took two more.
    half = Work(first_round=48_242, decided=48_241, went_on=8_710)
    assert judgments_left(half) == pytest.approx(227_808 / 2, rel=0.001)


@given(*[st.integers(0, 500) for _ in range(4)])
def test_a_judgment_given_is_one_fewer_left(pairs: int, given_: int, disputed: int, decided: int) -> None:
    given_ = min(given_, max(pairs * 2 - 1, 0))
    before = Work(first_round=pairs, first_given=given_, second_round=disputed, decided=decided, went_on=disputed)
    after = Work(first_round=pairs, first_given=given_ + 1, second_round=disputed, decided=decided, went_on=disputed)
    assert judgments_left(before) - judgments_left(after) == (1 if pairs else 0)


def test_the_end_and_the_cost_follow_from_the_pace() -> None:
    told = forecast(left=1000, judged=700, days=7, today=TODAY, paid=Decimal("500.00"), recently_paid=Decimal("70.00"))
    assert (told.a_day, told.days, told.ends) == (100, 10, date(2026, 12, 1))
    assert (told.cost, told.total) == (Decimal("100.00"), Decimal("600.00"))


def test_where_nobody_judges_there_is_no_end() -> None:
    told = forecast(left=5, judged=0, days=7, today=TODAY, paid=Decimal(0), recently_paid=Decimal(0))
    assert (told.days, told.ends, told.cost, told.total) == (None, None, None, None)


def test_where_nothing_is_left_it_ends_today_and_costs_nothing_more() -> None:
    told = forecast(left=0, judged=0, days=7, today=TODAY, paid=Decimal(9), recently_paid=None)
    assert (told.ends, told.cost, told.total) == (TODAY, Decimal(0), Decimal(9))


def test_without_a_rate_there_is_an_end_and_no_cost() -> None:
    told = forecast(left=10, judged=7, days=7, today=TODAY, paid=None, recently_paid=None)
    assert (told.days, told.cost, told.total) == (10, None, None)


def test_a_date_in_centuries_is_none() -> None:
    told = forecast(left=10**9, judged=1, days=7, today=TODAY, paid=None, recently_paid=None)
    assert (told.days, told.ends) == (None, None)


@pytest.mark.parametrize(("left", "judged", "days"), [(-1, 0, 1), (0, -1, 1), (0, 0, 0)])
def test_counts_that_can_t_be_are_refused(left: int, judged: int, days: int) -> None:
    with pytest.raises(ValueError, match="expected counts"):
        forecast(left=left, judged=judged, days=days, today=TODAY, paid=None, recently_paid=None)
