"""The letters of a site, sent to a real SMTP server (`mailbox`) as workers send them."""

from datetime import timedelta
from typing import Any

from django.db.models import F

from config.mail import mail_settings
from config.variables import Mail
from foundation.mail.letters import gather, send_letter
from foundation.models import Letter


def send_by(settings: Any, port: int) -> None:
    """The site's mails go to this port of 127.0.0.1."""
    url = f"smtp://127.0.0.1:{port}"
    for name, value in mail_settings(Mail(QREELS_SMTP_URL=url, QREELS_MAIL_FROM="qreels@example.org")).items():
        setattr(settings, name, value)


def deliver() -> int:
    """What workers do about mails: gather them, and send every letter that isn't sent. Returns how many went."""
    gather()
    return sum(send_letter(pk) for pk in Letter.to_do().order_by("pk").values_list("pk", flat=True))


def an_hour_later() -> None:
    """All that was sent was sent an hour earlier."""
    Letter.objects.exclude(sent_at=None).update(sent_at=F("sent_at") - timedelta(hours=1))
