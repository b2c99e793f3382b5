"""What tests of operation share: a site whose findings are always fresh, and its owner."""

import pytest
from django.test import Client

from foundation.models import Account
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
