"""The trail of changes: by whom, from where, before and after; append-only; its page, files and retention."""

import csv
import html
import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import Error, connection, transaction
from django.test import Client
from django.utils import timezone

from annotation.assignment.priorities import set_priority
from annotation.models import Flag, Judgment
from foundation.access.api_tokens import make_token
from foundation.audit.acting import of_this_process, say, say_process
from foundation.audit.selectors import changes, trail
from foundation.audit.sentences import sentence
from foundation.models import Account, AuditEntry, Collection, Membership
from operation.retention.classes import KEPT
from queries.models import Caption
from tests.annotation.judging_steps import judge, sit
from tests.api.callers import Caller, read
from tests.conftest import World

pytestmark = pytest.mark.django_db


def newest(table: str) -> AuditEntry:
    entry = AuditEntry.objects.filter(table=table).order_by("-pk").first()
    assert entry is not None, f"nothing of {table}"
    return entry


def test_a_page_says_who_what_from_where_before_and_after(world: World, client_of: Any) -> None:
    ada = world["ada"].account
    client_of(ada).post("/c/paper/settings/change", {"name": "title", "value": "Another", "title": "Another"})
    Collection.objects.get(pk=world.collection.pk)
    client_of(ada).post("/c/paper/notices/post", {"text": "Hello everybody."})
    entry = newest("annotation_notice")
    assert (entry.account, entry.via, entry.asked, entry.address) == (ada.pk, "page", "notice-post", "127.0.0.1")
    assert (entry.operation, entry.collection, entry.rows) == ("insert", world.collection.pk, 1)
    assert entry.request and entry.row and entry.before is None
    assert entry.after["text"] == "(not kept)", "what people write to each other has its own time to go"


def test_nobody_acts_under_the_name_of_the_one_before(world: World, client_of: Any) -> None:
    client_of(world["ada"].account).post("/c/paper/notices/post", {"text": "Hello."})
    Collection.objects.filter(pk=world.collection.pk).update(title="By nobody")
    entry = newest("foundation_collection")
    assert (entry.account, entry.via, entry.asked) == (None, "", "")
    assert (entry.before, entry.after) == ({"title": "Paper"}, {"title": "By nobody"})


def test_a_program_is_told_with_its_token(world: World) -> None:
    ada = Caller(world["ada"])
    ada.post("/collections/paper/invitations", {"label": "a class"})
    entry = newest("annotation_invitation")
    assert (entry.account, entry.token, entry.via) == (world["ada"].account_id, ada.made.row.pk, "api")
    assert entry.asked == "api-collections-name-invitations"
    assert entry.after["digest"] == entry.after["label"] == "(not kept)"


def test_a_command_s_process_says_so(monkeypatch: pytest.MonkeyPatch, world: World) -> None:
    monkeypatch.setattr("sys.argv", ["manage.py", "configure", "paper"])
    assert of_this_process() == {"via": "command", "asked": "configure"}
    monkeypatch.setattr("sys.argv", ["config/run.py", "worker"])
    assert of_this_process() == {"via": "task"}
    monkeypatch.setattr("sys.argv", ["config/run.py", "server"])
    assert of_this_process() == {}
    call_command("configure", "paper", "title=Renamed", verbosity=0)
    assert newest("foundation_collection").after == {"title": "Renamed"}


def test_secrets_and_names_of_people_stay_out(world: World) -> None:
    account = Account.objects.create_user("zoe", password="a-paper-moon", email="zoe@example.org")
    make_token(account=account, name="mine")
    account.last_login = timezone.now()
    account.save(update_fields=["last_login"])
    told = json.dumps([[entry.before, entry.after] for entry in AuditEntry.objects.all()])
    assert "zoe" not in told and account.password not in told
    assert account.api_tokens.get().digest not in told
    entry = newest("foundation_account")
    assert (entry.operation, entry.collection) == ("insert", None), "a login changes nothing that is told"


def test_many_rows_of_one_statement_are_one_entry_with_their_number(world: World) -> None:
    Collection.objects.bulk_create(Collection(name=f"c{number}", title="x") for number in range(30))
    entry = newest("foundation_collection")
    assert (entry.rows, entry.row, entry.after) == (30, None, None)
    Collection.objects.filter(name__in=["c1", "c2"]).delete()
    gone = AuditEntry.objects.filter(operation="delete", table="foundation_collection")
    assert {entry.before["name"] for entry in gone} == {"c1", "c2"}


def test_what_hangs_on_a_collection_by_other_tables_is_found_under_it(world: World) -> None:
    caption = Caption.objects.order_by("pk")[0]
    Caption.objects.filter(pk=caption.pk).update(status="refused")
    told = changes(trail(world.collection).filter(table="queries_caption"))
    assert [(entry.before, entry.after) for entry in told] == [({"status": "accepted"}, {"status": "refused"})]


def test_judging_writes_nothing_here(world: World, client_of: Any) -> None:
    sit(world["bo"], world["cy"])
    before = AuditEntry.objects.count()
    for pair in world.batch.pairs.all():
        judge(world["bo"], pair, 2, played=1.0)
        judge(world["cy"], pair, 2, played=1.0)
    client_of(world["bo"].account).post("/c/paper/judge/next", {}, content_type="application/json")
    assert Judgment.objects.count() == 6
    assert not AuditEntry.objects.filter(pk__gt=before, table__startswith="annotation_judg").exists()
    assert not AuditEntry.objects.filter(via="page").exists()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE foundation_auditentry SET account = NULL",
        "DELETE FROM foundation_auditentry",
        "TRUNCATE foundation_auditentry",
    ],
)
def test_an_entry_stays_as_it_is(world: World, statement: str) -> None:
    Collection.objects.update(title="Changed")
    with pytest.raises(Error, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert newest("foundation_collection").after == {"title": "Changed"}


def test_it_holds_for_a_role_that_owns_nothing_and_for_the_one_that_owns_the_tables(world: World) -> None:
    """The site's own role owns its tables: what holds it is the trigger. Another has no right to begin with."""
    Collection.objects.update(title="Changed")
    for role in ("trail_owner", "trail_guest"):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"CREATE ROLE {role} NOSUPERUSER")
            cursor.execute(f"GRANT USAGE ON SCHEMA public TO {role}")
            if role == "trail_owner":
                cursor.execute(f"GRANT {role} TO CURRENT_USER")
                cursor.execute(f"ALTER TABLE foundation_auditentry OWNER TO {role}")
            cursor.execute(f"SET LOCAL ROLE {role}")
            said = "append-only" if role == "trail_owner" else "permission denied"
            for statement in ("UPDATE foundation_auditentry SET row = 1", "TRUNCATE foundation_auditentry"):
                with pytest.raises(Error, match=said), transaction.atomic():
                    cursor.execute(statement)
            transaction.set_rollback(True)


def test_who_and_from_where_is_told_of_every_way_to_write(
    world: World, client_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, query = world["ada"].account, world.queries[0]
    client_of(ada).post(f"/c/paper/work/{query.pk}/change", {"priority": "2"})
    entry = newest("annotation_batch")
    assert (entry.via, entry.account, entry.asked, entry.after) == ("page", ada.pk, "work-change", {"priority": 2})
    Caller(world["ada"]).patch(f"/collections/paper/work/{query.pk}", {"priority": 1})
    entry = newest("annotation_batch")
    assert (entry.via, entry.account, entry.before) == ("api", ada.pk, {"priority": 2})
    for argv, who in (
        (["manage.py", "do_something"], ("command", "do_something")),
        (["config/run.py", "worker"], ("task", "")),
    ):
        monkeypatch.setattr("sys.argv", argv)
        say_process(None, connection)
        set_priority(query=query, priority=0 if who[0] == "command" else -1)
        entry = newest("annotation_batch")
        assert ((entry.via, entry.asked), entry.account, entry.collection) == (who, None, world.collection.pk)
    say({})


def test_a_pair_that_is_withdrawn_and_brought_back_is_told_and_one_that_is_judged_is_not(
    world: World, client_of: Any
) -> None:
    sit(world["bo"], world["cy"])
    pair = world.batch.pairs.order_by("pk")[0]
    for name in ("bo", "cy"):
        judge(world[name], pair, 2, played=1.0)
    assert not AuditEntry.objects.filter(table__in=["annotation_pair", "annotation_batch"]).exists()
    flag = Flag.objects.create(pair=pair, annotator=world["bo"], kind="clip")
    client_of(world["ada"].account).post(f"/c/paper/flags/{flag.pk}/answer", {"outcome": "withdrawn"})
    assert newest("annotation_pair").after == {"status": "withdrawn", "grade": None}
    client_of(world["ada"].account).post(f"/c/paper/flags/pair/{pair.pk}/bring-back")
    entry = AuditEntry.objects.filter(table="annotation_pair").latest("pk")
    assert (entry.account, entry.before["status"], entry.asked) == (
        world["ada"].account_id,
        "withdrawn",
        "pair-bring-back",
    )


def test_links_that_set_a_password_are_told_without_what_opens_them(world: World, client_of: Any) -> None:
    client_of(world["ada"].account).post(f"/c/paper/members/{world['bo'].pk}/password-link")
    entry = newest("foundation_onetimelink")
    assert (entry.account, entry.via, entry.after["account_id"]) == (
        world["ada"].account_id,
        "page",
        world["bo"].account_id,
    )
    assert entry.after["digest"] == "(not kept)"


def test_it_goes_when_its_days_are_over_and_not_before(world: World) -> None:
    Collection.objects.update(title="Changed")
    kept = KEPT["changes"]
    assert kept.forget(timezone.now() - timedelta(days=1)) == 0
    number = AuditEntry.objects.count()
    assert kept.forget(timezone.now() + timedelta(days=1)) == number > 0
    assert not AuditEntry.objects.exists()
    Collection.objects.update(title="Again")
    with pytest.raises(Error, match="append-only"), transaction.atomic():
        AuditEntry.objects.all().delete()


def test_its_page_and_files_are_the_lead_s(world: World, client_of: Any) -> None:
    ada = client_of(world["ada"].account)
    ada.post("/c/paper/notices/post", {"text": "Hello."})
    page = ada.get("/c/paper/audit/")
    assert "annotation_notice" in page.content.decode() and "notice-post" in page.content.decode()
    told = read(ada, "collections/paper/changes")["items"][0]
    assert (told["account"], told["table"], told["via"]) == ("ada", "annotation_notice", "page")
    rows = list(csv.DictReader(io.StringIO(_text(ada.get("/c/paper/audit/csv")))))
    lines = [json.loads(line) for line in _text(ada.get("/c/paper/audit/jsonl")).splitlines()]
    assert [row["table"] for row in rows] == [line["table"] for line in lines]
    assert rows[-1]["account"] == lines[-1]["account"] == "ada"
    assert client_of(world["bo"].account).get("/c/paper/audit/").status_code == 403


def _text(answer: Any) -> str:
    return b"".join(answer.streaming_content).decode()


def test_the_site_s_own_is_its_owners(world: World, client_of: Any) -> None:
    owner = Account.objects.create_superuser("olga", password="a-paper-moon")
    client = client_of(owner)
    assert "foundation_account" in client.get("/system/audit/").content.decode()
    assert "foundation_account" in _text(client.get("/system/audit/?format=csv"))
    assert "foundation_account" in _text(client.get("/system/audit/?format=jsonl"))
    assert client_of(world["ada"].account).get("/system/audit/").status_code == 403
    assert Client().get("/system/audit/")["Location"].startswith("/login/")


def test_who_erases_themselves_is_nobody_in_it(world: World, client_of: Any) -> None:
    zoe = Account.objects.create(username="zoe")
    AuditEntry.objects.count()
    client_of(zoe).post("/account/change", {"time_zone": "Europe/Rome", "language": "", "username": "zoe"})
    zoe.delete()
    assert all(entry.account is None for entry in changes(trail(None)))
    assert Membership.objects.count() == 6


def test_the_page_speaks_sentences(world: World, client_of: Any) -> None:
    Membership.objects.filter(pk=world["bo"].pk).update(status="paused")
    Collection.objects.filter(pk=world.collection.pk).update(has_clips=True, title="Another")
    client_of(world["ada"].account).post("/c/paper/notices/post", {"text": "Hello everybody."})
    page = html.unescape(client_of(world["ada"].account).get("/c/paper/audit/").content.decode())
    worker, number = world["bo"].worker, world["bo"].pk
    assert f"Membership {number} ({worker}) was changed: status from admitted to paused." in page
    collection = world.collection.pk
    assert (
        f"Collection {collection} (Another) was changed: has clips from no to yes; title from “Paper” to “Another”."
        in page
    )
    notice = newest("annotation_notice").row
    assert f"Notice {notice} was added." in page, "what is kept out of the trail stands in no sentence"


def test_a_table_that_is_gone_and_many_rows_have_sentences_too() -> None:
    assert sentence(AuditEntry(table="old_table", operation="delete", row=3)) == "Old_table 3 was removed."
    many = AuditEntry(table="queries_caption", operation="update", rows=40)
    assert sentence(many) == "40 captions were changed."


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ({}, {"NDCG": 0.5}, "values from nothing to NDCG: 0.5"),
        (None, [1, {"a": 2}], "values from nothing to 1, {'a': 2}"),
        (["x"], None, "values from x to nothing"),
    ],
    ids=repr,
)
def test_whatever_a_column_holds_has_words(was: Any, now: Any, said: str) -> None:
    change = {"before": {"values": was}, "after": {"values": now}}
    assert said in sentence(AuditEntry(table="datasets_run", operation="update", row=2, **change))
