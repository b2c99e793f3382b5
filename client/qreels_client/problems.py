"""What can go wrong, each an exception of its own. All derive from `QreelsError`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class QreelsError(Exception):
    """Whatever this package raises; its text is a sentence for people."""


class NotReached(QreelsError):
    """The site can't be reached, or the connection broke and the request may not be sent again by itself."""


class NotUnderstood(QreelsError):
    """The answer isn't one of Qreels' API: another server is at that address."""


class WaitedTooLong(QreelsError, TimeoutError):
    """A job wasn't done in the time that was given. It goes on by itself."""


class Damaged(QreelsError):
    """What arrived isn't what the site says it is: its checksum or its size is another. It wasn't kept."""


class JobFailed(QreelsError):
    """A job ended without what was asked for. `job` is the job, `log` what it wrote."""

    def __init__(self, job: Mapping[str, Any]) -> None:
        super().__init__(f"{job['title']} {job['job']}: {job['progress']['words']}")
        self.job = job
        self.log: list[str] = [line["text"] for line in job.get("log", [])]


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing that is wrong with a request. `field`: `body.NAME`, `query.NAME`, `header.NAME`, `path`, `method`."""

    field: str
    reason: str


class Refused(QreelsError):
    """The site refused a request.

    `status` is HTTP's; `detail` says what is the matter in words, `errors` field by field; `retry_after` are the
    seconds after which it may be tried again, None where the site doesn't say; `headers` are the answer's.
    """

    def __init__(
        self,
        status: int,
        title: str,
        detail: str,
        errors: tuple[Wrong, ...] = (),
        *,
        retry_after: float | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        places = ", ".join(wrong.field for wrong in errors if wrong.field and wrong.field not in detail)
        super().__init__(f"{status} {title}: {detail}{f' ({places})' if places else ''}")
        self.status, self.title, self.detail, self.errors = status, title, detail, errors
        self.retry_after, self.headers = retry_after, headers or {}

    @property
    def field(self) -> str:
        """The first field that is wrong."""
        return self.errors[0].field if self.errors else ""

    @property
    def reason(self) -> str:
        """What is wrong with it."""
        return self.errors[0].reason if self.errors else self.detail


class NotKnown(Refused):
    """401: there is no token, or it doesn't work (any more)."""


class NotAllowed(Refused):
    """403: this isn't yours to do, or the token lacks the scope."""


class NotFound(Refused):
    """404: there is nothing, or it isn't yours to see."""


class Conflict(Refused):
    """409: as things are, it can't be done."""


class Invalid(Refused):
    """422: something that was sent can't be; `errors` says what."""


class TooMany(Refused):
    """429: too many requests, also after waiting."""


class Unavailable(Refused):
    """502, 503, 504: the site is busy or away, also after waiting."""


KINDS: dict[int, type[Refused]] = {
    401: NotKnown,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    422: Invalid,
    429: TooMany,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}


def refusal(
    status: int, title: str, told: object, *, retry_after: float | None = None, headers: Mapping[str, str] | None = None
) -> Refused:
    """The exception for an answer. Args: told: its problem+json as read; anything else: it was none."""
    problem = told if isinstance(told, dict) else {}
    listed = problem.get("errors")
    errors = tuple(
        Wrong(str(error.get("field", "")), str(error.get("reason", "")))
        for error in (listed if isinstance(listed, list) else [])
        if isinstance(error, dict)
    )
    detail = str(problem.get("detail") or "The server says no more about it.")
    kind, title = KINDS.get(status, Refused), str(problem.get("title") or title)
    return kind(status, title, detail, errors, retry_after=retry_after, headers=headers)
