"""Which backups stay: the newest of each of the last days, and of each of the last weeks."""

from collections.abc import Iterable
from datetime import datetime

from operation.backup.manifest import moment_of


def to_remove(backups: Iterable[str], *, days: int, weeks: int) -> list[str]:
    """The ids of backups that needn't be kept, oldest first.

    The newest always stays. A day or week without a backup counts for nothing: the last `days` days that have one
    count, not the last on the calendar, so that a site that stood still for a month loses none.

    Args: backups: ids; days, weeks: how many of each keep their newest backup, at least 1 and 0.
    Raises: ValueError for less.
    """
    if days < 1 or weeks < 0:
        raise ValueError(f"days is {days} and weeks {weeks}: expected at least 1 and 0")
    newest_first = sorted(set(backups), reverse=True)
    kept = {*_newest_of_each(newest_first, "%Y-%m-%d", days), *_newest_of_each(newest_first, "%G-%V", weeks)}
    return sorted(set(newest_first) - kept)


def _newest_of_each(newest_first: list[str], period: str, most: int) -> list[str]:
    newest: dict[str, str] = {}
    for backup in newest_first:
        at: datetime = moment_of(backup)
        newest.setdefault(at.strftime(period), backup)
    return list(newest.values())[:most]
