"""A real SMTP server that keeps what it gets, and the letters of the site sent to it."""

from collections.abc import Iterator
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message
from django.db.models import F

from config.embedded import free_port
from config.mail import mail_settings
from corpus.mail.letters import gather, send_letter
from corpus.models import Letter


class Letters(Message):  # type: ignore[misc]
    """Keeps what the server got."""

    def __init__(self) -> None:
        super().__init__()
        self.got: list[Any] = []

    def handle_message(self, message: Any) -> None:
        self.got.append(message)


@pytest.fixture
def mailbox(settings: Any) -> Iterator[list[Any]]:
    """The mails that a real SMTP server got; the site sends by it."""
    letters = Letters()
    server = Controller(letters, hostname="127.0.0.1", port=free_port())
    server.start()
    try:
        send_by(settings, server.port)
        yield letters.got
    finally:
        server.stop()


def send_by(settings: Any, port: int) -> None:
    """The site's mails go to this port of 127.0.0.1."""
    url = f"smtp://127.0.0.1:{port}"
    for name, value in mail_settings({"QREELS_SMTP_URL": url, "QREELS_MAIL_FROM": "qreels@example.org"}).items():
        setattr(settings, name, value)


def deliver() -> int:
    """What workers do about mails: gather them, and send every letter that isn't sent. Returns how many went."""
    gather()
    return sum(send_letter(pk) for pk in Letter.to_do().order_by("pk").values_list("pk", flat=True))


def an_hour_later() -> None:
    """All that was sent was sent an hour earlier."""
    from datetime import timedelta

    Letter.objects.exclude(sent_at=None).update(sent_at=F("sent_at") - timedelta(hours=1))


def text_of(letter: Any) -> str:
    """A mail's text, with its lines as they were written."""
    return str(letter.get_payload(decode=True).decode().replace("\r\n", "\n"))
