"""The page that opens judging says what would be opened, what it takes and what is missing, and a worker opens it."""

from decimal import Decimal
from typing import Any

import pytest

from annotation.batches.opening_jobs import ask_for_opening, open_batches
from annotation.models import Batch, Opening, Pair
from foundation.models import Collection
from queries.models import Candidate
from tests.api.callers import read
from tests.conftest import World, build_world


def unopened(**more: Any) -> World:
    """A collection whose queries have candidates and no batch."""
    world = build_world(**more)
    Pair.objects.all().delete()
    Batch.objects.all().delete()
    return world


@pytest.mark.django_db
def test_the_page_says_what_opens_what_it_costs_and_what_is_missing(client_of: Any) -> None:
    world = unopened(queries=3, candidates=4)
    Collection.objects.update(pay_per_hour="12.00", currency="EUR", batch_size=2, guideline_version=0)
    bare = world.collection.queries.order_by("pk").last()
    Candidate.objects.filter(query=bare).delete()
    client = client_of(world["ada"].account)
    plan = read(client, "collections/paper/opening")
    assert (plan["drawn"], plan["opened"], plan["ready"], plan["without_candidates"]) == (3, 0, 2, 1)
    assert (plan["pairs"], plan["judgments"], plan["basis"]) == (4, 8, "reckoned")
    assert Decimal(plan["hours"]) == round(Decimal(8 * plan["seconds_each"]) / 3600, 2)
    assert Decimal(plan["pay"]) == Decimal(plan["hours"]) * 12
    page = client.get("/c/paper/opening/").content.decode()
    assert "2 queries with 4 pairs: about 8 judgments" in page
    assert "1 query has no candidates yet" in page and 'action="/c/paper/candidates/fetch"' in page
    assert "No guideline is published." in page and "Open 2 queries" in page


@pytest.mark.django_db
def test_a_worker_opens_it_once_however_often_it_is_asked(client_of: Any) -> None:
    world = unopened(queries=3, candidates=4)
    client = client_of(world["ada"].account)
    for _ in range(2):
        assert client.post("/c/paper/opening/open")["Location"] == "/c/paper/opening/"
    job = Opening.objects.get()
    open_batches(job.pk)
    assert (Batch.objects.count(), Pair.objects.count()) == (3, 12)
    page = client.get("/c/paper/opening/").content.decode()
    assert "3 batches with 12 pairs opened; 0 were open before." in page
    assert "Every drawn query is open for judging." in page
    open_batches(ask_for_opening(member=world["ada"]).pk)
    assert Batch.objects.count() == 3
    assert Opening.objects.latest("pk").said == "0 batches with 0 pairs opened; 3 were open before."
