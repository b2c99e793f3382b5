"""What tests of operation share: a site whose findings are always fresh, its owner, and a real SMTP server."""

from collections.abc import Iterator
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message
from django.test import Client

from config.embedded import free_port
from config.mail import mail_settings
from corpus.models import Account
from operation import probes


@pytest.fixture(autouse=True)
def fresh_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test looks for itself."""
    monkeypatch.setattr(probes, "KEPT_SECONDS", -1.0)


@pytest.fixture
def olga(db: None) -> Account:
    return Account.objects.create(username="olga", email="olga@example.org", is_superuser=True)


@pytest.fixture
def owner(olga: Account) -> Client:
    client = Client()
    client.force_login(olga)
    return client


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
        url = f"smtp://127.0.0.1:{server.port}"
        for name, value in mail_settings({"QREELS_SMTP_URL": url, "QREELS_MAIL_FROM": "qreels@example.org"}).items():
            setattr(settings, name, value)
        yield letters.got
    finally:
        server.stop()
