"""A collection's scale: set on its page, by command and by the API, shown to annotators, fixed by the first grade."""

import json
import re
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import translation

from annotation.models import Pair
from annotation.qualification.guidelines import first_draft
from annotation.scale import PAPER, Scale, scale_of
from annotation.settings.grade_rows import COLUMNS, faults, grade_row, rows_of
from annotation.settings.grade_words import set_grade_words
from annotation.settings.services import configure
from corpus.description_formats import BadRow
from foundation.models import AuditEntry, Collection
from foundation.refused import Refused
from tests.annotation.judging_steps import judge, sit
from tests.api.callers import Caller
from tests.conftest import World

pytestmark = pytest.mark.django_db
HERE = "/c/paper/settings/scale/"
NO_YES = [("0", "Nein"), ("1", "Ja")]


def collection() -> Collection:
    return Collection.objects.get(name="paper")


def rows(*words: tuple[str, ...], language: str = "de", **more: str) -> list[Any]:
    return [
        grade_row(dict(zip(("grade", "word", "shows"), one, strict=False)) | {"language": language} | more)
        for one in words
    ]


def first_judgment(world: World) -> None:
    world["bo"].collection.refresh_from_db()
    sit(world["bo"])
    judge(world["bo"], Pair.objects.order_by("pk")[0], 1, played=1.0)


@pytest.fixture
def binary(world: World) -> World:
    configure(collection=world.collection, changes={"top_grade": "1"})
    world.collection.refresh_from_db()
    return world


@pytest.fixture
def ada(world: World, client_of: Any) -> Any:
    return client_of(world["ada"].account)


def form(*languages: str, **fields: str) -> dict[str, Any]:
    return {"languages": list(languages), **{name.replace("__", "-"): value for name, value in fields.items()}}


# --- the scale itself ---


def test_the_paper_s_scale_is_the_usual_one_and_others_end_with_the_best() -> None:
    assert Scale(4).is_paper and Scale(4).style == "" and dict(Scale(4).named("en"))[3] == "nearly perfect"
    for top in (1, 2, 3):
        best = Scale(top).word(top, "en")
        assert best in ("relevant", "fully relevant") and not Scale(top).is_paper
        assert Scale(top).colour(top) == Scale(4).colour(4), "the best has the darkest colour"
    assert [Scale(3, in_papers_words=True).word(grade, "en") for grade in range(4)] == [
        *("unrelated", "a few points", "in part", "nearly perfect")
    ]
    slider = Scale(100, 5)
    assert (slider.word(0, "en"), slider.word(37), slider.word(100, "en")) == ("not relevant", "", "fully relevant")
    assert [slider.tone(grade) for grade in (0, 40, 100)] == [0, 2, 4]
    assert 35 in slider.grades and 36 not in slider.grades


@pytest.mark.parametrize("scale", [Scale(1), Scale(2), Scale(3), Scale(4), Scale(100, 5)])
def test_a_usual_scale_s_own_rows_are_without_fault(scale: Scale) -> None:
    assert list(faults(rows_of(scale), scale)) == []


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"word": ""}, "word: found nothing, expected a word of 1 to 40 characters"),
        ({"word": "x" * 41}, "expected a word of 1 to 40 characters"),
        ({"word": "a\u202eb"}, "expected a word of 1 to 40 characters"),
        ({"language": "german!"}, "language: found 'german!', expected a language tag"),
        ({"colour": "red"}, "colour: found 'red', expected a colour such as #0d5f57"),
        ({"dark_colour": "#000000"}, "colour: found nothing, expected a colour such as #0d5f57, since there is"),
        ({"grade": "one"}, "grade: found 'one', expected a whole number"),
    ],
)
def test_a_bad_row_says_what_is_wrong(changed: dict[str, str], told: str) -> None:
    with pytest.raises(BadRow) as caught:
        grade_row({"grade": 1, "language": "de", "word": "Ja"} | changed)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (rows(("0", "Nein")), "found no word for 1 in de, expected a word for each grade"),
        (rows(("0", "ja"), ("1", "Ja")), "word: found 'Ja', expected another word than that of 0"),
        (rows(*NO_YES, ("2", "Sehr")), "grade: found 2, expected one of 0, 1"),
        (rows(*NO_YES, ("1", "Doch")), "expected each grade once in de"),
        (rows(NO_YES[0], colour="#ffffff") + rows(NO_YES[1]), "must be read on dark pages (contrast 4.5)"),
        (rows(NO_YES[0], colour="#0d5f57") + rows(NO_YES[1]), "found no colour for 1, expected a colour for each"),
    ],
)
def test_rows_that_no_scale_can_have_are_named(given: list[Any], told: str) -> None:
    assert any(told in str(bad.at("", row.line)) for row, bad in faults(given, Scale(1)))


@pytest.mark.parametrize("scale", [Scale(1), Scale(3), Scale(100, 25)])
def test_the_guideline_s_first_draft_speaks_of_this_scale(scale: Scale) -> None:
    text = first_draft(scale)
    assert f"| **{scale.top}** | {scale.word(scale.top)} |" in text and "one small thing differs" not in text
    assert not re.search(r"five grades|perfect|a few points|: [1-4][,.]|\b0-4\b", text)
    assert "## The five grades" in first_draft(Scale(4))


# --- set, shown, fixed ---


def test_words_are_in_the_reader_s_language_or_else_in_the_first(binary: World, client_of: Any) -> None:
    given = rows(*NO_YES) + rows(("0", "No"), ("1", "Sí", "lo que se busca"), language="es")
    set_grade_words(collection=binary.collection, rows=given)
    scale = scale_of(collection())
    assert [scale.word(1, tag) for tag in ("de", "es-MX", "en", "zh-hans")] == ["Ja", "Sí", "Ja", "Ja"]
    assert (scale.description(1, "es"), scale.description(1, "de")) == ("lo que se busca", "Ja")
    bo = client_of(binary["bo"].account)
    page = bo.get("/c/paper/judge/", HTTP_ACCEPT_LANGUAGE="es").content.decode()
    assert (
        '<span dir="auto">Sí</span>' in page
        and 'lang="es" hidden' in page
        and "<span>Ja" not in page
        and 'data-grade="2"' not in page
    )
    entry = AuditEntry.objects.filter(table="foundation_collection").latest("pk")
    assert json.loads(entry.after["grade_words"])["words"]["de"]["1"]["word"] == "Ja"


def test_another_number_of_grades_begins_with_the_usual_words(binary: World) -> None:
    set_grade_words(collection=binary.collection, rows=rows(*NO_YES))
    configure(collection=binary.collection, changes={"top_grade": "2"})
    assert collection().grade_words == "" and scale_of(collection()).word(2, "en") == "fully relevant"


def test_the_first_judgment_fixes_words_and_only_a_missing_language_is_added(binary: World) -> None:
    set_grade_words(collection=binary.collection, rows=rows(*NO_YES))
    first_judgment(binary)
    for other in (rows(("0", "Nein"), ("1", "Doch")), rows(*NO_YES, colour="#123456")):
        with pytest.raises(Refused, match="Grades were given by these words and colours, so they stay"):
            set_grade_words(collection=collection(), rows=other)
    set_grade_words(collection=collection(), rows=rows(*NO_YES) + rows(("0", "No"), ("1", "Sí"), language="es"))
    assert scale_of(collection()).languages == ["de", "es"]
    set_grade_words(collection=collection(), rows=[])
    assert scale_of(collection()).languages == ["de", "es"]


def test_a_language_added_to_the_usual_words_leaves_them_as_they_were_read(world: World) -> None:
    first_judgment(world)
    french = rows(*((str(grade), f"mot {grade}") for grade in range(5)), language="fr")
    set_grade_words(collection=collection(), rows=french)
    scale = scale_of(collection())
    assert scale.languages == ["en", "de", "es", "zh-hans", "fr"]
    with translation.override("de"):
        assert scale.word(4) == Scale(4).word(4, "de") != Scale(4).word(4, "en")
    assert scale.description(1, "en") == "a few points of the query" and scale.word(1, "fr") == "mot 1"


def test_what_was_judged_by_the_paper_s_words_on_a_shorter_scale_keeps_them() -> None:
    old = Collection(top_grade=1, grade_words=PAPER)
    assert [word for _, word in scale_of(old).named("en")] == ["unrelated", "a few points"]


# --- the page ---


def test_the_page_sets_words_and_colours_and_shows_them_first(binary: World, ada: Any) -> None:
    sent = {"word-de-0": "Nein", "word-de-1": "Ja", "shows-de-1": "was gesucht ist"}
    sent |= {"colour-0": "#d9d4cc", "dark_colour-0": "#4a4640", "colour-1": "#ffd166", "dark_colour-1": "#7a5200"}
    told = ada.post(HERE + "words", {"languages": ["de"], **sent, "preview": "1"})
    page = told.content.decode()
    assert told.status_code == 200 and "<span>Ja</span>" in page and "--g1:light-dark(#ffd166,#7a5200)" in page
    assert collection().grade_words == ""
    page = ada.post(HERE + "words", {"languages": ["de"], **sent}, follow=True).content.decode()
    assert "Words and colours are set." in page
    assert scale_of(collection()).colour(1) == ("#ffd166", "#7a5200")
    assert '<body class="" style="--g0:light-dark(' in page
    wrong = ada.post(HERE + "words", {"languages": ["de"], **sent, "word-de-1": "Nein"})
    assert wrong.status_code == 400 and "expected another word than that of 0" in wrong.content.decode()
    ada.post(HERE + "words", {"languages": ["de"], "word-de-0": "", "word-de-1": ""})
    assert collection().grade_words == ""


def test_the_page_sets_the_number_and_says_what_is_fixed(world: World, ada: Any) -> None:
    page = ada.post(HERE + "number", {"grades": "100/10"}, follow=True).content.decode()
    assert "The scale is set." in page and 'type="range"' in page
    assert (collection().top_grade, collection().grade_step) == (100, 10)
    assert ada.post(HERE + "number", {"grades": "7/2"}).status_code == 400
    assert ada.post(HERE + "number", {}).status_code == 400
    ada.post(HERE + "number", {"grades": "4/1"})
    first_judgment(world)
    assert "Fixed: grades were given" in ada.get(HERE).content.decode()
    refused = ada.post(HERE + "number", {"grades": "2/1"})
    assert refused.status_code == 400 and "stays at 4" in refused.content.decode()


def test_another_language_is_filled_in(world: World, ada: Any) -> None:
    assert 'name="word-fr-0"' in ada.get(HERE + "?language=fr").content.decode()
    assert "Expected a language tag" in ada.get(HERE + "?language=%3Cfr").content.decode()


# --- the command and the API ---


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("grade_words", "paper", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_writes_what_it_reads(binary: World, tmp_path: Path) -> None:
    told = command()
    assert told.splitlines()[0] == ",".join(COLUMNS)
    path = tmp_path / "words.csv"
    path.write_text(told.replace("not relevant", "no").replace("relevant", "yes"))
    assert "are set" in command(str(path)) and command() == path.read_text()
    path.write_text('{"grade": 0, "language": "en", "word": "no"}\n{"grade": 1, "language": "en", "word": "NO"}\n')
    with pytest.raises(
        CommandError, match=r"words\.csv, line 2, word: found 'NO', expected another word than that of 0"
    ):
        command(str(path))
    path.write_text("")
    with pytest.raises(CommandError, match="expected grade words"):
        command(str(path))
    with pytest.raises(CommandError, match="can't be read"):
        command(str(tmp_path / "none.csv"))
    command("--usual")
    assert collection().grade_words == ""


def test_a_program_reads_and_sets_it(binary: World) -> None:
    ada = Caller(binary["ada"], ("read", "admin"))
    told = ada.get("/collections/paper/scale").json()
    assert (told["top"], told["step"], told["fixed"]) == (1, 1, False)
    words = [dict(zip(("grade", "word", "language"), one, strict=True)) for one in ((0, "no", "en"), (1, "yes", "en"))]
    assert [row["word"] for row in ada.patch("/collections/paper/scale", {"grades": words}).json()["grades"]] == [
        "no",
        "yes",
    ]
    refused = ada.patch("/collections/paper/scale", {"grades": [words[0] | {"colour": "red"}, words[1]]})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "body.grades.0.colour")
    assert ada.patch("/collections/paper/scale", {"grades": words[:1]}).status_code == 422


def test_an_upgrade_keeps_the_words_of_what_is_judged_on_a_shorter_scale(binary: World) -> None:
    keep = import_module("annotation.migrations.0007_papers_words_stay").KEEP
    with connection.cursor() as cursor:
        cursor.execute(keep)
    assert collection().grade_words == "", "nobody has judged by any words yet"
    first_judgment(binary)
    with connection.cursor() as cursor:
        cursor.execute(keep)
    assert scale_of(collection()).word(1, "en") == "a few points"
