"""What a check of the site's health found."""

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's result. `found` and `todo` are sentences; `todo` is "" where there is nothing to do."""

    name: str
    title: str
    state: State
    found: str
    todo: str = ""

    @property
    def ok(self) -> bool:
        """Whether the site does its work as far as this check can tell: a warning doesn't stop it."""
        return self.state != "failed"
