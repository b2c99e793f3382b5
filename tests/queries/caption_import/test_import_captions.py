"""Captions made elsewhere are brought whole or not at all, checked as any others, and say by whom they were made."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from foundation.models import Collection
from foundation.refused import Refused
from queries.caption_import.jobs import import_captions
from queries.caption_import.taking_back import ask_to_take_back
from queries.models import Attempt, Caption, CaptionImport
from queries.review.decisions import decide_caption, take_back
from queries.rewriting.make_captions import rewrite_by_rules
from tests.conftest import build_world, make_people
from tests.queries.conftest import make_collection

pytestmark = pytest.mark.django_db

TEXTS = [
    "Rachel is shoving a tie into Chandler's mouth.",
    "Amy is driving Leonard somewhere in her car.",
    "Ross opens the red door and walks in.",
    "Ross opens the red door and walks in.",
]
GOOD = [
    "A woman is shoving a tie into a man's mouth.",
    "A woman is driving a man somewhere in her car.",
    "A man opens the red door and walks in.",
    "Someone opens the red door and walks in.",
]


@pytest.fixture
def friends(db: None) -> Collection:
    return make_collection(TEXTS)


def written(tmp_path: Path, rows: list[dict[str, Any]], name: str = "captions.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def good(tmp_path: Path, **more: str) -> Path:
    return written(tmp_path, [{"id": str(n), "caption": text, **more} for n, text in enumerate(GOOD)])


def bring(path: Path, *options: str) -> CaptionImport:
    call_command("import_captions", "friends", str(path), *options)
    return CaptionImport.objects.latest("pk")


def standing() -> dict[str, tuple[str, str, str, str]]:
    rows = Caption.objects.select_related("attempt", "description")
    return {
        caption.description.source_id: (
            caption.text,
            caption.status,
            caption.attempt.rewriter,
            caption.attempt.model,
        )
        for caption in rows
    }


def test_captions_pass_the_checks_of_all_others_and_say_who_made_them(
    friends: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"id": 0, "caption": GOOD[0], "made_by": "Model of  ours"},
        {"id": 1, "caption": "Amy is driving a man somewhere in her car."},
        {"id": 2, "caption": GOOD[2]},
        {"id": 3, "caption": GOOD[3]},
    ]
    bring(written(tmp_path, rows), "--made-by", "Zadie")
    assert "3 captions accepted, 1 waiting for review." in capsys.readouterr().out
    assert standing() == {
        "0": (GOOD[0], "accepted", "elsewhere", "Model of ours"),
        "1": ("Amy is driving a man somewhere in her car.", "review", "elsewhere", "Zadie"),
        "2": (GOOD[2], "accepted", "elsewhere", "Zadie"),
        "3": (GOOD[3], "accepted", "elsewhere", "Zadie"),
    }, "descriptions with one text have each its own caption"
    named = Attempt.objects.get(description__source_id="1")
    assert not named.names_passed and named.names == ["Amy"] and named.similarity is not None


def test_the_same_file_again_changes_nothing(
    friends: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bring(good(tmp_path), "--made-by", "Zadie")
    bring(good(tmp_path), "--made-by", "Zadie")
    assert "4 captions in the collection already: nothing changed." in capsys.readouterr().out
    assert Attempt.objects.count() == 4
    bring(good(tmp_path), "--made-by", "Another")
    assert Attempt.objects.count() == 8 and standing()["0"][3] == "Another"


def test_a_bad_line_stores_nothing_and_every_one_is_named(friends: Collection, tmp_path: Path) -> None:
    path = tmp_path / "captions.csv"
    path.write_text(
        "desc_id;text;model\n0;A woman.;m\n0;Twice.;m\n77;No such.;m\n1;;m\n2;Nobody made it.;\n3;"
        + "x" * 1001
        + ";m\n"
    )
    with pytest.raises(CommandError) as refused:
        bring(path)
    assert str(refused.value).splitlines() == [
        "Nothing was imported: 5 problems.",
        "captions.csv, line 3, id: found '0' a second time, expected each id once; the first is in line 2",
        "captions.csv, line 4, id: found '77', expected the id of a description of friends",
        "captions.csv, line 5, caption: found nothing, expected a sentence",
        "captions.csv, line 6, made_by: found nothing, expected who or what made the caption, here or for the whole "
        "file",
        "captions.csv, line 7, caption: found 1,001 characters, expected at most 1,000",
    ]
    assert not Caption.objects.exists() and not CaptionImport.objects.exists()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "expected captions"),
        (b"PK\x03\x04" + bytes(40), "a text: unpack it"),
        (b"video,start\na,1\n", "expected a format that can be detected: csv, jsonl"),
        (b'{"id": 1}\n', "line 1, caption: found nothing, expected the field caption"),
        (b'{"id": true, "caption": "A man."}\n', "line 1, id: found True"),
        (b'{"id": 1, "caption": "A man.", "made_by": 7}\n', "the name of a model or person"),
        (b'{"id": 1, "caption": "\\u200b"}\n', "line 1, caption: found nothing, expected a sentence"),
        (b'{"id": 1, "caption": ["A man."]}\n', "expected a sentence"),
        (b'{"id": 1, "caption": "A man."\n', "captions, line 1"),
    ],
)
def test_a_file_that_is_none_is_refused_by_its_line(
    friends: Collection, tmp_path: Path, content: bytes, told: str
) -> None:
    path = tmp_path / "captions"
    path.write_bytes(content)
    with pytest.raises(CommandError) as refused:
        bring(path, "--made-by", "Zadie")
    assert told in str(refused.value)


def test_a_file_that_is_not_there_and_a_maker_too_long_are_told(friends: Collection, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        bring(tmp_path / "none.csv")
    with pytest.raises(CommandError, match="Found 201 characters, expected at most 200"):
        bring(good(tmp_path), "--made-by", "x" * 201)


def test_a_look_says_what_would_change_and_changes_nothing(
    friends: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("import_captions", "friends", str(good(tmp_path)), "--made-by", "Zadie", "--look")
    assert "4 captions of 4 to be checked and kept; 0 captions give way." in capsys.readouterr().out
    assert not Caption.objects.exists()


def test_a_caption_of_the_rules_gives_way_and_comes_back_when_the_import_is_taken_back(
    friends: Collection, tmp_path: Path
) -> None:
    first, *_ = friends.descriptions.order_by("pk").values_list("pk", flat=True)
    rewrite_by_rules(collection=friends, description_ids=[first])
    before = standing()
    job = bring(good(tmp_path), "--made-by", "Zadie")
    assert standing()["0"] == (GOOD[0], "accepted", "elsewhere", "Zadie")
    ask_to_take_back(job=job)
    import_captions(job.pk)
    job.refresh_from_db()
    assert standing() == before and set(before) == {"0"}
    assert job.said == "captions.jsonl was taken back: 4 captions."
    assert job.taken_back_at is not None and not job.can_be_taken_back
    assert set(Attempt.objects.values_list("rewriter", flat=True)) == {"rules"}
    with pytest.raises(Refused, match="taken back already"):
        ask_to_take_back(job=job)


def test_what_a_person_decided_stays_and_so_does_the_import(friends: Collection, tmp_path: Path) -> None:
    ada = make_people(friends, "ada")["ada"]
    rows = [{"id": 1, "caption": "Amy is driving a man somewhere in her car."}]
    job = bring(written(tmp_path, rows), "--made-by", "Zadie")
    caption = Caption.objects.get()
    decide_caption(caption_id=caption.pk, member=ada, accept=True)
    told = r"The caption of description 1 was decided, changed or used since\. Nothing was taken back\."
    with pytest.raises(Refused, match=told):
        ask_to_take_back(job=job)
    bring(written(tmp_path, rows), "--made-by", "Zadie")
    assert Attempt.objects.count() == 1, "the same again says nothing new"
    with pytest.raises(CommandError, match="line 2, id: found '1', expected a description whose caption no person has"):
        bring(written(tmp_path, [{"id": 0, "caption": GOOD[0]}, {"id": 1, "caption": GOOD[1]}]), "--made-by", "Zadie")
    assert set(standing()) == {"1"}
    take_back(member=ada)
    ask_to_take_back(job=job)
    import_captions(job.pk)
    assert not Caption.objects.exists() and not Attempt.objects.exists()


def test_a_query_that_was_made_of_a_caption_holds_it(db: None, tmp_path: Path) -> None:
    world = build_world(queries=1, candidates=3)
    collection = world.collection
    name = collection.queries.get().description.source_id
    path = written(tmp_path, [{"id": name, "caption": "Somebody else does it."}])
    with pytest.raises(CommandError, match="no query or candidate was made of"):
        call_command("import_captions", collection.name, str(path), "--made-by", "Zadie")
