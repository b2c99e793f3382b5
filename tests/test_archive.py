"""In the archive everything is read and nothing is changed: over the addresses of every room."""

import json
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation.models import Review
from annotation.qualification.invitations import make_invitation
from annotation.review.automatic_review import apply_policy
from annotation.review.tasks import apply_review_policy
from foundation.models import Account, Collection, Membership
from tests.addresses import address, patterns
from tests.annotation.reviewed_worlds import decided_world
from tests.api.callers import read
from tests.conftest import World
from tests.test_access import (
    collection,  # noqa: F401 - a fixture
    logged_in,
)

pytestmark = [pytest.mark.long, pytest.mark.django_db]

STILL_POSSIBLE = {"archive", "collection-delete", "release-public-off"} | {
    "api-collections-name-archive",
    "api-collections-name-restore",
    "api-collections-name-deletion",
    "api-collections-name-releases-release_id-public-withdraw",
    *("consent-withdraw", "api-collections-name-consent-withdraw", "survey"),
}
"""An owner takes it back from there, deletes it or makes a release private; people withdraw their consent, and answers
about themselves."""
OF_A_COLLECTION = sorted(
    {pattern.name for pattern in patterns() if "name" in pattern.pattern.converters} - STILL_POSSIBLE
)


def test_no_address_takes_a_change(collection: Collection) -> None:  # noqa: F811
    Collection.objects.update(archived_at=timezone.now(), guideline_version=1)
    taken = []
    takes_none = set()  # pages, for whoever asks and whatever is sent
    as_json: Any = {"data": json.dumps({"version": 1}), "content_type": "application/json"}
    for who in ("olga", "ada", "bo"):
        client = logged_in(who)
        for name in OF_A_COLLECTION:
            for sent in ({"data": {"version": "1"}}, as_json):
                if name in takes_none:
                    break
                status = client.post(address(name), **sent).status_code
                if status == 405:
                    takes_none.add(name)
                elif status != 403:
                    taken.append((who, name))
    assert taken == []
    assert set(Membership.objects.values_list("guideline_confirmed", flat=True)) == {0}


def test_nobody_joins_it(world: World, mal: Account, client_of: Any) -> None:
    token = make_invitation(lead=world["ada"]).token
    Collection.objects.update(archived_at=timezone.now())
    for client in (Client(), client_of(mal)):
        for ask in (client.get, client.post):
            answer = ask(f"/join/{token}/")
            assert answer.status_code == 410
            assert "This collection is archived, so nobody can join it" in answer.content.decode()
    assert not Membership.objects.filter(account=mal).exists()


def test_its_policy_decides_nothing(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotation.review.tasks.apply_policy", partial(apply_policy, grace=timedelta(0)))
    world = decided_world(4, 0)
    Collection.objects.update(auto_extend_from=2.5, auto_finish_to=1.0, archived_at=timezone.now())
    nothing = {"extended": 0, "finished": 0, "left": 0}
    assert apply_review_policy(world.collection.pk) == nothing
    assert apply_review_policy(10**9) == nothing
    assert not Review.objects.exists()
    Collection.objects.update(archived_at=None)
    assert apply_review_policy(world.collection.pk) == nothing | {"extended": 1, "finished": 1}


def test_its_overview_has_no_forecast_and_nothing_needs_anybody(db: None, client_of: Any) -> None:
    world = decided_world(4)
    ada = client_of(world["ada"].account)
    before = read(ada, "collections/paper/overview")
    assert before["needs"] and before["forecast"]["ends"] is not None
    Collection.objects.update(archived_at=timezone.now())
    told = read(ada, "collections/paper/overview")
    assert told["needs"] == []
    assert {told["forecast"][name] for name in ("days", "ends", "cost", "total")} == {None}
    page = ada.get("/c/paper/").content.decode()
    assert "Archived since" in page and "No end in sight" not in page
