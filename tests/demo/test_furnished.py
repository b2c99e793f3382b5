"""The demo's finished collection has what a newcomer is to meet there, and every page of its lead answers with data."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.consensus import Rule
from annotation.models import Batch, Exam, Flag, Judgment, Notice, Question
from annotation.review.consensus_replay import replay_collection
from datasets.models import Run
from datasets.releases.make_release import write_release
from demo.furnished.campaign import working_days
from demo.furnished.furnish import is_furnished, live
from demo.truth import theatre_item_truth
from evaluation.__main__ import main
from foundation.models import Account, Collection, Membership
from tests.addresses import LEAD_PAGES, OF_A_ROW, address
from tests.api.callers import read
from tests.demo.furnished_world import furnished

pytestmark = pytest.mark.long


def test_the_finished_collection_has_everything_and_its_lead_s_pages_have_data(
    transactional_db: None, settings: Any, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    collection = furnished()
    assert is_furnished()
    _is_judged_by_the_rules_over_several_days(collection)
    _has_people_with_a_decided_exam(collection)
    ada = Client()
    ada.force_login(Account.objects.get(username="ada"))
    _shows_data_on_the_pages_of_its_lead(ada)
    for release in collection.releases.all():
        write_release(release=release, folder=tmp_path / release.name)
        assert main(["verify", str(tmp_path / release.name)]) == 0
    before = Judgment.objects.count(), Notice.objects.count(), Run.objects.count()
    live(collection, theatre_item_truth(), now=datetime.now(UTC))
    assert (Judgment.objects.count(), Notice.objects.count(), Run.objects.count()) == before, (
        "repeated, it adds nothing"
    )


def _is_judged_by_the_rules_over_several_days(collection: Collection) -> None:
    replay = replay_collection(collection=collection, rule=Rule())
    assert replay.pairs and replay.changed == 0, replay.moves
    states = set(Batch.objects.values_list("status", flat=True))
    assert states == {"first", "second", "decided", "finished", "extended"}
    judgments = Judgment.objects.filter(pair__batch__collection=collection)
    assert judgments.values("annotator").distinct().count() == 6
    times = list(judgments.order_by("decided_at").values_list("decided_at", "given_at"))
    assert all(decided == given for decided, given in times)
    assert times[-1][0] < datetime.now(UTC), "nothing happens tomorrow"
    assert len({decided.date() for decided, _ in times}) >= 8
    assert all(decided.weekday() < 5 for decided, _ in times)
    seconds = judgments.filter(round=2).values_list(
        "decided_at", "pair__judgments__decided_at", "pair__judgments__round"
    )
    assert all(first < second for second, first, number in seconds if number == 1), (
        "second rounds come after the first ones"
    )
    assert judgments.filter(too_soon=True).exists(), "somebody is in a hurry"


def _has_people_with_a_decided_exam(collection: Collection) -> None:
    assert Exam.objects.get(collection=collection).frozen_at is not None
    statuses = sorted(collection.memberships.filter(role="annotator").values_list("status", flat=True))
    assert statuses == [Membership.Status.ADMITTED] * 5 + [Membership.Status.DECLINED, Membership.Status.PAUSED]
    for kind in (Flag, Question):
        assert {message.answered_at is None for message in kind.objects.all()} == {True, False}, (
            "some wait for the lead"
        )


def _shows_data_on_the_pages_of_its_lead(ada: Client) -> None:
    here = "collections/finished"
    for name in sorted(LEAD_PAGES - OF_A_ROW):
        assert ada.get(address(name, collection="finished"), follow=True).status_code == 200, name
    assert len(read(ada, f"{here}/batches?status=decided")["items"]) >= 2
    assert ada.get(reverse("discarded", args=["finished"])).context["found"] >= 1
    assert len(read(ada, f"{here}/flags?standing=open")["items"]) == 2
    people = read(ada, f"{here}/people")["items"]
    assert {alert["kind"] for person in people for alert in person["alerts"]} >= {"bias", "fast"}
    everything = {"first": "2020-01-01", "last": "2099-12-31"}
    together = ada.get(reverse("time", args=["finished"]), everything).context["together"]
    assert together.pay > 50 and together.currency == "EUR" and together.days > 30
    second, first = read(ada, f"{here}/releases")["items"]
    assert (first["name"], second["name"]) == ("v1", "v2")
    differences = read(ada, f"{here}/releases/{first['release']}/differences/{second['release']}")
    assert differences["total"] > 100 and differences["settings"]
    board = read(ada, f"{here}/releases/{second['release']}/boards/test")
    assert {row["name"] for row in board["rows"]} == {"word-overlap", "caption-similarity", "loose-windows"}


NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)


def test_its_days_end_before_today_and_leave_weekends_out() -> None:
    days = working_days(NOW, 7)
    assert [day.weekday() for day in days] == [0, 1, 2, 3, 4, 0, 1]
    assert days[-1] == NOW.replace(hour=0) - timedelta(days=1)


@pytest.mark.parametrize("hours", [0, 23])
def test_its_days_do_not_depend_on_the_hour(hours: int) -> None:
    assert working_days(NOW.replace(hour=hours)) == working_days(NOW)
