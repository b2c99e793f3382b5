"""Named conventions for what papers leave open and code decides."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import EvaluationError
from ..measures.measure import Measure


@dataclass(frozen=True)
class Convention:
    """How a written measure is computed and averaged.

    Attributes:
        name: what ``--as`` says. description: one line for people.
        answered_only: average over the queries that the run has a row for (be it empty) instead
        of over all queries of the ground truth.
    """

    name: str
    description: str
    answered_only: bool

    def applied(self, measure: Measure) -> Measure:
        """The measure that is computed when this one is written."""
        return measure.released() if self.name == "released" else measure


PAPER = Convention(
    "paper",
    "gain = grade, IoU boundary as written, mean over all queries (without predictions: 0)",
    answered_only=False,
)
RELEASED = Convention(
    "released",
    "what TVR-Ranking's code does: gain = 2^grade - 1, IoU strictly greater, mean over the run's queries",
    answered_only=True,
)
CONVENTIONS = {convention.name: convention for convention in (PAPER, RELEASED)}


def convention_named(name: str) -> Convention:
    """The convention of this name. Raises: EvaluationError if there is none.

    >>> convention_named("released").answered_only
    True
    """
    if name not in CONVENTIONS:
        raise EvaluationError(f"{name!r} is not a convention; there are {', '.join(CONVENTIONS)}")
    return CONVENTIONS[name]
