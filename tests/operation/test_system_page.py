"""The page System: for owners of the site, and what it says with a part of the site away."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from config.variables import Backups
from foundation.models import Account, MailItem
from operation.alerts.watch import says_alert, watch
from operation.health.heartbeat import beat
from operation.models import Alert, Backup
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
    told = owner.post("/system/alert-mail", {"wanted": "yes"}, follow=True).content.decode()
    assert "Stop these mails" in told and "You get mails about alerts." in told and "You get no mails" not in told


def test_a_backup_is_offered_where_the_settings_say_where_it_goes(
    owner: Client, settings: Any, tmp_path: Path, mal: Account, client_of: Any
) -> None:
    assert "Back up now" not in owner.get("/system/").content.decode()
    settings.BACKUPS = Backups(place=str(tmp_path))
    assert "Back up now" in owner.get("/system/").content.decode()
    assert client_of(mal).post(reverse("back-up")).status_code == 403 and not Backup.objects.exists()
    owner.post(reverse("back-up"))
    assert Backup.objects.get().place == str(tmp_path)


def test_an_alert_of_a_check_that_this_version_has_no_longer_is_shown_by_its_name(
    olga: Account, owner: Client, mailbox: list[Any]
) -> None:
    alert = Alert.objects.create(check_name="tides", found="The tide is low.")
    page = owner.get("/system/").content.decode()
    assert "tides" in page and "The tide is low." in page
    mail = says_alert(MailItem(account=olga, facts={"alert": alert.pk}))
    assert mail is not None and (mail.title, mail.text) == ("tides needs you", "The tide is low.")
