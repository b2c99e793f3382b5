"""Erasing a person: nothing with their name stays anywhere, every judgment and its worker id does."""

import uuid
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from annotation.models import ExamAnswer, Invitation, InvitationUse, Judgment
from annotation.people.erasure import erase_account, erase_member
from annotation.qualification.invitations import accept_invitation, make_invitation
from foundation.models import Account, Membership, Session
from foundation.refused import Refused
from tests.annotation.conftest import Hall
from tests.annotation.judging_steps import sit
from tests.api.callers import read
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db

NAME, MAIL = "penelope-quince", "penelope@quince.example"


def places_of(text: str) -> list[str]:
    """Every column of every table in which the text occurs, JSON and arrays too."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' "
            "AND data_type IN ('text', 'character varying', 'json', 'jsonb', 'ARRAY')"
        )
        columns = cursor.fetchall()
        assert len(columns) > 50
        tables = []
        for table, column in columns:
            cursor.execute(f'SELECT count(*) FROM "{table}" WHERE "{column}"::text ILIKE %s', [f"%{text}%"])
            if cursor.fetchone()[0]:
                tables.append(f"{table}.{column}")
    return tables


@pytest.fixture
def penelope(world: World) -> Membership:
    """Invited by a link with her name on it, logged in, and at work."""
    account = Account.objects.create_user(NAME, email=MAIL, password="x")
    made = make_invitation(lead=world["ada"], label=f"for {NAME}", places=1)
    member = accept_invitation(token=made.token, account=account)
    client = Client()
    client.force_login(account)
    for pair in world.batch.pairs.all():
        Judgment.objects.create(pair=pair, annotator=member, grade=3, round=1, key=uuid.uuid4())
    return member


def lead_of(member: Membership) -> Membership:
    return member.collection.memberships.get(account__username="ada")


def test_the_search_finds_her_before(penelope: Membership) -> None:
    assert set(places_of(NAME)) == {"foundation_account.username", "annotation_invitation.label"}
    assert places_of(MAIL) == ["foundation_account.email"]
    assert Session.objects.filter(account=penelope.account).count() == 1


@pytest.mark.parametrize("by_the_lead", [True, False])
def test_after_it_nothing_of_her_is_left_but_her_work(penelope: Membership, by_the_lead: bool) -> None:
    account = penelope.account
    assert account is not None
    number = account.pk
    sit(penelope)
    before = list(Judgment.objects.order_by("pk").values_list("pk", "annotator__worker", "grade", "counted"))
    if by_the_lead:
        assert erase_member(lead=lead_of(penelope), member=penelope)
    else:
        erase_account(account=account)
    assert places_of(NAME) == places_of(MAIL) == []
    assert not Account.objects.filter(pk=number).exists()
    assert not Session.objects.filter(account_id=number).exists()
    assert list(Judgment.objects.order_by("pk").values_list("pk", "annotator__worker", "grade", "counted")) == before
    penelope.refresh_from_db()
    assert (penelope.account, penelope.worker) == (None, "w07")
    assert not penelope.seats.filter(ended_at=None).exists()


def test_her_place_is_not_free_again(penelope: Membership) -> None:
    erase_member(lead=lead_of(penelope), member=penelope)
    assert [use.annotator for use in InvitationUse.objects.all()] == [None]
    assert Invitation.objects.get().label == ""


def test_erasing_again_changes_nothing(penelope: Membership) -> None:
    for _ in range(2):
        assert erase_member(lead=lead_of(penelope), member=penelope)
    assert Judgment.objects.count() == 3


def test_exam_answers_stay_too(hall: Hall) -> None:
    hall.sit("bo", lambda place: 2)
    erase_member(lead=hall.world["ada"], member=hall.world["bo"])
    assert ExamAnswer.objects.filter(sitting__applicant__worker="w02").count() == 12


def test_a_lead_parts_only_their_own_collection_from_who_works_elsewhere_too(penelope: Membership) -> None:
    other = build_world(name="other")
    accept_invitation(token=make_invitation(lead=other["ada"]).token, account=penelope.account)
    assert not erase_member(lead=lead_of(penelope), member=penelope)
    penelope.refresh_from_db()
    assert penelope.account is None
    assert Account.objects.get(username=NAME).memberships.get().collection == other.collection
    assert places_of(NAME) == ["foundation_account.username"]


def test_the_only_lead_can_not_leave_a_collection_alone(world: World) -> None:
    ada = world["ada"]
    with pytest.raises(Refused, match="only one who leads Paper"):
        erase_account(account=ada.account)
    assert Account.objects.filter(username="ada").exists()
    Membership.objects.filter(pk=world["bo"].pk).update(role="lead")
    erase_account(account=ada.account)
    ada.refresh_from_db()
    assert ada.account is None


def test_the_last_owner_can_not_leave_it_to_leads_alone(world: World) -> None:
    Membership.objects.filter(pk=world["ada"].pk).update(role="owner")
    Membership.objects.filter(pk=world["bo"].pk).update(role="lead")
    with pytest.raises(Refused, match="only owner of Paper"):
        erase_account(account=world["ada"].account)
    Membership.objects.filter(pk=world["cy"].pk).update(role="owner")
    erase_account(account=world["ada"].account)
    assert Membership.objects.get(pk=world["ada"].pk).account is None


def test_a_lead_is_not_erased_by_another(world: World) -> None:
    with pytest.raises(Refused, match="themselves"):
        erase_member(lead=world["ada"], member=world["ada"])


class TestThePages:
    def test_one_erases_oneself_by_typing_the_name(self, world: World, client_of: Any) -> None:
        bo = client_of(world["bo"].account)
        assert "w02" in bo.get("/account/erase/").content.decode()
        wrong = bo.post("/account/erase/", {"username": "cy"}, follow=True)
        assert "Nothing was erased" in wrong.content.decode()
        Account.objects.filter(username="bo").update(language="de")
        farewell = bo.post("/account/erase/", {"username": "bo"})["Location"]
        assert farewell == "/account/erased/?language=de"
        assert "Ihr Konto ist gelöscht" in bo.get(farewell).content.decode()
        assert not Account.objects.filter(username="bo").exists()
        assert "Your account is erased" in bo.get("/account/erased/?language=x%00").content.decode()
        assert bo.get("/c/paper/judge/")["Location"].startswith("/login/")

    def test_the_way_there_leads_over_one_s_account_and_what_was_at_hand_is_free(
        self, world: World, client_of: Any
    ) -> None:
        bo, ada = client_of(world["bo"].account), client_of(world["ada"].account)
        bo.post("/c/paper/judge/next", content_type="application/json")
        assert [person["worker"] for person in read(ada, "collections/paper/overview")["at_work"]] == ["w02"]
        own_time = bo.get("/c/paper/judge/time/").content.decode()
        assert 'href="/account/"' in own_time and 'href="/account/erase/"' in own_time
        page = bo.get("/account/").content.decode()
        assert "w02" in page and 'href="/account/erase/"' in page and 'href="/tokens/"' in page
        assert bo.get("/account/erased/")["Location"] == "/", "who is logged in wasn't erased"
        assert "Nothing was erased" in bo.post("/account/erase/", {"username": "x"}, follow=True).content.decode()
        answer = bo.post("/account/erase/", {"username": "bo"}, follow=True)
        assert (
            answer.redirect_chain == [("/account/erased/", 302)] and "under their worker ids" in answer.content.decode()
        )
        assert read(ada, "collections/paper/overview")["at_work"] == []

    def test_who_belongs_nowhere_can_go_too(self, mal: Account, client_of: Any) -> None:
        client = client_of(mal)
        assert "erase it" in client.get("/account/").content.decode()
        client.post("/account/erase/", {"username": "mal"})
        assert not Account.objects.filter(username="mal").exists()
        assert Client().get("/account/erase/")["Location"] == "/login/?next=/account/erase/"

    def test_the_only_lead_is_told_why_not(self, world: World, client_of: Any) -> None:
        ada = client_of(world["ada"].account)
        answer = ada.post("/account/erase/", {"username": "ada"}, follow=True)
        assert "only one who leads" in answer.content.decode()

    def test_the_lead_erases_by_typing_the_worker_id(self, world: World, client_of: Any) -> None:
        ada = client_of(world["ada"].account)
        page = f"/c/paper/applicants/{world['bo'].pk}/decide"
        ada.post(page, {"decision": "erase", "worker": "w03"})
        assert Account.objects.filter(username="bo").exists()
        ada.post(page, {"decision": "erase", "worker": "w02"})
        assert not Account.objects.filter(username="bo").exists()
