"""The caller's own account, and the audit trail."""

from datetime import datetime

from pydantic import Field

from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, Who
from api.frame.endpoints import Endpoints
from api.frame.lists import AskedPage, Page, page_of_all
from foundation.audit.selectors import Change, changes, trail

endpoints = Endpoints("Trail")


class Me(Out):
    """Whose token or login this is, and what it is good for."""

    account: str = From("account.username")
    token: str | None = From("token.name", description="The token's purpose; null: a login.")
    scopes: list[str] = Field(description="Of the token; of a login all.")
    collection: str | None = From(
        "token.collection.name", description="The only one that the token is good for; null: all."
    )
    expires_at: datetime | None = From("token.expires_at")


@endpoints.read("/me", who=Who.ACCOUNT)
def get_me(call: Call) -> Me:
    """Who you are, and what your token may do."""
    return Me.of(call, scopes=call.token.scope_names if call.token else list(Scope.values))


@endpoints.read("/changes")
def list_changes(call: Call, asked: AskedPage) -> Page[Change]:
    """Who changed what, when, from where, before and after; the newest first."""
    return page_of_all(trail(call.collection), asked, changes, newest_first=True)
