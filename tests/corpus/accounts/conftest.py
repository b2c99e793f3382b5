"""Quick hashes, since a real one takes a quarter of a second a password; and a real SMTP server."""

from typing import Any

import pytest

from tests.mailbox import mailbox

__all__ = ["mailbox"]


@pytest.fixture(autouse=True)
def quick_hashes(settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
