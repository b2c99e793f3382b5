"""Notices to be mailed: noted in the transaction in which they happen, so that none is lost and none invented."""

from collections.abc import Iterable

from django.conf import settings
from django.db.models import Q

from corpus.mail.kinds import event_called
from corpus.models import Account, Collection, MailItem

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
    found = event_called(event)
    assert found is not None, event
    wanted = {account for account in accounts if account is not None}
    if not settings.MAIL_IS_SET or not wanted:
        return 0
    reached = (
        Account.objects.filter(pk__in=wanted, is_active=True)
        .exclude(email="")
        .exclude(Q(mail_refusals__kind=found.kind.name))
        .order_by("pk")
        .values_list("pk", flat=True)
    )
    items = [
        MailItem(account_id=account, collection=collection, event=event, urgent=found.kind.urgent, facts=facts)
        for account in reached
    ]
    MailItem.objects.bulk_create(items, batch_size=AT_ONCE)
    return len(items)
