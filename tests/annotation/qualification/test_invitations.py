"""Invitations: links that work once, for some or for all, and those that let nobody in."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from annotation.models import Invitation
from annotation.qualification.invitations import accept_invitation, invitations_of, make_invitation, withdraw_invitation
from foundation.models import Account, Membership
from foundation.refused import Refused
from tests.conftest import PASSWORD, World

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def quick_passwords(settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def join(token: str, client: Client | None = None, **sent: str) -> Any:
    form = {"username": "nora", "email": "", "password1": PASSWORD, "password2": PASSWORD, **sent}
    return (client or Client()).post(f"/join/{token}/", form)


class TestTheLink:
    def test_the_token_is_stored_nowhere(self, world: World) -> None:
        made = make_invitation(lead=world["ada"], label="for the first cohort")
        stored = [str(value) for value in Invitation.objects.values_list().get()]
        assert len(made.token) >= 43
        assert not any(made.token in value for value in stored)
        assert make_invitation(lead=world["ada"]).token != made.token

    @pytest.mark.parametrize(
        ("needs_exam", "status"), [(True, Membership.Status.APPLICANT), (False, Membership.Status.ADMITTED)]
    )
    def test_it_makes_an_annotator_with_a_worker_id(
        self, world: World, mal: Account, needs_exam: bool, status: str
    ) -> None:
        world.collection.needs_exam = needs_exam
        world.collection.save()
        made = make_invitation(lead=world["ada"], languages=["en", "pt-BR"])
        member = accept_invitation(token=made.token, account=mal)
        assert (member.role, member.status, member.worker) == ("annotator", status, "w07")
        assert member.languages == ["en", "pt-BR"]

    def test_it_has_as_many_places_as_the_lead_said(self, world: World, mal: Account) -> None:
        made = make_invitation(lead=world["ada"], places=1)
        accept_invitation(token=made.token, account=mal)
        with pytest.raises(Refused, match="Everybody this invitation was for"):
            accept_invitation(token=made.token, account=Account.objects.create_user("second"))
        assert invitations_of(world.collection).get().used == 1

    def test_who_opens_it_again_just_arrives(self, world: World, mal: Account) -> None:
        made = make_invitation(lead=world["ada"], places=1)
        first = accept_invitation(token=made.token, account=mal)
        assert accept_invitation(token=made.token, account=mal) == first
        withdraw_invitation(lead=world["ada"], invitation_id=made.invitation.pk)
        assert accept_invitation(token=made.token, account=mal) == first

    def test_a_lead_who_opens_it_stays_the_lead(self, world: World) -> None:
        made = make_invitation(lead=world["ada"])
        ada = accept_invitation(token=made.token, account=world["ada"].account)
        assert (ada.role, ada.status) == ("lead", "admitted")
        assert not made.invitation.uses.exists()

    def test_withdrawn_it_lets_nobody_in(self, world: World, mal: Account) -> None:
        made = make_invitation(lead=world["ada"])
        for _ in range(2):
            withdraw_invitation(lead=world["ada"], invitation_id=made.invitation.pk)
        with pytest.raises(Refused, match="was withdrawn"):
            accept_invitation(token=made.token, account=mal)

    def test_after_its_last_day_it_lets_nobody_in(self, world: World, mal: Account) -> None:
        made = make_invitation(lead=world["ada"], expires_at=timezone.now() + timedelta(days=1))
        past = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
        Invitation.objects.update(expires_at=past)
        yesterday = (past - timedelta(days=1)).date()
        with pytest.raises(Refused, match=f"expired after {yesterday}"):
            accept_invitation(token=made.token, account=mal)

    @pytest.mark.parametrize(
        "bad", [{"places": 0}, {"expires_at": timezone.now() - timedelta(days=1)}], ids=("no places", "over already")
    )
    def test_a_link_that_could_let_nobody_in_is_not_made(self, world: World, bad: dict[str, Any]) -> None:
        with pytest.raises(ValidationError):
            make_invitation(lead=world["ada"], **bad)

    def test_a_lead_withdraws_only_their_own_collection_s(self, world: World) -> None:
        from tests.conftest import build_world

        other = build_world(name="other")
        made = make_invitation(lead=other["ada"])
        withdraw_invitation(lead=world["ada"], invitation_id=made.invitation.pk)
        made.invitation.refresh_from_db()
        assert made.invitation.withdrawn_at is None


class TestTheDoor:
    def test_a_stranger_makes_an_account_and_arrives_at_the_steps(self, world: World) -> None:
        made = make_invitation(lead=world["ada"], places=1)
        client = Client()
        page = client.get(f"/join/{made.token}/")
        assert page.status_code == 200 and "invited" in page.content.decode()
        answer = join(made.token, client, email="nora@example.org")
        assert answer["Location"] == "/c/paper/qualification/"
        nora = Account.objects.get(username="nora")
        assert nora.email == "nora@example.org" and nora.check_password(PASSWORD)
        assert client.get("/c/paper/qualification/").status_code == 200, "logged in"
        assert client.get(f"/join/{made.token}/")["Location"] == "/c/paper/qualification/"

    def test_looking_at_it_changes_nothing(self, world: World, client_of: Any, mal: Account) -> None:
        made = make_invitation(lead=world["ada"], places=1)
        for client in (Client(), client_of(mal)):
            client.get(f"/join/{made.token}/")
        assert not made.invitation.uses.exists()

    def test_who_has_an_account_joins_by_one_button(self, world: World, client_of: Any, mal: Account) -> None:
        made = make_invitation(lead=world["ada"])
        client = client_of(mal)
        assert "Join as mal" in client.get(f"/join/{made.token}/").content.decode()
        assert client.post(f"/join/{made.token}/")["Location"] == "/c/paper/qualification/"
        assert Account.objects.count() == 7

    @pytest.mark.parametrize(
        ("sent", "said"),
        [
            ({"password2": "another"}, "password"),
            ({"password1": "1234", "password2": "1234"}, "too short"),
            ({"username": "bo"}, "already exists"),
            ({"username": ""}, "required"),
            ({"username": "x" * 151}, "at most 150"),
            ({"email": "nowhere"}, "valid email"),
        ],
        ids=str,
    )
    def test_a_form_that_is_not_right_says_so_and_makes_nobody(
        self, world: World, sent: dict[str, str], said: str
    ) -> None:
        made = make_invitation(lead=world["ada"])
        answer = join(made.token, **sent)
        assert answer.status_code == 200
        assert said in answer.content.decode()
        assert Account.objects.count() == 6 and not made.invitation.uses.exists()

    def test_what_no_keyboard_types_is_left_out_of_a_name(self, world: World) -> None:
        made = make_invitation(lead=world["ada"])
        assert join(made.token, username="no\x00ra").status_code == 302
        assert Account.objects.get(username="nora") == made.invitation.uses.get().annotator.account

    @pytest.mark.parametrize("token", ["x", "%00", "é", "a" * 5000])
    def test_a_link_that_never_was_is_a_404_that_says_so(self, world: World, token: str) -> None:
        for answer in (Client().get(f"/join/{token}/"), join(token)):
            assert answer.status_code == 404
            assert "This link is incomplete or unknown" in answer.content.decode()
            assert "Paper" not in answer.content.decode()

    def test_a_link_that_is_over_is_a_410_that_makes_no_account(self, world: World) -> None:
        made = make_invitation(lead=world["ada"])
        withdraw_invitation(lead=world["ada"], invitation_id=made.invitation.pk)
        for answer in (Client().get(f"/join/{made.token}/"), join(made.token)):
            assert answer.status_code == 410
            assert "was withdrawn" in answer.content.decode()
        assert not Account.objects.filter(username="nora").exists()

    def test_the_page_is_kept_by_no_cache(self, world: World) -> None:
        made = make_invitation(lead=world["ada"])
        assert "no-store" in Client().get(f"/join/{made.token}/")["Cache-Control"]


class TestTheLead:
    def test_the_new_link_is_shown_once(self, world: World, client_of: Any) -> None:
        ada = client_of(world["ada"].account)
        page = ada.post("/c/paper/invitations/", {"places": "3", "languages": "en, de", "label": "students"})
        link = page.content.decode().split('id="new-link">http://testserver/join/')[1].split("/<")[0]
        invitation = Invitation.objects.get()
        assert (invitation.places, invitation.languages, invitation.label) == (3, ["en", "de"], "students")
        assert join(link).status_code == 302
        assert link not in ada.get("/c/paper/invitations/").content.decode()

    @pytest.mark.parametrize(
        "sent",
        [
            {"places": "0"},
            {"places": "many"},
            {"last_day": "yesterday"},
            {"last_day": "2020-01-01"},
            {"last_day": "9999-12-31"},
            {"languages": "<b>"},
            {"languages": "x" * 36},
            {"label": "x" * 101},
        ],
        ids=str,
    )
    def test_a_link_that_makes_no_sense_is_not_made(self, world: World, client_of: Any, sent: dict[str, str]) -> None:
        page = client_of(world["ada"].account).post("/c/paper/invitations/", sent)
        assert page.status_code == 400 and 'class="wrong"' in page.content.decode()
        assert not Invitation.objects.exists()

    def test_the_last_day_holds_all_through(self, world: World, client_of: Any) -> None:
        tomorrow = (timezone.now() + timedelta(days=1)).date()
        client_of(world["ada"].account).post("/c/paper/invitations/", {"last_day": str(tomorrow)})
        invitation = Invitation.objects.get()
        assert invitation.last_day == tomorrow
        assert invitation.expires_at is not None
        assert invitation.expires_at.date() == tomorrow + timedelta(days=1)

    def test_a_withdrawn_one_stays_in_the_list(self, world: World, client_of: Any) -> None:
        made = make_invitation(lead=world["ada"], label="old")
        ada = client_of(world["ada"].account)
        answer = ada.post(f"/c/paper/invitations/{made.invitation.pk}/withdraw", follow=True)
        text = answer.content.decode()
        assert "old" in text and "withdrawn" in text


def test_without_an_exam_no_page_speaks_of_sitting_one(world: World, client_of: Any) -> None:
    Membership.objects.filter(pk=world["bo"].pk).update(status="applicant")
    steps, links = "/c/paper/qualification/", "/c/paper/invitations/"
    assert "Sit the exam" in client_of(world["bo"].account).get(steps).content.decode()
    assert "The exam is off" not in client_of(world["ada"].account).get(links).content.decode()
    world.collection.needs_exam = False
    world.collection.save()
    page = client_of(world["bo"].account).get(steps).content.decode()
    assert "there is no exam" in page and "Sit the exam" not in page
    page = client_of(world["ada"].account).post(links, {"places": "1"}).content.decode()
    assert "The exam is off: whoever joins by a link judges at once." in page
    assert 'data-copy="new-link"' in page and "/join/" in page
