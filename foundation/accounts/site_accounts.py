"""What the site's owner does with accounts: make them, let them create collections, disable them, share the site."""

import logging
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from foundation.access.api_tokens import revoke_all_tokens
from foundation.access.second_factor import factors_of
from foundation.accounts.forms import AccountByOwner
from foundation.accounts.powers import why_no_power
from foundation.accounts.proved_addresses import note_proved_address
from foundation.accounts.second_factors import take_away
from foundation.collections.leave_hooks import stop_judging
from foundation.models import Account, OneTimeLink, Session
from foundation.refused import Refused

log = logging.getLogger("qreels.logins")


@dataclass(frozen=True, slots=True)
class AccountAction:
    """A change of an account: the words of its button, and what is said when it was made (of `%(name)s`)."""

    words: Promise
    told: Promise


CHANGES = {
    "allow": AccountAction(lazy("Allow new collections"), lazy("%(name)s can now create collections.")),
    "disallow": AccountAction(
        lazy("Forbid new collections"), lazy("%(name)s can no longer create collections. Their own stay theirs.")
    ),
    "own": AccountAction(lazy("Make an owner of this site"), lazy("%(name)s now owns this site too.")),
    "disown": AccountAction(lazy("End ownership of this site"), lazy("%(name)s no longer owns this site.")),
    "factor": AccountAction(
        lazy("Take away the second factor"),
        lazy("%(name)s logs in with the password alone now, and is logged out everywhere."),
    ),
    "disable": AccountAction(
        lazy("Disable account"),
        lazy("%(name)s is disabled and logged out everywhere. Their work is kept; their places at batches are free."),
    ),
    "enable": AccountAction(lazy("Enable account"), lazy("%(name)s can log in again.")),
}


def accounts_of_site(*, asked: str = "") -> QuerySet[Account]:
    """All accounts by name, each with `places`, its collections without studies, and `has_factor`.

    Args: asked: part of a name or mail address.
    """
    accounts = Account.objects.annotate(places=Count("memberships", filter=Q(memberships__collection__study_of=None)))
    if asked:
        accounts = accounts.filter(Q(username__icontains=asked) | Q(email__icontains=asked))
    return accounts.annotate(has_factor=Exists(factors_of(OuterRef("pk")))).order_by("username")


def make_account(form: AccountByOwner) -> Account:
    """Make the account of a valid form, without a password: its owner sets one by a one-time link."""
    account: Account = form.save(commit=False)
    account.set_unusable_password()
    account.save()
    note_proved_address(account)
    return account


def allow_collections(*, account: Account, allowed: bool) -> None:
    """Let an account create collections, or withdraw that: it keeps those it owns. Repeating it changes nothing."""
    Account.objects.filter(pk=account.pk).update(may_create_collections=allowed)


@transaction.atomic
def change_account(*, owner: Account, account_id: int, change: str) -> Account:
    """Make one of CHANGES for an owner of the site. Repeating it changes nothing.

    Raises: Refused for who doesn't own the site, an unknown account, oneself, the last owner.
    """
    # All owners are held in one order, so that two of them can't disable each other at once.
    owners = Account.objects.select_for_update(no_key=True).filter(is_superuser=True, is_active=True)
    list(owners.order_by("pk"))
    account = Account.objects.select_for_update(no_key=True).filter(pk=account_id).first()
    if account is None:
        raise Refused(_("There is no such account."))
    if change not in CHANGES:
        raise Refused(f"found the change {change!r}, expected one of {', '.join(CHANGES)}")
    refusal = why_no_power(change, actor=Account.objects.get(pk=owner.pk), account=account)
    if refusal:
        raise Refused(refusal)
    if change == "own" and not account.is_active:
        raise Refused(_("%(name)s is disabled. Enable the account first.") % {"name": account.username})
    if change in ("allow", "disallow"):
        allow_collections(account=account, allowed=change == "allow")
    elif change in ("own", "disown"):
        account.is_superuser = change == "own"
        account.save(update_fields=["is_superuser"])
    elif change == "factor":
        take_away(account=account, by=repr(owner.username))
    else:
        _set_active(account, change == "enable")
    log.warning("account %r: %s by %r", account.username, change, owner.username)
    return account


def _set_active(account: Account, active: bool) -> None:
    account.is_active = active
    account.save(update_fields=["is_active"])
    if active:
        return
    Session.objects.filter(account=account).delete()
    OneTimeLink.objects.filter(account=account).delete()
    revoke_all_tokens(account=account)
    for member in account.memberships.select_related("collection"):
        stop_judging(member)
