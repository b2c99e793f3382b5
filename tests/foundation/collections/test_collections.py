"""Collections begun by who may, their members' roles, and the archive, in which nothing is changed."""

from threading import Thread
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from annotation.models import Seat
from foundation.collections.lifecycle import remove_member
from foundation.models import Account, Collection, Membership
from foundation.refused import Refused
from tests.annotation.judging.test_concurrency import wait_until_somebody_waits
from tests.annotation.judging_steps import sit
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


def change(client: Any, other: Membership, what: str) -> str:
    answer = client.post(f"/c/paper/members/{other.pk}/change", {"change": what, "sure": "on"}, follow=True)
    other.refresh_from_db()
    return str(answer.content.decode())


def test_nobody_is_removed_without_a_yes(world: World, owner: Any) -> None:
    answer = owner.post(f"/c/paper/members/{world['bo'].pk}/change", {"change": "remove"}, follow=True)
    world["bo"].refresh_from_db()
    assert "Tick the box to confirm the removal." in answer.content.decode()
    assert world["bo"].status == "admitted"


@pytest.fixture
def owner(world: World, client_of: Any) -> Any:
    Membership.objects.filter(pk=world["ada"].pk).update(role="owner")
    return client_of(world["ada"].account)


def test_who_was_allowed_begins_a_collection_and_owns_it(mal: Account, client_of: Any) -> None:
    client = client_of(mal)
    assert client.get("/collections/new/").status_code == 403
    assert client.post("/collections/new/", {"name": "tides", "title": "Tides"}).status_code == 403
    call_command("allow_collections", "mal")
    assert "/collections/new/" in client.get("/").content.decode()
    answer = client.post("/collections/new/", {"name": "tides", "title": " Tides  at night "})
    assert answer["Location"] == "/c/tides/settings/"
    made = Collection.objects.get(name="tides")
    assert (made.title, made.memberships.get().role, made.memberships.get().account) == (
        "Tides at night",
        "owner",
        mal,
    )
    call_command("allow_collections", "mal", "--no")
    assert client.post("/collections/new/", {"name": "ebb", "title": "Ebb"}).status_code == 403
    with pytest.raises(CommandError, match="found no account 'nobody'"):
        call_command("allow_collections", "nobody")


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"name": "paper", "title": "Again"}, "Another collection has this short name."),
        ({"name": "Not so", "title": "Odd"}, "Enter 1 to 60 lower-case letters, digits and hyphens."),
        ({"name": "fine", "title": "  "}, "Enter a title of 1 to 200 characters."),
    ],
)
def test_a_collection_that_can_t_be_is_not_begun(
    world: World, mal: Account, client_of: Any, sent: dict[str, str], told: str
) -> None:
    mal.may_create_collections = True
    mal.save()
    answer = client_of(mal).post("/collections/new/", sent)
    assert answer.status_code == 400
    assert told in answer.content.decode()
    assert Collection.objects.count() == 1


def test_several_lie_side_by_side_each_seen_by_its_members(world: World, mal: Account, client_of: Any) -> None:
    mal.may_create_collections = True
    mal.save()
    client = client_of(mal)
    client.post("/collections/new/", {"name": "tides", "title": "Tides"})
    assert client.get("/c/paper/settings/").status_code == 404
    assert client_of(world["ada"].account).get("/c/tides/settings/").status_code == 404
    assert "Paper" not in client.get("/").content.decode()


def test_an_owner_makes_leads_who_never_judge_there_again(world: World, owner: Any) -> None:
    bo = world["bo"]
    assert "w02 is now lead annotator." in change(owner, bo, "lead")
    assert (bo.role, bo.has_led) == ("lead", True)
    assert "has seen captions and grades" in change(owner, bo, "annotator")
    assert bo.role == "lead"
    change(owner, bo, "remove")
    assert (bo.role, bo.status) == ("annotator", "barred")


def test_the_last_owner_stays(world: World, owner: Any) -> None:
    ada, bo = world["ada"], world["bo"]
    for what in ("lead", "remove"):
        assert "is the only owner" in change(owner, ada, what)
    assert ada.role == "owner"
    change(owner, bo, "owner")
    change(owner, ada, "remove")
    assert ada.status == "barred"
    assert owner.get("/c/paper/members/").status_code == 403


def test_an_owner_whose_account_is_erased_is_not_the_one_who_is_left(world: World, owner: Any) -> None:
    Membership.objects.filter(pk=world["bo"].pk).update(role="owner", account=None)
    assert "is the only owner" in change(owner, world["ada"], "lead")


def test_a_lead_decides_no_roles(world: World, client_of: Any) -> None:
    lead, bo = client_of(world["ada"].account), world["bo"]
    for what in ("lead", "remove"):
        assert "Only an owner can" in change(lead, bo, what)
    for what in ("king", "pause"):
        assert "expected one of owner, lead, annotator" in change(lead, bo, what)
    assert (bo.role, bo.status) == ("annotator", "admitted")


def test_nobody_of_another_collection_is_changed(world: World, owner: Any, mal: Account) -> None:
    other = Collection.objects.create(name="other", title="Other")
    stranger = Membership.objects.create(collection=other, account=mal, role="annotator", worker="w01")
    assert "no such person" in change(owner, stranger, "lead")
    assert stranger.role == "annotator"


def test_what_is_archived_is_read_and_not_changed(world: World, owner: Any, client_of: Any) -> None:
    assert owner.post("/c/paper/archive").status_code == 302
    world.collection.refresh_from_db()
    assert world.collection.archived_at is not None
    for page in ("", "settings/", "members/", "review/", "flags/"):
        assert owner.get(f"/c/paper/{page}").status_code == 200
    for post in (f"members/{world['bo'].pk}/change", "settings/change", "prepare/draw", "time/correct"):
        assert owner.post(f"/c/paper/{post}", {"change": "pause"}).status_code == 403
    bo = client_of(world["bo"].account)
    assert bo.get("/c/paper/judge/").status_code == 403
    refused = bo.post("/c/paper/judge/next", content_type="application/json")
    assert (refused.status_code, refused["Content-Type"]) == (403, "text/plain")
    assert "What you judged is kept." in refused.content.decode()
    assert "Paper" not in owner.get("/").content.decode()
    assert "Paper" in owner.get("/?archived=1").content.decode()
    with pytest.raises(CommandError, match="archived"):
        call_command("configure", "paper", "batch_size=10")
    owner.post("/c/paper/archive", {"back": "1"})
    assert bo.get("/c/paper/judge/").status_code == 200


def test_archiving_is_an_owner_s(world: World, client_of: Any) -> None:
    answer = client_of(world["ada"].account).post("/c/paper/archive", follow=True)
    assert "Only an owner can archive a collection." in answer.content.decode()
    world.collection.refresh_from_db()
    assert world.collection.archived_at is None


@pytest.mark.parametrize("what", ["lead", "owner", "remove"])
def test_who_judges_no_longer_keeps_no_place_from_others(world: World, owner: Any, what: str) -> None:
    sit(world["bo"], world["cy"])
    change(owner, world["bo"], what)
    assert [seat.annotator for seat in Seat.objects.filter(ended_at=None)] == [world["cy"]]
    sit(world["di"])
    assert Seat.objects.filter(annotator=world["di"], ended_at=None).exists()


def test_no_command_makes_somebody_judge_who_has_led(world: World, owner: Any, client_of: Any) -> None:
    change(owner, world["bo"], "lead")
    for _ in range(2):
        with pytest.raises(CommandError, match="w02 has led here and seen captions and grades"):
            call_command("add_member", "paper", "bo", role="annotator")
        change(owner, world["bo"], "remove")
    assert client_of(world["bo"].account).get("/c/paper/judge/").status_code == 403
    call_command("add_member", "paper", "bo", role="lead")
    world["bo"].refresh_from_db()
    assert (world["bo"].role, world["bo"].status) == ("lead", "admitted")


@pytest.mark.django_db(transaction=True)
def test_of_three_owners_one_who_is_removed_at_that_moment_removes_nobody() -> None:
    world = build_world()
    ada, bo, cy = (world[name] for name in ("ada", "bo", "cy"))
    Membership.objects.filter(pk__in=[ada.pk, bo.pk, cy.pk]).update(role="owner")
    told: list[str] = []

    def remove_cy() -> None:
        try:
            remove_member(member=Membership.objects.get(pk=bo.pk), other_id=cy.pk)
        except Refused as refusal:
            told.append(str(refusal))
        finally:
            connection.close()

    with transaction.atomic():
        remove_member(member=ada, other_id=bo.pk)
        late = Thread(target=remove_cy)
        late.start()
        wait_until_somebody_waits()
    late.join()
    assert told == ["Only an owner can remove people."]
    cy.refresh_from_db()
    assert cy.role == "owner"
