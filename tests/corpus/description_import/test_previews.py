"""The preview of an import: what was understood is shown, corrected beside the field, and imported as shown."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from corpus.description_formats import FORMATS
from corpus.description_formats.templates import TEMPLATES
from corpus.description_import.import_descriptions import import_descriptions
from corpus.description_import.jobs import run_import
from corpus.description_import.previews import run_preview
from corpus.models import Description, Import, ImportPreview
from foundation.models import Account, Collection
from tests.api.callers import read

SEMICOLONS = "vid;start;end;text\nfilm;0:04;6,5;Ada öffnet die Tür.\nfilm;8;7;Ada geht.\n".encode("cp1252")


@pytest.fixture
def ada(collection: Collection, media: Path) -> Client:
    client = Client()
    client.force_login(Account.objects.get(username="ada"))
    return client


def look(client: Client, content: bytes, **fields: str) -> ImportPreview:
    """Upload a file, and have it read."""
    client.post(reverse("import-look", args=["paper"]), {"file": SimpleUploadedFile("rows.csv", content), **fields})
    preview = ImportPreview.objects.get()
    run_preview(preview.pk)
    preview.refresh_from_db()
    return preview


def text_of(client: Client, preview: ImportPreview) -> str:
    return client.get(reverse("import-preview", args=["paper", preview.pk])).content.decode()


def decide(client: Client, preview: ImportPreview, do: str, **fields: str) -> Any:
    address = reverse("import-preview-decide", args=["paper", preview.pk])
    return client.post(address, {"do": do, **fields}, follow=True)


def test_a_preview_shows_what_was_understood_and_imports_nothing(ada: Client, collection: Collection) -> None:
    preview = look(ada, SEMICOLONS)
    facts = read(ada, f"collections/paper/previews/{preview.pk}")["found"]
    assert (facts["format"], facts["charset"], facts["separator"]) == ("csv", "windows-1252", "semicolon")
    assert facts["columns"] == {"video": "vid", "start": "start", "end": "end", "text": "text"}
    assert [(row["video"], row["start"], row["end"], row["text"]) for row in facts["rows"]] == [
        ("film", 4.0, 6.5, "Ada öffnet die Tür.")
    ]
    assert facts["counts"] == {"added": 1, "changed": 0, "videos": 1, "moments": 1, "unchanged": 0, "rejected": 1} | {
        "moments_removed": 0,
        "retimed": 0,
        "named": 0,
    }
    assert [(problem["line"], problem["field"]) for problem in facts["problems"]] == [(3, "end")]
    text = text_of(ada, preview)
    assert "Detected: csv" in text and "Detected: semicolons" in text and "Ada öffnet die Tür." in text
    assert "an end after the start (8 s)" in text and "--" not in text.split("<h1")[1].split("</main>")[0]
    assert not Description.objects.exists() and not Import.objects.exists()


def test_a_preview_counts_what_would_change(ada: Client, collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"video,start,end,text,id\nfilm,1,2,Ada waits.,a\nfilm,1,2,Bo waits.,b\nfilm,5,6,Cy waits.,c\n")
    import_descriptions(collection=collection, path=path)
    preview = look(
        ada,
        b"video,start,end,text,id\nfilm,1,2,Ada waits.,a\nfilm,1,3,Bo waits.,b\nfilm,5,6,Cy sits.,c\nnew,1,2,Di.,d\n"
        b"new,1,2,Di.,d\n",
    )
    assert preview.found["counts"] == {
        **{"added": 1, "changed": 2, "unchanged": 2, "videos": 1, "moments": 2, "rejected": 0},
        **{"moments_removed": 0, "retimed": 0, "named": 0},
    }
    job = decide(ada, preview, "import").context["job"]
    run_import(import_id=job.pk)
    job.refresh_from_db()
    assert {name: job.counts[name] for name in preview.found["counts"]} == preview.found["counts"]


def test_a_preview_counts_moments_that_lose_their_descriptions_and_videos_of_another_duration(
    ada: Client, collection: Collection, tmp_path: Path
) -> None:
    head, path = b"video,start,end,text,id,duration\n", tmp_path / "rows.csv"
    path.write_bytes(
        head + b"film,1,2,Ada waits.,a,60\nfilm,1,2,Bo waits.,b,60\nfilm,5,6,Cy waits.,c,60\nfilm,7,8,Di.,d,60\n"
        b"other,1,2,Ed.,e,30\n"
    )
    import_descriptions(collection=collection, path=path)
    # 1-2 loses both of its descriptions, 5-6 its only one but gets another, 7-8 stays.
    preview = look(
        ada,
        head + b"film,1,3,Ada waits.,a,61\nfilm,5,6,Bo waits.,b,61\nfilm,9,10,Cy waits.,c,61\nfilm,7,8,Di.,d,61\n",
    )
    counts = preview.found["counts"]
    assert (counts["changed"], counts["moments_removed"], counts["retimed"]) == (3, 1, 1)
    text = text_of(ada, preview)
    assert "<dt>moments to remove</dt><dd>1</dd>" in text and "<dt>videos with a new duration</dt><dd>1</dd>" in text
    job = decide(ada, preview, "import").context["job"]
    run_import(import_id=job.pk)
    job.refresh_from_db()
    assert {name: job.counts[name] for name in counts} == counts


def test_what_was_previewed_is_imported_as_it_was_read(ada: Client) -> None:
    preview = look(ada, SEMICOLONS)
    answer = decide(ada, preview, "import", skip_bad="on")
    job = Import.objects.get()
    assert answer.redirect_chain[-1][0] == reverse("import-report", args=["paper", job.pk])
    assert not ImportPreview.objects.exists()
    run_import(import_id=job.pk)
    assert Description.objects.get().text == "Ada öffnet die Tür."
    text = ada.get(reverse("import-report", args=["paper", job.pk])).content.decode()
    assert "<dt>descriptions added</dt><dd>1</dd>" in text and "Read as Windows-1252 (Latin-1)." in text


def test_a_second_click_imports_nothing_twice(ada: Client, collection: Collection) -> None:
    preview = look(ada, SEMICOLONS)
    decide(ada, preview, "import", skip_bad="on")
    assert decide(ada, preview, "import", skip_bad="on").status_code == 404
    assert Import.objects.count() == 1


def test_a_column_that_the_file_does_not_tell_is_asked_for_beside_its_field(ada: Client) -> None:
    preview = look(ada, b"video,start,end,description,caption\nfilm,1,2,Ada waits.,Ada.\n")
    text = text_of(ada, preview)
    assert "Found the columns description and caption, expected one column for text. Choose the columns here." in text
    assert 'name="do" value="import"' not in text
    decide(ada, preview, "again", **{"column-text": "description"})
    run_preview(preview.pk)
    preview.refresh_from_db()
    assert preview.found["rows"][0]["text"] == "Ada waits." and preview.found["ignored"] == ["caption"]
    assert 'name="do" value="import"' in text_of(ada, preview)


@pytest.mark.parametrize(
    ("content", "fields", "told"),
    [
        (b"once upon a time", {}, "expected a format that can be detected. Choose it here."),
        (b"a,b,c\n1,2,3\n", {"format": "csv"}, "expected the columns video, start, end, text."),
        ("video,start,end,text\nf,1,2,Ада пьет чай\n".encode("cp1251"), {}, "another charset has to be chosen."),
        (b"video,start,end,text\n", {}, "at least one"),
    ],
    ids=["no format", "other columns", "another charset", "no row"],
)
def test_what_cannot_be_read_is_said_on_the_page_and_never_as_an_option(
    ada: Client, content: bytes, fields: dict[str, str], told: str
) -> None:
    text = text_of(ada, look(ada, content, **fields))
    assert told in text and "--format" not in text and "--charset" not in text
    assert 'name="do" value="import"' not in text


def test_whoever_corrects_and_imports_at_once_sees_the_correction_first(ada: Client) -> None:
    preview = look(ada, SEMICOLONS)
    answer = decide(ada, preview, "import", charset="windows-1251")
    assert "Check the preview before you import." in answer.content.decode() and not Import.objects.exists()
    preview.refresh_from_db()
    assert (preview.state, preview.charset, preview.found) == ("queued", "windows-1251", {})
    # While it is read nothing else can be done with it.
    assert "A worker is still reading this file" in decide(ada, preview, "discard").content.decode()
    assert ImportPreview.objects.exists()


def test_a_discarded_file_is_gone(ada: Client, django_capture_on_commit_callbacks: Any) -> None:
    preview = look(ada, SEMICOLONS)
    with django_capture_on_commit_callbacks(execute=True):
        decide(ada, preview, "discard")
    assert not ImportPreview.objects.exists() and not default_storage.exists(preview.stored_file)


@pytest.mark.parametrize("field", ["format", "charset", "separator"])
def test_a_choice_that_is_not_offered_is_refused(ada: Client, field: str) -> None:
    preview = look(ada, SEMICOLONS)
    assert (
        "Found “morse”, expected one of the offered choices."
        in decide(ada, preview, "again", **{field: "morse"}).content.decode()
    )


def test_no_file_and_an_empty_file_are_refused_in_words(ada: Client) -> None:
    address = reverse("import-look", args=["paper"])
    assert "Choose a file." in ada.post(address, follow=True).content.decode()
    empty = {"file": SimpleUploadedFile("a.csv", b"")}
    assert "The file is empty." in ada.post(address, empty, follow=True).content.decode()


def test_a_file_that_is_gone_from_the_storage_is_said(ada: Client) -> None:
    preview = look(ada, SEMICOLONS)
    default_storage.delete(preview.stored_file)
    decide(ada, preview, "again", format="csv")
    run_preview(preview.pk)
    assert "nothing in the storage" in text_of(ada, preview)


@pytest.mark.parametrize("name", FORMATS)
def test_there_is_a_template_of_every_format_that_imports(
    ada: Client, collection: Collection, tmp_path: Path, name: str
) -> None:
    answer = ada.get(reverse("import-template", args=["paper"]), {"format": name})
    assert TEMPLATES[name][0] in answer["Content-Disposition"]
    path = tmp_path / TEMPLATES[name][0]
    path.write_bytes(answer.content)
    report = import_descriptions(collection=collection, path=path)
    assert report.format == name and report.added >= 2
    assert ada.get(reverse("import-template", args=["paper"]), {"format": "srt"}).status_code == 404
