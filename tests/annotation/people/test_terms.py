"""An annotator's languages and rate: set by the lead, the rate from a day on."""

import uuid
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation.models import Judgment, RateChange
from annotation.people.pay import rate_on, read_rate
from annotation.people.terms import read_languages, set_terms
from annotation.people.timesheet import work_days
from foundation.refused import Refused
from tests.api.callers import read
from tests.conftest import World

pytestmark = pytest.mark.django_db

TODAY = timezone.now().date()


@pytest.fixture
def ada(world: World, client_of: Any) -> Client:
    client: Client = client_of(world["ada"].account)
    return client


def set_rate(world: World, rate: str, since: date = TODAY) -> RateChange | None:
    return set_terms(lead=world["ada"], member_id=world["bo"].pk, languages=[], rate=read_rate(rate), since=since)[1]


def post(ada: Client, world: World, **sent: str) -> str:
    page = ada.post(f"/c/paper/people/{world['bo'].pk}/terms", sent, follow=True).content.decode()
    world["bo"].refresh_from_db()
    return page


def test_the_lead_sets_them_on_the_members_page(world: World, ada: Client) -> None:
    page = post(ada, world, languages="en, de-AT", rate="14.50")
    assert f"{world['bo'].worker} reads en, de-AT." in page
    assert f"The new rate is paid for work from {TODAY} on." in page
    assert (world["bo"].languages, world["bo"].pay_per_hour) == (["en", "de-AT"], Decimal("14.50"))
    row = read(ada, f"collections/paper/members/{world['bo'].pk}")
    assert (row["languages"], row["pay_per_hour"]) == (["en", "de-AT"], "14.50")
    assert "reads all languages." in post(ada, world, languages="", rate="14.50")
    assert RateChange.objects.count() == 1, "the same rate again is no change"
    post(ada, world, languages="", rate="")
    assert world["bo"].pay_per_hour is None and RateChange.objects.count() == 2


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"languages": "English?"}, "Found the language"),
        ({"rate": "twelve"}, "expected an amount such as 12.50"),
        ({"rate": "-1"}, "expected 0 to"),
        ({"rate": "1.005"}, "two decimals at most"),
        ({"rate": "NaN"}, "expected 0 to"),
        ({"rate": "Infinity"}, "expected an amount such as 12.50"),
        ({"rate": "1e9"}, "expected 0 to"),
        ({"rate": "9", "since": "yesterday"}, "expected one such as"),
        ({"rate": "9", "since": "2999-01-01"}, "expected today or an earlier day"),
    ],
)
def test_what_makes_no_sense_is_said_and_changes_nothing(
    world: World, ada: Client, sent: dict[str, str], said: str
) -> None:
    page = post(ada, world, **sent)
    field = f"{world['bo'].pk}-{list(sent)[-1]}"
    assert said in page.split(f'id="{field}-wrong"')[1][:400], "beside its field"
    assert f'aria-describedby="{field}-wrong' in page and f'value="{list(sent.values())[-1]}"' in page
    assert (world["bo"].languages, world["bo"].pay_per_hour) == ([], None)
    assert not RateChange.objects.exists()


def test_only_annotators_of_the_collection_have_terms(world: World) -> None:
    for member_id in (world["ada"].pk, 10**9):
        with pytest.raises(Refused, match="no such annotator"):
            set_terms(lead=world["ada"], member_id=member_id, languages=["en"], rate=None, since=TODAY)


def test_a_new_rate_leaves_what_was_earned_before_as_it_was(world: World) -> None:
    world.collection.pay_per_hour = Decimal(36)
    world.collection.save()
    first, second, third = world.batch.pairs.order_by("pk")
    for pair, days in ((first, 20), (second, 5), (third, 0)):
        when = timezone.now() - timedelta(days=days)
        Judgment.objects.create(
            pair=pair, annotator=world["bo"], grade=3, round=1, key=uuid.uuid4(), active_seconds=3600, decided_at=when
        )

    def pays() -> list[Decimal | None]:
        """Twenty days ago, five days ago, today."""
        days = work_days(world.collection, first=TODAY - timedelta(days=30), last=TODAY)
        return [day.pay for day in reversed(days)]

    assert pays() == [Decimal(36), Decimal(36), Decimal(36)]
    set_rate(world, "10")
    assert pays() == [Decimal(36), Decimal(36), Decimal(10)]
    set_rate(world, "20", since=TODAY - timedelta(days=7))
    assert pays() == [Decimal(36), Decimal(20), Decimal(20)]
    set_rate(world, "")
    assert pays() == [Decimal(36), Decimal(20), Decimal(36)], "the collection's again, from today on"


def test_of_several_changes_that_reach_a_day_the_last_entered_counts() -> None:
    day = date(2026, 3, 1)
    changes = [
        RateChange(before=Decimal(1), after=Decimal(2), since=day),
        RateChange(before=Decimal(2), after=Decimal(3), since=day - timedelta(days=2)),
    ]
    assert rate_on(day, changes, Decimal(3)) == 3
    assert rate_on(day - timedelta(days=1), changes, Decimal(3)) == 3
    assert rate_on(day - timedelta(days=9), changes, Decimal(3)) == 1
    assert rate_on(day, [], Decimal(7)) == 7
    assert (read_languages(" en,,en "), read_rate("0")) == (["en"], Decimal("0.00"))
