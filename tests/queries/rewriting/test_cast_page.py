"""The page Cast: the list edited in the browser, faults beside the field, names of the descriptions proposed."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from foundation.collections.members import add_member, set_cast
from foundation.models import Account, Collection
from queries.models import NameCount
from queries.rewriting.name_counts import run_name_count
from tests.api.callers import read
from tests.queries.conftest import make_collection

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection() -> Collection:
    texts = ["Rachel pours tea for Monica.", "Rachel sits down.", "She waves to Ross, and he smiles.", "A man waits."]
    collection = make_collection(texts, name="paper")
    add_member(collection=collection, account=Account.objects.create(username="ada"), role="lead")
    return collection


@pytest.fixture
def ada(collection: Collection, client: Client) -> Client:
    client.force_login(Account.objects.get(username="ada"))
    return client


def facts(client: Client) -> dict[str, Any]:
    cast: dict[str, Any] = read(client, "collections/paper/cast")
    return cast


def save(client: Client, **fields: Any) -> Any:
    return client.post(reverse("cast-change", args=["paper"]), fields, follow=True)


def test_list_and_context_are_saved_as_the_command_saves_them(ada: Client, collection: Collection) -> None:
    answer = save(ada, cast="# Friends\r\nRachel Green, F\r\nRoss, m\r\n", context="A  series:\nFriends.")
    assert "The cast list has 2 names." in answer.content.decode()
    assert facts(ada)["cast"] == [{"name": "Rachel Green", "gender": "f"}, {"name": "Ross", "gender": "m"}]
    collection.refresh_from_db()
    assert (collection.cast, collection.context) == ("Rachel Green, f\nRoss, m", "A series: Friends.")


def test_bad_lines_stand_beside_the_field_and_nothing_is_lost(ada: Client, collection: Collection) -> None:
    set_cast(collection=collection, cast="Ross, m")
    answer = save(ada, cast="Rachel, f\nMonica\nKim, f\nKim, m", context="Friends")
    text = answer.content.decode()
    assert answer.status_code == 400
    assert "Line 2: found &quot;Monica&quot;, expected" in text and "Line 4: found &quot;Kim&quot; as m" in text
    assert "Rachel, f\nMonica\nKim, f\nKim, m</textarea>" in text
    collection.refresh_from_db()
    assert (collection.cast, collection.context) == ("Ross, m", "")
    answer = save(ada, cast="Ross, m", context="x" * 4001)
    assert answer.status_code == 400 and "expected at most 4,000" in answer.content.decode()


def test_names_that_the_list_lacks_are_counted_and_added_by_a_tick(ada: Client, collection: Collection) -> None:
    set_cast(collection=collection, cast="Monica Geller, f")
    ada.post(reverse("cast-names", args=["paper"]))
    assert "Finding names" in ada.get(reverse("cast", args=["paper"])).content.decode()
    ada.post(reverse("cast-names", args=["paper"]))
    run_name_count(NameCount.objects.get().pk)
    assert facts(ada)["missing"] == [
        {"name": "Rachel", "times": 2, "gender": "f"},
        {"name": "Ross", "times": 1, "gender": "m"},
    ]
    save(ada, cast="Monica Geller, f", context="", add=["Rachel, f", "Ross, m", "nonsense"])
    collection.refresh_from_db()
    assert collection.cast == "Monica Geller, f\nRachel, f\nRoss, m"
    assert facts(ada)["missing"] == []
    ada.post(reverse("cast-names", args=["paper"]))
    assert NameCount.objects.get().state == "queued"
