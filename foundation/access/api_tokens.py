"""API tokens of programs: what each is good for, for which collection, how long. Only a token's digest is stored."""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.infra.prepared_sql import columns_of, rows_of_first
from foundation.models import Account, ApiToken, Collection
from foundation.refused import Refused

MOST = 20
"""Valid tokens that an account may have."""

_TOKEN, _TOKEN_COLUMNS = columns_of(ApiToken, "t")
_ACCOUNT, _ACCOUNT_COLUMNS = columns_of(Account, "a")
_FIND = f"""
SELECT {_TOKEN_COLUMNS}, {_ACCOUNT_COLUMNS}
  FROM foundation_apitoken t JOIN foundation_account a ON a.id = t.account_id AND a.is_active
 WHERE t.digest = %(digest)s AND t.revoked_at IS NULL"""


@dataclass(frozen=True, slots=True)
class MadeToken:
    """A new token and its text, which is known this once."""

    row: ApiToken
    token: str


@transaction.atomic
def make_token(
    *,
    account: Account,
    name: str,
    scopes: Sequence[str] = (ApiToken.Scope.READ,),
    collection: str = "",
    expires_at: datetime | None = None,
) -> MadeToken:
    """Create a token.

    Args: scopes: what it is good for; collection: the name of the only one that it is good for, "" for all of the
    account's; expires_at: None for a token that doesn't expire.

    Raises: Refused without a name, with one over 100 characters, past MOST standing ones, for an unknown scope
    or none, a collection that the account is no member of, a time that is over.
    """
    name = " ".join(name.split())
    if not name or len(name) > 100:
        sentence = _("Found a name of %(count)s characters, expected 1 to 100: what the token is for.")
        raise Refused(sentence % {"count": len(name)}, "name")
    wrong = [scope for scope in scopes if scope not in ApiToken.Scope.values]
    if wrong or not scopes:
        sentence = _("Found the scope “%(found)s”, expected one or more of %(expected)s.")
        expected = ", ".join(ApiToken.Scope.values)
        raise Refused(sentence % {"found": "".join(wrong[:1])[:40], "expected": expected}, field="scopes")
    only = Collection.objects.filter(name=collection, memberships__account=account).first() if collection else None
    if collection and only is None:
        sentence = _("You are no member of a collection “%(found)s”.")
        raise Refused(sentence % {"found": collection[:60]}, field="collection")
    if expires_at is not None and expires_at <= timezone.now():
        raise Refused(_("Choose today or a later day."), field="last_day")
    Account.objects.select_for_update().get(pk=account.pk)
    if _standing(account).count() >= MOST:
        raise Refused(
            _("You have %(most)s tokens already. Revoke one that nothing uses any longer.") % {"most": MOST}, "name"
        )
    token = secrets.token_urlsafe(32)
    row = ApiToken.objects.create(
        account=account,
        name=name,
        digest=digest_of(token),
        scopes=[scope for scope in ApiToken.Scope.values if scope in scopes],
        collection=only,
        expires_at=expires_at,
    )
    return MadeToken(row, token)


def _standing(account: Account) -> QuerySet[ApiToken]:
    """An account's tokens that work."""
    working = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    return account.api_tokens.filter(working, revoked_at__isnull=True)


def revoke_token(*, account: Account, token_id: int) -> None:
    """Revoke a token. Repeating it changes nothing, nor does naming somebody else's."""
    account.api_tokens.filter(pk=token_id, revoked_at__isnull=True).update(revoked_at=timezone.now())


def revoke_all_tokens(*, account: Account) -> None:
    """Revoke all of an account's tokens, as when its password changes: they may have leaked with it."""
    account.api_tokens.filter(revoked_at__isnull=True).update(revoked_at=timezone.now())


def find_token(token: str) -> ApiToken | None:
    """The row of a token, with its account; None if it is unknown, was revoked or has expired, or the
    account is closed.

    Notes the day, so at most one write a token and day.
    """
    with connection.wrap_database_errors:
        rows = rows_of_first(_FIND, {"digest": digest_of(token)})
    if not rows:
        return None
    split = len(_TOKEN)
    row = ApiToken.from_db("default", _TOKEN, rows[0][:split])
    if row.expired:
        return None
    row.account = Account.from_db("default", _ACCOUNT, rows[0][split:])
    today = timezone.now().date()
    if row.last_used != today:
        ApiToken.objects.filter(Q(last_used__lt=today) | Q(last_used__isnull=True), pk=row.pk).update(last_used=today)
    return row


def tokens_of(account: Account) -> QuerySet[ApiToken]:
    """An account's tokens, valid ones first, newest first."""
    return account.api_tokens.select_related("collection").order_by("-revoked_at", "-pk")


def digest_of(token: str) -> str:
    """The SHA-256 of a token, in hexadecimal: what is stored of it."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
