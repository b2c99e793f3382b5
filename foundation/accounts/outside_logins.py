"""Logins by an outside server (OpenID Connect): whose they are, linked and unlinked, and new people's accounts."""

import logging
import re

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from foundation.access.second_factor import factors_of
from foundation.accounts.mails import tell
from foundation.accounts.names import is_taken
from foundation.accounts.proved_addresses import account_of_address, note_proved_address
from foundation.models import Account
from foundation.refused import Refused

log = logging.getLogger("qreels.logins")


def links_of(account: Account) -> QuerySet[SocialAccount]:
    """The logins at the server of the settings by which an account can be entered."""
    providers = settings.SOCIALACCOUNT_PROVIDERS  # type: ignore[misc]  # there where the settings name a server
    here = providers["openid_connect"]["APPS"][0]["provider_id"]
    rows: QuerySet[SocialAccount] = SocialAccount.objects.filter(user=account, provider=here)
    return rows.order_by("pk")


@transaction.atomic
def account_for(*, link: SocialAccount, address: str, wanted_name: str) -> Account:
    """Whose account a login is that isn't linked yet, linked now: the one with its address, or a new one.

    A site owner's account, or one with a second factor, is linked by its holder alone, logged in: whoever runs the
    outside server could otherwise enter it.

    Args:
        link: the unsaved link. address: "" if the server didn't verify one. wanted_name: for a new account.
    Raises: Refused.
    """
    account = account_of_address(address) if address else None
    if account is None:
        if address and Account.objects.filter(email__iexact=address).exists():
            raise Refused(
                _(
                    "An account here has this address, but it was never proved. Log in to it with its password, and"
                    " link this login on the page Account."
                )
            )
        if not settings.OIDC_NEW_ACCOUNTS:
            raise Refused(
                _(
                    "No account here belongs to this login. If you have one, log in with its password and link this"
                    " login on the page Account; otherwise ask the owner of this site."
                )
            )
        account = Account(username=_free_name(wanted_name or address.partition("@")[0]), email=address)
        account.set_unusable_password()
        account.save()
        note_proved_address(account)
        log.warning("account %r made by an outside login", account.username)
    elif account.is_superuser or factors_of(account.pk).exists():
        raise Refused(
            _(
                "An account here has this address, and only its holder can link it: log in to it as usual, and link"
                " this login on the page Account."
            )
        )
    link_login(account=account, link=link)
    return account


def _free_name(wanted: str) -> str:
    """A user name that nobody has, as near as possible to the wanted one."""
    name = re.sub(r"[^\w.+-]", "", wanted)[:100] or "person"
    number = 2
    free = name
    while Account.objects.filter(username=free).exists() or is_taken(free):
        free, number = f"{name}-{number}", number + 1
    return free


@transaction.atomic
def link_login(*, account: Account, link: SocialAccount) -> None:
    """Let a login enter the account from now on; its person is told. Repeating it changes nothing.

    Raises: Refused if it enters another account.
    """
    standing = SocialAccount.objects.filter(provider=link.provider, uid=link.uid).first()
    if standing is not None:
        if standing.user_id != account.pk:
            raise Refused(_("This login is linked to another account here. Unlink it there first."))
        return
    link.user = account
    link.save()
    log.warning("outside login linked to %r", account.username)
    tell(account, "link-added")


@transaction.atomic
def unlink_login(*, account: Account, link_id: int) -> None:
    """Raises: Refused if nothing else would open the account. Repeating it changes nothing."""
    Account.objects.select_for_update(no_key=True).get(pk=account.pk)
    if not account.has_usable_password() and links_of(account).count() < 2:
        raise Refused(_("Your account has no password: this login is the only way into it."))
    if links_of(account).filter(pk=link_id).delete()[0]:
        log.warning("outside login unlinked from %r", account.username)
        tell(account, "link-removed")
