"""The page System: for owners of the site, and what it says with a part of the site away."""

from typing import Any

import pytest
from django.test import Client

from foundation.models import Account
from operation.alerts.watch import watch
from operation.health.heartbeat import beat
from operation.system.selectors import system_facts
from tests.conftest import World
from tests.workers import nobody_listens

pytestmark = pytest.mark.django_db


def test_it_is_for_owners_of_the_site_alone(world: World, mal: Account, client_of: Any) -> None:
    for who in (world["ada"].account, world["bo"].account, mal):
        assert client_of(who).get("/system/").status_code == 403
        assert client_of(who).post("/system/alert-mail", {"wanted": "no"}).status_code == 403
        assert client_of(who).post("/system/start-mails").status_code == 403
    assert Client().get("/system/")["Location"] == "/login/?next=/system/"


def test_it_says_what_to_do_about_a_fault(owner: Client) -> None:
    beat(node="celery@here", processes=2)
    page = owner.get("/system/").content.decode()
    assert "Everything works." in page and "celery@here (2 at a time)" in page and "None so far." in page
    with nobody_listens():
        watch()
        page = owner.get("/system/").content.decode()
        facts = system_facts()
    assert "1 check needs you." in page and "Start Valkey or Redis" in page
    assert [one.name for one in facts.findings if one.state != "ok"] == ["broker"]
    assert [(one.check_name, one.ended_at) for one in facts.alerts] == [("broker", None)]


def test_an_owner_chooses_whether_to_get_mail(owner: Client, mailbox: list[Any]) -> None:
    assert "You are told of new alerts at olga@example.org." in owner.get("/system/").content.decode()
    told = owner.post("/system/alert-mail", {"wanted": "no"}, follow=True).content.decode()
    assert "You get no mails about alerts." in told and "Mail me about alerts" in told
    assert "Stop these mails" in owner.post("/system/alert-mail", {"wanted": "yes"}, follow=True).content.decode()
