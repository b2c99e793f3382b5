"""Parse a grade sent by the practice and exam pages."""

import uuid
from dataclasses import dataclass

from django.http import HttpRequest

from corpus.access.form_input import read_json

EXPECTED = 'expected JSON with "pair", "grade", "key" and "played"'


@dataclass(frozen=True, slots=True)
class SentGrade:
    """A grade of an item, `pair` being its public id; `played` is the part of the clip that was seen, 0-1."""

    pair: uuid.UUID
    grade: int
    key: uuid.UUID
    played: float | None

    def answer(self) -> dict[str, Any]:
        """The grade as the services of the exam take it."""
        return {"item_id": self.pair, "grade": self.grade, "key": self.key, "played": self.played}


def read_grade(request: HttpRequest) -> SentGrade:
    """The grade that was sent. Raises: ValueError saying what was found and expected."""
    sent = read_json(request, EXPECTED)
    if not sent.keys() >= {"pair", "grade", "key"}:
        raise ValueError(EXPECTED)
    grade, played = sent["grade"], sent.get("played")
    if not isinstance(grade, int) or isinstance(grade, bool) or grade not in range(5):
        raise ValueError(f"found the grade {grade!r}, expected 0 to 4")
    if played is not None:
        # NaN and infinity lie in no range; an int may have more digits than a float can hold.
        number = isinstance(played, int | float) and not isinstance(played, bool)
        if not number or not 0 <= played <= 1:
            raise ValueError(f"found played {played!r}, expected a number from 0 to 1")
    return SentGrade(read_uuid(sent["pair"]), grade, read_uuid(sent["key"]), played)


def read_uuid(value: object) -> uuid.UUID:
    """Raises: ValueError saying what was found and expected."""
    try:
        return uuid.UUID(value)  # type: ignore[arg-type]
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"found {value!r}, expected a UUID") from error
