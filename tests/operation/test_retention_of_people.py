"""What is kept about people: every table is accounted for, and each class goes when its days are over, no sooner."""

import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db.models import CASCADE, SET_NULL, Model
from django.test import Client
from django.utils import timezone

from annotation.judging.notices import ask_question, post_notice
from annotation.models import (
    AlertDismissal,
    Exam,
    ExamAnswer,
    ExamItem,
    ExamSitting,
    Flag,
    Invitation,
    InvitationUse,
    Judgment,
    Notice,
    PracticeAnswer,
    Question,
    RateChange,
    Repeat,
    RepeatAnswer,
    Seat,
    SetAside,
    StatusChange,
    TimeCorrection,
    WorkedItem,
)
from annotation.people.terms import set_terms
from annotation.people.timesheet import correct_time
from campaigns.models import Submission, Team, TeamLink, TeamMember
from config.values import KEPT_CLASSES as CLASSES
from config.variables import Watching
from foundation.models import (
    Account,
    ApiToken,
    AuditEntry,
    Collection,
    JobLine,
    Letter,
    Membership,
    OneTimeLink,
    Session,
    Webhook,
    WebhookEvent,
)
from operation.models import Alert, Erasure, WorkerHeartbeat
from operation.retention.classes import KEPT
from operation.retention.forget import forget
from operation.system.selectors import system_facts
from tests.annotation.judging_steps import judge, sit
from tests.campaigns.worlds import build_shared
from tests.conftest import World, build_world
from tests.paths import ROOT

LONG_AGO = timedelta(days=400)
pytestmark = pytest.mark.django_db


def pointers() -> dict[str, Any]:
    """Every column of the product that points to an account or a membership."""
    return {
        f"{model._meta.label}.{field.name}": field
        for model in apps.get_models()
        if not model.__module__.startswith("demo")
        for field in model._meta.concrete_fields
        if field.related_model in (Account, Membership)
    }


def rows() -> dict[str, list[str]]:
    text = (ROOT / "docs" / "retention.md").read_text()
    cells = re.findall(r"^\| `([A-Za-z]+\.[A-Za-z]+\.[a-z_]+)` \|(.+)\|$", text, re.M)
    return {name: [cell.strip() for cell in rest.split("|")] for name, rest in cells}


def test_every_table_that_points_to_a_person_is_in_the_manual_with_what_becomes_of_it() -> None:
    told = rows()
    assert set(told) == set(pointers()), "docs/retention.md has a row for each: what own data says, erasing, the class"
    for name, field in pointers().items():
        own, erased, kept = told[name]
        how = field.remote_field.on_delete
        if field.related_model is Account:
            # Anything else would keep people from being erased.
            assert how in (CASCADE, SET_NULL), name
            assert erased == ("goes" if how is CASCADE else "stays without the account"), name
        else:
            goes = name == "annotation.SurveyAnswer.annotator"
            assert erased == ("goes, also by a withdrawal" if goes else "stays with the worker id"), name
        assert own and (kept == "stays" or set(kept.split(", ")) <= set(CLASSES)), name


def test_the_classes_of_the_setting_are_those_that_can_go_and_those_of_the_manual() -> None:
    manual = (ROOT / "docs" / "retention.md").read_text()
    assert list(CLASSES) == re.findall(r"^\| `([a-z]+)` \|", manual, re.M)
    assert set(CLASSES) == set(KEPT)
    example = re.search(r"QREELS_KEEP_DAYS=(\S+)", manual)
    assert example and set(Watching.read({"QREELS_KEEP_DAYS": example[1]}).QREELS_KEEP_DAYS) == set(CLASSES)


@pytest.mark.parametrize("bad", ["logins", "logins=0", "logins=-1", "logins=9e9", "names=3", "logins=3,logins=4", "x"])
def test_a_period_that_can_t_be_is_refused(bad: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"QREELS_KEEP_DAYS is .*: expected CLASS=DAYS"):
        Watching.read({"QREELS_KEEP_DAYS": bad})


def work(world: World) -> None:
    """bo and cy judge, write, are paid."""
    ada, bo = world["ada"], world["bo"]
    sit(bo, world["cy"])
    pair = world.batch.pairs.order_by("pk")[0]
    judge(bo, pair, 2, played=1.0)
    Flag.objects.create(pair=pair, annotator=bo, kind="clip", note="black at the end")
    ask_question(member=bo, pair_id=pair.public_id, text="Is she in it?")
    post_notice(lead=ada, text="Hello.")
    today = timezone.now().date()
    correct_time(lead=ada, member_id=bo.pk, day=today, minutes=30, reason="a meeting")
    set_terms(lead=ada, member_id=bo.pk, languages=[], rate=Decimal("12.50"), since=today)


@pytest.fixture
def worked(world: World) -> World:
    """They did; then the collection was archived long ago."""
    work(world)
    Collection.objects.update(archived_at=timezone.now() - LONG_AGO)
    Account.objects.update(date_joined=timezone.now() - LONG_AGO)
    return world


def test_nothing_goes_by_default_nor_of_a_collection_that_goes_on_nor_too_soon(
    worked: World, settings: Any, clock_off: Callable[[timedelta], None]
) -> None:
    assert forget() == {} and Notice.objects.count() == 1
    settings.KEEP_DAYS = dict.fromkeys(CLASSES, 500)
    for days in (0, 365):  # by a worker's clock that is a year ahead
        clock_off(timedelta(days=days))
        assert set(forget().values()) == {0}
    clock_off(timedelta())
    Collection.objects.update(archived_at=None)
    settings.KEEP_DAYS = dict.fromkeys(("words", "traces", "training", "pay", "places"), 1)
    assert set(forget().values()) == {0}


def test_each_class_goes_as_the_preview_said_and_judgments_stay(worked: World, settings: Any, mal: Account) -> None:
    settings.KEEP_DAYS = dict.fromkeys(CLASSES, 365)
    now = timezone.now()
    for key, ended in (("old", now - LONG_AGO), ("new", now + LONG_AGO)):
        Session.objects.create(session_key=key, account=mal, expire_date=ended, address="192.0.2.1")
    ApiToken.objects.create(account=mal, name="x", digest="x", revoked_at=now - LONG_AGO)
    Letter.objects.create(account=mal, ended_at=now - LONG_AGO)
    before = list(Judgment.objects.values_list("pk", "grade", "decided_at", "annotator__worker"))
    out = StringIO()
    call_command("forget", stdout=out)
    told = {line.split()[0]: int(line.split()[1]) for line in out.getvalue().splitlines()}
    assert Notice.objects.exists(), "the preview changes nothing"
    gone = forget()
    # Accounts go once their places have: the preview sees those that are without one now.
    assert {name: told[name] for name in gone if name != "accounts"} == {
        name: rows for name, rows in gone.items() if name != "accounts"
    }
    assert (gone["logins"], gone["mails"], gone["places"]) == (2, 1, 5)
    assert not Question.objects.exists() and not Notice.objects.exists() and Flag.objects.get().note == ""
    assert not Seat.objects.exists() and not TimeCorrection.objects.exists() and not RateChange.objects.exists()
    assert list(Judgment.objects.values_list("pk", "grade", "decided_at", "annotator__worker")) == before
    assert set(Judgment.objects.values_list("played", "active_seconds")) == {(None, None)}
    assert Membership.objects.get(account__username="ada").leads
    assert not Membership.objects.filter(role="annotator", account__isnull=False).exists()
    assert set(Account.objects.values_list("username", flat=True)) == {"ada", "mal"}, "mal came today"
    assert Erasure.objects.filter(member__isnull=False).count() == 5, "a restore parts them again"
    assert set(forget().values()) == {0}


def test_accounts_that_may_do_something_or_are_here_stay(settings: Any, db: None) -> None:
    long_ago, settings.KEEP_DAYS = timezone.now() - LONG_AGO, {"accounts": 365}
    rights: dict[str, dict[str, Any]] = {
        "owner": {"is_superuser": True},
        "maker": {"may_create_collections": True},
        "away": {},
        "here": {"last_login": timezone.now()},
        "active": {"last_login": long_ago},
    }
    for name, more in rights.items():
        Account.objects.create(username=name, date_joined=long_ago, **more)
    active = Account.objects.get(username="active")
    Session.objects.create(session_key="a", account=active, expire_date=timezone.now() + LONG_AGO)
    assert forget() == {"accounts": 1}
    assert set(Account.objects.values_list("username", flat=True)) == {"owner", "maker", "here", "active"}


def test_who_is_in_a_campaign_s_team_stays_and_the_team_s_members_with_them(settings: Any, db: None) -> None:
    """However long ago they came: a team's runs and results are theirs."""
    shared = build_shared()
    long_ago, settings.KEEP_DAYS = timezone.now() - LONG_AGO, {"accounts": 365}
    Account.objects.update(date_joined=long_ago)
    lone = Account.objects.create(username="lone", date_joined=long_ago)
    assert forget() == {"accounts": 1} and not Account.objects.filter(pk=lone.pk).exists()
    names = TeamMember.objects.order_by("account__username").values_list("account__username", flat=True)
    assert list(names) == ["bea", "ria", "rob"]
    TeamMember.objects.filter(account=shared.accounts["bea"]).delete()
    assert forget() == {"accounts": 1} and not Account.objects.filter(username="bea").exists()


def test_owners_see_what_is_kept_and_what_would_go(owner: Client, worked: World, settings: Any) -> None:
    settings.KEEP_DAYS = {"words": 365}
    page = owner.get("/system/").content.decode()
    assert "What is kept about people" in page and "365 days from when the collection was archived" in page
    kept = {due.name: due for due in system_facts().kept}
    assert (kept["words"].rows, kept["words"].days, kept["pay"].days) == (3, 365, None)


def test_of_each_dated_table_what_is_old_goes_and_what_is_not_stays(settings: Any, mal: Account) -> None:
    settings.KEEP_DAYS = {"logins": 365, "mails": 365, "jobs": 365, "changes": 365}
    now = timezone.now()
    webhook = Webhook.objects.create(
        collection=Collection.objects.create(name="paper", title="Paper"), address="https://example.org", secret="x"
    )
    links = iter([mal, Account.objects.create(username="nan")])
    for key, at in (("old", now - LONG_AGO), ("new", now - timedelta(days=360))):
        Session.objects.create(session_key=key, account=mal, expire_date=at)
        ApiToken.objects.create(account=mal, name="revoked", digest=f"r{key}", revoked_at=at)
        ApiToken.objects.create(account=mal, name="expired", digest=f"e{key}", expires_at=at)
        OneTimeLink.objects.create(purpose="password", digest=key, account=next(links), made_by=mal, expires_at=at)
        Letter.objects.create(account=mal, ended_at=at)
        JobLine.objects.create(kind="corpus.import", job=1, at=at, text=key)
        Alert.objects.create(check_name="disk", found=key, ended_at=at)
        WebhookEvent.objects.create(webhook=webhook, kind="x", body=key, state="delivered", ended_at=at)
        WorkerHeartbeat.objects.create(node=key, started_at=at, seen_at=at, processes=1)
        AuditEntry.objects.create(at=at, table=key, operation="insert")
    ApiToken.objects.create(account=mal, name="in use", digest="u")
    Letter.objects.create(account=mal)
    Alert.objects.create(check_name="disk", found="still")
    WebhookEvent.objects.create(webhook=webhook, kind="x", body="waits")
    assert forget() == {"logins": 4, "mails": 1, "jobs": 4, "changes": 1}
    assert list(Session.objects.values_list("session_key", flat=True)) == ["new"]
    assert set(ApiToken.objects.values_list("digest", flat=True)) == {"rnew", "enew", "u"}
    assert list(OneTimeLink.objects.values_list("digest", flat=True)) == ["new"]
    assert Letter.objects.count() == 2 and JobLine.objects.get().text == "new"
    assert set(Alert.objects.values_list("found", flat=True)) == {"new", "still"}
    assert set(WebhookEvent.objects.values_list("body", flat=True)) == {"new", "waits"}
    assert WorkerHeartbeat.objects.get().node == "new" and not AuditEntry.objects.filter(table="old").exists()


def test_of_a_campaign_s_teams_nobody_is_known_any_more_once_its_collection_has_ended(settings: Any, db: None) -> None:
    ended, going = build_shared(), build_shared("other")
    for shared in (ended, going):
        run = shared.send("Reds")
        Submission.objects.filter(pk=run.pk).update(excluded_at=timezone.now(), excluded_reason="It copied.")
        Team.objects.filter(pk=run.team_id).update(disqualified_reason="They copied.")
        TeamLink.objects.filter(team=run.team).update(made_by=shared.accounts["rob"])
    Collection.objects.filter(pk=ended.collection.pk).update(archived_at=timezone.now() - LONG_AGO)
    Collection.objects.filter(pk=going.collection.pk).update(archived_at=timezone.now())
    settings.KEEP_DAYS = {"words": 365, "places": 365}
    forget()
    for shared, stays in ((ended, False), (going, True)):
        campaign = shared.campaign
        assert TeamMember.objects.filter(campaign=campaign).exists() is stays
        assert Team.objects.filter(campaign=campaign, contact="r@example.org").exists() is stays
        assert Team.objects.filter(campaign=campaign, disqualified_reason="They copied.").exists() is stays
        assert TeamLink.objects.filter(team__campaign=campaign, made_by__isnull=False).exists() is stays
        run = Submission.objects.get(team__campaign=campaign)
        assert (run.account is not None, run.excluded_reason) == (stays, "It copied." if stays else "")
        assert run.excluded_at is not None and Team.objects.filter(campaign=campaign).count() == 2
        assert Membership.objects.filter(collection=shared.collection, role="lead", account__isnull=False).exists()
    assert set(forget().values()) == {0}


def train_and_repeat(world: World) -> None:
    """What else may be known of those who judge: practice, exam, a repeated pair, what was decided about them."""
    here, ada, bo = world.collection, world["ada"], world["bo"]
    asked: dict[str, Any] = {"query": "A cup.", "moment": world.queries[0].description.moment}
    asked["description"] = world.queries[0].description
    work_done: dict[str, Any] = {"grade": 2, "active_seconds": 5.0}
    practised = WorkedItem.objects.create(collection=here, use="practice", grade=2, **asked)
    PracticeAnswer.objects.create(item=practised, annotator=bo, **work_done)
    exam = Exam.objects.create(collection=here, number=1, seed=1)
    item = ExamItem.objects.create(exam=exam, rank=1, **asked)
    sitting = ExamSitting.objects.create(exam=exam, applicant=bo)
    ExamAnswer.objects.create(sitting=sitting, item=item, key=uuid4(), played=1.0, **work_done)
    first = Judgment.objects.get(annotator=bo)
    Judgment.objects.filter(pk=first.pk).update(active_seconds=5.0)
    repeat = Repeat.objects.create(pair=first.pair, annotator=bo, first=first)
    again: dict[str, Any] = {"annotator": bo, "key": uuid4(), "decided_at": timezone.now(), "played": 1.0}
    RepeatAnswer.objects.create(repeat=repeat, **again, **work_done)
    Flag.objects.update(answer="It is.")
    StatusChange.objects.create(member=bo, before="paused", after="admitted", reason="Back.", changed_by=ada)
    SetAside.objects.create(member=bo, since=bo.joined_at, reason="Gold.", judgments=[], barred=[], decided_by=ada)
    AlertDismissal.objects.create(member=bo, kind="fast", told="Fast.", note="She is.", dismissed_by=ada)
    invitation = Invitation.objects.create(collection=here, digest=here.name, label="a class", made_by=ada)
    for member in (ada, bo):  # who has become a lead keeps their place
        InvitationUse.objects.create(invitation=invitation, annotator=member)


TO_COLLECTION: dict[type[Model], str] = {
    **dict.fromkeys((Notice, Invitation, Membership), "collection"),
    **dict.fromkeys((Question, Flag, Seat, Judgment, RepeatAnswer, PracticeAnswer, TimeCorrection), "annotator"),
    **dict.fromkeys((AlertDismissal, StatusChange, RateChange), "member"),
    ExamSitting: "applicant",
    ExamAnswer: "sitting__applicant",
    InvitationUse: "invitation",
}
GOES = {
    "words": "AlertDismissal Flag.answer Flag.note Invitation.label Notice Question StatusChange",
    "traces": "ExamAnswer.played Judgment.played RepeatAnswer.played Seat",
    "training": "ExamAnswer ExamSitting PracticeAnswer",
    "pay": "ExamAnswer.active_seconds Judgment.active_seconds Membership.pay_per_hour PracticeAnswer.active_seconds"
    " RateChange RepeatAnswer.active_seconds TimeCorrection",
    "places": "Invitation.label InvitationUse.annotator Membership.account",
}
"""Class -> the tables of which every row goes, and the columns of which every value does."""
COLUMNS = {"note", "answer", "label", "played", "active_seconds", "pay_per_hour", "account", "annotator", "grade"}


def known_of(collection: Collection) -> set[str]:
    """Which of these tables and columns hold something about those who judge there."""
    known = set()
    for model, way in TO_COLLECTION.items():
        path = way if way == "collection" else f"{way}__collection"
        rows = model._default_manager.filter(**{path: collection})
        rows = rows.filter(role="annotator") if model is Membership else rows
        known |= {model.__name__} if rows.exists() else set()
        for name in {field.name for field in model._meta.concrete_fields} & COLUMNS:
            known |= {f"{model.__name__}.{name}"} if any(rows.values_list(name, flat=True)) else set()
    return known


@pytest.mark.parametrize("name", GOES)
def test_of_an_ended_collection_just_what_a_class_names_goes(name: str, world: World, settings: Any) -> None:
    going = build_world(name="other")
    for each in (world, going):
        work(each)
        train_and_repeat(each)
    Collection.objects.filter(pk=world.collection.pk).update(archived_at=timezone.now() - LONG_AGO)
    Collection.objects.filter(pk=going.collection.pk).update(archived_at=timezone.now())
    before = known_of(world.collection)
    assert before == known_of(going.collection) >= set(GOES[name].split())
    settings.KEEP_DAYS = {name: 365}
    assert forget()[name]
    gone = before - known_of(world.collection)
    assert {each for each in gone if "." not in each or each.partition(".")[0] not in gone} == set(GOES[name].split())
    assert known_of(going.collection) == before
    said = dict(SetAside.objects.values_list("member__collection__name", "reason"))
    assert said == {"paper": "(gone)" if name == "words" else "Gold.", "other": "Gold."}
