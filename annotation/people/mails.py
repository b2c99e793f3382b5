"""What people are told by mail of their time and pay: that it was changed and where to see it, never an amount."""

from datetime import date

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from annotation.models import RateChange, TimeCorrection
from foundation.mail.kinds import Said, register
from foundation.models import MailItem

RATE, TIME = "annotation.rate", "annotation.time"


def says_rate(item: MailItem) -> Said | None:
    """That an hour is paid otherwise."""
    change = RateChange.objects.filter(pk=item.facts["change"], member__account=item.account).first()
    if change is None or item.collection is None:
        return None
    text = _("What an hour of your work is paid was changed, from %(day)s on.") % {"day": _day(change.since)}
    return Said(_("Your pay was changed"), text, reverse("own-time", args=[item.collection.name]))


def says_time(item: MailItem) -> Said | None:
    """That the lead corrected a day."""
    correction = TimeCorrection.objects.filter(pk=item.facts["correction"], annotator__account=item.account).first()
    if correction is None or item.collection is None:
        return None
    text = _("The lead has corrected your recorded time of %(day)s.") % {"day": _day(correction.day)}
    return Said(_("Your recorded time was corrected"), text, reverse("own-time", args=[item.collection.name]))


def _day(day: date) -> str:
    return date_format(day, "SHORT_DATE_FORMAT")


def register_mails() -> None:
    """Called when Django starts."""
    register(RATE, "pay", says_rate)
    register(TIME, "pay", says_time)
