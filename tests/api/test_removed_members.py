"""No token of somebody who was removed from a collection opens anything of it."""

import re
from typing import Any

import pytest

from api.v1.api import description
from foundation.collections.lifecycle import remove_member
from foundation.models import Membership
from tests.api.callers import Caller
from tests.conftest import World

pytestmark = pytest.mark.django_db


def test_a_removed_member_s_token_opens_nothing_of_the_collection(world: World, settings: Any) -> None:
    """At every address of the collection, by every method, whatever the token is bound to; an admitted one does."""
    settings.API_PER_MINUTE = 100_000
    bo = world["bo"]
    free, bound = Caller(bo), Caller(bo, collection="paper")
    paths = [
        (method, path.removeprefix("/api/v1"))
        for path, methods in description()["paths"].items()
        if "/collections/{name}" in path
        for method in methods
    ]
    assert len(paths) > 150
    assert [caller.get("/collections/paper/files").status_code for caller in (free, bound)] == [200, 200]
    remove_member(member=owner_of(world), other_id=bo.pk)
    for caller in (free, bound):
        for method, path in paths:
            path = re.sub(r"\{\w+\}", "1", path.replace("{name}", "paper"))
            assert caller.ask(method.upper(), path).status_code == 403, (method, path)
        assert caller.get("/collections").json()["items"] == []
    change_standing_back(bo)
    assert free.get("/collections/paper/files").status_code == 200


def owner_of(world: World) -> Membership:
    Membership.objects.filter(pk=world["ada"].pk).update(role="owner")
    return Membership.objects.get(pk=world["ada"].pk)


def change_standing_back(member: Membership) -> None:
    Membership.objects.filter(pk=member.pk).update(status="admitted")
