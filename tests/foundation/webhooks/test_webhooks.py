"""Webhooks: signed, in order, at least once, tried again, given up and sent again; nowhere that isn't public."""

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from annotation.models import Batch, Pair
from annotation.people.alert_webhooks import note_alerts
from annotation.review.decisions import review_batch
from config.embedded import free_port
from corpus.models import VideoImport
from foundation.infra.job_control import stop_job
from foundation.infra.sealed import unseal
from foundation.models import Account, Collection, Membership, Webhook, WebhookEvent, WebhookTry
from foundation.webhooks import sending
from foundation.webhooks.deliveries import GIVEN_UP_AFTER, deliver_webhook
from foundation.webhooks.kinds import KINDS, TEST
from foundation.webhooks.outbox import note
from foundation.webhooks.services import make_webhook, send_again, start_webhook
from tests.annotation.judging.test_judgments import judge, judge_all, pairs, sit
from tests.api.callers import read
from tests.conftest import World
from tests.foundation.webhooks.receiver import HERE, Got, Receiver, receiver
from tests.paths import ROOT
from tests.workers import kill_group, one_worker, wait_until

pytestmark = pytest.mark.django_db


@pytest.fixture
def there(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOK_NETWORKS = HERE
    with receiver() as made:
        yield made


def hook_to(there: Receiver, collection: Collection | None, *, by: str = "ada", kinds: Any = KINDS) -> Webhook:
    account = Account.objects.get(username=by)
    return make_webhook(account=account, collection=collection, address=there.address, kinds=list(kinds)).row


def told(there: Receiver) -> list[tuple[str, Any]]:
    bodies = [json.loads(body.body) for body in there.got]
    return [(body["type"], body["data"]) for body in bodies]


def is_signed(got: Got, secret: str) -> bool:
    """As docs/webhooks.md has it."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{got.headers['webhook-id']}.{got.headers['webhook-timestamp']}.".encode() + got.body
    right = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return hmac.compare_digest(right, got.headers["webhook-signature"])


def test_events_come_signed_and_in_order(world: World, there: Receiver) -> None:
    hook, other = hook_to(there, world.collection), hook_to(there, world.collection, kinds=["run.scored"])
    for number in range(3):
        assert note("batch.decided", collection=world.collection, data={"batch": number}) == 1
    assert deliver_webhook(hook.pk) and not deliver_webhook(other.pk)
    assert [data["batch"] for _, data in told(there)] == [0, 1, 2]
    first = there.got[0]
    secret = unseal(Webhook.objects.get(pk=hook.pk).secret)
    assert is_signed(first, secret) and not is_signed(first, sending.PREFIX + "A" * 44)
    body = json.loads(first.body)
    assert (body["collection"], body["id"], first.path) == ("paper", first.headers["webhook-id"], "/hook?from=qreels")
    assert first.headers["host"] == f"127.0.0.1:{there.port}" and first.headers["qreels-attempt"] == "1"
    assert not deliver_webhook(hook.pk) and len(there.got) == 3, "each once"
    assert set(hook.events.values_list("state", flat=True)) == {"delivered"}


def test_what_is_rolled_back_is_never_told(world: World, there: Receiver) -> None:
    hook = hook_to(there, world.collection)
    with pytest.raises(RuntimeError), transaction.atomic():
        note("batch.decided", collection=world.collection, data={})
        raise RuntimeError
    assert not hook.events.exists()


def test_an_error_is_tried_again_with_growing_pauses_and_nothing_overtakes(world: World, there: Receiver) -> None:
    hook = hook_to(there, world.collection)
    for number in range(2):
        note("batch.decided", collection=world.collection, data={"batch": number})
    there.answers += [500, 404, f"http://127.0.0.1:{there.port}/elsewhere"]
    pauses = []
    for _ in range(3):
        deliver_webhook(hook.pk)
        hook.refresh_from_db()
        assert hook.due_at is not None
        pauses.append((hook.due_at - timezone.now()).total_seconds())
    assert pauses[0] > 0 and pauses[1] > pauses[0] * 1.5 and pauses[2] > pauses[1] * 1.5
    assert [request.path for request in there.got] == ["/hook?from=qreels"] * 3, "a redirect isn't followed"
    problems = WebhookTry.objects.order_by("pk").values_list("answer", "problem")
    assert [status for status, _ in problems] == [500, 404, 302] and "redirects aren't followed" in problems[2][1]
    deliver_webhook(hook.pk)
    assert [data["batch"] for _, data in told(there)] == [0, 0, 0, 0, 1]
    assert [request.headers["qreels-attempt"] for request in there.got] == ["1", "2", "3", "4", "1"]
    assert len({request.headers["webhook-id"] for request in there.got}) == 2


def test_a_receiver_that_is_slow_or_gone_is_tried_again(world: World, there: Receiver, monkeypatch: Any) -> None:
    hook = hook_to(there, world.collection)
    note("batch.decided", collection=world.collection, data={})
    monkeypatch.setattr(sending, "WHOLE_SECONDS", 0.2)
    there.answers.append("never")
    deliver_webhook(hook.pk)
    assert WebhookTry.objects.get().problem == "No answer came in time."
    Webhook.objects.filter(pk=hook.pk).update(address=f"http://127.0.0.1:{free_port()}/")
    deliver_webhook(hook.pk)
    assert "Connection refused" in WebhookTry.objects.order_by("-pk")[0].problem
    Webhook.objects.filter(pk=hook.pk).update(address=there.address)
    deliver_webhook(hook.pk)
    assert hook.events.get().state == "delivered" and hook.events.get().tries == 3


@pytest.mark.parametrize(
    "answer",
    [
        b"\x00\x00\x00",
        b"HTTP/1.1 2\x0000 OK\r\n\r\n",
        b"HTTP/1.1 500 \x00\r\nX: \x00\r\n\r\n",
        b"\xff\xfe" * 400,
        b"HTTP/9" * 99,
    ],
)
def test_whatever_a_receiver_answers_is_stored_and_tried_again_with_pauses(
    world: World, there: Receiver, answer: bytes
) -> None:
    hook = hook_to(there, world.collection)
    note("batch.decided", collection=world.collection, data={})
    there.answers.append(answer)
    deliver_webhook(hook.pk)
    (tried,) = WebhookTry.objects.all()
    assert tried.problem and tried.problem.isprintable()
    hook.refresh_from_db()
    assert hook.events.get().tries == 1 and hook.events.get().state == "waiting"
    deliver_webhook(hook.pk)
    assert hook.events.get().state == "delivered"


def test_after_a_day_it_is_given_up_kept_and_sent_again_when_asked(world: World, there: Receiver) -> None:
    hook = hook_to(there, world.collection)
    for number in range(2):
        note("batch.decided", collection=world.collection, data={"batch": number})
    first = hook.events.order_by("pk")[0]
    WebhookEvent.objects.filter(pk=first.pk).update(since=timezone.now() - GIVEN_UP_AFTER - timedelta(minutes=1))
    there.answers.append(500)
    deliver_webhook(hook.pk)
    assert list(hook.events.order_by("pk").values_list("state", flat=True)) == ["dead", "delivered"]
    ada = Client()
    ada.force_login(world["ada"].account)
    page = ada.get("/c/paper/webhooks/").content.decode()
    assert "1 given up" in page and "It answered 500, expected 200 to 299." in page
    ada.post(f"/c/paper/webhooks/{hook.pk}/change", {"do": "again", "event": first.pk})
    assert send_again(webhook=hook) == 0, "it waits already"
    deliver_webhook(hook.pk)
    assert [data["batch"] for _, data in told(there)] == [0, 1, 0]
    assert there.got[2].headers["qreels-attempt"] == "2"
    assert there.got[0].body == there.got[2].body


def test_every_try_looks_anew_whether_the_address_may_be_asked(world: World, there: Receiver, settings: Any) -> None:
    hook = hook_to(there, world.collection)
    note("batch.decided", collection=world.collection, data={})
    settings.WEBHOOK_NETWORKS = ("10.0.0.0/8",)
    deliver_webhook(hook.pk)
    assert not there.got and "127.0.0.1, which isn't a public address" in WebhookTry.objects.get().problem


def test_it_stops_with_the_rights_of_who_made_it_and_another_lead_starts_it(world: World, there: Receiver) -> None:
    hook = hook_to(there, world.collection)
    note("batch.decided", collection=world.collection, data={})
    Membership.objects.filter(account__username="ada").update(role="annotator")
    deliver_webhook(hook.pk)
    hook.refresh_from_db()
    assert not there.got and hook.stopped_at and "no longer leads here" in hook.problem
    assert note("batch.decided", collection=world.collection, data={}) == 0
    Membership.objects.filter(account__username="bo").update(role="lead")
    start_webhook(webhook=hook, account=Account.objects.get(username="bo"))
    deliver_webhook(hook.pk)
    assert len(there.got) == 1
    Account.objects.filter(username="bo").delete()
    note("batch.decided", collection=world.collection, data={})
    deliver_webhook(hook.pk)
    assert len(there.got) == 1


def test_what_happens_is_noted_for_the_collection_and_the_site(world: World, there: Receiver, client_of: Any) -> None:
    olga = Account.objects.create(username="olga", is_superuser=True)
    own, site = hook_to(there, world.collection), hook_to(there, None, by="olga")
    judge_all(world, world["bo"], world["cy"], [(0, 4), (0, 4), (1, 1)])
    sit(world["di"], world["ed"])
    for pair in pairs(world)[:2]:
        judge(world["di"], pair, 0)
        judge(world["ed"], pair, 4)
    batch = Batch.objects.get()
    job = VideoImport.objects.create(collection=world.collection, source="here")
    assert stop_job(job) and not stop_job(job)
    VideoImport.objects.create(collection=world.collection, source="here").end("Nothing is there.")
    if batch.status == Batch.Status.DECIDED:
        review_batch(member=world["ada"], batch_id=batch.pk, decision="finish")
    deliver_webhook(own.pk)
    events = told(there)
    kinds = [kind for kind, _ in events]
    assert kinds.count("pair.discarded") == Pair.objects.filter(status="discarded").count() == 2
    assert kinds.count("batch.decided") == kinds.count("query.finished") == 1
    assert [data["state"] for kind, data in events if kind == "job.ended"] == ["stopped", "refused"]
    assert kinds.index("pair.discarded") < kinds.index("batch.decided") < kinds.index("query.finished")
    there.got.clear()
    deliver_webhook(site.pk)
    assert [kind for kind, _ in told(there)] == kinds
    assert not re.search(r"grade|caption|similarity|rank", str([request.body for request in there.got]))
    assert client_of(olga).get("/webhooks/").status_code == 200


def test_a_new_alert_is_told_once_until_it_has_gone(world: World, there: Receiver, monkeypatch: Any) -> None:
    from annotation.people import alert_webhooks
    from annotation.people.alerts import PersonAlert

    hook = hook_to(there, world.collection, kinds=["person.alert"])
    standing = {world["bo"].pk: [PersonAlert("fast", "")]}
    monkeypatch.setattr(alert_webhooks, "alerts_by_person", lambda collection, value: standing)
    assert [note_alerts(), note_alerts()] == [1, 0]
    deliver_webhook(hook.pk)
    assert told(there) == [("person.alert", {"worker": world["bo"].worker, "alert": "fast"})]
    standing.clear()
    assert note_alerts() == 0
    standing[world["bo"].pk] = [PersonAlert("fast", ""), PersonAlert("bias", "")]
    assert note_alerts() == 2


def test_the_page_shows_the_secret_once_and_says_what_is_wrong(world: World, there: Receiver, client_of: Any) -> None:
    ada = client_of(world["ada"].account)
    bad = ada.post("/c/paper/webhooks/make", {"address": "https://127.1.1.1:1/", "kind": "job.ended"})
    assert bad.status_code == 200, "allowed by the installation"
    none = ada.post("/c/paper/webhooks/make", {"address": there.address})
    assert none.status_code == 400 and "Choose at least one" in none.content.decode()
    wrong = ada.post("/c/paper/webhooks/make", {"address": "http://10.0.0.1/<b>", "kind": "job.ended"})
    assert wrong.status_code == 400 and "isn&#x27;t a public address" in wrong.content.decode()
    made = ada.post("/c/paper/webhooks/make", {"address": there.address, "kind": ["job.ended", "run.scored"]})
    secret = re.search(r"whsec_[A-Za-z0-9+/=]+", made.content.decode())
    hook = Webhook.objects.get(address=there.address)
    assert secret and unseal(hook.secret) == secret[0] and secret[0] not in hook.secret
    page = ada.get("/c/paper/webhooks/")
    assert "whsec_" not in page.content.decode() and hook.kinds == ["job.ended", "run.scored"]
    change = f"/c/paper/webhooks/{hook.pk}/change"
    ada.post(change, {"do": "test"})
    deliver_webhook(hook.pk)
    assert told(there) == [("test", {})]
    events = read(ada, "collections/paper/webhooks/events")
    assert [(event["kind"], event["state"], event["log"][0]["answer"]) for event in events] == [
        ("test", "delivered", 204)
    ]
    ada.post(change, {"do": "stop"})
    assert "Start it first" in ada.post(change, {"do": "test"}, follow=True).content.decode()
    other = Client()
    other.force_login(Account.objects.create(username="olga", is_superuser=True))
    assert other.post(f"/webhooks/{hook.pk}/change", {"do": "remove"}).status_code == 404, "it isn't the site's"
    assert client_of(world["bo"].account).get("/c/paper/webhooks/").status_code == 403
    assert client_of(world["ada"].account).get("/webhooks/").status_code == 403
    ada.post(change, {"do": "remove"})
    assert not Webhook.objects.filter(pk=hook.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_within_a_try_or_between_two_leaves_the_events_to_the_next_one(
    there: Receiver, tmp_path: Path, settings: Any, monkeypatch: Any
) -> None:
    from tests.conftest import build_world

    world = build_world()
    pausing, asked = hook_to(there, world.collection), hook_to(there, world.collection)
    there.answers += [500, "never"]
    monkeypatch.setenv("QREELS_WEBHOOK_NETWORKS", HERE[0])
    with one_worker(tmp_path / "worker.log", libraries_anew=True) as worker:
        note("batch.decided", collection=world.collection, data={"batch": 1})
        note("batch.decided", collection=world.collection, data={"batch": 2})
        wait_until(lambda: len(there.got) == 2 and WebhookTry.objects.exists())
        kill_group(worker)
    there.let_go.set()
    assert set(WebhookEvent.objects.values_list("state", flat=True)) == {"waiting"}
    there.got.clear()
    for hook in (pausing, asked):
        assert Webhook.to_do().filter(pk=hook.pk).exists(), "the sweep finds it"
        assert deliver_webhook(hook.pk)
        got, there.got[:] = list(there.got), []
        assert [json.loads(request.body)["data"]["batch"] for request in got] == [1, 2]
        assert [request.headers["qreels-attempt"] for request in got] == ["2", "1"]
        numbers = hook.events.order_by("pk").values_list("public_id", flat=True)
        assert [request.headers["webhook-id"] for request in got] == [str(number) for number in numbers]


def test_the_manual_has_every_event() -> None:
    rows = re.findall(r"^\| `([a-z.]+)` \| ", (ROOT / "docs" / "webhooks.md").read_text(), re.MULTILINE)
    assert rows == [*KINDS, TEST]
