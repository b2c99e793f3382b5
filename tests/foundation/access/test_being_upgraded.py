"""What is answered while the site is being upgraded: to readers, to programs, to forms, in their language."""

from dataclasses import replace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from foundation.infra import upgrade_state
from foundation.infra.upgrade_state import KNOWN_TABLES, Upgrade, is_held
from operation.health.checks import upgrade as finding
from tests.conftest import World

pytestmark = pytest.mark.django_db
UNDER_WAY = Upgrade(version="0.9.0", tables=KNOWN_TABLES, since="2026-11-22T10:00:00+00:00")


@pytest.fixture(autouse=True)
def own_var(settings: Any, tmp_path: Any) -> None:
    settings.VAR = tmp_path


@pytest.fixture
def bo(world: World, client_of: Any) -> Client:
    client: Client = client_of(world["bo"].account)
    client.get("/c/paper/judge/")
    return client


def test_every_page_says_so_without_asking_the_database(bo: Client, django_assert_num_queries: Any) -> None:
    upgrade_state.say(UNDER_WAY)
    with django_assert_num_queries(0):
        for address in ("/c/paper/judge/?x=1", "/login/", "/no-such-page/", "/api/v1/", "/system/"):
            answer = bo.get(address)
            assert (answer.status_code, answer["Retry-After"], answer["Cache-Control"]) == (503, "10", "no-store")
            assert "is being upgraded" in answer.content.decode()
        assert f'data-page="{"/c/paper/judge/?x=1"}"' in bo.get("/c/paper/judge/?x=1").content.decode()
        assert 'data-page="/evil.example/x"' in bo.get("/x", PATH_INFO="//evil.example/x").content.decode()
        german = bo.get("/login/", headers={"Accept-Language": "de"}).content.decode()
        assert "wird gerade aktualisiert" in german and 'lang="de"' in german
        assert bo.get("/healthz").status_code == 200
    assert bo.get("/readyz?only=upgrade").json() == {"status": "failed", "checks": {"upgrade": "failed"}}
    assert "since 2026-11-22T10:00:00+00:00" in finding().found
    upgrade_state.forget()
    assert bo.get("/c/paper/judge/").status_code == 200


def test_what_a_script_or_program_sends_is_to_be_sent_again(bo: Client) -> None:
    upgrade_state.say(UNDER_WAY)
    sent = bo.post("/c/paper/judge/answers", {"grade": 3}, content_type="application/json")
    asked = bo.get("/api/v1/collections/paper/overview")
    assert (asked.status_code, asked["Retry-After"]) == (503, "10") and "being upgraded" in asked.json()["detail"]
    for answer in (sent, bo.get("/c/paper/x.csv", headers={"Accept": "text/csv"})):
        assert answer.status_code == 503 and answer.json()["retry_after"] == 10


def test_a_form_is_kept_and_its_page_opens_again(bo: Client) -> None:
    upgrade_state.say(UNDER_WAY)
    page = bo.post("/account/name", {"name": "Bo"}, headers={"Referer": "http://testserver/account/"}).content.decode()
    assert '<meta name="nothing-sent" content="1">' in page and 'data-page="/account/"' in page
    assert "wasn&#x27;t taken" in page or "wasn't taken" in page
    elsewhere = bo.post("/account/name", {"name": "Bo"}, headers={"Referer": "https://evil.example/x"})
    assert 'data-page="/"' in elsewhere.content.decode()


def test_a_process_from_before_is_held_until_it_is_restarted() -> None:
    assert not is_held()
    upgrade_state.say_done(UNDER_WAY)
    assert not is_held()
    upgrade_state.say(replace(UNDER_WAY, done=True, tables="those of other code"))
    assert is_held() and "this process is from before" in finding().found
    call_command("upgrade", "--check")  # as `script/server` does before it starts
    assert not is_held()


def test_a_damaged_announcement_holds_until_somebody_looks() -> None:
    upgrade_state.say(UNDER_WAY)
    upgrade_state.file().write_text("{")
    assert is_held() and finding().state == "failed"
    call_command("upgrade", "--cancel")
    assert not is_held()


def test_an_announcement_ends_by_itself_where_nothing_is_to_be_done() -> None:
    call_command("upgrade", "--announce")
    assert is_held()
    call_command("upgrade")
    assert not is_held()
    with pytest.raises(CommandError, match="not allowed with argument"):
        call_command("upgrade", "--announce", "--cancel")
