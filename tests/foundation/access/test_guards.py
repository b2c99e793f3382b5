"""Who is let in by tokens and by a page's own requests, at the edges that pages have in common."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from foundation.access.api_tokens import MOST, make_token, revoke_token
from foundation.access.guards import WRONG_TOKENS
from foundation.models import ApiToken, Collection, Membership
from foundation.refused import Refused
from tests.conftest import World

pytestmark = pytest.mark.django_db
FACTS = "/c/paper/videos.csv"


def bearer(world: World, name: str, *scopes: str) -> Client:
    account = world[name].account
    assert account is not None
    made = make_token(account=account, name="figures", scopes=scopes or ("read",))
    return Client(headers={"Authorization": f"bEaReR  {made.token} "})


def test_after_sixty_wrong_tokens_an_address_waits_and_until_then_every_right_one_is_good(world: World) -> None:
    assert (WRONG_TOKENS.attempts, WRONG_TOKENS.minutes) == (60, 10), "as docs/api.md says"
    right, wrong = bearer(world, "ada"), Client(headers={"Authorization": "Bearer nonsense"})
    for attempt in range(60):
        assert wrong.get(FACTS).status_code == 401
        assert attempt % 50 or right.get(FACTS).status_code == 200
    for client in (wrong, right):
        answer = client.get(FACTS)
        assert (answer.status_code, answer["Content-Type"]) == (429, "text/plain")
        assert "Too many wrong tokens" in answer.content.decode() and 0 < float(answer["Retry-After"]) <= 600
        assert not answer.has_header("WWW-Authenticate"), "another token wouldn't help"
    assert right.get(FACTS, REMOTE_ADDR="192.0.2.7").status_code == 200


def test_another_way_to_say_who_one_is_counts_as_none(world: World, client_of: Any) -> None:
    headers = {"Authorization": "Basic YWRhOmFkYQ=="}
    assert Client(headers=headers).get(FACTS)["Location"].startswith("/login/")
    assert client_of(world["ada"].account).get(FACTS, headers=headers).status_code == 200


def test_a_page_takes_a_token_that_reads_and_no_other(world: World) -> None:
    for scope in ApiToken.Scope.values:
        answer = bearer(world, "ada", scope).get(FACTS)
        assert answer.status_code == (200 if scope == "read" else 403), scope
        assert scope == "read" or "lacks the scope" in answer.content.decode()
        assert not answer.has_header("Retry-After"), "waiting changes nothing"


def test_a_token_of_whoever_was_barred_reads_nothing_that_their_login_may(world: World, client_of: Any) -> None:
    bo = world["bo"]
    Membership.objects.filter(pk=bo.pk).update(status=Membership.Status.BARRED)
    refused = bearer(world, "bo").get("/api/v1/collections/paper/releases")
    assert refused.status_code == 403 and "ended your judging here" in refused.json()["detail"]
    assert client_of(bo.account).get("/api/v1/collections/paper/releases").status_code == 200


def test_a_lead_s_own_requests_tell_a_lost_login_from_a_member_a_stranger_and_the_archive(
    world: World, mal: Any, client_of: Any
) -> None:
    there = "/c/paper/videos/uploads/"
    assert [Client().post(there).status_code, client_of(mal).post(there).status_code] == [401, 404]
    ada, bo = client_of(world["ada"].account), client_of(world["bo"].account)
    refused = bo.post(there)
    assert (refused.status_code, refused["Content-Type"]) == (403, "text/plain")
    assert ada.post(there).status_code not in (401, 403, 404)
    Collection.objects.update(archived_at=timezone.now())
    refused = ada.post(there)
    assert refused.status_code == 403 and "archived" in refused.content.decode()
    Collection.objects.update(archived_at=None)
    study = Collection.objects.create(name="pilot", title="Pilot", purpose="pilot", study_of=world.collection)
    Membership.objects.create(collection=study, account=world["ada"].account, role="lead", worker="w1")
    assert ada.post("/c/pilot/videos/uploads/").status_code == 404


def test_tokens_that_have_ended_don_t_count_among_those_that_one_may_have(world: World) -> None:
    account = world["bo"].account
    assert account is not None
    for number in range(MOST):
        make_token(account=account, name=f"{number}", scopes=("read",))
    with pytest.raises(Refused, match="already"):
        make_token(account=account, name="one more", scopes=("read",))
    first, second = ApiToken.objects.order_by("pk")[:2]
    ApiToken.objects.filter(pk=first.pk).update(expires_at=timezone.now())
    make_token(account=account, name="for the one that expired", scopes=("read",))
    revoke_token(account=account, token_id=second.pk)
    make_token(account=account, name="for the one that was revoked", scopes=("read",))
    with pytest.raises(Refused, match="already"):
        make_token(account=account, name="one more", scopes=("read",))
