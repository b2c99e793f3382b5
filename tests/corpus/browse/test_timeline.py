"""Bars on a line: lanes, widths and ticks."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.browse.timeline import MOST_TICKS, MomentBar, bars, lanes, line_length, ticks

SPANS = st.lists(
    st.tuples(st.integers(0, 50), st.integers(1, 30)).map(lambda pair: (float(pair[0]), float(sum(pair)))), max_size=25
)


@pytest.mark.parametrize(
    "spans, expected",
    [
        ([], []),
        ([(0, 1), (1, 2)], [0, 0]),
        ([(0, 2), (1, 3), (2, 4)], [0, 1, 0]),
        ([(1, 3), (0, 2)], [1, 0]),
        ([(0, 1), (0, 5)], [1, 0]),
        ([(0, 9), (1, 2), (3, 4)], [0, 1, 1]),
    ],
    ids=["none", "touching share", "overlapping stack", "any order", "the longer one on top", "a freed lane again"],
)
def test_lanes_by_hand(spans: list[tuple[float, float]], expected: list[int]) -> None:
    assert lanes(spans) == expected


@given(SPANS)
def test_no_lane_holds_two_at_a_time_and_no_lane_is_needless(spans: list[tuple[float, float]]) -> None:
    given_lanes = lanes(spans)
    for (span, first), (other, second) in itertools.combinations(zip(spans, given_lanes, strict=True), 2):
        assert first != second or span[1] <= other[0] or other[1] <= span[0]
    busiest = max((sum(start <= moment < end for start, end in spans) for moment, _ in spans), default=0)
    assert max(given_lanes, default=-1) + 1 == busiest


@given(SPANS, st.none() | st.floats(0.1, 200))
def test_bars_stay_on_the_line(spans: list[tuple[float, float]], duration: float | None) -> None:
    for bar in bars(spans, length=line_length(duration, spans)):
        assert bar.left >= 0
        assert bar.width > 0
        assert bar.left + bar.width <= 100 + 1e-9


def test_a_bar_is_a_percentage_of_the_line() -> None:
    assert bars([(5.0, 10.0)], length=20) == [MomentBar(left=25, width=25, lane=0)]


def test_a_line_too_short_for_its_moments_is_refused() -> None:
    with pytest.raises(ValueError, match="found a line of 9 s, expected it to reach the last end"):
        bars([(5.0, 10.0)], length=9)


def test_a_line_reaches_the_video_s_end_or_what_passes_it() -> None:
    assert line_length(60, [(1, 2)]) == 60
    assert line_length(60, [(1, 61.5)]) == 61.5
    assert line_length(None, [(1, 2)]) == 2
    assert line_length(None, []) == 0


@given(st.floats(0, 1e6))
def test_ticks_are_few_even_and_within_the_line(length: float) -> None:
    marks = ticks(length)
    assert len(marks) <= MOST_TICKS + 1
    assert all(0 <= mark <= length for mark in marks)
    steps = {later - earlier for earlier, later in itertools.pairwise(marks)}
    assert len(steps) <= 1
    assert bool(marks) == (length > 0)


def test_ticks_are_round() -> None:
    assert ticks(61.5) == [0, 10, 20, 30, 40, 50, 60]
    assert ticks(150) == [0, 30, 60, 90, 120, 150]
