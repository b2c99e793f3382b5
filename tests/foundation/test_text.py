"""A name in two Unicode forms is one name wherever names are read, and what shows nothing is no text."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from django.test import Client, RequestFactory

from corpus.clips.import_videos import import_videos
from corpus.description_formats import BadRow, FileChoices, understand
from corpus.description_formats.templates import TEMPLATES
from corpus.description_import.import_descriptions import import_stream
from corpus.description_import.row_files import read_rows
from corpus.models import Description, Video
from foundation.access.form_input import clean_input
from foundation.models import Collection
from foundation.text import is_seen
from queries.topics.readers import TOPICS, TopicFileChoices
from tests.corpus.conftest import make_film
from tests.corpus.video_import.conftest import CONTENT, ada, begin, folder

__all__ = ["ada", "folder"]

NFC, NFD = "café", normalize("NFD", "café")
NOTHING = ["\u200b", "\u200d\u200c", "\ufeff \u2060", "\u00ad", "\u034f", "\ufe0f", "\u3164", "\u2800", "\u180e\u202e"]


@pytest.mark.parametrize("text", NOTHING, ids=ascii)
def test_what_shows_nothing_is_no_text(text: str) -> None:
    assert not is_seen(text) and is_seen(f"{text}?")
    request = RequestFactory().post("/", {"reason": text, "name": f"a\x00{text}", "empty": " "})
    clean_input(request)
    assert request.POST.dict() == {"reason": "", "name": f"a{text}", "empty": " "}


@pytest.mark.parametrize("format", TEMPLATES)
def test_no_description_shows_nothing(format: str) -> None:
    sentences = {"Ada pours tea, and sits down.", "person pours tea and sits down.", "ada pours tea"}
    name, content = TEMPLATES[format]
    blank = content
    for sentence in sentences:
        blank = blank.replace(sentence, "\u200b")
    assert blank != content, name
    understood = understand(BytesIO(blank.encode()), FileChoices())
    refused: list[BadRow] = []
    rows = list(understood.format.read(understood.file, end_slack=1, refuse=lambda piece, bad: refused.append(bad)))
    assert rows and {bad.expected for bad in refused} == {"a sentence"}


@pytest.mark.parametrize("content", [b"text\n%s\n", b"1\t%s\n", b'{"text": "%s"}\n', b"<top><num>1<title>%s</top>"])
def test_no_topic_shows_nothing(content: bytes) -> None:
    refused: list[str] = []
    file = read_rows(BytesIO(content % "\u200b\u2060".encode()), TopicFileChoices(), TOPICS)
    assert not list(file.rows(lambda piece, bad: refused.append(bad.expected)))
    assert refused == ["a sentence"]


def imported(collection: Collection, name: str, text: str = "Ada waits.", **more: Any) -> Any:
    row = {"video": name, "start": 0, "end": 1, "text": text, **more}
    return import_stream(collection=collection, file=BytesIO(json.dumps(row).encode()), name="a.jsonl")


@pytest.mark.parametrize(("first", "second"), [(NFC, NFD), (NFD, NFC)])
def test_descriptions_in_two_forms_are_the_same(collection: Collection, first: str, second: str) -> None:
    assert imported(collection, first, f"{first} waits.").added == 1
    again = imported(collection, second, f"{second} waits.")
    assert (again.added, again.changed, again.unchanged) == (0, 0, 1)
    assert imported(collection, first, id=first).added == 1
    assert imported(collection, second, id=second).unchanged == 1
    assert (Video.objects.get().name, Description.objects.count()) == (NFC, 2)


def test_a_text_that_was_kept_in_another_form_is_the_same(collection: Collection) -> None:
    imported(collection, "film", f"{NFC} waits.", id="1")
    Description.objects.update(text=f"{NFD} waits.")
    assert imported(collection, "film", f"{NFC} waits.", id="1").unchanged == 1


@pytest.mark.parametrize(("described", "on_disk"), [(NFC, NFD), (NFD, NFC)])
def test_a_file_is_found_by_its_name_in_either_form(
    collection: Collection, tmp_path: Path, described: str, on_disk: str
) -> None:
    imported(collection, described)
    (tmp_path / "films").mkdir()
    film = make_film(tmp_path / "films" / f"{on_disk}.mp4")
    report = import_videos(collection=collection, folder=tmp_path / "films")
    assert (report.matched, report.without_file, report.without_video) == (1, [], [])
    assert Video.objects.get().path == str(film)


def test_an_upload_in_another_form_is_the_same_upload(ada: Client, folder: Path) -> None:
    first, second = begin(ada, f"{NFD}.mp4", CONTENT), begin(ada, f"{NFC}.mp4", CONTENT)
    assert first["address"] == second["address"] != ""
