"""Points in time that programs and browsers send, in any time zone."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime


def in_utc(time: datetime) -> datetime:
    """The same point in time in UTC, as the database takes it: PostgreSQL knows no offset of 16 hours or more, which
    ISO 8601 allows.

    Raises: ValueError without a time zone, or where UTC's year isn't one of 1 to 9999.
    """
    if time.tzinfo is None:
        raise ValueError("found a time without a time zone, expected one such as 2026-11-22T09:00:00Z")
    try:
        return time.astimezone(UTC)
    except OverflowError:
        raise ValueError("found a time outside the years 1 to 9999 in UTC") from None


SentTime = Annotated[AwareDatetime, AfterValidator(in_utc)]
"""A time of a request, with a time zone; in UTC once it is read."""
