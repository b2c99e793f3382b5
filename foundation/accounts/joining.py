"""Pages behind links by which people join: their limits, and the account that joins."""

import logging
from collections.abc import Callable
from typing import TypeVar

from django.contrib.auth import login
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _

from foundation.access.client_address import client_address
from foundation.access.needs_login import account_of
from foundation.access.throttle import Limit, count, refuse_when_full, take
from foundation.accounts.forms import NewAccount
from foundation.models import Account

NEW_ACCOUNTS = Limit("accounts", 200, 60)
"""Forms sent from one address, behind which a whole class may sit. Each costs a slow hash."""
JOINED = Limit("joined", 30, 60)
"""Forms sent by one account."""
log = logging.getLogger("qreels.logins")

Found = TypeVar("Found")
Place = TypeVar("Place")


def behind_link(
    request: HttpRequest, find: Callable[[], Found], *, unknown: type[Exception], wrong: Limit, called: str
) -> Found:
    """What a link leads to, by `find`; a form that is sent is counted.

    Args: unknown: what `find` raises where there is none; wrong: how many such an address may try; called: what the
    log calls the link.
    Raises: `unknown`; Throttled after too many tries or forms.
    """
    address = client_address(request)
    try:
        place = find()
    except unknown:
        # A good link is never held up: a class that was sent a broken one sits behind one address.
        refuse_when_full(wrong, address, what=_("Too many invalid links came from your address."))
        log.warning("wrong %s from %s", called, address)
        count(wrong, address)
        raise
    if request.method == "POST":
        if request.user.is_authenticated:
            take(JOINED, str(request.user.pk), what=_("You joined too often."))
        else:
            take(NEW_ACCOUNTS, address, what=_("Too many new accounts came from your address."))
    return place


def join_with_account(request: HttpRequest, form: NewAccount, join: Callable[[Account], Place]) -> Place | None:
    """Join with the account that is logged in, or the form's new one, which is logged in then.

    Returns: what `join` does; None if the form has errors. What `join` raises leaves no account behind.
    """
    with transaction.atomic():
        if request.user.is_authenticated:
            account = account_of(request)
        elif form.is_valid():
            account = form.save()
        else:
            return None
        place = join(account)
    if not request.user.is_authenticated:
        login(request, account)
    return place
