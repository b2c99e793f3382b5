"""Working time of a judgment: bounded by what the server saw, apportioned by the browser's clock. Pure.

Nothing that a browser says of time can be checked, and time is pay. So the server keeps for every annotator up to
where time is accounted for (`ClockState`). A judgment's stretch begins there, or where its pair was served if that was
later, and ends at the latest now. It books what the page counted, at most that stretch, at most `longest_for` one
judgment and at most what is left of MOST_A_DAY; the next stretch begins where it ended. Stretches never overlap, so
their sum is at most the time that the server saw pass, whatever is sent.

Judgments that waited for the network come together. Each says how long ago it was decided, by one and the same clock
and so whether that clock is right or wrong: that only says where in the stretch it ends, and what it leaves to those
behind it. A judgment is never decided sooner than its own work was done, so that a clock gone wrong costs nobody.

>>> from datetime import UTC
>>> nine, ten = (datetime(2026, 11, 20, hour, tzinfo=UTC) for hour in (9, 10))
>>> online = book(ClockState(nine), served_at=nine, now=ten, said_seconds=12.0, idle_seconds=60)
>>> online.active_seconds, online.decided_at == ten
(12.0, True)
>>> book(ClockState(nine), served_at=nine, now=ten, said_seconds=86400.0, idle_seconds=60).active_seconds
300.0
>>> waited = book(ClockState(nine), served_at=nine, now=ten, said_seconds=12.0, ago_seconds=3000.0, idle_seconds=60)
>>> waited.active_seconds, f"{waited.clock.until:%H:%M}"
(12.0, '09:10')
"""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

FASTEST = 2.0
"""The page plays a clip at most at this speed."""
LONGEST_SECONDS = 300.0
"""The longest time of a judgment besides its clip: the page counts five minutes without activity as absence."""
TIMES_WATCHED = 3
"""How often a clip can be watched within one judgment's longest time."""
MOST_A_DAY = 12 * 3600.0
"""The most seconds that count per person and day (UTC); a lead can add more by a correction."""


@dataclass(frozen=True, slots=True)
class ClockState:
    """The time up to which an annotator's work is accounted for, and the `seconds` booked on that day (UTC)."""

    until: datetime
    seconds: float = 0.0


@dataclass(frozen=True)
class Booking:
    """What a judgment books: when it was decided, seconds of work (>= 0), and the clock for the next one."""

    decided_at: datetime
    active_seconds: float
    clock: ClockState


def book(
    clock: ClockState,
    *,
    served_at: datetime,
    now: datetime,
    said_seconds: float | None,
    ago_seconds: float = 0.0,
    clip_seconds: float | None = None,
    idle_seconds: float,
) -> Booking:
    """The time of one judgment.

    Args:
        clock: the annotator's, as the judgment before left it.
        served_at: when the annotator was given the pair.
        now: by the server's clock, as the two before.
        said_seconds: work on it by the page's count, any float; None: what passed, cut at `idle_seconds`.
        ago_seconds: how long before it was sent the key was pressed, by the browser's clock; any float.
        clip_seconds: how long the clip is; None when there is none to watch.
    """
    begin = max(clock.until, served_at)
    # A server's clock that was set back has seen nothing pass.
    span = max(0.0, (now - begin).total_seconds())
    counted = idle_seconds if said_seconds is None else said_seconds
    work = min(_at_least_nothing(counted), span, longest_for(clip_seconds, idle_seconds))
    end = max(span - _at_least_nothing(ago_seconds), work)
    decided_at = begin + timedelta(seconds=end)
    booked = clock.seconds if clock.until.date() == decided_at.date() else 0.0
    active = min(work, max(0.0, MOST_A_DAY - booked))
    return Booking(decided_at, active, ClockState(decided_at, booked + active))


def longest_for(clip_seconds: float | None, idle_seconds: float) -> float:
    """Seconds that one judgment can take at most."""
    return max(LONGEST_SECONDS, idle_seconds) + TIMES_WATCHED * (clip_seconds or 0.0)


def _at_least_nothing(seconds: float) -> float:
    return 0.0 if math.isnan(seconds) else max(0.0, seconds)


def is_too_soon(
    *,
    decided_at: datetime,
    previous: datetime | None,
    active_seconds: float | None,
    clip_seconds: float | None,
    fraction: float,
) -> bool:
    """Whether a grade came sooner than the needed part of its clip could have played: flagged, never refused.

    Args:
        decided_at: when it was decided.
        previous: the earliest that the same person's last judgment can have been decided: when it came says more of
            the network than of the person.
        active_seconds: work on it, as the page says.
        clip_seconds: how long the clip is; None when there is none to watch.
        fraction: the part of the clip that has to be seen, 0-1.
    """
    if not clip_seconds:
        return False
    # A tenth of grace: browsers report a clip's progress some frames late.
    shortest = 0.9 * fraction * clip_seconds / FASTEST
    if active_seconds is not None and active_seconds < shortest:
        return True
    return previous is not None and timedelta(0) <= decided_at - previous < timedelta(seconds=shortest)
