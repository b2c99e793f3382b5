"""The rules of time at work, without a server: what is booked, of whatever is said; and when a grade is too soon."""

import math
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.judging.paid_time import MOST_A_DAY, ClockState, book, is_too_soon, longest_for

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ROUNDING = 1e-4
"""Times are kept to a microsecond."""

unhurried = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
anything = st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.floats(-1e6, 1e6))


def after(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


@unhurried
@given(
    st.lists(
        st.tuples(st.floats(-7200, 40_000), st.floats(0, 90_000), st.none() | anything, anything, st.floats(0, 600)),
        min_size=1,
        max_size=20,
    ),
    st.integers(1, 600),
)
def test_no_more_is_booked_than_the_server_saw_pass_nor_than_the_day_s_cap(
    sent: list[tuple[float, float, float | None, float, float]], idle: int
) -> None:
    """`sent`: how far the server's clock went since the one before, a skewed one back, too; and all that is said."""
    clock, now, latest = ClockState(NOON), NOON, NOON
    ends, days = [NOON], defaultdict(float)
    for passed, served, said, ago, clip in sent:
        now += timedelta(seconds=passed)
        latest = max(latest, now)
        booked = book(
            clock,
            served_at=min(now, after(served)),
            now=now,
            said_seconds=said,
            ago_seconds=ago,
            clip_seconds=clip,
            idle_seconds=idle,
        )
        assert 0 <= booked.active_seconds <= longest_for(clip, idle)
        assert booked.active_seconds <= (booked.decided_at - ends[-1]).total_seconds() + ROUNDING
        ends.append(booked.decided_at)
        days[booked.decided_at.date()] += booked.active_seconds
        clock = booked.clock
    assert all(one <= other for one, other in pairwise(ends)), "no stretch begins before another's end"
    assert ends[-1] <= latest, "and none ends in the future"
    assert sum(days.values()) <= (latest - NOON).total_seconds() + ROUNDING * len(sent)
    assert all(day <= MOST_A_DAY + ROUNDING for day in days.values())


@unhurried
@given(
    st.lists(st.tuples(st.floats(0, 120), st.floats(0.5, 290), st.booleans()), min_size=1, max_size=20),
    st.floats(-1e8, 1e8),
)
def test_a_fair_browser_loses_nothing_online_offline_or_with_a_wrong_clock(
    work: list[tuple[float, float, bool]], skew: float
) -> None:
    """`work`: a pause, seconds at work, and whether the network is there when the key is pressed. Outages gather
    judgments, which go out in order, together."""
    clock, at, booked, waiting = ClockState(NOON), 0.0, [], []
    for place, (pause, seconds, online) in enumerate(work):
        at += pause + seconds
        waiting.append((at, seconds))
        if not online and place < len(work) - 1:
            continue
        for pressed, counted in waiting:
            # The browser's clock says `pressed + skew` and `at + skew`: their difference is right all the same.
            ago = (at + skew) - (pressed + skew)
            found = book(
                clock,
                served_at=NOON,
                now=after(at),
                said_seconds=counted,
                ago_seconds=ago,
                idle_seconds=60,
            )
            booked.append(found.active_seconds)
            clock = found.clock
        waiting = []
    assert booked == pytest.approx([seconds for _, seconds, _ in work], abs=ROUNDING * len(work))


@unhurried
@given(st.lists(st.floats(1, 290), min_size=1, max_size=20), st.lists(anything, min_size=20, max_size=20))
def test_what_is_said_of_the_waiting_takes_time_from_those_behind_and_adds_none(
    counted: list[float], ago: list[float]
) -> None:
    clock, wall = ClockState(NOON), 600.0
    total = 0.0
    for seconds, said in zip(counted, ago, strict=False):
        found = book(clock, served_at=NOON, now=after(wall), said_seconds=seconds, ago_seconds=said, idle_seconds=60)
        total, clock = total + found.active_seconds, found.clock
    assert total <= min(wall, sum(counted)) + ROUNDING


def test_without_the_page_s_count_the_idle_limit_counts() -> None:
    def booked(passed: float) -> float:
        return book(
            ClockState(NOON), served_at=NOON, now=after(passed), said_seconds=None, idle_seconds=60
        ).active_seconds

    assert (booked(20), booked(900)) == (20, 60)


def test_a_night_between_two_judgments_is_no_work_whatever_the_page_says() -> None:
    night = after(15 * 3600)
    served_then = book(ClockState(NOON), served_at=NOON, now=night, said_seconds=54_000, idle_seconds=60)
    assert served_then.active_seconds == longest_for(None, 60) == 300
    served_now = book(
        ClockState(NOON), served_at=night - timedelta(seconds=8), now=night, said_seconds=54_000, idle_seconds=60
    )
    assert served_now.active_seconds == 8
    long_clip = book(
        ClockState(NOON), served_at=NOON, now=night, said_seconds=54_000, clip_seconds=100, idle_seconds=60
    )
    assert long_clip.active_seconds == 600


def test_a_day_is_full_and_the_next_one_is_empty_again() -> None:
    full = ClockState(NOON, MOST_A_DAY - 10)
    found = book(full, served_at=NOON, now=after(60), said_seconds=60, idle_seconds=60)
    assert (found.active_seconds, found.clock.seconds) == (10, MOST_A_DAY)
    tomorrow = book(found.clock, served_at=NOON, now=after(86_400), said_seconds=60, idle_seconds=60)
    assert (tomorrow.active_seconds, tomorrow.clock.seconds) == (60, 60)


@pytest.mark.parametrize(
    ("passed", "worked", "clip", "fraction", "soon"),
    [
        (3.6, 3.6, 16.0, 0.5, False),
        (3.6, 3.59, 16.0, 0.5, True),
        (3.59, 3.6, 16.0, 0.5, True),
        (0.0, 3.6, 16.0, 0.5, True),
        (-0.1, 3.6, 16.0, 0.5, False),
        (None, None, 16.0, 0.5, False),
        (None, 0.0, 16.0, 0.5, True),
        (0.0, 0.0, None, 0.5, False),
        (0.0, 0.0, 16.0, 0.0, False),
    ],
)
def test_a_grade_is_too_soon_before_the_needed_part_of_its_clip_could_have_played_at_double_speed(
    passed: float | None, worked: float | None, clip: float | None, fraction: float, soon: bool
) -> None:
    """Half of 16 s at double speed are 4 s, of which a tenth is given away."""
    previous = None if passed is None else after(-passed)
    assert (
        is_too_soon(decided_at=NOON, previous=previous, active_seconds=worked, clip_seconds=clip, fraction=fraction)
        is soon
    )


@pytest.mark.parametrize("said", [math.nan, -math.inf, -5.0, 0.0])
def test_work_that_is_no_time_is_none_and_a_key_pressed_at_no_time_was_pressed_now(said: float) -> None:
    booked = book(ClockState(NOON), served_at=NOON, now=after(10), said_seconds=said, ago_seconds=said, idle_seconds=60)
    assert (booked.active_seconds, booked.decided_at) == (0.0, after(10))
