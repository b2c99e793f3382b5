"""A real SMTP server, and the mails that it got."""

from collections.abc import Iterator
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message

from config.embedded import free_port
from config.mail import mail_settings
from config.variables import Mail


class Letters(Message):  # type: ignore[misc]
    """Keeps what the server got."""

    def __init__(self) -> None:
        super().__init__()
        self.got: list[Any] = []

    def handle_message(self, message: Any) -> None:
        self.got.append(message)


def text_of(letter: Any) -> str:
    """A mail's text, with its lines as they were written."""
    return str(letter.get_payload(decode=True).decode().replace("\r\n", "\n"))


@pytest.fixture
def mailbox(settings: Any) -> Iterator[list[Any]]:
    """The mails that a real SMTP server got; the site sends by it."""
    letters = Letters()
    server = Controller(letters, hostname="127.0.0.1", port=free_port())
    server.start()
    try:
        url = f"smtp://127.0.0.1:{server.port}"
        for name, value in mail_settings(Mail(QREELS_SMTP_URL=url, QREELS_MAIL_FROM="qreels@example.org")).items():
            setattr(settings, name, value)
        yield letters.got
    finally:
        server.stop()
