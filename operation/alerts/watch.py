"""Look for faults once a minute, keep them as alerts, and mail the owners of the site when one begins.

A worker does it beside its sweep. What stops the workers themselves, or the database, nobody here can tell: for that a
monitor outside asks `/readyz`.
"""

import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from corpus.infra.advisory_lock import alone_at
from corpus.management.commands.owner_link import usual_address
from corpus.models import Account
from operation.health import checks
from operation.health.findings import Finding
from operation.models import Alert

LOCK = ("operation.watch", 0)

log = logging.getLogger(__name__)


def watch() -> list[Alert]:
    """Open, renew and end alerts by what is found now. Returns: those opened; none while another worker looks."""
    with alone_at(*LOCK, wait=False) as ours:
        if not ours:
            return []
        opened = [alert for finding in checks.look() if (alert := _note(finding)) is not None]
        _mail(Alert.objects.filter(ended_at=None, mailed_at=None))
        return opened


def _note(finding: Finding) -> Alert | None:
    """The alert that this finding opens; None if it opens none."""
    now = timezone.now()
    open_ones = Alert.objects.filter(check_name=finding.name, ended_at=None)
    if finding.state == "ok":
        open_ones.update(ended_at=now)
        return None
    with transaction.atomic():
        alert, new = open_ones.get_or_create(defaults={"check_name": finding.name, "found": finding.found})
        if not new and alert.found != finding.found:
            open_ones.update(found=finding.found)
    return alert if new else None


def _mail(alerts: QuerySet[Alert]) -> None:
    """One mail to each owner who wants it, with all alerts that nobody was told of. A mail that can't be sent is tried
    again a minute later."""
    waiting = list(alerts)
    if not waiting or not settings.MAIL_IS_SET:
        return
    owners = Account.objects.filter(is_superuser=True, is_active=True, no_alert_mail=None).exclude(email="")
    try:
        with get_connection() as connection:
            for owner in owners:
                # As on leads' pages: who has chosen no language reads English.
                with translation.override(owner.language or settings.LANGUAGE_CODE):
                    subject, text = _letter(waiting)
                EmailMessage(subject, text, to=[owner.email], connection=connection).send()
    except (SMTPException, OSError) as fault:
        log.warning("Owners can't be told by mail: %s", fault)
        return
    Alert.objects.filter(pk__in=[alert.pk for alert in waiting]).update(mailed_at=timezone.now())


def _letter(alerts: list[Alert]) -> tuple[str, str]:
    """Subject and text of the mail about these alerts, in the active language. What is stored of an alert is English;
    in another language the check looks again, and the mail says what it finds then."""
    stored = translation.get_language() == settings.LANGUAGE_CODE
    found = {} if stored else {one.name: one.found for one in checks.look() if one.state != "ok"}
    lines = "\n".join(
        f"- {checks.TITLES[alert.check_name]}: {found.get(alert.check_name, alert.found)}" for alert in alerts
    )
    why = _("You get this mail because you own this Qreels site. The same page has a button to get none of these.")
    todo = _("What to do about each: %(page)s") % {"page": f"{usual_address()}{reverse('system')}"}
    titles = ", ".join(str(checks.TITLES[alert.check_name]) for alert in alerts)
    return _("Qreels needs you: %(checks)s") % {"checks": titles}, f"{lines}\n\n{todo}\n{why}"
