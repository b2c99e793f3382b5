"""Notices to be mailed, stored in the transaction of what they are about, so that none is lost and none is false."""

from collections.abc import Iterable

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from foundation.infra.jobs import ask
from foundation.mail.kinds import ACCOUNT, event_called, events_alone
from foundation.models import Account, Collection, Letter, MailItem

AT_ONCE = 1000


def tell(event: str, accounts: Iterable[int | None], *, collection: Collection | None = None, **facts: int) -> int:
    """Note that these people are to be told of an event by mail. Nothing is noted on a site that sends no mail, nor for
    people without an address and those who don't want it.

    Args:
        event: as registered (`kinds.py`).
        accounts: their primary keys; None, of somebody who was erased, is left out.
        collection: the one that it is about; a study's mails are its collection's.
        facts: numbers of the rows that it is about.
    Returns: how many will be told.
    """
    kind = event_called(event).kind
    people = {account for account in accounts if account is not None}
    if not settings.MAIL_IS_SET or not people:
        return 0
    reached = (
        Account.objects.filter(pk__in=people, is_active=True)
        .exclude(email="")
        .exclude(Q(mail_refusals__kind=kind.name))
        .order_by("pk")
        .values_list("pk", flat=True)
    )
    items = [
        MailItem(account_id=account, collection=collection, event=event, urgent=kind.urgent, facts=facts)
        for account in reached
    ]
    MailItem.objects.bulk_create(items, batch_size=AT_ONCE)
    return len(items)


@transaction.atomic
def tell_at_once(event: str, account: Account, **facts: str) -> bool:
    """Note an event of the kind ACCOUNT, in a letter of its own that a worker gets once the transaction has ended.

    Args: facts: names of what it is about, nothing secret.
    Returns: whether it will be mailed: the site sends mail and the account has an address.
    """
    assert event_called(event).kind == ACCOUNT, event
    if not settings.MAIL_IS_SET or not account.email:
        return False
    _send_alone(MailItem.objects.create(account=account, event=event, facts=facts))
    return True


def _send_alone(item: MailItem) -> None:
    letter = Letter.objects.create(account_id=item.account_id, alone=True)
    MailItem.objects.filter(pk=item.pk).update(letter=letter, held=False)
    transaction.on_commit(lambda: ask(letter))


def held() -> int:
    """How many notices wait for an owner's word, since the site was restored."""
    return MailItem.objects.filter(held=True).count()


@transaction.atomic
def hold_all() -> int:
    """Hold everything that waits to be mailed, letters that are under way among it. Repeating it changes nothing.

    Returns: how many notices are held.
    """
    MailItem.objects.filter(letter=None).update(held=True)
    MailItem.objects.filter(letter__in=Letter.to_do()).update(letter=None, held=True)
    Letter.to_do().delete()
    return held()


@transaction.atomic
def start_held() -> int:
    """Have what is held mailed after all, where it isn't needless by now. Repeating it changes nothing.

    Returns: how many notices were started.
    """
    rows = MailItem.objects.filter(held=True).select_for_update(no_key=True)
    alone = list(rows.filter(event__in=events_alone()).order_by("pk"))
    for item in alone:
        _send_alone(item)
    return len(alone) + rows.update(held=False)
