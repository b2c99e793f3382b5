"""What is stored of a platform's person: the ids, until they are erased, forgotten or deleted with the collection."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from annotation.assignment.open_batches import situation_of
from annotation.assignment.staffing import staffing
from annotation.models import Recruit, Recruitment, RecruitSession
from annotation.people.erasure import erase_member
from annotation.recruiting.entering import enter, finish_session, forget_accounts
from annotation.recruiting.platforms import Ids
from annotation.recruiting.recruitments import change_recruitment
from annotation.studies.services import start_study
from foundation.models import Account, Collection, Membership
from foundation.refused import Refused
from operation.backup.voided import void_what_opens
from operation.retention.forget import forget_now
from tests.annotation.judging_steps import judge, sit
from tests.annotation.people.test_erasure import places_of
from tests.annotation.recruiting.platform import recruit
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db
PERSON, SESSION = "zephyrperson7", "zephyrsession7"


@pytest.fixture
def world(db: None) -> World:
    world = build_world(queries=2, candidates=4)
    world.collection.needs_exam = False
    world.collection.save()
    return world


def came(world: World, person: str = PERSON, session: str = SESSION, **terms: Any) -> Membership:
    """Somebody came, judged what was asked for, and has their code."""
    made = enter(recruitment=recruit(world["ada"], **terms), ids=Ids(person, session, "study"))
    member = Membership.objects.select_related("collection", "account").get(pk=made.recruit.member_id)
    sit(member)
    for pair in world.batch.pairs.order_by("pk")[:2]:
        judge(member, pair, 2)
    finish_session(member=member)
    return member


def test_an_id_stands_in_two_columns_and_nowhere_once_it_is_erased(world: World) -> None:
    member = came(world)
    assert set(places_of(PERSON)) == {"annotation_recruit.person"}
    assert set(places_of(SESSION)) == {"annotation_recruitsession.session"}
    assert erase_member(lead=world["ada"], member=member)
    assert places_of(PERSON) == places_of(SESSION) == []
    member.refresh_from_db()
    assert member.account_id is None and member.judgments.count() == 2
    assert RecruitSession.objects.get().outcome == "complete"


def test_one_s_own_data_has_the_ids_and_others_has_no_such_field(world: World, client_of: Any) -> None:
    account = came(world).account
    assert account is not None
    text = b"".join(client_of(account).get("/account/data").streaming_content).decode()
    (here,) = json.loads(text)["collections"]
    assert here["recruited"]["id"] == PERSON
    assert [session["session"] for session in here["recruited"]["sessions"]] == [SESSION]
    bo = b"".join(client_of(world["bo"].account).get("/account/data").streaming_content).decode()
    assert "recruited" not in bo


def test_ids_go_so_many_days_after_their_last_recruitment_has_ended(world: World, settings: Any) -> None:
    settings.KEEP_DAYS = {"recruits": 90}
    came(world)
    first = Recruitment.objects.get()
    change_recruitment(lead=world["ada"], recruitment_id=first.pk, closed=True)
    assert dict(forget_now()) == {"recruits": 0}
    Recruitment.objects.update(closed_at=timezone.now() - timedelta(days=91))
    going_on = recruit(world["ada"], name="Second wave")
    enter(recruitment=going_on, ids=Ids(PERSON, "another", "study"))
    assert dict(forget_now()) == {"recruits": 0}, "they are in another one"
    Recruitment.objects.update(expires_at=timezone.now() - timedelta(days=91))
    assert dict(forget_now()) == {"recruits": 1}
    assert places_of(PERSON) == places_of(SESSION) == [] and dict(forget_now()) == {"recruits": 0}


def test_ids_of_an_archived_collection_go_as_well(world: World, settings: Any) -> None:
    settings.KEEP_DAYS = {"recruits": 90}
    came(world)
    Collection.objects.update(archived_at=timezone.now() - timedelta(days=89))
    assert dict(forget_now()) == {"recruits": 0}
    Collection.objects.update(archived_at=timezone.now() - timedelta(days=91))
    assert dict(forget_now()) == {"recruits": 1} and places_of(PERSON) == []


def test_with_a_collection_go_the_accounts_that_are_there_for_it_alone(world: World) -> None:
    alone, elsewhere = came(world), came(world, "p2", "s2")
    other = build_world(name="other")
    Membership.objects.create(
        collection=other.collection, account=elsewhere.account, role="annotator", worker="w99", recruited=False
    )
    forget_accounts([world.collection.pk])
    left = set(Account.objects.values_list("pk", flat=True))
    assert elsewhere.account_id in left and alone.account_id not in left
    assert world["bo"].account_id in left


def test_nobody_whom_a_platform_sent_is_in_a_study(world: World) -> None:
    came(world)
    start_study(collection=world.collection, kind="pilot", queries=1)
    came(world, "p2", "s2")
    assert set(Membership.objects.filter(recruited=True).values_list("collection__name", flat=True)) == {"paper"}


def test_a_restored_backup_lets_nobody_in(world: World) -> None:
    asked = recruit(world["ada"])
    void_what_opens()
    with pytest.raises(Refused, match="is over"):
        enter(recruitment=asked, ids=Ids(PERSON, SESSION))


def test_who_is_barred_begins_no_other_session_and_is_to_be_rejected(world: World) -> None:
    member = came(world, most_sessions=9)
    Membership.objects.filter(pk=member.pk).update(status="barred")
    with pytest.raises(Refused, match="ended your judging"):
        enter(recruitment=Recruitment.objects.get(), ids=Ids(PERSON, "next"))
    out = StringIO()
    call_command("recruit_sessions", "paper", what="sessions", stdout=out)
    assert ",reject," in out.getvalue()


def test_the_command_writes_the_same_files(world: World, tmp_path: Any) -> None:
    out = StringIO()
    with pytest.raises(CommandError, match="Recruitments: none yet"):
        call_command("recruit_sessions", "paper")
    came(world, paid_by="judgment", rate="0.5")
    call_command("recruit_sessions", "paper", what="approve", stdout=out)
    assert out.getvalue() == f"{PERSON}\n"
    file = tmp_path / "bonus.csv"
    call_command("recruit_sessions", "paper", what="bonus", out=file, stdout=StringIO())
    assert file.read_text().split() == [f"{PERSON},1.00"]
    with pytest.raises(CommandError, match="has no such recruitment"):
        call_command("recruit_sessions", "paper", recruitment=10**9)
    with pytest.raises(CommandError, match="No such file"):
        call_command("recruit_sessions", "paper", out=tmp_path / "no" / "folder.csv")


def test_a_list_of_sessions_asks_no_more_for_more_of_them(
    world: World, client_of: Any, django_assert_max_num_queries: Any
) -> None:
    asked = recruit(world["ada"])
    ada: Client = client_of(world["ada"].account)
    address = f"/c/paper/recruiting/{asked.pk}/"
    ada.get(address)
    for number in range(30):
        enter(recruitment=asked, ids=Ids(f"p{number}", f"s{number}"))
    with django_assert_max_num_queries(20):
        assert ada.get(address).content.decode().count("<tr>") == 31
    assert Recruit.objects.count() == 30


def test_whose_session_has_ended_is_nobody_to_count_on(world: World) -> None:
    Membership.objects.exclude(worker__in=[world["ada"].worker, world["bo"].worker]).update(status="paused")
    before = staffing(world.collection).admitted
    member = came(world)
    assert staffing(world.collection).admitted == before, "their session has ended"
    enter(recruitment=recruit(world["ada"], name="again"), ids=Ids(PERSON, "next"))
    assert staffing(world.collection).admitted == before + 1 == situation_of(member).team.size
