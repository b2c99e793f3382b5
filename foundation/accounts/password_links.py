"""One-time links by which somebody sets a new password: made by the site's owner or a lead, or mailed to oneself.

One that somebody made is a row with its token's digest. One that is mailed is signed and has no row: it ends with the
password, address and last login of its account, so that asking for another doesn't end it.
"""

import logging
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.access.api_tokens import digest_of
from foundation.access.form_input import whole_number
from foundation.access.throttle import Limit, take
from foundation.accounts.powers import why_no_power
from foundation.accounts.proved_addresses import note_proved_address
from foundation.models import Account, OneTimeLink
from foundation.refused import LinkUnknown, Refused

VALID_HOURS = 24
MAILED_MINUTES = settings.PASSWORD_RESET_TIMEOUT // 60
NEW_LINKS = Limit("new-password-links", 200, 60)
"""Made by one account: an owner may make a whole class's."""
MAILED = "."
"""Stands in mailed tokens alone, after the account's number."""
log = logging.getLogger("qreels.logins")


@dataclass(frozen=True, slots=True)
class PasswordLink:
    """A new link: whose password it sets, its token (known this once) and until when it works."""

    account: Account
    token: str
    expires_at: datetime


def why_no_link(*, maker: Account, account: Account, within: int | None = None) -> str:
    """Why `maker` may not set the password of `account` by a link; "" if they may. `within`: as for `why_no_power`."""
    if not maker.is_active:
        return _("Whoever made this link can't log in any longer.")
    if not account.is_active:
        return _("%(name)s is disabled.") % {"name": account.username}
    return why_no_power("link", actor=maker, account=account, within=within)


def who_may_for_anybody(account: Account) -> Account:
    """An account in whose name the server's shell makes a link: the account itself if it owns the site, or an owner.

    Whoever has the shell may do anything; the link stays good as long as that owner is one.

    Raises: Refused on a site that nobody owns.
    """
    if account.owns_site:
        return account
    owner = Account.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
    if owner is None:
        raise Refused("Nobody owns this site yet: manage.py owner_link prints the address at which somebody does.")
    return owner


@transaction.atomic
def make_password_link(*, maker: Account, account: Account, within: int | None = None) -> PasswordLink:
    """A link by which `account` gets a new password, once, within VALID_HOURS. Earlier ones work no longer.

    `within`: as for `why_no_power`. Raises: Refused.
    """
    refusal = why_no_link(maker=maker, account=account, within=within)
    if refusal:
        raise Refused(refusal)
    Account.objects.select_for_update(no_key=True).get(pk=account.pk)
    OneTimeLink.objects.filter(account=account).delete()
    token = secrets.token_urlsafe(32)
    expires_at = timezone.now() + timedelta(hours=VALID_HOURS)
    OneTimeLink.objects.create(
        purpose=OneTimeLink.Purpose.PASSWORD,
        digest=digest_of(token),
        account=account,
        made_by=maker,
        within_id=within,
        expires_at=expires_at,
    )
    log.warning("password link for %r made by %r", account.username, maker.username)
    return PasswordLink(account, token, expires_at)


def make_counted_link(*, maker: Account, account: Account, within: int | None = None) -> PasswordLink:
    """`make_password_link` for somebody who asks on a page or by the API. Raises: Refused, Throttled."""
    take(NEW_LINKS, str(maker.pk), what=_("You made too many links."))
    return make_password_link(maker=maker, account=account, within=within)


def mailed_token(account: Account) -> str:
    """A token to be mailed to the account's own address: it works once, for MAILED_MINUTES."""
    return f"{account.pk}{MAILED}{default_token_generator.make_token(account)}"


def account_of_link(token: str) -> Account:
    """Whose password the link sets.

    Raises: LinkUnknown; Refused if it has expired, or whoever made it may no longer make it.
    """
    number, mailed, signed = token.partition(MAILED)
    if mailed:
        account = Account.objects.filter(pk=whole_number(number) or 0, is_active=True).first()
        if account is None or not default_token_generator.check_token(account, signed):
            raise LinkUnknown(_("This link is incomplete, was used, or has expired. Ask for another."))
        return account
    link = OneTimeLink.objects.select_related("account", "made_by").filter(digest=digest_of(token)).first()
    if link is None or link.account is None or link.made_by is None or link.expires_at is None:
        raise LinkUnknown(_("This link is incomplete, was used, or was replaced by a newer one. Ask for another."))
    if link.expires_at <= timezone.now():
        raise Refused(
            _("This link worked for %(hours)s hours and has expired. Ask for another.") % {"hours": VALID_HOURS}
        )
    if why_no_link(maker=link.made_by, account=link.account, within=link.within_id):
        raise Refused(_("Whoever made this link may not set this password any longer. Ask for another."))
    return link.account


@transaction.atomic
def set_password_by_link(*, token: str, password: str) -> Account:
    """Set a password that was validated before. It ends every login and token of the account, and the link.

    Raises: as `account_of_link`.
    """
    account = Account.objects.select_for_update(no_key=True).get(pk=account_of_link(token).pk)
    # Whoever had it before us, or replaced it, held the account: read again.
    if MAILED in token:
        account_of_link(token)
    elif not OneTimeLink.objects.filter(digest=digest_of(token)).delete()[0]:
        raise LinkUnknown(_("This link was used already. Ask for another."))
    account.set_password(password)
    account.save(update_fields=["password"])
    if MAILED in token:
        note_proved_address(account)
    log.warning("password of %r set by a link", account.username)
    return account
