"""Members of a collection and the invitations by which annotators join."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal

from django.shortcuts import get_object_or_404
from django.utils import timezone
from pydantic import BaseModel, Field

from annotation.people.terms import read_languages
from annotation.qualification.invitations import invitations_of, make_invitation, withdraw_invitation
from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, Who
from api.frame.endpoints import Endpoints, Id, Storable, Text
from api.frame.lists import AskedPage, Page, page_of
from api.frame.problems import Problem
from foundation.collections.lifecycle import change_role, remove_member
from foundation.infra.times import SentTime

endpoints = Endpoints("Members")


class MemberOut(Out):
    """Somebody with a place in a collection."""

    member: int = From("pk")
    worker: str = Field(description="The pseudonym in exports.")
    account: str | None = From("account.username", description="Null: their account is gone.")
    role: str
    status: str
    has_led: bool = Field(description="Whoever has led never judges here.")
    languages: list[str] = Field(description="Empty: all.")
    pay_per_hour: Decimal | None = Field(description="Null: the collection's.")
    joined_at: datetime


class NewRole(BaseModel):
    """What a member is to become."""

    role: Literal["owner", "lead"]


class InvitationOut(Out):
    """An invitation; its link is told only once, when it is made."""

    invitation: int = From("pk")
    label: str
    languages: list[str]
    places: int | None = Field(description="How many may join; null: any number.")
    used: int = Field(description="How many have joined.")
    made_by: str | None = From("made_by.worker", description="A worker id.")
    expires_at: datetime | None
    withdrawn_at: datetime | None


class MadeInvitation(InvitationOut):
    """A new invitation with its link, which can't be asked for again."""

    link: str = Field(examples=["https://SITE/join/TOKEN/"])


class NewInvitation(BaseModel):
    """An invitation to be."""

    label: Storable = Field("", max_length=100, description="For the lead to tell it from others.")
    places: int | None = Field(1, ge=1, le=10_000, description="Null: any number.")
    expires_at: SentTime | None = Field(None, description="Null: never.")
    languages: list[Annotated[Text, Field(max_length=40)]] = Field(
        [], max_length=20, description="Tags such as en or pt-BR."
    )


@endpoints.read("/members")
def list_members(call: Call, asked: AskedPage) -> Page[MemberOut]:
    """Everybody with a place in a collection."""
    return page_of(call.collection.memberships.select_related("account"), asked, MemberOut.of)


@endpoints.read("/members/{int:member_id}")
def get_member(call: Call, member_id: Id) -> MemberOut:
    """One member."""
    return MemberOut.of(get_object_or_404(call.collection.memberships, pk=member_id))


@endpoints.change("/members/{int:member_id}", scope=Scope.ADMIN, who=Who.OWNER)
def change_member_role(call: Call, member_id: Id, new: NewRole) -> MemberOut:
    """Make a member lead or owner. Whoever leads sees grades, and never judges here again."""
    get_object_or_404(call.collection.memberships, pk=member_id)
    return MemberOut.of(change_role(member=call.member, other_id=member_id, role=new.role))


@endpoints.remove("/members/{int:member_id}", scope=Scope.ADMIN, who=Who.OWNER)
def remove_a_member(call: Call, member_id: Id) -> None:
    """End somebody's access. Their worker id, judgments and decisions stay."""
    get_object_or_404(call.collection.memberships, pk=member_id)
    remove_member(member=call.member, other_id=member_id)


@endpoints.read("/invitations")
def list_invitations(call: Call, asked: AskedPage) -> Page[InvitationOut]:
    """A collection's invitations, the newest first."""
    return page_of(invitations_of(call.collection), asked, InvitationOut.of, newest_first=True)


@endpoints.make("/invitations", scope=Scope.ADMIN)
def create_invitation(call: Call, new: NewInvitation) -> MadeInvitation:
    """Make a link by which people become annotators. It is in this answer and nowhere else."""
    if new.expires_at is not None and new.expires_at <= timezone.now():
        raise Problem(422, "Found a time that is over, expected a later one.", field="body.expires_at")
    invitation = make_invitation(
        lead=call.member,
        places=new.places,
        expires_at=new.expires_at,
        languages=read_languages(", ".join(new.languages)),
        label=new.label,
    )
    row = invitations_of(call.collection).get(pk=invitation.invitation.pk)
    link = call.request.build_absolute_uri(f"/join/{invitation.token}/")
    return MadeInvitation.of(row, link=link)


@endpoints.remove("/invitations/{int:invitation_id}", scope=Scope.ADMIN)
def withdraw_an_invitation(call: Call, invitation_id: Id) -> None:
    """Withdraw an invitation. People who have joined stay."""
    get_object_or_404(call.collection.invitations, pk=invitation_id)
    withdraw_invitation(lead=call.member, invitation_id=invitation_id)
