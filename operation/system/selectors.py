"""What the page System shows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from django.conf import settings
from django.db import Error

from foundation.mail.outbox import held
from foundation.version import this_version
from operation.health.checks import TITLES, look
from operation.health.findings import Finding
from operation.models import Alert, Backup
from operation.retention.forget import Due, due_now

MOST_ALERTS = 30
MOST_BACKUPS = 15
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class SystemFacts:
    """Findings in the order of the checks, alerts from the newest."""

    version: str
    findings: list[Finding]
    alerts: list[Alert]
    mail_is_set: bool
    mails_held: int
    backups: list[Backup]
    kept: list[Due]

    @property
    def backs_up(self) -> bool:
        """Whether the settings say where backups go."""
        return bool(settings.BACKUPS.place)

    @property
    def in_need(self) -> int:
        """How many checks found something to do."""
        return sum(finding.state != "ok" for finding in self.findings)

    @property
    def titled_alerts(self) -> list[tuple[str, str, Alert]]:
        """Alerts with the titles of their checks, and what is found now instead of what was stored in English."""
        now = {finding.name: finding.found for finding in self.findings if finding.state != "ok"}
        return [
            (
                str(TITLES.get(alert.check_name, alert.check_name)),
                alert.found if alert.ended_at else now.get(alert.check_name, alert.found),
                alert,
            )
            for alert in self.alerts
        ]


def system_facts() -> SystemFacts:
    """Looked at now; it takes as long as the slowest server that doesn't answer."""
    return SystemFacts(
        this_version().version,
        look(),
        _read(lambda: list(Alert.objects.order_by("-since", "-pk")[:MOST_ALERTS]), []),
        settings.MAIL_IS_SET,
        _read(held, 0),
        _read(lambda: list(Backup.objects.order_by("-asked_at", "-pk")[:MOST_BACKUPS]), []),
        _read(due_now, []),
    )


def _read(ask: Callable[[], Answer], otherwise: Answer) -> Answer:
    """What the database answers; `otherwise` where it can't, as a check says."""
    try:
        return ask()
    except Error:
        return otherwise
