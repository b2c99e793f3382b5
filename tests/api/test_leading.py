"""What a lead decides by a program is what the pages decide: settings, batches, flags, notices, people."""

from typing import Any

import pytest

from annotation.models import Batch, Flag, Notice, Pair, Review
from foundation.models import AuditEntry, Collection
from queries.models import Caption
from tests.api.callers import Caller
from tests.conftest import World

pytestmark = pytest.mark.django_db
HERE = "/collections/paper"


@pytest.fixture
def ada(world: World) -> Caller:
    return Caller(world["ada"])


def field_of(answer: Any) -> str:
    return str(answer.json()["errors"][0]["field"])


def test_settings_change_all_or_none(ada: Caller, world: World) -> None:
    told = ada.patch(f"{HERE}/settings", {"settings": {"title": "The moon", "idle_seconds": "90"}})
    assert {setting["name"]: setting["value"] for setting in told.json()}["title"] == "The moon"
    assert AuditEntry.objects.filter(table="foundation_collection").latest("pk").after == {
        "title": "The moon",
        "idle_seconds": 90,
    }
    refused = ada.patch(f"{HERE}/settings", {"settings": {"title": "Again", "idle_seconds": "soon"}})
    assert (refused.status_code, field_of(refused)) == (422, "body.idle_seconds")
    assert Collection.objects.get(name="paper").title == "The moon"


def test_a_batch_is_reviewed_once_and_as_it_was_seen(ada: Caller, world: World) -> None:
    Batch.objects.update(status="decided")
    path = f"{HERE}/batches/{world.batch.pk}"
    sheet = ada.get(path).json()
    Pair.objects.filter(batch=world.batch).update(version=7)
    stale = ada.post(f"{path}/review", {"decision": "finish", "seen": sheet["version"]})
    assert stale.status_code == 409 and "have changed" in stale.json()["detail"]
    again = ada.get(path).json()["version"]
    decided = [ada.post(f"{path}/review", {"decision": "finish", "seen": again}).json() for _ in range(2)]
    assert [batch["status"] for batch in decided] == ["finished", "finished"] and Review.objects.count() == 1
    other = ada.post(f"{path}/review", {"decision": "extend"})
    assert other.status_code == 409 and "reviewed already" in other.json()["detail"]
    review = decided[0]["review"]["review"]
    assert ada.post(f"{path}/reviews/{review}/take-back").json()["review"] is None


def test_a_flag_is_answered_and_its_pair_brought_back(ada: Caller, world: World) -> None:
    pair = world.batch.pairs.order_by("pk")[0]
    flag = Flag.objects.create(pair=pair, annotator=world["bo"], kind="clip")
    assert [row["flag"] for row in ada.get(f"{HERE}/flags").json()["items"]] == [flag.pk]
    told = ada.post(f"{HERE}/flags/{flag.pk}/answer", {"outcome": "withdrawn", "answer": "It is black."}).json()
    assert (told["outcome"], told["answered_by"]) == ("withdrawn", world["ada"].worker)
    assert ada.post(f"{HERE}/flags/{flag.pk}/answer", {"outcome": "returned"}).status_code == 409
    assert ada.post(f"{HERE}/pairs/{pair.pk}/bring-back").json() == {"pair": pair.pk, "status": "open"}


def test_notices_come_and_go(ada: Caller, world: World) -> None:
    made = ada.post(f"{HERE}/notices", {"text": "Welcome.", "member": world["bo"].pk}).json()
    assert (made["to"], made["by"]) == (world["bo"].worker, world["ada"].worker)
    assert ada.post(f"{HERE}/notices", {"text": "Hello.", "member": 10**9}).status_code == 409
    assert ada.delete(f"{HERE}/notices/{made['notice']}").status_code == 204
    assert Notice.objects.get().withdrawn_at is not None


def test_captions_are_decided_and_taken_back(ada: Caller, world: World) -> None:
    caption = Caption.objects.order_by("-pk")[0]
    Caption.objects.filter(pk=caption.pk).update(status="review")
    path = f"{HERE}/captions/{caption.pk}/decide"
    assert ada.post(path, {"decision": "refuse", "reason": "no"}).json()["status"] == "refused"
    assert ada.post(path, {"decision": "accept"}).status_code == 409
    assert ada.get(f"{HERE}/captions?status=refused").json()["items"][0]["caption"] == caption.pk
    assert ada.post(path, {"decision": "maybe"}).status_code == 422


def test_an_annotator_s_standing_and_day_change_with_a_reason(ada: Caller, world: World) -> None:
    bo = world["bo"]
    paused = ada.post(f"{HERE}/people/{bo.pk}/standing", {"step": "pause", "reason": "ill"})
    assert paused.json()["status"] == "paused"
    assert ada.post(f"{HERE}/people/{bo.pk}/standing", {"step": "sing", "reason": "x"}).status_code == 409
    made = ada.post(f"{HERE}/time/corrections", {"member": bo.pk, "day": "2026-11-02", "minutes": 5, "reason": "call"})
    assert (made.status_code, made.json()["minutes"]) == (201, 5)
    days = ada.get(f"{HERE}/time?first=2026-11-01&last=2026-11-30").json()
    assert [(day["worker"], day["corrected_seconds"]) for day in days] == [(bo.worker, 300)]
    assert field_of(ada.get(f"{HERE}/time?first=2026-11-30&last=2026-11-01")) == "query.first"
