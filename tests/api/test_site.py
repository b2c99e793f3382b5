"""Accounts, webhooks, deletion and own data by programs, with the pages' own confirmations."""

import json
from typing import Any

import pytest

from foundation.models import Account, AuditEntry, Collection, CollectionDeletion, Membership, Webhook
from foundation.webhooks.outbox import note
from tests.api.callers import Caller
from tests.conftest import World

pytestmark = pytest.mark.django_db
HERE = "/collections/paper"


@pytest.fixture
def olga(world: World) -> Caller:
    """Owns the collection and the site."""
    Membership.objects.filter(pk=world["ada"].pk).update(role="owner")
    Account.objects.filter(pk=world["ada"].account_id).update(is_superuser=True)
    return Caller(world["ada"])


def field_of(answer: Any) -> tuple[int, str]:
    return answer.status_code, str(answer.json()["errors"][0]["field"])


def test_accounts_are_made_changed_and_get_links(olga: Caller, world: World) -> None:
    made = olga.post("/accounts", {"name": "zoe", "email": "zoe@example.org"})
    assert made.status_code == 201 and "/password/" in made.json()["link"]
    assert field_of(olga.post("/accounts", {"name": "zoe"})) == (422, "body.name")
    zoe = Account.objects.get(username="zoe")
    assert not zoe.has_usable_password()
    assert [account["name"] for account in olga.get("/accounts?words=zo").json()["items"]] == ["zoe"]
    change = f"/accounts/{zoe.pk}/change"
    assert olga.post(change, {"change": "disable"}).json()["active"] is False
    assert field_of(olga.post(change, {"change": "factor"})) == (422, "body.sure")
    assert olga.post(f"/accounts/{zoe.pk}/password-link").status_code == 409, "of a disabled account"
    assert olga.post(f"/accounts/{world['ada'].account_id}/change", {"change": "disable"}).status_code == 409
    link = olga.post(f"{HERE}/members/{world['bo'].pk}/password-link").json()
    assert link["account"] == "bo"
    entry = AuditEntry.objects.filter(table="foundation_account", operation="update").latest("pk")
    assert (entry.via, entry.account) == ("api", world["ada"].account_id)


def test_a_webhook_is_made_tested_stopped_and_removed(olga: Caller, world: World, settings: Any) -> None:
    settings.WEBHOOK_NETWORKS = ["127.0.0.1/32"]
    wrong = olga.post(f"{HERE}/webhooks", {"address": "ftp://a", "kinds": ["job.ended"]})
    assert field_of(wrong) == (422, "body.address")
    sent = {"address": "http://127.0.0.1:9/", "kinds": ["job.ended"]}
    assert field_of(olga.post(f"{HERE}/webhooks", {**sent, "kinds": ["no.such"]})) == (422, "body.kinds")
    made = olga.post(f"{HERE}/webhooks", sent, **{"Idempotency-Key": "one"}).json()
    again = olga.post(f"{HERE}/webhooks", sent, **{"Idempotency-Key": "one"})
    assert made["secret"].startswith("whsec_") and again.json() == made
    assert "secret" not in olga.get(f"{HERE}/webhooks").json()[0]
    path = f"{HERE}/webhooks/{made['webhook']}"
    assert olga.post(f"{path}/test").json()["waiting"] == 1
    note("job.ended", collection=world.collection, data={})
    row = Webhook.objects.get()
    row.events.update(state="dead", ended_at=row.made_at)
    events = olga.get(f"{HERE}/webhooks/events").json()
    assert [(event["kind"], event["state"]) for event in events] == [("job.ended", "dead"), ("test", "dead")]
    assert olga.post(f"{path}/send-again", {"event": events[0]["event"]}).json() == {"events": 1}
    assert olga.post(f"{path}/send-again", {}).json() == {"events": 1}
    assert olga.post(f"{path}/stop").json()["state"] == "stopped"
    assert olga.post(f"{path}/test").status_code == 409
    assert olga.post(f"{path}/start").json()["state"] == "on"
    assert olga.delete(f"/webhooks/{made['webhook']}").status_code == 404 and Webhook.objects.exists()
    assert [olga.delete(path).status_code for _ in range(2)] == [204, 404]
    assert not Webhook.objects.exists()


def test_a_collection_is_deleted_with_its_name_typed(olga: Caller, world: World) -> None:
    path = f"{HERE}/deletion"
    assert olga.get(path).json()["losses"]
    assert field_of(olga.post(path, {"typed": "papre"})) == (422, "body.typed")
    assert not CollectionDeletion.objects.exists() and Collection.objects.get().archived_at is None
    answers = [olga.post(path, {"typed": "paper", "agreed": True}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [202, 202]
    deletion = answers[0].json()["deletion"]
    assert answers[1].json()["deletion"] == deletion
    assert olga.get(f"/deletions/{deletion}").json()["state"] == "queued"
    assert Caller(world["bo"]).get(f"/deletions/{deletion}").status_code == 404


def test_one_s_own_data_is_one_s_own(world: World) -> None:
    told = Caller(world["bo"]).get("/me/data")
    assert json.loads(b"".join(told.streaming_content))["profile"]["username"] == "bo"
    bound = Caller(world["bo"], collection="paper")
    assert bound.get("/me/data").status_code == 403
