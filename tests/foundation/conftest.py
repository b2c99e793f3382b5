"""The cast and a collection without material."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password

from foundation.models import Account, Collection
from tests.conftest import make_people

PASSWORD = "a-paper-moon"


@pytest.fixture
def media(settings: Any, tmp_path: Path) -> Path:
    """A storage of the test's own."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path / "media"


@pytest.fixture
def collection(db: None, settings: Any) -> Collection:
    """Led by ada, annotated by bo and cy; mal has an account and no place in it."""
    # The real hash takes a quarter of a second a person, in every test.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    made = Collection.objects.create(name="paper", title="Paper")
    make_people(made, "ada", "bo", "cy")
    Account.objects.create(username="mal")
    Account.objects.update(password=quickly_hashed())
    return made


@cache
def quickly_hashed() -> str:
    """Everybody's password, as that hash stores it."""
    return make_password(PASSWORD)
