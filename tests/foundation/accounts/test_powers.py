"""Who may take an account out of its person's hands: every pair of roles, by service, page, token and command."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from annotation.people.erasure import erase_member
from campaigns.models import Campaign, Team, TeamMember
from foundation.accounts.password_links import make_password_link
from foundation.accounts.powers import why_no_power
from foundation.accounts.site_accounts import change_account
from foundation.models import Account, Collection, Membership
from foundation.refused import Refused
from tests.api.callers import Caller
from tests.conftest import build_world

pytestmark = pytest.mark.django_db

TARGETS = {
    # Who may make a link for them; x: also where rights count by the collection here alone, and so erase them whole.
    "here": "site owner, lead:x, both:x",
    "here and there": "site owner, both",
    "here and in a study of here": "site owner, lead:x, both:x",
    "there": "site owner, both",
    "leads here": "site owner",
    "leads there": "site owner",
    "in a team": "site owner",
    "owns the site": "site owner",
    "owned the site, disabled": "",
    "staff": "site owner",
    "may create collections": "site owner",
    "nowhere": "site owner",
}


class Town:
    """Two collections, somebody in every role, and somebody with every kind of places."""

    def __init__(self) -> None:
        self.here, self.there = build_world(), build_world(name="there")
        self.there.collection.memberships.all().delete()
        study = Collection.objects.create(name="depth", title="Depth", study_of=self.here.collection, purpose="depth")
        make = Account.objects.create_user
        self.actors = {
            "site owner": make("olga", is_superuser=True),
            "lead": self.here["ada"].account,
            "both": make("anna"),
            "annotator": self.here["bo"].account,
            "stranger": make("mal"),
            "disabled": make("dora", is_active=False),
        }
        self.targets = {name: make(f"t{number}") for number, name in enumerate(TARGETS)}
        for collection in (self.here.collection, self.there.collection, study):
            self.place(collection, "both", role="lead")
        self.place(self.here.collection, "disabled", role="lead")
        # Of somebody who was erased: nobody's rights any more.
        Membership.objects.create(collection=self.here.collection, worker="gone", role="lead", has_led=True)
        self.place(self.here.collection, "site owner")
        self.place(study, "lead", role="lead")
        for name in TARGETS:
            if name not in ("there", "nowhere"):
                self.place(self.here.collection, name, role="lead" if name == "leads here" else "annotator")
        self.place(self.there.collection, "there")
        self.place(self.there.collection, "here and there")
        self.place(study, "here and in a study of here")
        self.place(self.there.collection, "leads there", role="lead")
        for name, rights in (
            ("owns the site", {"is_superuser": True}),
            ("owned the site, disabled", {"is_superuser": True, "is_active": False}),
            ("staff", {"is_staff": True}),
            ("may create collections", {"may_create_collections": True}),
        ):
            Account.objects.filter(pk=self.targets[name].pk).update(**rights)
            self.targets[name].refresh_from_db()
        now = timezone.now()
        campaign = Campaign.objects.create(
            collection=self.there.collection,
            name="task",
            title="Task",
            split="test",
            judged_later=True,
            opens_at=now,
            closes_at=now + timedelta(days=1),
            results_at=now + timedelta(days=2),
        )
        team = Team.objects.create(campaign=campaign, number=1, name="The others")
        TeamMember.objects.create(team=team, campaign=campaign, account=self.targets["in a team"])

    def place(self, collection: Collection, name: str, role: str = "annotator") -> None:
        account = {**self.actors, **getattr(self, "targets", {})}[name]
        worker = f"x{collection.memberships.count()}"
        Membership.objects.create(
            collection=collection, account=account, role=role, worker=worker, has_led=role == "lead", status="admitted"
        )


@pytest.fixture
def town() -> Town:
    return Town()


ACTORS = ("site owner", "lead", "both", "annotator", "stranger", "disabled")


def may(actor: str, target: str, *, within: bool = False) -> bool:
    """What the table says."""
    pairs = dict(pair.strip().partition(":")[::2] for pair in TARGETS[target].split(",") if pair.strip())
    return actor in pairs and (not within or pairs[actor] == "x")


def test_the_rule_for_every_pair_is_the_table_s(town: Town) -> None:
    here = town.here.collection.pk
    allowed, expected = {}, {}
    for actor in ACTORS:
        for other in TARGETS:
            pair = {"actor": town.actors[actor], "account": town.targets[other]}
            for power in ("link", "erase"):
                for within in (False, True):
                    key = (actor, other, power, within)
                    allowed[key] = not why_no_power(power, **pair, within=here if within else None)
                    expected[key] = may(actor, other, within=within) or (
                        # Whether a disabled person gets a link is for `why_no_link` to say.
                        (actor, within) == ("site owner", False)
                    )
            for power in ("disable", "enable", "factor", "own", "disown", "allow", "disallow"):
                allowed[actor, other, power] = not why_no_power(power, **pair)
                expected[actor, other, power] = actor == "site owner"
                assert why_no_power(power, **pair, within=here), "never by a token of one collection"
    assert allowed == expected
    assert sum(allowed.values()) > 100


def test_nobody_takes_themselves_down_by_it(town: Town) -> None:
    olga, ada = town.actors["site owner"], town.actors["lead"]
    for power in ("disown", "disable", "factor"):
        assert "another owner" in why_no_power(power, actor=olga, account=olga)
        with pytest.raises(Refused, match="another owner"):
            change_account(owner=olga, account_id=olga.pk, change=power)
    assert not why_no_power("link", actor=olga, account=olga)
    assert why_no_power("link", actor=ada, account=ada)


@pytest.mark.parametrize("actor", ACTORS)
def test_services_pages_and_tokens_ask_it_for_every_pair(town: Town, actor: str, client_of: Any) -> None:
    """By the page of the collection, by a token, and by one that is bound to the collection."""
    asking, here = town.actors[actor], town.here.collection
    member = here.memberships.filter(account=asking).first()
    leads = member is not None and member.leads and asking.is_active
    page = client_of(asking)
    free, bound = Caller(asking), Caller(asking, collection="paper") if member else None
    for target in TARGETS:
        place = here.memberships.filter(account=town.targets[target]).first()
        address = f"/members/{place.pk if place else 0}/password-link"
        for client, status, within in (
            (page, page.post(f"/c/paper{address}").status_code, False),
            (free, free.post(f"/collections/paper{address}").status_code, False),
            (bound, bound.post(f"/collections/paper{address}").status_code if bound else 0, True),
        ):
            expected = bool(leads and place and may(actor, target, within=within))
            assert client is None or (status in (200, 201)) == expected, (actor, target, within, status)
        for change in ("disable", "factor"):
            sent = {"change": change, "sure": True}
            for caller in filter(None, (free, bound)):
                status = caller.post(f"/accounts/{town.targets[target].pk}/change", sent).status_code
                assert (status == 200) == (actor == "site owner" and caller is free), (actor, target, change)


@pytest.mark.parametrize("actor", ["lead", "both"])
def test_a_lead_erases_the_account_of_who_is_wholly_theirs_and_parts_the_others(town: Town, actor: str) -> None:
    lead = town.here.collection.memberships.get(account=town.actors[actor])
    for target, account in town.targets.items():
        place = town.here.collection.memberships.filter(account=account).first()
        if place is None:
            continue
        if place.leads:
            with pytest.raises(Refused, match="erase their accounts themselves"):
                erase_member(lead=lead, member=place)
            continue
        whole = may(actor, target, within=True)
        assert erase_member(lead=lead, member=place) == whole, target
        assert Account.objects.filter(pk=account.pk).exists() != whole, target
        place.refresh_from_db()
        assert place.account is None, target


def test_a_link_made_by_a_bound_token_is_void_once_the_account_has_a_place_elsewhere(town: Town) -> None:
    anna, target = town.actors["both"], town.targets["here"]
    link = make_password_link(maker=anna, account=target, within=town.here.collection.pk).token
    assert Client().get(f"/password/{link}/").status_code == 200
    town.place(town.there.collection, "here")
    assert Client().get(f"/password/{link}/").status_code == 410


def test_a_link_is_void_once_the_account_is_in_a_team(town: Town) -> None:
    link = make_password_link(maker=town.actors["lead"], account=town.targets["here"]).token
    team = Team.objects.get()
    TeamMember.objects.create(team=team, campaign=team.campaign, account=town.targets["here"])
    assert Client().get(f"/password/{link}/").status_code == 410


def test_the_shell_s_link_is_made_in_an_owner_s_name(town: Town) -> None:
    call_command("password_link", town.targets["in a team"].username)
    Account.objects.filter(is_superuser=True).update(is_superuser=False)
    with pytest.raises(CommandError, match="Nobody owns this site"):
        call_command("password_link", town.targets["here"].username)
