"""Captions and what people decide about them: accepted, refused, written anew, rewritten again, many at once."""

from datetime import datetime
from typing import Annotated, Any, Literal

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from ninja import Path
from pydantic import BaseModel, Field

from api.frame.answers import From, Out
from api.frame.calls import Call, Scope
from api.frame.endpoints import Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of
from foundation.refused import Refused
from queries.models import Caption
from queries.review.bulk import accept_bulk, last_bulk, take_back_bulk
from queries.review.decisions import decide_caption, take_back
from queries.review.edits import ask_again, ask_check, check_told, write_caption

endpoints = Endpoints("Captions")
CheckId = Annotated[str, Path(pattern="^[-a-zA-Z0-9_]{1,64}$")]


class Swapped(BaseModel):
    """Words of a description and what stands in their place, by the check that they fail: gender, roles or words."""

    check: str
    before: str
    after: str


class Doubted(BaseModel):
    """A name that the tagger found and that may be none, and why: listed, thing, letters, opening."""

    text: str
    score: float
    reasons: list[str]
    discarded: bool = Field(description="Whether it doesn't count in this collection.")


class Checks(BaseModel):
    """What the checks said of a caption's text."""

    similarity: float | None = Field(description="Cosine to the description.")
    similarity_passed: bool
    names: list[str] = Field(description="Names of persons that were found.")
    names_passed: bool
    kept_ratio: float | None = Field(description="Share of the words that were kept.")
    kept_passed: bool
    persons_passed: bool
    gender_passed: bool
    roles_passed: bool
    words_passed: bool
    swaps: list[Swapped] = Field(description="What stands in another's place.")
    doubted_names: list[Doubted] = Field(description="Names above the threshold that may be none.")


class CaptionOut(Out):
    """A description's imprecise form."""

    caption: int = From("pk")
    description: int = From("description_id")
    text: str
    status: str = Field(description="accepted, review or refused.")
    decided_by: str | None = From(
        "decided_by.worker", description="A worker id; null: by the checks alone, or not yet."
    )
    decided_at: datetime | None
    reason: str
    rewriter: str = From(
        "attempt.rewriter",
        description="openai, rules, as they are, import (with judgments), elsewhere, or person for an edit.",
    )
    made_by: str = From("attempt.model", description="The model, or who or what made a caption elsewhere.")
    checks: Checks = From("attempt")


class CaptionDecision(BaseModel):
    """What a person decides about a caption in review."""

    decision: Literal["accept", "refuse"]
    reason: Storable = Field("", max_length=500)


class AcceptMany(BaseModel):
    """Which captions in review are accepted at once."""

    similarity: float = Field(ge=0, le=1, description="At least so similar to their descriptions.")
    failing_too: bool = Field(False, description="Also those that fail another check.")


class Accepted(BaseModel):
    """How many were accepted."""

    accepted: int


class NewCaption(BaseModel):
    """A caption that a person writes in the place of one in review."""

    text: Storable = Field(min_length=1, max_length=1000)
    check: str = Field("", pattern="^[-a-zA-Z0-9_]{0,64}$", description="The id of a finished check of this very text.")
    reason: Storable = Field("", max_length=500)


class NewCheck(BaseModel):
    """A text to be checked as a caption; nothing is stored."""

    text: Storable = Field(min_length=1, max_length=1000)


class CheckAsked(BaseModel):
    """A check that a worker makes."""

    check: str
    text: str = Field(description="As it is checked: one line.")


class CaptionCheck(BaseModel):
    """How far a check is, and what it says."""

    state: Literal["waiting", "done", "failed"]
    text: str = ""
    passed: bool | None = None
    verdicts: list[dict[str, Any]] = Field([], description="Of each check: check, passed, why.")


class Written(CaptionOut):
    """A caption that a person wrote."""

    accepted: bool = Field(description="false: a worker checks the text; accept it when it is back.")


class AskedAgain(CaptionOut):
    """A caption that is rewritten again."""

    sent: bool = Field(description="false: the queue is away; it is sent once that is back.")


class TakenBack(BaseModel):
    """What became of captions that were accepted at once."""

    back: int = Field(description="In review again.")
    stay: int = Field(description="Became queries or candidates meanwhile.")


def _captions(call: Call) -> QuerySet[Caption]:
    rows = Caption.objects.filter(description__collection=call.collection)
    return rows.select_related("attempt", "decided_by")


@endpoints.read("/captions")
def list_captions(
    call: Call, asked: AskedPage, status: Literal["", "accepted", "review", "refused"] = ""
) -> Page[CaptionOut]:
    """A collection's captions, of one status or all."""
    rows = _captions(call)
    return page_of(rows.filter(status=status) if status else rows, asked, CaptionOut.of)


@endpoints.read("/captions/{int:caption_id}")
def get_caption(call: Call, caption_id: Id) -> CaptionOut:
    """One caption."""
    return CaptionOut.of(get_object_or_404(_captions(call), pk=caption_id))


@endpoints.act("/captions/{int:caption_id}/decide", scope=Scope.REVIEW)
def decide_a_caption(call: Call, caption_id: Id, new: CaptionDecision) -> CaptionOut:
    """Accept or refuse a caption in review. The same decision again changes nothing."""
    get_object_or_404(_captions(call), pk=caption_id)
    decide_caption(caption_id=caption_id, member=call.member, accept=new.decision == "accept", reason=new.reason)
    return CaptionOut.of(_captions(call).get(pk=caption_id))


@endpoints.act("/captions/accept-many", scope=Scope.REVIEW)
def accept_captions(call: Call, new: AcceptMany) -> Accepted:
    """Accept all captions in review from a similarity on; each is a decision of its own."""
    return Accepted(accepted=accept_bulk(member=call.member, similarity=new.similarity, failing_too=new.failing_too))


@endpoints.act("/captions/undo", scope=Scope.REVIEW)
def take_back_caption_decision(call: Call) -> CaptionOut:
    """Take back your own last decision about a caption: it waits for review again."""
    return CaptionOut.of(_captions(call).get(pk=take_back(member=call.member).pk))


@endpoints.act("/captions/undo-many", scope=Scope.REVIEW)
def take_back_accepted_captions(call: Call) -> TakenBack:
    """Take back all captions that your last decision accepted at once. 409 where it was about one caption."""
    bulk = last_bulk(call.member)
    if bulk is None:
        raise Refused("Your last decision was about one caption, or there is none: use captions/undo.")
    back, stay = take_back_bulk(member=call.member, bulk=bulk)
    return TakenBack(back=back, stay=stay)


@endpoints.act("/captions/{int:caption_id}/check", scope=Scope.REVIEW, status=202)
def check_a_caption_text(call: Call, caption_id: Id, new: NewCheck) -> CheckAsked:
    """Have a worker check a text as a caption; its result is kept for some minutes."""
    get_object_or_404(_captions(call), pk=caption_id)
    check, text = ask_check(caption_id=caption_id, text=new.text)
    return CheckAsked(check=check, text=text)


@endpoints.read("/caption-checks/{slug:check}")
def get_caption_check(call: Call, check: CheckId) -> CaptionCheck:
    """What a check says of a text; `waiting` also for one that isn't known."""
    return CaptionCheck.model_validate(check_told(call.collection, check))


@endpoints.act("/captions/{int:caption_id}/write", scope=Scope.REVIEW)
def write_a_caption(call: Call, caption_id: Id, new: NewCaption) -> Written:
    """Write a caption of your own. With its finished check it is accepted at once.

    Without, a worker checks it first: it comes back into review with your text, and is accepted by a decision.
    """
    get_object_or_404(_captions(call), pk=caption_id)
    accepted = write_caption(
        caption_id=caption_id, member=call.member, text=new.text, check=new.check, reason=new.reason
    )
    return Written.of(_captions(call).get(pk=caption_id), accepted=accepted)


@endpoints.act("/captions/{int:caption_id}/rewrite-again", scope=Scope.REVIEW)
def rewrite_a_caption_again(call: Call, caption_id: Id) -> AskedAgain:
    """Have a worker rewrite a caption once more; it comes back into review with the new text.

    409 where it is decided, or where rules would write the same again.
    """
    get_object_or_404(_captions(call), pk=caption_id)
    sent = ask_again(caption_id=caption_id, member=call.member)
    return AskedAgain.of(_captions(call).get(pk=caption_id), sent=sent)
