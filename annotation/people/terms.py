"""An annotator's terms: the languages that they read, and what an hour is paid from a day on."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.models import RateChange
from annotation.people.mails import RATE
from annotation.people.status import hold_annotator
from foundation.collections.studies import carry_to_studies
from foundation.mail.outbox import tell
from foundation.models import Membership
from foundation.refused import Refused
from foundation.text import LANGUAGE_TAG, LONGEST_TAG

MOST_LANGUAGES = 20


def read_languages(text: str) -> list[str]:
    """Parse language codes separated by commas or spaces; none: all languages. Raises: Refused.

    >>> read_languages("en, de-AT en")
    ['en', 'de-AT']
    """
    languages = list(dict.fromkeys(text.replace(",", " ").split()))
    for language in languages:
        if len(language) > LONGEST_TAG or not LANGUAGE_TAG.match(language):
            raise Refused(
                gettext("Found the language %(one)s, expected codes such as en, de.") % {"one": repr(language[:40])}
            )
    if len(languages) > MOST_LANGUAGES:
        raise Refused(
            gettext("Found %(count)s languages, expected at most %(value)s; none means all.")
            % {"count": len(languages), "value": MOST_LANGUAGES}
        )
    return languages


@transaction.atomic
def set_terms(
    *, lead: Membership, member_id: int, languages: Sequence[str], rate: Decimal | None, since: date
) -> tuple[Membership, RateChange | None]:
    """Set an annotator's languages and rate, and record a changed rate. Repeating it changes nothing.

    Languages say which batches come next; what is at hand stays. The rate is paid for work from `since` (UTC) on.
    The collection's studies follow.

    Raises: Refused for nobody who judges here, or a day to come.
    """
    if since > timezone.now().date():
        sentence = gettext("Found the day %(since)s, expected today or an earlier day.") % {"since": since}
        raise Refused(sentence, field="since")
    member = hold_annotator(lead, member_id)
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
