"""From an empty site to a collection: the first account is asked for, and told what comes first."""

import pytest
from django.test import Client

from corpus.models import Account, Collection

pytestmark = pytest.mark.django_db


def test_an_empty_site_says_how_its_first_account_is_made_and_that_account_what_comes_first() -> None:
    assert "manage.py createsuperuser" in Client().get("/login/").content.decode()
    owner = Account.objects.create_superuser("olga", password="a-paper-moon")
    assert "createsuperuser" not in Client().get("/login/").content.decode()
    client = Client()
    client.force_login(owner)
    page = client.get("/").content.decode()
    assert 'href="/collections/new/"' in page and "import descriptions" in page and 'href="/account/"' in page
    client.post("/collections/new/", {"name": "tides", "title": "Tides"})
    assert Collection.objects.get().memberships.get().role == "owner"
    said = client.get("/c/tides/?format=json").json()["needs"]
    assert [(one["words"], one["page"]) for one in said] == [
        ("Nothing is open for judging yet: import descriptions", "imports")
    ]
