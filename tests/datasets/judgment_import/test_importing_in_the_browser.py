"""A lead imports judgments from a page: reported by line as the command does, whole or not at all, once."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
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
    # Opened by hand, the address that the page has now says where to go.
    reopened = ada.get(f"{PAGE}upload")
    assert (reopened.status_code, reopened["Allow"]) == (405, "POST")
    assert "only takes what a form sends" in reopened.content.decode()
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


def test_files_of_pairs_and_a_policy_go_with_the_file(ada: Client, tmp_path: Path) -> None:
    alone = write_raw(tmp_path / "alone.csv", [*JUDGED, row("w2", 4)], ("pair_id", "worker", "relevance"))
    columns = ("pair_id", "query_id", "query", "video_name", "timestamp", "duration", "caption", "similarity")
    of_pairs = list({one["pair_id"]: one for one in JUDGED}.values())
    files = [
        SimpleUploadedFile(name, write_raw(tmp_path / "a.csv", rows, columns).read_bytes())
        for name, rows in (("val.csv", of_pairs[:1]), ("test.csv", of_pairs[1:]))
    ]

    def sent(*pairs: SimpleUploadedFile, **more: str) -> JudgmentImport:
        file = SimpleUploadedFile("alone.csv", alone.read_bytes())
        for one in pairs:
            one.seek(0)
        answer = ada.post(f"{PAGE}upload", {"file": file, "pairs": list(pairs), "split": "test", **more})
        assert answer.status_code == 302, answer.content.decode()
        job = JudgmentImport.objects.latest("pk")
        import_judgments(job.pk)
        job.refresh_from_db()
        return job

    refused = sent(*files, repeated_ids="refuse")
    assert refused.state == "refused" and "'w2' a second time" in refused.problems[0]["found"]
    broken = sent(files[0], SimpleUploadedFile("broken.csv", b"pair_id\n1\n"), repeated_ids="last")
    page = ada.get(f"{PAGE}{broken.pk}/").content.decode()
    assert "Nothing was imported: 1 problem in broken.csv." in page and "upload all the files again" in page
    assert (
        "Count the id&#x27;s last judgment of the pair" in page and "no column query_id, video_name, timestamp" in page
    )
    done = sent(*files, repeated_ids="last")
    assert (done.state, done.repeated_ids, Judgment.objects.count()) == ("done", "last", len(JUDGED))
    page = ada.get(f"{PAGE}{done.pk}/").content.decode()
    assert "1 pair needs more judgments: 122. 1 judgment left out, since their id judges the pair again." in page
    assert "What the pairs are about was read from val.csv, test.csv." in page
    answer = upload(ada, alone.read_bytes(), repeated_ids="newest")
    assert answer.status_code == 400
    assert "newest" in answer.content.decode().partition('id="repeated-ids-wrong">')[2].partition("</span>")[0]
    empty = {"file": SimpleUploadedFile("a.csv", b"x"), "pairs": [SimpleUploadedFile("b.csv", b"")], "split": "test"}
    page = ada.post(f"{PAGE}upload", empty).content.decode()
    assert "A file of pairs is empty" in page.partition('id="pairs-wrong">')[2].partition("</span>")[0]
    call_command("import_judgments", "paper", str(write_raw(tmp_path / "b.csv", JUDGED)))
    job = JudgmentImport.objects.latest("pk")
    assert "by a command" in ada.get(f"{PAGE}{job.pk}/").content.decode()
    assert [one["repeated_ids"] for one in read(ada, "collections/paper/judgment-imports")["items"]][:2] == [
        *("refuse", "last"),
    ]
