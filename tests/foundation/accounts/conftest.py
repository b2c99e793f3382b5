"""Quick hashes, since a real one takes a quarter of a second a password."""

from typing import Any

import pytest

from foundation.models import Account
from tests.conftest import PASSWORD


@pytest.fixture(autouse=True)
def quick_hashes(settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def mal(db: None, quick_hashes: None) -> Account:
    """The stranger, who can log in by the form."""
    return Account.objects.create_user("mal", password=PASSWORD)
