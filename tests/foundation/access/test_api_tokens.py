"""Tokens: shown once, kept as a digest, good for reading what their account leads and for nothing else."""

from datetime import date
from typing import Any

import pytest
from django.test import Client

from foundation.access.api_tokens import MOST, make_token
from foundation.models import ApiToken
from tests.conftest import World

pytestmark = pytest.mark.django_db


def bearer(token: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {token}"})


def made_by(world: World, name: str) -> str:
    account = world[name].account
    assert account is not None
    return make_token(account=account, name="figures").token


def test_a_token_is_shown_once_and_kept_as_a_digest(world: World, client_of: Any) -> None:
    client = client_of(world["ada"].account)
    page = client.post("/tokens/", {"name": "figures"})
    token = page.context["made"]
    assert token in page.content.decode()
    assert token not in client.get("/tokens/").content.decode()
    row = ApiToken.objects.get()
    assert token not in (row.digest, row.name)
    assert bearer(token).get("/c/paper/").status_code == 200
    row.refresh_from_db()
    assert isinstance(row.last_used, date), "by the day, so that nothing more is learnt of when"


def test_it_reads_and_changes_nothing(world: World) -> None:
    client = bearer(made_by(world, "ada"))
    assert client.get("/c/paper/settings/").context["groups"]
    refused = client.post("/c/paper/settings/change", {"title": "Mine"})
    assert (refused.status_code, refused["Content-Type"]) == (403, "text/plain")
    world.collection.refresh_from_db()
    assert world.collection.title == "Paper"
    assert client.get("/tokens/").status_code == 302, "tokens are made by people"
    assert client.post("/c/paper/archive").status_code == 302
    assert client.get("/c/paper/judge/").status_code == 302


def test_it_opens_what_its_account_leads_and_no_more(world: World, mal: Any) -> None:
    assert bearer(made_by(world, "bo")).get("/c/paper/").status_code == 403
    stranger = make_token(account=mal, name="figures").token
    assert bearer(stranger).get("/c/paper/").status_code == 404
    token = made_by(world, "ada")
    world["ada"].delete()
    assert bearer(token).get("/c/paper/").status_code == 404


@pytest.mark.parametrize("said", ["", "no-such-token", "é" * 20, "x" * 5000])
def test_a_wrong_one_is_a_401_that_says_so(world: World, said: str) -> None:
    answer = Client(headers={"Authorization": f"Bearer {said}"}).get("/c/paper/")
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")


def test_a_wrong_one_is_refused_beside_a_login_too(world: World, client_of: Any) -> None:
    client = client_of(world["ada"].account)
    assert client.get("/c/paper/", headers={"Authorization": "Bearer nonsense"}).status_code == 401


def test_one_revokes_one_s_own(world: World, client_of: Any) -> None:
    token = made_by(world, "ada")
    row = ApiToken.objects.get()
    client_of(world["bo"].account).post(f"/tokens/{row.pk}/revoke")
    assert bearer(token).get("/c/paper/").status_code == 200
    client_of(world["ada"].account).post(f"/tokens/{row.pk}/revoke")
    assert bearer(token).get("/c/paper/").status_code == 401


def test_the_token_of_a_closed_account_opens_nothing(world: World) -> None:
    token = made_by(world, "ada")
    account = world["ada"].account
    assert account is not None
    account.is_active = False
    account.save()
    assert bearer(token).get("/c/paper/").status_code == 401


def test_a_token_needs_a_name_and_nobody_hoards_them(world: World, client_of: Any) -> None:
    client = client_of(world["ada"].account)
    assert "expected 1 to 100" in client.post("/tokens/", {"name": " "}).content.decode()
    for _ in range(MOST):
        made_by(world, "ada")
    assert "You have 20 tokens already" in client.post("/tokens/", {"name": "one more"}).content.decode()
    assert ApiToken.objects.count() == MOST
