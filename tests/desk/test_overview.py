"""The lead's overview: who may see it, and what it costs."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


def queries_of(client: Client, url: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert client.get(url).status_code == 200
    return len(captured)


def test_the_lead_sees_every_stage(world: World, client_of: Any) -> None:
    page = client_of(world["ada"].account).get("/c/paper/")
    assert page.status_code == 200
    for stage in ("Captions", "Candidates", "Pairs judged", "Batches reviewed"):
        assert stage in page.content.decode()


def test_others_do_not(world: World, client_of: Any, mal: Any) -> None:
    assert client_of(world["bo"].account).get("/c/paper/").status_code == 403
    assert client_of(mal).get("/c/paper/").status_code == 404
    assert Client().get("/c/paper/").status_code == 302


def test_more_pairs_cost_no_more_sql(db: None, client_of: Any) -> None:
    small = build_world()
    large = build_world(name="large", queries=6, candidates=40)
    client = client_of(small["ada"].account)
    client.get("/c/paper/")
    few = queries_of(client, "/c/paper/")
    assert few <= 25
    assert queries_of(client, f"/c/{large.collection.name}/") == few


def test_the_page_is_json_too_for_the_lead_alone(world: World, client_of: Any) -> None:
    answer = client_of(world["ada"].account).get("/c/paper/?format=json")
    assert answer["Content-Type"] == "application/json"
    told = answer.json()
    assert {"name", "done", "total", "waiting", "page"} <= told["stages"][0].keys()
    assert "people" not in told
    assert client_of(world["bo"].account).get("/c/paper/?format=json").status_code == 403
