"""A lead imports judgments from a page: reported by line as the command does, whole or not at all, once."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.models import Judgment
from datasets.judgment_import.jobs import import_judgments
from datasets.models import JudgmentImport
from foundation.collections.members import add_member, get_or_create_collection
from foundation.infra.job_control import resume_job, stop_job
from foundation.models import Account
from tests.api.callers import read
from tests.corpus.description_import.test_import_in_flight import held_up_at
from tests.datasets.judgment_files import JUDGED, row, write_raw

PAGE = "/c/paper/judgments/imports/"


@pytest.fixture
def ada(db: None) -> Client:
    account = Account.objects.create(username="ada")
    collection = get_or_create_collection(name="paper", title="Paper", has_clips=False)
    add_member(collection=collection, account=account, role="lead")
    client = Client()
    client.force_login(account)
    return client


def upload(client: Client, content: bytes, **sent: str) -> Any:
    file = SimpleUploadedFile("a judgment.csv", content)
    return client.post(f"{PAGE}upload", {"file": file, "split": "test", **sent})


def ended(client: Client, content: bytes) -> tuple[JudgmentImport, str]:
    """Upload, have it imported; the job and its page."""
    answer = upload(client, content)
    job = JudgmentImport.objects.latest("pk")
    assert answer["Location"] == f"{PAGE}{job.pk}/"
    import_judgments(job.pk)
    job.refresh_from_db()
    return job, client.get(answer["Location"]).content.decode()


def raw(tmp_path: Path, rows: list[dict[str, Any]]) -> bytes:
    return write_raw(tmp_path / "a.csv", rows).read_bytes()


def test_a_file_is_imported_once_and_says_what_came_of_it(ada: Client, tmp_path: Path) -> None:
    job, page = ended(ada, raw(tmp_path, JUDGED))
    assert (job.state, Judgment.objects.count()) == ("done", len(JUDGED))
    assert "11 judgments added, 0 unchanged; 2 new queries" in page and "Of the pairs that got judgments" in page
    again, page = ended(ada, raw(tmp_path, JUDGED))
    assert "0 judgments added, 11 unchanged" in page
    listed = read(ada, "collections/paper/judgment-imports")["items"]
    assert [(one["judgment_import"], one["counts"]["added"]) for one in listed] == [(again.pk, 0), (job.pk, 11)]


def test_a_file_with_faults_is_refused_by_line_and_leaves_nothing(ada: Client, tmp_path: Path) -> None:
    job, page = ended(ada, raw(tmp_path, [row("w1", 3), row("w2", "nine"), row("w3", 7)]))
    assert (job.state, job.problem_count, Judgment.objects.count()) == ("refused", 2, 0)
    assert "Nothing was imported: 2 problems in a judgment.csv." in page
    assert [one["line"] for one in job.problems] == [3, 4]
    for problem in job.problems:
        assert problem["found"] in page.replace("&#x27;", "'").replace("&quot;", '"')


def test_what_is_wrong_in_the_form_is_said_beside_its_field(ada: Client) -> None:
    answer = ada.post(f"{PAGE}upload", {"split": "training"})
    page = answer.content.decode()
    assert answer.status_code == 400
    assert "Choose a file." in page.partition('id="file-wrong">')[2].partition("</span>")[0]
    assert "Choose val or test." in page.partition('id="split-wrong">')[2].partition("</span>")[0]
    answer = upload(ada, b"")
    assert answer.status_code == 400 and "The file is empty" in answer.content.decode()
    assert not JudgmentImport.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_one_that_is_stopped_keeps_nothing_and_is_whole_when_resumed(ada: Client, tmp_path: Path) -> None:
    upload(ada, raw(tmp_path, JUDGED))
    job = JudgmentImport.objects.get()
    # Stopped while its rows are being stored.
    with held_up_at("annotation_judgment", lambda: import_judgments(job.pk)):
        assert stop_job(job)
    job.refresh_from_db()
    assert (job.state, Judgment.objects.count()) == ("stopped", 0)
    assert resume_job(job)
    import_judgments(job.pk)
    job.refresh_from_db()
    assert (job.state, Judgment.objects.count()) == ("done", len(JUDGED))
