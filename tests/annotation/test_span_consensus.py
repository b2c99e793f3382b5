"""The rule for spans: worked examples, and that it stays a rule."""

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.consensus import Rule
from annotation.judging.marked_span import in_video
from annotation.span_consensus import Marked, Span, agree_on, deciding

MOMENT = Span(100.0, 110.0)
tenths = st.integers(0, 100)
spans = st.tuples(tenths, tenths).filter(lambda ends: ends[0] != ends[1]).map(sorted)
marks = st.one_of(st.none(), spans.map(lambda ends: Span(100 + ends[0] / 10, 100 + ends[1] / 10)))
judged = st.lists(st.builds(Marked, st.integers(0, 4), marks), min_size=1, max_size=4)
shares = st.floats(0, 1)


@given(judged, shares, st.randoms())
def test_order_doesn_t_matter_and_the_span_lies_in_the_moment(
    given: list[Marked], agreement: float, lot: random.Random
) -> None:
    agreed = agree_on(MOMENT, given, agreement=agreement)
    shuffled = list(given)
    lot.shuffle(shuffled)
    assert agree_on(MOMENT, shuffled, agreement=agreement) == agreed
    assert MOMENT.start <= agreed.span.start < agreed.span.end <= MOMENT.end
    assert agreed.status == "agreed" or agreed.span == MOMENT
    assert agreed.mean_iou is None or 0 <= agreed.mean_iou <= 1


@given(judged, shares, shares)
def test_who_asks_for_more_agreement_gets_no_more(given: list[Marked], one: float, other: float) -> None:
    lower, higher = sorted((one, other))
    strict = agree_on(MOMENT, given, agreement=higher)
    if strict.status == "agreed":
        assert agree_on(MOMENT, given, agreement=lower) == strict


@given(judged, st.integers(0, 3), st.integers(1, 50))
def test_a_later_end_never_ends_the_span_sooner(given: list[Marked], place: int, by: int) -> None:
    place %= len(given)
    span = given[place].span or MOMENT
    longer = Span(span.start, min(MOMENT.end, span.end + by / 10))
    after = [*given[:place], Marked(given[place].grade, longer), *given[place + 1 :]]
    before, then = (agree_on(MOMENT, some, agreement=0.0) for some in (given, after))
    if before.people > 1:
        assert then.span.end >= before.span.end and then.span.start == before.span.start


def test_two_judges() -> None:
    agreed = agree_on(MOMENT, [Marked(4, Span(101, 105)), Marked(3, Span(102, 106))], agreement=0.6)
    assert (agreed.span, agreed.status, agreed.mean_iou) == (Span(101.5, 105.5), "agreed", 0.6)
    apart = agree_on(MOMENT, [Marked(4, Span(101, 105)), Marked(3, Span(102, 106))], agreement=0.61)
    assert (apart.span, apart.status) == (MOMENT, "apart")
    alone = agree_on(MOMENT, [Marked(1, Span(101, 105)), Marked(0)], agreement=0.1)
    assert (alone.span, alone.status, alone.mean_iou, alone.people) == (MOMENT, "apart", None, 1), "0 has no span"
    nothing = agree_on(MOMENT, [Marked(0), Marked(0)], agreement=0.5)
    assert (nothing.status, nothing.people) == ("whole", 0)


def test_four_judges_of_whom_those_count_that_made_the_grade() -> None:
    dropped, *kept = Marked(0), Marked(2, Span(101, 106)), Marked(4, Span(108, 110)), Marked(3, Span(102, 106))
    made = deciding([dropped, *kept])
    assert made == [kept[0], kept[2]], "neither the lowest nor the highest"
    assert agree_on(MOMENT, made, agreement=0.5).span == Span(101.5, 106)
    same = [Marked(1), Marked(3, Span(101, 105)), Marked(3, Span(101, 106)), Marked(3, Span(101, 107))]
    assert agree_on(MOMENT, deciding(same), agreement=0.5).span == Span(101, 106), "the middle one of three"
    assert min(one.span.iou(other.span) for one, other in combinations(same[1:], 2) if one.span and other.span) > 0.5


def test_judgments_beyond_the_rule_change_nothing_and_without_consensus_there_is_nothing_to_agree_on() -> None:
    assert deciding([Marked(3), Marked(4), Marked(0)]) == [Marked(3), Marked(4)]
    assert deciding([Marked(2), Marked(2)], Rule(second_round=0)) == [Marked(2), Marked(2)]
    for grades in ([0, 4], [0, 4, 1, 3], [3]):
        with pytest.raises(ValueError, match="found"):
            deciding([Marked(grade) for grade in grades])


@pytest.mark.parametrize("agreement", [-0.1, 1.1])
def test_an_agreement_that_is_none_is_told(agreement: float) -> None:
    with pytest.raises(ValueError, match="expected 0 to 1"):
        agree_on(MOMENT, [], agreement=agreement)


def test_a_span_outside_is_told() -> None:
    with pytest.raises(ValueError, match="expected a part of"):
        agree_on(MOMENT, [Marked(4, Span(99, 105))], agreement=0.5)
    with pytest.raises(ValueError, match="expected a start before the end"):
        Span(3, 3)


@given(spans, st.floats(0.6, 12))
def test_marks_give_a_part_of_the_moment_or_are_refused(ends: list[int], clip: float) -> None:
    try:
        span = in_video((ends[0] / 10, ends[1] / 10), moment=MOMENT, clip_seconds=clip)
    except ValueError:
        assert ends[1] / 10 > clip or ends[1] - ends[0] < 5
    else:
        assert span is None or (MOMENT.start <= span.start < span.end <= MOMENT.end)
