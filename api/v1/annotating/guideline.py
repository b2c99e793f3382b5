"""The guideline: read and confirmed by members, drafted and published by leads."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from annotation.models import Guideline
from annotation.qualification.guidelines import (
    confirm_guideline,
    current_guideline,
    draft_examples,
    draft_source,
    examples_of,
    publish_guideline,
    save_draft,
)
from api.frame.answers import Out
from api.frame.calls import Call, Scope, Who, found_or_404
from api.frame.endpoints import Endpoints, Storable

endpoints = Endpoints("Guideline")
HERE = "/guideline"
Source = Annotated[Storable, Field(max_length=200_000, description="Markdown.")]
Version = Annotated[int, Field(ge=1, le=2**31 - 1)]


class ExampleOut(BaseModel):
    """A worked example."""

    query: str
    grade: int
    why: str
    clip: str | None = Field(description="Its clip's public name.")


class VersionOut(Out):
    """A published version of the guideline."""

    version: int
    note: str = Field(description="What changed; empty: the first.")
    published_at: datetime


class GuidelineOut(VersionOut):
    """A version of the guideline with its text; it never changes."""

    source: Source
    examples: list[ExampleOut]


class Draft(BaseModel):
    """What a lead is writing, with the examples that publishing would take."""

    source: Source
    examples: list[ExampleOut]


class NewDraft(BaseModel):
    """A text to keep as the draft."""

    source: Source


class NewGuideline(BaseModel):
    """A text to publish as the next version, which everybody has to confirm."""

    source: Source
    note: Storable = Field("", max_length=1000, description="What changed: needed from version 2 on.")


class Confirmed(BaseModel):
    """The version that the caller has read."""

    version: Version


def _told(guideline: Guideline) -> GuidelineOut:
    return GuidelineOut.of(guideline, examples=examples_of(guideline))


def _draft(call: Call) -> Draft:
    here = call.collection
    facts = {"source": draft_source(here), "examples": draft_examples(here)}
    return Draft.model_validate(facts, from_attributes=True)


@endpoints.read(HERE, who=Who.MEMBER, of_studies=True)
def get_guideline(call: Call) -> GuidelineOut:
    """The newest guideline; 404 before one is published."""
    return _told(found_or_404(current_guideline(call.collection)))


@endpoints.read(f"{HERE}/versions", who=Who.MEMBER, of_studies=True)
def list_guideline_versions(call: Call) -> list[VersionOut]:
    """All published versions, the newest first."""
    rows = call.collection.guidelines.defer("source", "examples").order_by("-version")
    return [VersionOut.of(guideline) for guideline in rows]


@endpoints.read(f"{HERE}/versions/{{int:version}}", who=Who.MEMBER, of_studies=True)
def get_guideline_version(call: Call, version: Version) -> GuidelineOut:
    """One published version."""
    return _told(found_or_404(call.collection.guidelines.filter(version=version).first()))


@endpoints.act(f"{HERE}/confirm", scope=Scope.JUDGE, who=Who.MEMBER, of_studies=True)
def confirm_the_guideline(call: Call, read: Confirmed) -> Confirmed:
    """Say that you have read the newest version; another one is refused."""
    confirm_guideline(member=call.member, version=read.version)
    return Confirmed(version=call.member.guideline_confirmed)


@endpoints.read(f"{HERE}/draft")
def get_guideline_draft(call: Call) -> Draft:
    """The draft; without one the newest version, before that the text that comes with Qreels."""
    return _draft(call)


@endpoints.act(f"{HERE}/draft", scope=Scope.PREPARE)
def keep_guideline_draft(call: Call, new: NewDraft) -> Draft:
    """Keep a text as the draft, which only leads see."""
    save_draft(lead=call.member, source=new.source)
    return _draft(call)


@endpoints.make(f"{HERE}/publish", scope=Scope.PREPARE)
def publish_a_guideline(call: Call, new: NewGuideline) -> GuidelineOut:
    """Publish a text with the present examples. Publishing what is published already changes nothing."""
    return _told(publish_guideline(lead=call.member, source=new.source, note=new.note))
