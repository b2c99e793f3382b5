"""A lead's collections on the home page: poster, state, and what needs the lead first."""

from typing import Any

import pytest
from django.utils import timezone

from annotation.judging.flags import raise_flag
from annotation.models import Pair
from desk.home_card import standing
from foundation.models import Collection
from tests.annotation.judging_steps import sit
from tests.conftest import World

pytestmark = pytest.mark.django_db


def test_a_collection_tells_its_state_and_its_first_need(world: World) -> None:
    collection = world.collection
    assert (standing(collection).state, standing(collection).need) == ("being judged", "")
    sit(world["bo"])
    raise_flag(member=world["bo"], pair_id=Pair.objects.earliest("pk").public_id, kind="query")
    told = standing(collection)
    assert (told.look, told.need, told.address) == ("working", "1 flagged pair waits", "/c/paper/flags/")
    collection.archived_at = timezone.now()
    assert (standing(collection).state, standing(collection).need) == ("archived", "")
    empty = Collection.objects.create(name="empty", title="Empty")
    assert standing(empty).state == "being prepared"


def test_the_home_page_has_a_card_each_and_tells_annotators_nothing_of_the_lead_s(world: World, client_of: Any) -> None:
    ada, bo = world["ada"].account, world["bo"].account
    for account in (ada, bo):
        type(account).objects.filter(pk=account.pk).update(may_create_collections=True)
    home = client_of(ada).get("/").content.decode()
    assert '<a href="/c/paper/">' in home and "being judged" in home
    mine = client_of(bo).get("/").content.decode()
    assert '<a href="/c/paper/judge/">' in mine and "being judged" not in mine
