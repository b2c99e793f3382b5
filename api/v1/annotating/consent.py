"""The consent text: confirmed and withdrawn by members, drafted and published by leads."""

from datetime import datetime

from pydantic import BaseModel, Field

from annotation.consent.people import annotators_by_consent
from annotation.consent.standing import confirm_consent, withdraw_consent
from annotation.consent.texts import consent_draft, current_consent, publish_consent, save_consent_draft
from annotation.models import OnWithdrawal
from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, Who, found_or_404
from api.frame.endpoints import Endpoints, Storable
from api.frame.lists import AskedPage, Page, page_of
from api.v1.annotating.guideline import Confirmed, Source, Version, VersionOut

endpoints = Endpoints("Consent")
HERE = "/consent"


class ConsentOut(VersionOut):
    """A version of the consent text; it never changes."""

    source: Source
    on_withdrawal: OnWithdrawal = Field(description="What becomes of the judgments of who withdraws.")
    digest: str = Field(description="SHA-256 of the text.")


class ConsentState(Out):
    """Whether the consent text holds for the caller."""

    confirmed: int = From("consent_confirmed", description="The version that holds; 0: none.")
    withdrawn_at: datetime | None = From("consent_withdrawn_at", description="Null: it isn't withdrawn.")
    agrees: bool = Field(description="Whether nothing is to be confirmed.")


class Withdrawn(ConsentState):
    """What a withdrawal did."""

    taken_back: int = Field(description="Judgments that were taken back.")


class NewConsentDraft(BaseModel):
    """A text to keep as the draft."""

    source: Source
    on_withdrawal: OnWithdrawal = OnWithdrawal.KEPT


class NewConsent(NewConsentDraft):
    """A text to publish as the next version, which everybody has to confirm."""

    note: Storable = Field("", max_length=1000, description="What changed: needed from version 2 on.")


class PersonConsent(Out):
    """An annotator by worker id."""

    member: int = From("pk")
    worker: str
    confirmed: int = From("consent_confirmed", description="The version that holds; 0: none.")
    withdrawn: bool
    since: datetime | None = Field(description="The last confirmation or withdrawal; null: there was none.")


def _draft(call: Call) -> NewConsentDraft:
    source, on_withdrawal = consent_draft(call.collection)
    return NewConsentDraft(source=source, on_withdrawal=OnWithdrawal(on_withdrawal))


@endpoints.read(HERE, who=Who.MEMBER)
def get_consent(call: Call) -> ConsentOut:
    """The newest consent text; 404 before one is published."""
    return ConsentOut.of(found_or_404(current_consent(call.collection)))


@endpoints.read(f"{HERE}/versions/{{int:version}}", who=Who.MEMBER)
def get_consent_version(call: Call, version: Version) -> ConsentOut:
    """One published version."""
    return ConsentOut.of(found_or_404(call.collection.consent_texts.filter(version=version).first()))


@endpoints.read(f"{HERE}/own", who=Who.MEMBER)
def get_own_consent(call: Call) -> ConsentState:
    """Whether the consent text holds for you."""
    return ConsentState.of(call.member)


@endpoints.act(f"{HERE}/confirm", scope=Scope.JUDGE, who=Who.MEMBER)
def confirm_the_consent(call: Call, read: Confirmed) -> ConsentState:
    """Say that you have read the newest version and agree; another one is refused."""
    confirm_consent(member=call.member, version=read.version)
    return ConsentState.of(call.member)


@endpoints.act(f"{HERE}/withdraw", scope=Scope.JUDGE, who=Who.MEMBER, of_archived=True)
def withdraw_the_consent(call: Call) -> Withdrawn:
    """Withdraw your consent: no more work here, and your answers to the survey go."""
    taken_back = withdraw_consent(member=call.member)
    return Withdrawn.of(call.member, taken_back=taken_back)


@endpoints.read(f"{HERE}/draft")
def get_consent_draft(call: Call) -> NewConsentDraft:
    """The draft; without one the newest version, before that the text that comes with Qreels."""
    return _draft(call)


@endpoints.act(f"{HERE}/draft", scope=Scope.PREPARE)
def keep_consent_draft(call: Call, new: NewConsentDraft) -> NewConsentDraft:
    """Keep a text as the draft, which only leads see."""
    save_consent_draft(lead=call.member, source=new.source, on_withdrawal=new.on_withdrawal)
    return _draft(call)


@endpoints.make(f"{HERE}/publish", scope=Scope.PREPARE)
def publish_a_consent(call: Call, new: NewConsent) -> ConsentOut:
    """Publish a text. Publishing what is published already changes nothing."""
    published = publish_consent(lead=call.member, source=new.source, note=new.note, on_withdrawal=new.on_withdrawal)
    return ConsentOut.of(published)


@endpoints.read(f"{HERE}/people")
def list_consents(call: Call, asked: AskedPage) -> Page[PersonConsent]:
    """Annotators, each with the version that holds."""
    return page_of(
        annotators_by_consent(call.collection),
        asked,
        lambda person: PersonConsent.of(person, withdrawn=person.consent_withdrawn_at is not None),
    )
