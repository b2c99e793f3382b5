"""Anybody with an account audits a file of judgments: page and API say what the command says; it is theirs alone."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from annotation.people.erasure import erase_account
from annotation.people.own_data import own_data
from datasets.judgment_audits import jobs
from datasets.judgment_audits.jobs import audit_judgments
from datasets.judgment_audits.services import MOST, ask_for_audit
from datasets.models import JudgmentAudit
from evaluation.judgments.audit_formats import AUDIT_FORMATS
from foundation.accounts.first_owner import owners_beside
from foundation.collections.members import add_member, get_or_create_collection
from foundation.infra.job_control import resume_job, stop_job
from foundation.infra.jobs import MOST_BEGINNINGS
from foundation.infra.storage import names_below
from foundation.models import Account
from foundation.refused import Refused
from operation.retention.classes import KEPT
from tests.api.callers import Caller
from tests.evaluation.files import told
from tests.evaluation.judgments.test_audit import SMALL, write_judgments

PAGE = "/judgment-audits/"
ABOUT = b'pair_id,query_id,video_name,timestamp\n1,q,v,"[0, 5]"\n2,r,v,"[0, 5]"\n3,r,w,"[0, 5]"\n'
RAW = b"pair_id,worker,relevance\n1,a,3\n1,b,4\n2,a,0\n2,b,4\n3,a,1\n3,a,2\n"


@pytest.fixture(autouse=True)
def media(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = str(tmp_path / "media")


@pytest.fixture
def mal(db: None) -> Client:
    """Who belongs to no collection."""
    return logged_in("mal")


def logged_in(name: str) -> Client:
    client = Client()
    client.force_login(Account.objects.get_or_create(username=name)[0])
    return client


def upload(client: Client, content: bytes = RAW, name: str = "a raw.csv", **sent: Any) -> Any:
    return client.post(f"{PAGE}upload", {"file": SimpleUploadedFile(name, content), "ratings": "1-5", **sent})


def audited(client: Client, content: bytes = RAW, **sent: Any) -> tuple[JudgmentAudit, str]:
    """Upload, have it audited; the job and its page."""
    answer = upload(client, content, **sent)
    assert answer.status_code == 302, answer.context["form"].errors
    job = JudgmentAudit.objects.latest("pk")
    assert answer["Location"] == f"{PAGE}{job.pk}/"
    audit_judgments(job.pk)
    job.refresh_from_db()
    return job, client.get(answer["Location"]).content.decode()


def stored() -> set[str]:
    return names_below("judgment-audits")


def test_page_files_and_api_say_what_the_command_says(mal: Client, tmp_path: Path, capsys: Any) -> None:
    path = write_judgments(tmp_path / "raw.csv", SMALL)
    by_command = json.loads(told(capsys, "audit", path, "--json")[0])
    job, page = audited(mal, path.read_bytes())
    assert (job.state, job.said) == ("done", "Audited 19 judgments of 7 pairs.")
    assert not stored(), "what was uploaded goes"
    for words in ("Lowest and highest grade", "left out: a pair with a repeated id", "p4, p5, p7", "<svg"):
        assert words in page
    files = {name: mal.get(f"{PAGE}{job.pk}/{name}") for name in mal.get(f"{PAGE}{job.pk}/").context["files"]}
    assert len(files) == 7 and {answer.status_code for answer in files.values()} == {200}
    found = json.loads(files["audit.json"].content)
    assert found == {**by_command, "file": "a raw.csv"}
    assert files["audit.txt"].content.decode() == AUDIT_FORMATS["text"](found) + "\n"
    assert files["audit.csv"].content.decode().splitlines() == AUDIT_FORMATS["csv"](found).splitlines()
    assert files["drift.svg"].content.startswith(b"<svg")
    assert mal.get(f"{PAGE}{job.pk}/passwords.txt").status_code == 404
    caller = Caller(job.account)
    assert caller.get(f"/judgment-audits/{job.pk}/result").json() == found


def test_it_is_theirs_alone(mal: Client) -> None:
    job, _ = audited(mal)
    bo, address = logged_in("bo"), f"{PAGE}{job.pk}/"
    for path in ("", "progress", "audit.json"):
        assert bo.get(address + path).status_code == 404
    assert bo.post(f"{address}change", {"what": "delete"}).status_code == 404
    assert "a raw.csv" not in bo.get(PAGE).content.decode() and "a raw.csv" in mal.get(PAGE).content.decode()
    caller = Caller(Account.objects.get(username="bo"))
    for path in ("", "/result"):
        assert caller.get(f"/judgment-audits/{job.pk}{path}").status_code == 404
    assert caller.delete(f"/judgment-audits/{job.pk}").status_code == 404
    assert Client().get(address)["Location"] == f"/login/?next={address}"
    assert JudgmentAudit.objects.exists()


BAD = {
    "pair_id,worker,relevance\n1,a,3\n1,b,nine\n": "a raw.csv, line 3: found relevance &#x27;nine&#x27;, expected",
    "hello\n": "Label Studio&#x27;s export; or qrels",
    "pair_id,worker,relevance\n": "a raw.csv: found no judgment",
    "pair_id,worker,relevance\n1,Zoë,3\n": "line 2: found encoding b&#x27;\\xeb&#x27;, expected UTF-8 (byte 5 of",
    "\x1f\x8bno": "begins like gzip",
}


@pytest.mark.parametrize("content", BAD)
def test_a_bad_file_is_refused_with_its_line(mal: Client, content: str) -> None:
    job, page = audited(mal, content.encode("latin-1"))
    assert (job.state, job.result, stored()) == ("refused", None, set())
    assert (
        BAD[content] in page
        and "Nothing was audited. Correct the file and upload it again" in page
        and "/tmp" not in job.problem
    )
    assert mal.get(f"{PAGE}{job.pk}/audit.json").status_code == 404


def test_the_pairs_data_are_read_too_and_their_faults_are_named(mal: Client) -> None:
    job, page = audited(mal, pairs=SimpleUploadedFile("pairs.csv", ABOUT))
    assert job.result["resampled"] == "queries and workers" and "pairs.csv" in page
    job, page = audited(mal, pairs=SimpleUploadedFile("pairs.csv", ABOUT.replace(b"2,r,v", b"2,,v")))
    assert "pairs.csv, line 3: found an empty column" in page
    job, page = audited(mal, pairs=SimpleUploadedFile("pairs.csv", ABOUT[:-15]))
    assert job.state == "refused" and not stored()


def test_a_file_of_one_judgment_has_no_tables_of_nothing(mal: Client) -> None:
    job, page = audited(mal, b"pair_id,worker,relevance\n8652,a,3\n")
    assert job.state == "done" and "Open, since they lack judgments: pair 8652." in page
    assert "people in the first round: 2, in the second: 2" in page and "rounded: up." in page
    for words in ("Kappa", "Lowest and highest", "Repeated ids", "Along the file", "on-paper"):
        assert words not in page
    assert '<span class="pill done">' in mal.get(PAGE).content.decode()


def test_pairs_without_data_are_told(mal: Client) -> None:
    open_pair = ABOUT.replace(b'3,r,w,"[0, 5]"\n', b"")
    job, page = audited(mal, RAW.replace(b"3,a,2\n", b""), pairs=SimpleUploadedFile("pairs.csv", open_pair))
    assert job.result["pairs_without_data"] == 1
    assert "none with a grade: 1. Each counts as a query of its own." in page


def test_what_cannot_be_taken_is_said_beside_its_field(mal: Client, settings: Any) -> None:
    answer = mal.post(f"{PAGE}upload", {})
    assert (answer.status_code, answer.context["form"].errors["file"]) == (400, ["Choose a file."])
    assert "The file is empty" in str(upload(mal, b"").context["form"].errors["file"])
    settings.LONGEST_UPLOAD = 60
    answer = upload(mal)
    too_large = f"It is too large: found {len(RAW)} bytes, expected at most 60 bytes."
    assert (answer.status_code, answer.context["form"].errors["file"]) == (400, [too_large])
    settings.LONGEST_UPLOAD = 200
    job, _ = audited(mal, gzip.compress(RAW + b"4,a,1\n" * 200))
    assert job.problem == "It is too large unpacked: expected at most 200 bytes."
    assert not stored()


def test_one_at_a_time_and_a_few_in_all(mal: Client) -> None:
    assert upload(mal).status_code == 302
    answer = upload(mal)
    assert answer.status_code == 400 and "Another file of yours is being audited" in answer.content.decode()
    assert len(stored()) == 1, "nothing is left of the second"
    account = Account.objects.get(username="mal")
    JudgmentAudit.objects.update(state="done")
    JudgmentAudit.objects.bulk_create(
        JudgmentAudit(account=account, file_name="x", size=1, state="done") for _ in range(MOST - 1)
    )
    assert f"You have {MOST} audits here" in upload(mal).content.decode()


def test_stopped_it_keeps_its_file_and_goes_on(
    transactional_db: None, mal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload(mal)
    job = JudgmentAudit.objects.get()
    change: Callable[[str], Any] = lambda what: mal.post(f"{PAGE}{job.pk}/change", {"what": what})  # noqa: E731
    read = jobs.read_judgments

    def stopped_meanwhile(*arguments: Any, **options: Any) -> Any:
        monkeypatch.undo()
        assert change("stop").status_code == 302
        return read(*arguments, **options)

    monkeypatch.setattr(jobs, "read_judgments", stopped_meanwhile)
    audit_judgments(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result) == ("stopped", None) and stored()
    assert "The file is kept" in mal.get(f"{PAGE}{job.pk}/").content.decode()
    change("resume")
    audit_judgments(job.pk)
    job.refresh_from_db()
    assert job.state == "done" and not stored()
    assert not stop_job(job) and not resume_job(job)
    assert change("steal").status_code == 302 and JudgmentAudit.objects.exists()
    assert change("delete")["Location"] == PAGE
    assert not JudgmentAudit.objects.exists()
    assert change("delete").status_code == 404


def test_a_killed_worker_s_audit_is_begun_again_and_refused_at_last(mal: Client) -> None:
    upload(mal)
    job = JudgmentAudit.objects.get()
    JudgmentAudit.objects.update(state="running", begun=1)  # as a killed worker leaves it
    audit_judgments(job.pk)
    job.refresh_from_db()
    assert job.state == "done"
    upload(mal)
    JudgmentAudit.objects.filter(state="queued").update(state="running", begun=MOST_BEGINNINGS)
    audit_judgments(JudgmentAudit.objects.latest("pk").pk)
    assert "broken off" in JudgmentAudit.objects.latest("pk").problem and not stored()


def test_deleted_while_it_runs_it_stays_deleted(mal: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    upload(mal)
    job = JudgmentAudit.objects.get()
    read = jobs.read_judgments

    def deleted_meanwhile(*arguments: Any, **options: Any) -> Any:
        Caller(job.account).delete(f"/judgment-audits/{job.pk}")
        return read(*arguments, **options)

    monkeypatch.setattr(jobs, "read_judgments", deleted_meanwhile)
    audit_judgments(job.pk)
    assert not JudgmentAudit.objects.exists() and not stored()


def test_it_is_in_one_s_own_data_and_goes_with_the_account(mal: Client) -> None:
    job, _ = audited(mal)
    JudgmentAudit.objects.update(
        state="stopped", stored_file=default_storage.save("judgment-audits/x/file", SimpleUploadedFile("x", b"x"))
    )
    facts = json.loads("".join(own_data(job.account)))
    assert [one["result"]["judgments"] for one in facts["judgment_audits"]] == [6]
    logged_in("ada")
    assert not owners_beside(job.account)
    erase_account(account=job.account)
    assert not JudgmentAudit.objects.exists() and not stored()


def test_old_ones_go_by_the_site_s_settings(mal: Client) -> None:
    job, _ = audited(mal)
    assert KEPT["audits"].forget(job.finished_at) == 0
    assert KEPT["audits"].count(timezone.now()) == 1 == KEPT["audits"].forget(timezone.now())
    assert not JudgmentAudit.objects.exists()


def test_a_program_audits_a_file(mal: Client) -> None:
    caller = Caller(Account.objects.get(username="mal"))
    answer = caller.post("/judgment-audits", {"name": "mine.csv", "content": RAW.decode()})
    assert answer.status_code == 202, answer.content
    number = answer.json()["audit"]
    assert caller.get(f"/judgment-audits/{number}/result").status_code == 404
    stopped = caller.post(f"/judgment-audits/{number}/stop").json()
    assert (
        stopped["state"] == "stopped" and caller.post(f"/judgment-audits/{number}/resume").json()["state"] == "queued"
    )
    audit_judgments(number)
    assert caller.get(f"/judgment-audits/{number}").json()["state"] == "done"
    assert caller.get(f"/judgment-audits/{number}/result").json()["pairs_by_judgments"] == {"2": 3}
    assert [one["audit"] for one in caller.get("/judgment-audits").json()["items"]] == [number]
    assert caller.delete(f"/judgment-audits/{number}").status_code == 204
    assert caller.post("/judgment-audits", {"name": "mine.csv"}).status_code == 422
    assert caller.post("/judgment-audits", {"name": "mine.csv", "file": "x"}).status_code == 422
    reader = Caller(Account.objects.get(username="mal"), scopes=("read",))
    assert reader.post("/judgment-audits", {"name": "mine.csv", "content": "x"}).status_code == 403


def test_a_longer_file_is_sent_in_pieces_to_a_collection_of_one_s_own(mal: Client) -> None:
    account = Account.objects.get(username="mal")
    collection = get_or_create_collection(name="paper", title="Paper", has_clips=False)
    add_member(collection=collection, account=account, role="annotator")
    caller = Caller(account)
    key = caller.send("/collections/paper", "raw.csv", RAW)
    bo = Caller(Account.objects.create(username="bo"))
    assert bo.post("/judgment-audits", {"name": "r", "file": key}).status_code == 422, "it is mal's"
    about = caller.send("/collections/paper", "pairs.csv", ABOUT)
    number = caller.post("/judgment-audits", {"name": "r", "file": key, "pairs_file": about}).json()["audit"]
    audit_judgments(number)
    assert JudgmentAudit.objects.get(pk=number).result["resampled"] == "queries and workers"
    assert caller.post("/judgment-audits", {"name": "r", "file": key}).status_code == 422, "it is used"


def test_a_full_disk_leaves_nothing(mal: Client, settings: Any, tmp_path: Path) -> None:
    (tmp_path / "media").write_text("no folder")
    answer = upload(mal)
    assert answer.status_code == 400 and "can&#x27;t be stored" in answer.content.decode()
    assert not JudgmentAudit.objects.exists()


def test_hostile_ids_are_shown_as_text_and_run_nowhere(mal: Client) -> None:
    worker = "=HYPERLINK(1)<script>x</script>" + "y" * 500
    job, page = audited(mal, RAW + f'4,"{worker}",3\n4,"a|b\nc",3\n'.encode())
    assert job.state == "done" and "<script>x" not in page
    lines = mal.get(f"{PAGE}{job.pk}/audit.csv").content.decode()
    assert "\nWorkers,'=HYPERLINK" in lines and "\nWorkers,=HYPERLINK" not in lines
    assert "a\\|b c" in mal.get(f"{PAGE}{job.pk}/audit.md").content.decode()


def test_many_workers_are_paged_and_what_is_left_out_is_said(mal: Client) -> None:
    rows = "".join(f"{pair},w{worker},{pair % 5}\n" for pair in range(40) for worker in range(pair, pair + 13))
    job, page = audited(mal, b"pair_id,worker,relevance\n" + rows.encode())
    assert (
        "Page 1 of 3" in page and "Of a pair&#x27;s judgments the first 12 are compared; pairs with more: 40." in page
    )
    assert "The 50 couples of workers with most pairs in common" in page
    assert page.count("<h2") == mal.get(f"{PAGE}{job.pk}/?page=3").content.decode().count("<h2")
    assert job.result["agreement"]["all"]["kappa"]["value"] == 1


def test_a_service_refuses_without_a_trace(db: None) -> None:
    account = Account.objects.create(username="bo")
    with pytest.raises(Refused, match="empty"):
        ask_for_audit(account=account, file=SimpleUploadedFile("x", b"x"), pairs=SimpleUploadedFile("y", b""))
    assert not stored()
