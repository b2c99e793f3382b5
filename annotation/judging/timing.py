"""Whether a judgment's times can be true. Pure. What can't is flagged for the lead, never refused."""

from datetime import datetime, timedelta

FASTEST = 2.0
"""The page plays a clip at most at this speed."""
CLOCK_SLACK = timedelta(minutes=2)
"""How far a browser's clock may go wrong before it is told apart from an honest one."""


def trusted_time(said: datetime | None, now: datetime, *, oldest: timedelta = timedelta(days=30)) -> datetime:
    """When a judgment was decided: what the page says, unless that lies in the future or absurdly long ago."""
    if said is None or said > now + CLOCK_SLACK or said < now - oldest:
        return now
    return min(said, now)


def is_too_soon(
    *,
    decided_at: datetime,
    previous: datetime | None,
    active_seconds: float | None,
    clip_seconds: float | None,
    fraction: float,
) -> bool:
    """Whether a grade came sooner than the needed part of its clip could have played.

    Args:
        decided_at, previous: when this and the same person's last judgment were decided.
        active_seconds: work on it, as the page says.
        clip_seconds: how long the clip is; None when there is none to watch.
        fraction: the part of the clip that has to be seen, 0-1.
    """
    if not clip_seconds or not fraction:
        return False
    # A tenth of grace: browsers report a clip's progress some frames late.
    shortest = 0.9 * fraction * clip_seconds / FASTEST
    if active_seconds is not None and active_seconds < shortest:
        return True
    return previous is not None and timedelta(0) <= decided_at - previous < timedelta(seconds=shortest)


def active_time(
    said: float | None, *, decided_at: datetime, previous: datetime | None, idle_seconds: float
) -> float | None:
    """Seconds of work on a judgment: what the page counted, never more than passed since the one before.

    Where the page says nothing, the time since the one before, cut at `idle_seconds`; None for a first one then.
    """
    passed = None if previous is None else max(0.0, (decided_at - previous).total_seconds())
    if said is None:
        return None if passed is None else min(passed, idle_seconds)
    return said if passed is None else min(said, passed)
