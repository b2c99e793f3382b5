"""Accounts of the site, for its owners; links by which somebody sets a password; one's own data."""

from datetime import datetime
from typing import Annotated, Any, Literal

from django.core.exceptions import ValidationError
from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from pydantic import BaseModel, Field

from annotation.people.own_data import DOWNLOADS, own_data
from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, Who, found_or_404, not_bound
from api.frame.endpoints import Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of
from api.frame.problems import Problem
from foundation.access.throttle import take
from foundation.accounts.forms import AccountByOwner
from foundation.accounts.password_links import make_counted_link
from foundation.accounts.site_accounts import accounts_of_site, change_account, make_account
from foundation.models import Account

endpoints = Endpoints("Accounts")
SITE: dict[str, Any] = {"scope": Scope.ADMIN, "who": Who.SITE_OWNER}


class AccountOut(Out):
    """An account of the site."""

    account: int = From("pk")
    name: str = From("username")
    email: str
    active: bool = From("is_active")
    owns_site: bool = From("is_superuser")
    may_create_collections: bool
    second_factor: bool = From("has_factor")
    collections: int = From("places", description="In how many it has a place.")
    joined_at: datetime = From("date_joined")
    last_login: datetime | None


class NewAccount(BaseModel):
    """An account to be; its owner sets a password by a one-time link."""

    name: Storable = Field(min_length=1, max_length=150)
    email: Storable = Field("", max_length=254)
    may_create_collections: bool = False


class PasswordLinkOut(BaseModel):
    """A link by which somebody sets a new password, once. It is in this answer and nowhere else."""

    account: str
    link: str = Field(examples=["https://SITE/password/TOKEN/"])
    expires_at: datetime


class AccountChange(BaseModel):
    """What is to change of an account."""

    change: Literal["allow", "disallow", "own", "disown", "factor", "disable", "enable"] = Field(
        description="allow, disallow: to create collections; own, disown: the site; factor: take the second factor"
        " away; disable, enable: logging in."
    )
    sure: bool = Field(False, description="Needed for factor.")


def _link(call: Call, account: Account | None) -> PasswordLinkOut:
    within = call.token.collection_id if call.token else None
    password_link = make_counted_link(maker=call.account, account=found_or_404(account), within=within)
    link = call.request.build_absolute_uri(reverse("password-link", args=[password_link.token]))
    return PasswordLinkOut(account=password_link.account.username, link=link, expires_at=password_link.expires_at)


@endpoints.read("/accounts", **SITE)
def list_accounts(
    call: Call, asked: AskedPage, words: Annotated[Storable, Field(max_length=100)] = ""
) -> Page[AccountOut]:
    """All accounts; `words`: part of a name or mail address."""
    return page_of(accounts_of_site(asked=words), asked, AccountOut.of)


@endpoints.make("/accounts", **SITE)
def create_an_account(call: Call, new: NewAccount) -> PasswordLinkOut:
    """Make an account, and the link by which its owner sets a password."""
    values = {"username": new.name, "email": new.email, "may_create_collections": new.may_create_collections}
    form = AccountByOwner(values)
    if not form.is_valid():
        wrong = form.errors.as_data()
        raise ValidationError({{"username": "name"}.get(field, field): errors for field, errors in wrong.items()})
    return _link(call, make_account(form))


@endpoints.act("/accounts/{int:account_id}/change", **SITE)
def change_an_account(call: Call, account_id: Id, new: AccountChange) -> AccountOut:
    """Change what an account may. Repeating it changes nothing."""
    get_object_or_404(Account, pk=account_id)
    if new.change == "factor" and not new.sure:
        sentence = "Taking away somebody's second factor leaves their password alone: confirm it."
        raise Problem(422, sentence, field="body.sure")
    change_account(owner=call.account, account_id=account_id, change=new.change)
    return AccountOut.of(accounts_of_site().get(pk=account_id))


@endpoints.make("/accounts/{int:account_id}/password-link", **SITE)
def make_a_password_link(call: Call, account_id: Id) -> PasswordLinkOut:
    """Make a link by which somebody sets a new password. Earlier ones work no longer."""
    return _link(call, Account.objects.filter(pk=account_id).first())


@endpoints.make("/members/{int:member_id}/password-link", scope=Scope.ADMIN)
def make_a_member_s_password_link(call: Call, member_id: Id) -> PasswordLinkOut:
    """Make such a link for an annotator all of whose collections you lead."""
    member = call.collection.memberships.select_related("account").filter(pk=member_id).first()
    return _link(call, member.account if member else None)


@endpoints.read("/me/data", who=Who.ACCOUNT, content="application/json")
def download_own_data(call: Call) -> StreamingHttpResponse:
    """Everything that is kept about you, as JSON."""
    not_bound(call)
    take(DOWNLOADS, str(call.account.pk), what="You have downloaded your data many times.")
    response = StreamingHttpResponse(own_data(call.account), content_type="application/json")
    response["Content-Disposition"] = 'attachment; filename="qreels-own-data.json"'
    return response
