"""Annotator languages and dated pay rates."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal, InvalidOperation

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.assignment.seat_sql import lock_member
from annotation.models import RateChange
from annotation.people.mails import RATE
from foundation.access.form_input import with_point
from foundation.collections.studies import carry_to_studies
from foundation.mail.outbox import tell
from foundation.models import Membership
from foundation.refused import Refused
from foundation.text import LANGUAGE_TAG, LONGEST_TAG

MOST_LANGUAGES = 20
HIGHEST_RATE = Decimal("999999.99")


def read_languages(text: str) -> list[str]:
    """Parse language codes separated by commas or spaces; none: all languages. Raises: Refused.

    >>> read_languages("en, de-AT en")
    ['en', 'de-AT']
    """
    found = list(dict.fromkeys(text.replace(",", " ").split()))
    for one in found:
        if len(one) > LONGEST_TAG or not LANGUAGE_TAG.match(one):
            raise Refused(
                gettext("Found the language %(one)s, expected codes such as en, de.") % {"one": repr(one[:40])}
            )
    if len(found) > MOST_LANGUAGES:
        raise Refused(
            gettext("Found %(count)s languages, expected at most %(value)s; none means all.")
            % {"count": len(found), "value": MOST_LANGUAGES}
        )
    return found


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


@transaction.atomic
def set_terms(
    *, lead: Membership, member_id: int, languages: Sequence[str], rate: Decimal | None, since: date
) -> tuple[Membership, RateChange | None]:
    """Set an annotator's languages and rate, and record a changed rate. Repeating it changes nothing.

    Languages say which batches come next; what is at hand stays. The rate is paid for work from `since` (UTC) on.
    The collection's studies follow.

    Raises: Refused for nobody who judges here, or a day to come.
    """
    found = Membership.objects.filter(pk=member_id, collection=lead.collection_id, role=Membership.Role.ANNOTATOR)
    member = found.first()
    if member is None:
        raise Refused(gettext("There is no such annotator in this collection."))
    if since > timezone.now().date():
        said = gettext("Found the day %(since)s, expected today or an earlier day.") % {"since": since}
        raise Refused(said, field="since")
    lock_member(member)
    member = found.select_for_update(of=("self",), no_key=True).get()
    change = None
    if member.pay_per_hour != rate:
        change = RateChange.objects.create(
            member=member, before=member.pay_per_hour, after=rate, since=since, changed_by=lead
        )
        tell(RATE, [member.account_id], collection=member.collection, change=change.pk)
    member.languages, member.pay_per_hour = list(languages), rate
    member.save(update_fields=["languages", "pay_per_hour"])
    carry_to_studies(member)
    return member, change


def rate_on(day: date, changes: Sequence[RateChange], present: Decimal | None) -> Decimal | None:
    """A person's rate on a day (None: the collection's), from all their changes in the order of entry."""
    if not changes:
        return present
    reaching = [change.after for change in changes if change.since <= day]
    return reaching[-1] if reaching else changes[0].before
