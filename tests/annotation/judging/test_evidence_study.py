"""The page, files, command and API that say what goes with the use of context."""

import csv
import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.models import Judgment
from annotation.people.people_figures import names_of
from foundation.models import Collection
from tests.annotation.judging_steps import judge, sit
from tests.api.callers import Caller
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db
PAGE = "/c/paper/people/evidence"


@pytest.fixture
def world(db: None) -> World:
    """Two queries; of each two pairs, bo has used context and cy hasn't, who grades one lower."""
    world = build_world(queries=2, candidates=2, clips=True)
    Collection.objects.update(context_seconds=5.0)
    for name in ("bo", "cy"):
        world[name].refresh_from_db()
        sit(world[name])
        for query in world.queries:
            for pair in query.batches.get().pairs.order_by("pk"):
                more: dict[str, Any] = {"used": ["context"] if name == "bo" else []}
                judge(world[name], pair, 3 if name == "bo" else 2, played=1.0, **more)
    assert names_of(world.collection) and Judgment.objects.filter(used=["context"]).count() == 4
    return world


@pytest.fixture
def ada(world: World, client_of: Any) -> Client:
    client: Client = client_of(world["ada"].account)
    return client


def test_the_page_says_it_and_its_files_do(ada: Client, world: World) -> None:
    page = ada.get(f"{PAGE}/").content.decode()
    assert (
        "The seconds before and after" in page
        and "95 % interval 1.00 to 1.00" in page
        and "4 pairs that have both" in page
    )
    assert 'fill="var(--' in page or 'stroke="var(--' in page
    (row,) = csv.DictReader(StringIO(ada.get(f"{PAGE}.csv").content.decode()))
    assert (row["kind"], row["judgments"], row["used"], row["difference"], row["low"]) == (
        "context",
        "8",
        "4",
        "1.0",
        "1.0",
    )
    assert (row["one"], row["one_agree"], row["both"], row["both_agree"]) == ("4", "1.0", "0", "")
    told = ada.get(f"{PAGE}.json").json()
    assert told["context"]["share"] == 0.5
    assert ada.get(f"{PAGE}.svg")["Content-Type"].startswith("image/svg")
    assert ada.get(f"{PAGE}.pdf").status_code == 404
    caller = Caller(world["ada"], ("read",))
    assert caller.get("/collections/paper/evidence-use").json()["kinds"] == told
    said = StringIO()
    call_command("evidence_use", "paper", json=True, stdout=said)
    assert json.loads(said.getvalue()) == told
    said = StringIO()
    call_command("evidence_use", "paper", stdout=said)
    assert list(csv.DictReader(StringIO(said.getvalue()))) == [row]


def test_a_collection_that_shows_pictures_alone_has_no_tab_and_no_files(ada: Client, world: World) -> None:
    Collection.objects.update(context_seconds=0)
    Judgment.objects.update(used=None)
    assert "people/evidence" not in ada.get("/c/paper/people/partners/").content.decode()
    assert "Annotators see the clips alone." in ada.get(f"{PAGE}/").content.decode()
    assert ada.get(f"{PAGE}.csv").status_code == 404
    assert Caller(world["ada"], ("read",)).get("/collections/paper/evidence-use").json()["kinds"] == {}


def test_annotators_have_no_such_page(world: World, client_of: Any) -> None:
    bo = client_of(world["bo"].account)
    assert [bo.get(f"{PAGE}{end}").status_code for end in ("/", ".csv", ".json")] == [403, 403, 403]
