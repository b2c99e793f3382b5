"""Pay: what an hour is paid on a day, and what work comes to. The time is `annotation/judging/paid_time.py`'s."""

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from django.utils.translation import gettext

from annotation.models import RateChange
from foundation.access.form_input import with_point
from foundation.models import Collection, Membership
from foundation.refused import Refused

CENT = Decimal("0.01")
HIGHEST_RATE = Decimal("999999.99")


def read_rate(text: str) -> Decimal | None:
    """Parse an hourly rate; empty: the collection's. Raises: Refused.

    >>> read_rate(" 12.5 "), read_rate("12,50"), read_rate("")
    (Decimal('12.50'), Decimal('12.50'), None)
    """
    text = with_point(text.strip())
    if not text:
        return None
    try:
        rate = Decimal(text)
        exact = rate.quantize(Decimal("0.01"))
    except InvalidOperation:
        raise Refused(
            gettext("Found the rate %(text)s, expected an amount such as 12.50.") % {"text": repr(text[:40])}
        ) from None
    if exact != rate or not 0 <= rate <= HIGHEST_RATE:
        raise Refused(
            gettext("Found the rate %(text)s, expected 0 to %(value)s with two decimals at most.")
            % {"text": repr(text[:40]), "value": f"{HIGHEST_RATE:,}"}
        )
    return exact


def rate_on(day: date, changes: Sequence[RateChange], present: Decimal | None) -> Decimal | None:
    """A person's rate on a day (None: the collection's), from all their changes in the order of entry."""
    if not changes:
        return present
    reaching = [change.after for change in changes if change.since <= day]
    return reaching[-1] if reaching else changes[0].before


def rate_of(member: Membership, day: date) -> Decimal | None:
    """What an hour of a member's work is paid on a day; None where there is no rate."""
    changes = rate_changes(member.collection, [member]).get(member.worker, ())
    own = rate_on(day, changes, member.pay_per_hour)
    return own if own is not None else member.collection.pay_per_hour


def rate_changes(collection: Collection, people: Iterable[Membership]) -> dict[str, list[RateChange]]:
    """Each worker's rate changes in the order of entry; a study uses those of its collection."""
    by_worker: dict[str, list[RateChange]] = {}
    asked = RateChange.objects.filter(
        member__collection=collection.study_of_id or collection.pk,
        member__worker__in=[person.worker for person in people],
    )
    for change in asked.select_related("member").order_by("pk"):
        by_worker.setdefault(change.member.worker, []).append(change)
    return by_worker


def hours_of(seconds: float) -> Decimal:
    """Hours to a hundredth, as timesheets have them."""
    return (Decimal(round(seconds)) / 3600).quantize(CENT, ROUND_HALF_UP)


def pay_for(hours: Decimal, rate: Decimal | None) -> Decimal | None:
    """What hours come to, to a cent; None where there is no rate."""
    return None if rate is None else (hours * rate).quantize(CENT, ROUND_HALF_UP)


def sum_of_pay(pays: Sequence[Decimal | None]) -> Decimal | None:
    """All of it; None where some of it has no rate."""
    return None if None in pays else sum((pay for pay in pays if pay is not None), Decimal(0))
