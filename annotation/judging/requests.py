"""Requests of the judging, practice and exam pages, parsed and checked by pydantic; grades are the API's too."""

import uuid
from datetime import datetime
from typing import Annotated, Literal, Self

from django.http import HttpRequest
from django.http.request import RawPostDataException
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from annotation.assignment.next_tasks import AT_HAND
from annotation.grades import GRADES
from foundation.models import HIGHEST_GRADE, Collection

MOST_AHEAD = 40
"""The most pairs that a page may ask for: each holds a place that nobody else can have meanwhile."""

# A text among a field's annotations is what the page's refusals say that they expected; its description is the API's.
Id = Annotated[uuid.UUID, "a UUID"]
Seconds = Annotated[float, Field(ge=0, le=86_400)]
UsedKind = Literal["context", "sound", "subtitles"]
Time = Annotated[AwareDatetime | None, "an ISO 8601 time"]


def highest_sent(collection: Collection | None) -> int:
    """The highest number that is taken for a grade at all: whether the scale has it is asked later."""
    return GRADES[-1] if collection is None or collection.top_grade <= GRADES[-1] else HIGHEST_GRADE


class PageRequest(BaseModel):
    """A request's JSON object; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True)

    @classmethod
    def read(cls, request: HttpRequest, *, collection: Collection | None = None) -> Self:
        """Parse a page's request, strictly; a grade is one that a collection like this can have.

        Raises: ValueError saying what was found and expected.
        """
        top = highest_sent(collection)
        try:
            # Nothing at all is an object without fields: an undo names its judgment or not.
            sent = cls.model_validate_json(request.body or b"{}", strict=True)
        except RawPostDataException as error:
            raise ValueError(cls._expected()) from error
        except ValidationError as error:
            fault = error.errors(include_url=False, include_context=False)[0]
            name = str(fault["loc"][0]) if fault["loc"] else ""
            if fault["type"] == "missing" or not name:
                raise ValueError(cls._expected()) from error
            expected = next(part for part in cls.model_fields[name].metadata if isinstance(part, str))
            if fault["type"] == "timezone_aware":
                expected = "a time with its zone"
            expected = expected.replace("{top}", str(top))
            raise ValueError(f"found the {name} {fault['input']!r:.200}, expected {expected}") from error
        if isinstance(sent, ItemGrade) and sent.grade > top:
            raise ValueError(f"found the grade {sent.grade}, expected 0 to {top}")
        return sent

    @classmethod
    def _expected(cls) -> str:
        needed = ", ".join(f'"{name}"' for name, field in cls.model_fields.items() if field.is_required())
        return f"expected JSON with {needed}" if needed else "expected JSON"


class ItemGrade(PageRequest):
    """A grade of an item."""

    pair: Id
    grade: Annotated[int, "0 to {top}", Field(ge=0, le=HIGHEST_GRADE, description="One of the collection's scale.")]
    key: Annotated[Id, Field(description="Your own: sent again with the same, it is one answer.")]
    played: Annotated[
        float | None, "a number from 0 to 1", Field(ge=0, le=1, description="The share of the clip that was seen.")
    ] = None


class NewJudgment(ItemGrade):
    """A grade of a pair."""

    key: Annotated[Id, Field(description="Your own: sent again with the same, it is one judgment.")]
    active_ms: Annotated[
        float | None,
        "milliseconds, at most a day",
        Field(ge=0, le=86_400_000, description="Work on it, in milliseconds."),
    ] = None
    at: Annotated[Time, Field(description="When it was decided, by your clock.")] = None
    sent: Annotated[Time, Field(description="When it is sent, by your clock.")] = None
    span: Annotated[
        tuple[Seconds, Seconds] | None,
        "start and end in seconds of the clip, or nothing",
        Field(description="Start and end of what fits, in seconds of the clip, where the collection has them marked."),
    ] = None
    used: Annotated[
        list[UsedKind] | None,
        'a list of "context", "sound" and "subtitles", or nothing',
        Field(
            max_length=3,
            description="What you used beside the picture, where the collection has it; null: you don't say.",
        ),
    ] = None

    factors: Annotated[
        dict[str, int | None] | None,
        'values of factors by their keys, such as {"action": 2}',
        Field(description="What is answered to the collection's factors, by key; null: can't say."),
    ] = None

    @property
    def active_seconds(self) -> float | None:
        """Work on it, as the page says."""
        return None if self.active_ms is None else self.active_ms / 1000

    def waited_seconds(self, now: datetime | None = None) -> float:
        """How long it waited to be sent, by the sender's clock, or until `now` where it isn't said when it was sent."""
        until = self.sent or now
        return 0.0 if self.at is None or until is None else (until - self.at).total_seconds()


class SentNext(PageRequest):
    """What is wanted of the next pairs: how many at most."""

    ahead: Annotated[int, f"{AT_HAND} to {MOST_AHEAD}", Field(ge=AT_HAND, le=MOST_AHEAD)] = AT_HAND


class SentFlag(PageRequest):
    """A flag on a pair, or a question about it."""

    pair: Id
    kind: Annotated[str, "a text"]
    note: Annotated[str, "a text without NUL", Field(pattern=r"\A[^\x00]*\z")] = ""


class SentUndo(PageRequest):
    """What to take back: the judgment of this key, or what was flagged of this pair; without either, what was last."""

    key: Annotated[uuid.UUID | None, "a UUID"] = None
    flagged: Annotated[uuid.UUID | None, "a UUID"] = None


class SentVersion(PageRequest):
    """The version of the guideline to confirm."""

    version: Annotated[int, "a number"]
