"""Which backups stay."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from operation.backup.errors import BackupError
from operation.backup.manifest import moment_of
from operation.backup.rotation import to_remove

DAYS = [f"202611{day:02}T031500Z" for day in range(1, 23)]


def test_the_newest_of_seven_days_and_of_four_weeks_stay() -> None:
    twice_a_day = [*DAYS, *(backup.replace("T0315", "T1515") for backup in DAYS)]
    kept = sorted(set(twice_a_day) - set(to_remove(twice_a_day, days=7, weeks=4)))
    # 22 November 2026 is a Sunday, the last day of its week.
    assert [backup[6:8] for backup in kept] == ["01", "08", "15", "16", "17", "18", "19", "20", "21", "22"]
    assert all("T1515" in backup for backup in kept)


def test_a_site_that_stood_still_loses_none() -> None:
    assert to_remove(["20250101T000000Z", "20260101T000000Z"], days=2, weeks=0) == []


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(DAYS)), st.integers(1, 9), st.integers(0, 9))
def test_the_newest_always_stays_and_the_rest_settles(backups: list[str], days: int, weeks: int) -> None:
    gone = to_remove(backups, days=days, weeks=weeks)
    left = sorted(set(backups) - set(gone))
    assert not backups or max(backups) in left
    assert to_remove(left, days=days, weeks=weeks) == []


def test_bad_numbers_and_ids_are_refused() -> None:
    with pytest.raises(ValueError, match="days is 0"):
        to_remove([], days=0, weeks=1)
    for wrong in ("yesterday", "20261399T000000Z", "../20261122T031500Z"):
        with pytest.raises(BackupError, match="is no backup"):
            moment_of(wrong)
