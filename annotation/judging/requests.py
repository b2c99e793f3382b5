"""Requests of the judging, practice and exam pages, parsed and checked by pydantic."""

import uuid
from typing import Annotated, Self

from django.http import HttpRequest
from django.http.request import RawPostDataException
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from annotation.assignment.next_tasks import AT_HAND
from annotation.grades import GRADES

MOST_AHEAD = 40
"""The most pairs that a page may ask for: each holds a place that nobody else can have meanwhile."""

# A field's description is what a refusal says that it expected.
Id = Annotated[uuid.UUID, Field(description="a UUID")]
Seconds = Annotated[float, Field(ge=0, le=86_400)]
Time = Annotated[AwareDatetime | None, Field(description="an ISO 8601 time")]


class PageRequest(BaseModel):
    """A request's JSON object; unknown fields are ignored."""

    model_config = ConfigDict(strict=True, frozen=True)

    @classmethod
    def read(cls, request: HttpRequest) -> Self:
        """Parse a request's body. Raises: ValueError saying what was found and expected."""
        try:
            # Nothing at all is an object without fields: an undo names its judgment or not.
            return cls.model_validate_json(request.body or b"{}")
        except RawPostDataException as error:
            raise ValueError(cls._expected()) from error
        except ValidationError as error:
            fault = error.errors(include_url=False, include_context=False)[0]
            name = str(fault["loc"][0]) if fault["loc"] else ""
            if fault["type"] == "missing" or not name:
                raise ValueError(cls._expected()) from error
            zone = fault["type"] == "timezone_aware"
            expected = "a time with its zone" if zone else cls.model_fields[name].description
            raise ValueError(f"found the {name} {fault['input']!r:.200}, expected {expected}") from error

    @classmethod
    def _expected(cls) -> str:
        needed = ", ".join(f'"{name}"' for name, field in cls.model_fields.items() if field.is_required())
        return f"expected JSON with {needed}" if needed else "expected JSON"


class SentGrade(PageRequest):
    """A grade of an item: `pair` is its public id, `played` the share of the clip that was seen, 0-1."""

    pair: Id
    grade: Annotated[int, Field(ge=GRADES[0], le=GRADES[-1], description=f"{GRADES[0]} to {GRADES[-1]}")]
    key: Id
    played: Annotated[float | None, Field(ge=0, le=1, description="a number from 0 to 1")] = None


class SentNext(PageRequest):
    """What is wanted of the next pairs: how many at most."""

    ahead: Annotated[int, Field(ge=AT_HAND, le=MOST_AHEAD, description=f"{AT_HAND} to {MOST_AHEAD}")] = AT_HAND


class SentJudgment(SentGrade):
    """A judgment; `at` and `sent` are when its key was pressed and when it was sent, by the browser's clock; `span` is
    the stretch of the clip that was marked."""

    active_ms: Annotated[float | None, Field(ge=0, le=86_400_000, description="milliseconds, at most a day")] = None
    at: Time = None
    sent: Time = None
    span: Annotated[
        tuple[Seconds, Seconds] | None, Field(description="start and end in seconds of the clip, or nothing")
    ] = None

    @property
    def active_seconds(self) -> float | None:
        """Work on it, as the page says."""
        return None if self.active_ms is None else self.active_ms / 1000

    @property
    def waited_seconds(self) -> float:
        """How long it waited to be sent, by the browser's clock; 0 where the page doesn't say."""
        return 0.0 if self.at is None or self.sent is None else (self.sent - self.at).total_seconds()


class SentFlag(PageRequest):
    """A flag on a pair, or a question about it."""

    pair: Id
    kind: Annotated[str, Field(description="a text")]
    note: Annotated[str, Field(pattern=r"\A[^\x00]*\z", description="a text without NUL")] = ""


class SentUndo(PageRequest):
    """What to take back: the judgment of this key, or what was flagged of this pair; without either, what was last."""

    key: Annotated[uuid.UUID | None, Field(description="a UUID")] = None
    flagged: Annotated[uuid.UUID | None, Field(description="a UUID")] = None


class SentVersion(PageRequest):
    """The version of the guideline to confirm."""

    version: Annotated[int, Field(description="a number")]
