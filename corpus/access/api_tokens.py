"""API tokens for reading pages as JSON. A token is random; only its digest is stored."""

import hashlib
import secrets
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from corpus.models import Account, ApiToken

MOST = 20
"""Valid tokens that an account may have."""


class TokenRefused(Exception):
    """The token can't be created; the message says why."""


@dataclass(frozen=True, slots=True)
class MadeToken:
    """A new token and its text, which is known this once."""

    row: ApiToken
    token: str


@transaction.atomic
def make_token(*, account: Account, name: str) -> MadeToken:
    """Create a token that reads every collection the account leads.

    Raises: TokenRefused without a name, with one over 100 characters, or past MOST standing ones.
    """
    name = " ".join(name.split())
    if not name or len(name) > 100:
        said = _("Found a name of %(count)s characters, expected 1 to 100: what the token is for.")
        raise TokenRefused(said % {"count": len(name)})
    Account.objects.select_for_update().get(pk=account.pk)
    if account.api_tokens.filter(revoked_at__isnull=True).count() >= MOST:
        raise TokenRefused(
            _("You have %(most)s tokens already. Revoke one that nothing uses any longer.") % {"most": MOST}
        )
    token = secrets.token_urlsafe(32)
    return MadeToken(ApiToken.objects.create(account=account, name=name, digest=digest_of(token)), token)


def revoke_token(*, account: Account, token_id: int) -> None:
    """Revoke a token. Repeating it changes nothing, nor does naming somebody else's."""
    account.api_tokens.filter(pk=token_id, revoked_at__isnull=True).update(revoked_at=timezone.now())


def revoke_all_tokens(*, account: Account) -> None:
    """Revoke all of an account's tokens, as when its password changes: they may have leaked with it."""
    account.api_tokens.filter(revoked_at__isnull=True).update(revoked_at=timezone.now())


def account_of_token(token: str) -> Account | None:
    """The account a token belongs to; None if the token is unknown or revoked, or the account is closed.

    Notes the day, so at most one write a token and day.
    """
    row = (
        ApiToken.objects.select_related("account")
        .filter(digest=digest_of(token), revoked_at__isnull=True, account__is_active=True)
        .first()
    )
    if row is None:
        return None
    today = timezone.now().date()
    if row.last_used != today:
        ApiToken.objects.filter(Q(last_used__lt=today) | Q(last_used__isnull=True), pk=row.pk).update(last_used=today)
    return row.account


def tokens_of(account: Account) -> QuerySet[ApiToken]:
    """An account's tokens, valid ones first, newest first."""
    return account.api_tokens.order_by("-revoked_at", "-pk")


def digest_of(token: str) -> str:
    """The SHA-256 of a token, in hexadecimal: what is stored of it."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
