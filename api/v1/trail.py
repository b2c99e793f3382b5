"""The caller's own account, and the audit trail."""

from datetime import datetime
from typing import Annotated

from ninja import Query
from pydantic import BaseModel, Field

from api.frame.calls import Call, Scope, Who
from api.frame.endpoints import Endpoints
from api.frame.lists import Asked, Page, page_of_all
from foundation.audit.selectors import Change, changes, trail

endpoints = Endpoints("Trail")


class Me(BaseModel):
    """Whose token or login this is, and what it is good for."""

    account: str
    token: Annotated[str | None, Field(description="The token's purpose; null: a login.")]
    scopes: Annotated[list[str], Field(description="Of the token; of a login all.")]
    collection: Annotated[str | None, Field(description="The only one that the token is good for; null: all.")]
    expires_at: datetime | None


@endpoints.read("/me", Me, who=Who.ACCOUNT)
def get_me(call: Call) -> Me:
    """Who you are, and what your token may do."""
    token = call.token
    return Me(
        account=call.account.username,
        token=token.name if token else None,
        scopes=token.scope_names if token else list(Scope.values),
        collection=token.collection.name if token and token.collection else None,
        expires_at=token.expires_at if token else None,
    )


@endpoints.read("/changes", Page[Change])
def list_changes(call: Call, asked: Query[Asked]) -> Page[Change]:
    """Who changed what, when, from where, before and after; the newest first."""
    return page_of_all(trail(call.collection), asked, changes, newest_first=True)
