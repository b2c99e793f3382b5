"""`Refused`: what a service says when it doesn't do what it was asked.

Each way in translates it in one place: pages by `refusal_told` and `refusal_in` (`foundation/access/pages.py`), or else
by the middleware `Refusals`; the API in `api/frame/problems.py`, commands in `RefusingCommand`, jobs in `run_job`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foundation.lazy import LazyStr


class Refused(Exception):
    """It isn't done, and nothing was changed. The message is a sentence that says why, for whoever asked.

    `field`: what of a form it is about, "" for none. `status`: of an answer over HTTP that shows no form.
    """

    status = 409
    field = ""

    def __init__(self, message: LazyStr, field: str | None = None) -> None:
        super().__init__(message)
        if field is not None:
            self.field = field

    @property
    def wrong(self) -> dict[str, str]:
        """What is wrong, by field."""
        return {self.field: str(self)}


class FieldsRefused(Refused):
    """Several fields are wrong; `wrong` says what was found and expected in each, "" where it is about none."""

    def __init__(self, wrong: Mapping[str, str]) -> None:
        self._wrong = dict(wrong)
        super().__init__(" ".join(self._wrong.values()))

    @property
    def wrong(self) -> dict[str, str]:
        return self._wrong


class FileRefused(Refused):
    """The file that was sent isn't taken, unless `field` says that it is about another part of the form."""

    field = "file"


class LinkUnknown(Refused):
    """No link has this token, or it was used."""

    status = 404


class Busy(Refused):
    """Other work has to end first. A job that hears this is tried again."""
