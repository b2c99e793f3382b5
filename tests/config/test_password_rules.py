"""What passwords have to be, how they are kept, and how a login's cookie is."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.hashers import PBKDF2PasswordHasher, get_hasher
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.test import Client

from foundation.models import Account
from tests.paths import ROOT


@pytest.mark.parametrize("bad", ["a-paper-moo", "password1234", "123456789012", "ada-lovelace"])
def test_short_common_and_telling_passwords_are_refused(bad: str) -> None:
    with pytest.raises(ValidationError):
        validate_password(bad, Account(username="ada-lovelace"))


def test_a_password_of_twelve_characters_of_any_kind_or_of_very_many_is_taken() -> None:
    for good in ("a-paper-moon", "月が紙でできている夜に歩く", "four plain words here", "🌙" * 12, "ab-" * 100):
        validate_password(good, Account(username="ada"))


@pytest.mark.django_db
def test_a_password_is_kept_by_a_slow_salted_hash_and_never_cut(settings: object) -> None:
    hasher = get_hasher()
    assert isinstance(hasher, PBKDF2PasswordHasher) and hasher.iterations >= 100_000 and hasher.salt_entropy >= 32
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # type: ignore[attr-defined]
    long = "a-paper-moon" * 20
    Account.objects.create_user("ada", password=long)
    assert authenticate(username="ada", password=long) and not authenticate(username="ada", password=long[:-1])


@pytest.mark.django_db
def test_a_login_has_a_new_cookie_that_scripts_and_other_sites_don_t_get(settings: object) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # type: ignore[attr-defined]
    Account.objects.create_user("ada", password="a-paper-moon", is_superuser=True)
    client, seen = Client(), []
    for _ in range(2):
        client.post("/login/", {"username": "ada", "password": "a-paper-moon"})
        cookie = client.cookies["sessionid"]
        assert cookie["httponly"] and cookie["samesite"] == "Lax" and cookie["path"] == "/" and not cookie["domain"]
        seen.append(cookie.value)
        client.post("/logout/")
    assert seen[0] != seen[1] and len(seen[0]) == 32


def test_in_production_the_cookie_is_of_this_host_and_of_https_alone(tmp_path: Path) -> None:
    program = (
        "import json; from config import settings as s; print(json.dumps([s.SESSION_COOKIE_NAME,"
        " s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SECURE_SSL_REDIRECT, s.DEBUG]))"
    )
    environment = {
        **os.environ,
        "QREELS_ENV": "production",
        "QREELS_SECRET_KEY": "a-long-random-text-of-a-test-0123456789",
        "QREELS_ALLOWED_HOSTS": "qreels.example.org",
        "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
        "QREELS_VAR": str(tmp_path),
        "QREELS_DEBUG": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == ["__Host-sessionid", True, True, True, False]
