"""Factors are declared as a whole until the first judgment, from a form, a file, a command; then only retired."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.utils.translation import override

from annotation.assignment.next_tasks import next_tasks
from annotation.factors.declared import (
    asked_now,
    copy_factors,
    declare_factors,
    declared_in,
    factors_of,
    retire_factor,
    rows_of,
)
from annotation.factors.texts import COLUMNS, DeclaredFactor, paper_factors
from annotation.factors.whole_files import read_factors
from annotation.judging.judgments import give_judgment
from annotation.judging.requests import NewJudgment
from annotation.models import Factor
from foundation.models import AuditEntry, Collection
from foundation.refused import Refused
from tests.annotation.factors.declaring import ACTION, WHOLE, with_factors
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(db: None) -> World:
    return build_world(queries=2, candidates=6)


def begin(world: World, **factors: int) -> None:
    """bo judges a pair."""
    world["bo"].collection.refresh_from_db()
    (task, *_) = next_tasks(member=world["bo"])
    sent = NewJudgment(pair=task.pair, grade=2, key="00000000-0000-4000-8000-000000000001", factors=factors or None)
    give_judgment(member=world["bo"], sent=sent)


def file_of(factors: list[DeclaredFactor]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows([COLUMNS, *rows_of(factors)])
    return text.getvalue().encode()


def test_a_file_of_them_is_read_as_it_was_written() -> None:
    assert read_factors(io.BytesIO(file_of([ACTION, WHOLE])), "factors.csv") == [ACTION, WHOLE]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("Action,A,Q?,no|yes", "factors.csv, line 2, key: found 'Action', expected a lower-case letter"),
        ("a,A,Q?,yes", "line 2, answers: found 'yes', expected 2 to 5 answers"),
        ("a,A,Q?,a|b|c|d|e|f", "expected 2 to 5 answers"),
        ("a,A,Q?,no|no", "expected answers that differ"),
        ("a,,Q?,no|yes", "line 2, name: found"),
        (f"a,A,{'Q' * 201},no|yes", "expected a text of 1 to 200 characters"),
        ("a,A,Q?,no|yes\na,A,Q?,no|yes", "line 3, key: found 'a', expected each factor once in a language"),
        ("", "found nothing, expected factors"),
    ],
    ids=lambda value: value[:30],
)
def test_a_file_that_will_not_do_says_where_what_and_what_else(rows: str, says: str) -> None:
    with pytest.raises(Refused) as refused:
        read_factors(io.BytesIO(f"key,name,question,answers\n{rows}\n".encode()), "factors.csv")
    assert says in str(refused.value)


def test_words_in_a_language_go_with_the_factor_s_own() -> None:
    rows = 'key,language,name,question,answers\na,de,A,F?,nein|ja\nb,,B,Q?,no|yes\nb,de,B,F?,"nein|ja|halb"\n'
    with pytest.raises(Refused) as refused:
        read_factors(io.BytesIO(rows.encode()), "factors.csv")
    assert "line 2, language: found a in de alone, expected a row of it without a language" in str(refused.value)
    assert "line 4, answers" in str(refused.value) and "expected 2 answers, as the factor has" in str(refused.value)


@pytest.mark.parametrize(
    "hostile", [b"\x00\xff\x00", b"{", b"[]", b"PK\x03\x04", b"key\n", b'{"key": 1}\n', b"x" * 300_000]
)
def test_a_hostile_file_is_refused(hostile: bytes) -> None:
    with pytest.raises(Refused):
        read_factors(io.BytesIO(hostile), "factors")


def test_they_are_declared_in_the_place_of_others_and_asked_in_the_reader_s_language(world: World) -> None:
    with_factors(world.collection, "between")
    declare_factors(collection=world.collection, factors=[WHOLE, ACTION])
    collection = Collection.objects.get()
    assert (declared_in(collection), collection.factors_asked) == ([WHOLE, ACTION], "between")
    assert AuditEntry.objects.filter(table="annotation_factor").exists()
    with override("de"):
        assert [factor.words.name for factor in asked_now(collection)] == ["Wholeness", "Handlung"]
    declare_factors(collection=collection, factors=[])
    collection.refresh_from_db()
    assert (collection.factors_asked, asked_now(collection)) == ("never", [])


def test_the_paper_s_three_are_asked_after_every_grade(world: World) -> None:
    declare_factors(collection=world.collection, factors=paper_factors())
    collection = Collection.objects.get()
    assert collection.factors_asked == "every"
    assert [factor.key for factor in asked_now(collection)] == ["action", "visual", "temporal"]
    assert [factor.may_skip for factor in asked_now(collection)] == [False, True, True]


def test_the_first_judgment_fixes_them_and_they_can_only_be_retired(world: World) -> None:
    with_factors(world.collection)
    begin(world, action=1, whole=0)
    for factors in ([ACTION], [], paper_factors()):
        with pytest.raises(Refused, match="they can only be retired"):
            declare_factors(collection=world.collection, factors=factors)
    with pytest.raises(Refused, match="Found the factor colour, expected one of: action, whole"):
        retire_factor(collection=world.collection, key="colour")
    first = retire_factor(collection=world.collection, key="whole").retired_at
    assert retire_factor(collection=world.collection, key="whole").retired_at == first
    assert [factor.key for factor in asked_now(Collection.objects.get())] == ["action"]


def test_a_study_has_those_of_its_collection_and_declares_none(world: World) -> None:
    with_factors(world.collection)
    retire_factor(collection=world.collection, key="action")
    study = Collection.objects.create(name="pilot", title="Pilot", purpose="pilot", study_of=world.collection)
    copy_factors(Collection.objects.get(pk=world.collection.pk), study)
    assert declared_in(study) == [WHOLE]
    with pytest.raises(Refused, match="has its collection's factors"):
        declare_factors(collection=study, factors=[])


# ---- the page --------------------------------------------------------------------------------------------------------

HERE = "/c/paper/factors/"


def test_a_lead_takes_the_paper_s_three_adds_changes_removes_and_says_when(world: World, client_of: Any) -> None:
    ada = client_of(world["ada"].account)
    assert "Take the paper" in ada.get(HERE).content.decode()
    ada.post(f"{HERE}change", {"paper": "1"})
    typed = {"key": "colour", "name": "Colour", "question": "Is it the same colour?", "answers": "no\nyes\n"}
    assert ada.post(f"{HERE}add", {**typed, "may_skip": "on"}).status_code == 302
    assert ada.post(f"{HERE}add", {**typed, "name": "Colours"}).status_code == 302
    page = ada.get(f"{HERE}?change=colour").content.decode()
    assert 'value="Is it the same colour?"' in page and "no\nyes</textarea>" in page
    ada.post(f"{HERE}change", {"remove": "visual"})
    ada.post(f"{HERE}change", {"asked": "between"})
    collection = Collection.objects.get()
    assert [factor.key for factor in factors_of(collection)] == ["action", "temporal", "colour"]
    assert (collection.factors_asked, factors_of(collection)[2].name) == ("between", "Colours")
    page = ada.get(HERE).content.decode()
    assert "Is it the same colour?" in page and "Asked: after every grade but" in page
    begin(world, action=0, temporal=1, colour=1)
    page = ada.get(HERE).content.decode()
    assert "Retire Colours" in page and f"{HERE}add" not in page
    ada.post(f"{HERE}change", {"retire": "colour"})
    assert "retired" in ada.get(HERE).content.decode()


def test_a_changed_factor_keeps_its_words_in_other_languages_while_its_answers_are_as_many(
    world: World, client_of: Any
) -> None:
    with_factors(world.collection)
    ada = client_of(world["ada"].account)
    typed = {"key": "action", "name": "Act", "question": "Is it the same act?", "answers": "no\nhalf\nyes"}
    ada.post(f"{HERE}add", typed)
    assert declared_in(world.collection)[0].languages == ACTION.languages
    ada.post(f"{HERE}add", {**typed, "answers": "no\nyes"})
    assert declared_in(world.collection)[0].languages == {}


def test_what_cannot_be_typed_is_said_beside_its_field(world: World, client_of: Any) -> None:
    ada = client_of(world["ada"].account)
    typed = {"key": "A b", "name": "Colour", "question": "Same?", "answers": "no\nyes"}
    refused = ada.post(f"{HERE}add", typed)
    assert refused.status_code == 400 and "expected a lower-case letter" in refused.content.decode()
    refused = ada.post(f"{HERE}add", {**typed, "key": "a", "answers": "yes"})
    assert refused.status_code == 400 and "expected 2 to 5 answers" in refused.content.decode()
    for number in range(8):
        ada.post(f"{HERE}add", {**typed, "key": f"f{number}"})
    refused = ada.post(f"{HERE}add", {**typed, "key": "f9"})
    assert refused.status_code == 400 and "at most 8" in refused.content.decode()
    assert Factor.objects.count() == 8


def test_a_file_takes_the_place_of_all_and_comes_back(world: World, client_of: Any) -> None:
    ada = client_of(world["ada"].account)
    sent = SimpleUploadedFile("factors.csv", file_of([ACTION, WHOLE]))
    assert ada.post(f"{HERE}upload", {"file": sent}).status_code == 302
    assert declared_in(Collection.objects.get()) == [ACTION, WHOLE]
    back = ada.get(f"{HERE}declared.csv")
    content = b"".join(back.streaming_content) if back.streaming else back.content
    assert read_factors(io.BytesIO(content), "back.csv") == [ACTION, WHOLE]
    refused = ada.post(f"{HERE}upload", {"file": SimpleUploadedFile("bad.csv", b"key,name\na,b\n")})
    assert refused.status_code == 400 and "bad.csv" in refused.content.decode()
    assert declared_in(Collection.objects.get()) == [ACTION, WHOLE], "nothing was changed"


def test_nobody_but_leads_sees_or_changes_them(world: World, client_of: Any) -> None:
    bo = client_of(world["bo"].account)
    for path in ("", "declared.csv", "figures/", "figures.csv"):
        assert bo.get(HERE + path).status_code in (403, 404)
    for path in ("add", "change", "upload"):
        assert bo.post(HERE + path, {"paper": "1"}).status_code in (403, 404)
    assert not Factor.objects.exists()
    Collection.objects.update(archived_at="2026-11-22T00:00Z")
    client_of(world["ada"].account).post(f"{HERE}change", {"paper": "1"})
    assert not Factor.objects.exists()


# ---- the command -----------------------------------------------------------------------------------------------------


def said_by(capsys: Any, *arguments: str) -> str:
    call_command("factors", *arguments)
    return str(capsys.readouterr().out)


def test_the_command_shows_declares_and_retires(world: World, tmp_path: Path, capsys: Any) -> None:
    assert "none" in said_by(capsys, "paper")
    path = tmp_path / "factors.csv"
    path.write_bytes(file_of([ACTION, WHOLE]))
    said = said_by(capsys, "paper", str(path), "--asked", "between")
    assert "after every grade but the lowest and the highest" in said
    assert "action: Is it the same action? (0 no, 1 in part, 2 yes; also in de)" in said
    assert "whole: Is all of it to be seen? (0 no, 1 yes, can't say)" in said
    with pytest.raises(CommandError, match=r"nowhere\.csv: No such file"):
        call_command("factors", "paper", "/nowhere.csv")
    begin(world, action=1, whole=0)
    assert "retired" in said_by(capsys, "paper", "--retire", "whole")
    with pytest.raises(CommandError, match="they can only be retired"):
        call_command("factors", "paper", "--paper")
