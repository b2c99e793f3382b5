"""Look for faults once a minute, keep them as alerts, and have the owners of the site told by mail when one begins.

A worker does it beside its sweep. What stops the workers themselves, or the database, nobody here can tell: for that a
monitor outside asks `/readyz`.
"""

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from foundation.infra.advisory_lock import alone_at
from foundation.mail.kinds import Said, register
from foundation.mail.outbox import tell
from foundation.models import Account, MailItem
from operation.health import checks
from operation.health.findings import Finding
from operation.models import Alert

LOCK = ("operation.watch", 0)
ALERT = "operation.alert"


def watch() -> list[Alert]:
    """Open, renew and end alerts by what is found now. Returns: those opened; none while another worker looks."""
    with alone_at(*LOCK, wait=False) as ours:
        if not ours:
            return []
        opened = [alert for finding in checks.look() if (alert := _note(finding)) is not None]
        _tell(Alert.objects.filter(ended_at=None, mailed_at=None))
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


def _tell(alerts: QuerySet[Alert]) -> None:
    """Note that owners are to be told by mail of all alerts that nobody was told of."""
    if not settings.MAIL_IS_SET:
        return
    owners = list(Account.objects.filter(is_superuser=True).values_list("pk", flat=True))
    for alert in alerts:
        with transaction.atomic():
            if alerts.filter(pk=alert.pk).update(mailed_at=timezone.now()):
                tell(ALERT, owners, alert=alert.pk)


def says_alert(item: MailItem) -> Said | None:
    """What an alert found, while it stands, in the active language. What is stored of it is English: for another the
    check looks again."""
    alert = Alert.objects.filter(pk=item.facts["alert"], ended_at=None).first()
    if alert is None:
        return None
    words = alert.found
    if translation.get_language() != settings.LANGUAGE_CODE:
        now = {finding.name: finding.found for finding in checks.look() if finding.state != "ok"}
        words = now.get(alert.check_name, words)
    title = checks.TITLES.get(alert.check_name, alert.check_name)
    return Said(_("%(check)s needs you") % {"check": title}, words, reverse("system"))


def register_mails() -> None:
    """Called when Django starts."""
    register(ALERT, "alerts", says_alert)
