"""Importing in the browser: a lead uploads a file, a worker imports it, the page says how far it is and what it did."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import reverse

from config.celery import app
from corpus.description_import.jobs import progress_of_import, run_import
from corpus.models import Description, Import
from foundation.collections.members import add_member
from foundation.models import Account, Collection, Membership
from tests.corpus.conftest import row
from tests.workers import kill_group, one_worker, wait_until


def rows(*made: dict[str, Any] | bytes) -> bytes:
    return b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in made)


@pytest.fixture
def empty_queue() -> Iterator[None]:
    app.control.purge()
    yield
    app.control.purge()


@pytest.fixture
def ada(collection: Collection, media: Path, empty_queue: None) -> Client:
    client = Client()
    client.force_login(Account.objects.get(username="ada"))
    return client


def send(client: Client, content: bytes, name: str = "rows.jsonl", **fields: Any) -> Any:
    address = reverse("import-upload", args=["paper"])
    return client.post(address, {"file": SimpleUploadedFile(name, content), **fields}, follow=True)


def text_of(client: Client, name: str = "import-report") -> str:
    arguments = ["paper"] if name == "imports" else ["paper", Import.objects.get().pk]
    return client.get(reverse(name, args=arguments)).content.decode()


def test_an_upload_is_kept_and_waits_for_a_worker(ada: Client, collection: Collection) -> None:
    response = send(ada, rows(row(1)))
    job = Import.objects.get()
    assert response.redirect_chain == [(reverse("import-report", args=["paper", job.pk]), 302)]
    assert "No worker runs: start script/worker." in response.content.decode()
    assert (job.state, job.file_name, job.member.account.username) == ("queued", "rows.jsonl", "ada")
    assert default_storage.open(job.stored_file).read() == rows(row(1))
    assert "rows" not in job.stored_file
    with app.connection_for_read() as broker:
        assert broker.default_channel.queue_declare("celery", passive=False).message_count == 1


def test_a_finished_import_says_what_it_did(ada: Client) -> None:
    send(ada, rows(row(1), row(2)))
    run_import(import_id=Import.objects.get().pk)
    text = text_of(ada)
    assert [f"<dd>{count}</dd>" in text for count in (2, 0, 1)] == [True] * 3 and "descriptions added" in text
    assert "tvr (detected)" in text
    assert "data-url" not in text
    assert Description.objects.count() == 2
    assert "rows.jsonl" in text_of(ada, "imports")


def test_a_refused_import_shows_its_problems_and_changes_nothing(ada: Client) -> None:
    send(ada, rows(row(1), *(row(number, desc="<b>", type="x") for number in range(2, 25)), b"{<i>"))
    run_import(import_id=Import.objects.get().pk)
    text = text_of(ada)
    assert "Nothing was imported: the file has 24 problems." in text
    assert "The first 10 of 24:" in text
    assert "<span>one of v, t, vt</span>" in text
    assert "<b>" not in text
    assert Description.objects.count() == 0
    assert Import.objects.get().state == "refused"


def test_rejected_rows_can_be_fetched(ada: Client) -> None:
    send(ada, rows(row(1), row(2, type="x")), skip_bad="on", format="tvr")
    run_import(import_id=Import.objects.get().pk)
    text = text_of(ada)
    address = reverse("import-rejected", args=["paper", Import.objects.get().pk])
    assert address in text
    assert "invalid rows left out" in text and "<dt>descriptions added</dt><dd>1</dd>" in text
    response = ada.get(address)
    assert response["Content-Disposition"] == 'attachment; filename="rows.jsonl.rejected.jsonl"'
    facts = json.loads(b"".join(response.streaming_content))
    assert (facts["line"], facts["row"]) == (2, row(2, type="x"))


def test_without_rejected_rows_there_is_nothing_to_fetch(ada: Client) -> None:
    send(ada, rows(row(1)), skip_bad="on")
    run_import(import_id=Import.objects.get().pk)
    assert ada.get(reverse("import-rejected", args=["paper", Import.objects.get().pk])).status_code == 404


def test_a_finished_import_is_not_done_again(ada: Client) -> None:
    send(ada, rows(row(1)))
    job = Import.objects.get()
    run_import(import_id=job.pk)
    Description.objects.all().delete()
    run_import(import_id=job.pk)
    assert Description.objects.count() == 0


def test_an_import_of_a_file_that_is_gone_says_so(ada: Client) -> None:
    send(ada, rows(row(1)))
    job = Import.objects.get()
    default_storage.delete(job.stored_file)
    run_import(import_id=job.pk)
    assert "nothing in the storage" in text_of(ada)


def test_an_import_that_does_not_exist_is_passed_over(db: None) -> None:
    run_import(import_id=10**9)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "Choose a file."),
        ({"file": SimpleUploadedFile("a.jsonl", b"")}, "The file is empty."),
        ({"file": SimpleUploadedFile("a.jsonl", b"x"), "format": "srt"}, "srt is not one of the available choices"),
    ],
    ids=["no file", "an empty file", "an unknown format"],
)
def test_what_is_no_upload_is_refused_in_words(ada: Client, fields: dict[str, Any], said: str) -> None:
    response = ada.post(reverse("import-upload", args=["paper"]), fields, follow=True)
    assert said in response.content.decode()
    assert not Import.objects.exists()


@pytest.mark.parametrize("name", ["../../etc/passwd", "x" * 300 + ".csv", "a\x00b.csv", "<script>.csv", "é 中.csv"])
def test_whatever_a_file_is_called_it_is_kept(ada: Client, name: str) -> None:
    response = send(ada, rows(row(1)), name=name)
    assert response.status_code == 200
    job = Import.objects.get()
    assert "/" not in job.file_name and len(job.file_name) <= 200
    assert job.stored_file.startswith("imports/") and job.stored_file.endswith("/file")
    assert "<script>.csv" not in response.content.decode()


def test_an_import_of_another_collection_is_not_there(ada: Client, collection: Collection) -> None:
    send(ada, rows(row(1)))
    job = Import.objects.get()
    other = Collection.objects.create(name="second", title="Second")
    add_member(collection=other, account=Account.objects.get(username="bo"), role=Membership.Role.LEAD)
    bo = Client()
    bo.force_login(Account.objects.get(username="bo"))
    of_job = ("import", job.pk)
    for page, of in (("import-report", of_job[1:]), ("job-progress", of_job), ("import-rejected", of_job[1:])):
        assert bo.get(reverse(page, args=["second", *of])).status_code == 404
        assert bo.get(reverse(page, args=["paper", *of])).status_code == 403
    bo.post(reverse("job-resume", args=["second", *of_job]))
    with app.connection_for_read() as broker:
        assert broker.default_channel.queue_declare("celery", passive=False).message_count == 1


def test_an_import_that_is_silent_can_be_started_again(ada: Client) -> None:
    send(ada, rows(row(1)))
    job = Import.objects.get()
    again = reverse("job-resume", args=["paper", "import", job.pk])
    assert "There is nothing to start again." in ada.post(again, follow=True).content.decode()
    app.control.purge()
    Import.objects.update(asked_at=job.asked_at - timedelta(minutes=1))
    assert ada.get(reverse("job-progress", args=["paper", "import", job.pk])).json()["silent"]
    ada.post(again)
    with app.connection_for_read() as broker:
        assert broker.default_channel.queue_declare("celery", passive=False).message_count == 1


def test_progress_is_said_in_words(ada: Client) -> None:
    send(ada, rows(row(1)))
    job = Import.objects.get()
    job.state, job.done, job.size, job.bytes_done = "running", 12_000, 4_000, 1_000
    job.started_at, job.touched_at = job.asked_at, job.asked_at + timedelta(seconds=30)
    progress = progress_of_import(job)
    assert (progress["share"], progress["words"]) == (25.0, "12,000 rows read, 400 per second, about 2 min left.")
    job.bytes_done = 4_000
    assert progress_of_import(job)["words"] == "12,000 rows read; checking and storing them."


# --- with a real worker ---


@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_in_the_middle_leaves_nothing_and_the_next_goes_on(empty_queue: None, tmp_path: Path) -> None:
    collection = Collection.objects.create(name="paper", title="Paper")
    lead = Account.objects.create_user("ada")
    add_member(collection=collection, account=lead, role="lead")
    client = Client()
    client.force_login(lead)
    holder = connection.copy()
    holder.set_autocommit(False)
    with one_worker(tmp_path / "first.log") as first:
        try:
            # Nobody can add descriptions, so that the worker is sure to die in the middle of it.
            with holder.cursor() as cursor:
                cursor.execute("LOCK TABLE corpus_description IN SHARE MODE")
            send(client, rows(*(row(number) for number in range(50))))
            job = Import.objects.get()
            progress = reverse("job-progress", args=["paper", "import", job.pk])
            wait_until(lambda: client.get(progress).json()["state"] == "running")
            kill_group(first)
        finally:
            holder.rollback()
            holder.close()
    assert Description.objects.count() == 0
    assert not client.get(progress).json()["finished"]
    with one_worker(tmp_path / "second.log"):
        wait_until(lambda: client.get(progress).json()["finished"])
    assert Description.objects.count() == 50
    job.refresh_from_db()
    assert (job.state, job.counts["added"], job.done) == ("done", 50, 50)
    default_storage.delete(job.stored_file)
