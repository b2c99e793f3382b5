"""The login page says why one is there, and leads back: a form's sender to the page of the form."""

import pytest
from django.test import Client

from foundation.models import Session
from tests.conftest import World

pytestmark = pytest.mark.django_db


def told(client: Client, address: str) -> str:
    return client.get(address).content.decode()


def test_who_has_never_been_here_is_told_nothing(world: World) -> None:
    assert Client().get("/c/paper/")["Location"] == "/login/?next=/c/paper/"
    assert "Your login has ended" not in told(Client(), "/login/?next=/c/paper/")
    assert "callout" not in told(Client(), "/login/?why=<script>")


def test_an_ended_login_is_explained(world: World, client_of: object) -> None:
    ada = client_of(world["ada"].account)  # type: ignore[operator]
    Session.objects.all().delete()
    to = ada.get("/c/paper/work/?page=2")["Location"]
    assert to == "/login/?next=/c/paper/work/%3Fpage%3D2&why=ended"
    assert "Your login has ended: it expired" in told(ada, to)


def test_a_form_without_a_login_leads_back_to_its_page(world: World, client_of: object) -> None:
    ada = client_of(world["ada"].account)  # type: ignore[operator]
    Session.objects.all().delete()
    page = {"headers": {"Referer": "http://testserver/c/paper/settings/?all=1"}}
    to = ada.post("/c/paper/settings/change", {"title": "Mine"}, **page)["Location"]
    assert to == "/login/?next=/c/paper/settings/%3Fall%3D1&why=form"
    assert "nothing was changed" in told(ada, to)
    world.collection.refresh_from_db()
    assert world.collection.title == "Paper"
    for elsewhere in ("https://elsewhere.example/x", "http://testserver.example/", "//x", ""):
        to = Client().post("/c/paper/settings/change", headers={"Referer": elsewhere})["Location"]
        assert to == "/login/?next=/c/paper/settings/change"


def test_who_isn_t_a_lead_can_log_in_as_somebody_who_is(world: World, client_of: object) -> None:
    bo = client_of(world["bo"].account)  # type: ignore[operator]
    page = bo.get("/c/paper/settings/")
    assert page.status_code == 403
    to = page.context["log_in_as_lead"]
    assert bo.post("/logout/", {"next": to})["Location"] == to == "/login/?next=/c/paper/settings/&why=lead"
    assert "for the lead annotators of its collection" in told(bo, to)
    assert bo.post("/logout/", {"next": "https://elsewhere.example/"})["Location"] == "/login/?why=out"


def test_judging_leads_to_a_login_page_that_says_where_the_grades_are(world: World, client_of: object) -> None:
    bo = client_of(world["bo"].account)  # type: ignore[operator]
    assert 'data-login="/login/?next=/c/paper/judge/&amp;why=judging"' in bo.get("/c/paper/judge/").content.decode()
    assert "Nothing that you graded is lost" in told(Client(), "/login/?next=/c/paper/judge/&why=judging")
