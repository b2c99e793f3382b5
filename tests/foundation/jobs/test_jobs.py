"""Every job can be stopped and resumed, has a log, and a page; whoever works on it notices, whenever that is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client

from corpus.description_formats import FileChoices
from corpus.description_import.jobs import keep_upload, run_import
from corpus.models import Description, Import
from foundation.collections.members import add_member, get_or_create_collection
from foundation.infra.job_control import resume_job, stop_job
from foundation.infra.job_log import MOST_LINES, lines_of
from foundation.infra.jobs import BROKEN_OFF, JobProgress, run_job
from foundation.jobs.selectors import kinds
from foundation.models import Account, Job, JobLine, Membership
from foundation.refused import Refused
from queries.models import CandidateFetch, RewriteJob
from tests.api.callers import read
from tests.workers import kill_group, one_worker, wait_until

ROWS = "clip1 0.0 3.0##Ada opens the door.\nclip1 4.0 9.0##Bo sings.\n"


@pytest.fixture
def ada(transactional_db: None) -> Membership:
    account = Account.objects.create(username="ada")
    collection = get_or_create_collection(name="paper", title="The paper moon")
    return add_member(collection=collection, account=account, role="lead")


def fetch_of(member: Membership, **columns: Any) -> CandidateFetch:
    return CandidateFetch.objects.create(collection=member.collection, member=member, **columns)


def log(job: Job) -> list[str]:
    return [line.text for line in lines_of(job)]


def run(job: Job, *work: Callable[[JobProgress], object]) -> str:
    """Run the job with this work, each step followed by its telling how far it is. Returns the row's state."""

    def all_of(row: Job, progress: JobProgress) -> None:
        for step in work:
            step(progress)
            progress.note(done=progress.done)

    run_job(type(job), job.pk, all_of)
    job.refresh_from_db()
    return str(job.state)


def test_a_job_that_is_stopped_ends_at_its_next_step_and_goes_on_when_resumed(ada: Membership) -> None:
    job, did = fetch_of(ada), []
    stops = [lambda progress: did.append(1), lambda progress: stop_job(job, by=ada), lambda progress: did.append(2)]
    assert run(job, *stops) == "stopped"
    assert (did, job.finished_at is not None, job.problem) == ([1], True, "")
    assert stop_job(job, by=ada) is False, "a second time there is nothing to stop"
    assert run(job, lambda progress: did.append(3)) == "stopped" and did == [1], "no worker takes it"

    assert resume_job(job, by=ada)
    job.refresh_from_db()
    assert (job.state, job.finished_at, job.due_at) == ("queued", None, None)
    assert run(job, lambda progress: progress.say("All of it.")) == "done"
    assert stop_job(job) is False and resume_job(job) is False, "what has ended stays so"
    assert log(job) == [
        "Begun.",
        "Stop requested by w01.",
        f"Stopped. {CandidateFetch.KEPT}",
        "Resumed by w01.",
        "Begun.",
        "All of it.",
        "Done.",
    ]


def test_one_that_is_resumed_before_its_worker_noticed_simply_goes_on(ada: Membership) -> None:
    job, did = fetch_of(ada), []

    def stop_and_resume(progress: JobProgress) -> None:
        assert stop_job(job) and resume_job(job)

    assert run(job, stop_and_resume, lambda progress: did.append(1)) == "done"
    assert did == [1]


def test_a_stop_that_comes_when_all_is_done_comes_too_late(ada: Membership) -> None:
    job = fetch_of(ada)

    def work(row: CandidateFetch, progress: JobProgress) -> None:
        assert stop_job(job)

    assert run_job(CandidateFetch, job.pk, work)
    job.refresh_from_db()
    assert (job.state, log(job)[-1]) == ("done", "Done.")


def test_one_that_waits_is_stopped_at_once_and_never_begun(ada: Membership) -> None:
    job = fetch_of(ada)
    assert stop_job(job)
    assert run(job, lambda progress: pytest.fail("it was stopped")) == "stopped"
    assert not CandidateFetch.to_do().exists(), "the sweep doesn't send it either"


def test_one_can_t_be_resumed_beside_another_that_excludes_it(ada: Membership) -> None:
    first = fetch_of(ada)
    stop_job(first)
    fetch_of(ada)
    with pytest.raises(Refused, match="Another job of this kind is running here"):
        resume_job(first)
    first.refresh_from_db()
    assert first.state == "stopped"


def test_refusals_and_beginnings_after_a_kill_are_in_the_log_and_the_log_is_bounded(ada: Membership) -> None:
    job = fetch_of(ada, begun=1, started_at=ada.joined_at)

    def talk(progress: JobProgress) -> None:
        for number in range(MOST_LINES + 20):
            progress.say(f"Line {number}\0.")
            progress.say(f"Line {number}\0.")

    assert run(job, talk) == "done"
    assert JobLine.objects.count() == MOST_LINES
    assert log(job)[-2:] == [f"Line {MOST_LINES + 19}\ufffd.", "Done."]

    other = fetch_of(ada, begun=2, started_at=ada.joined_at)

    def fail(progress: JobProgress) -> None:
        raise OSError(28, "No space left on device")

    assert run(other, fail) == "refused"
    assert log(other) == ["Begun again after it was broken off, for the 3. time of at most 3.", other.problem]
    often = fetch_of(ada, begun=3)
    assert run(often) == "refused"
    assert log(often) == [BROKEN_OFF.format(3)]


def test_a_job_that_rewrites_is_resumed_by_a_worker_whoever_began_it(ada: Membership) -> None:
    job = RewriteJob.objects.create(collection=ada.collection, rewriter="openai", model="m")
    assert stop_job(job, by=ada) and resume_job(job, by=ada)
    assert list(RewriteJob.to_do()) == [job]


def test_a_killed_worker_leaves_a_stopped_import_stopped_and_nothing_of_it(ada: Membership, tmp_path: Path) -> None:
    upload = SimpleUploadedFile("more.txt", ROWS.encode())
    job = keep_upload(member=ada, upload=upload, choices=FileChoices("charades-sta"))
    blocker = connection.copy()
    blocker.set_autocommit(False)
    try:
        # Before the worker starts, whose first sweep finds it and would be done with it at once.
        blocker.cursor().execute("LOCK TABLE corpus_description IN SHARE MODE")
        with one_worker(tmp_path / "worker.log") as worker:
            client = Client()
            client.force_login(ada.account)
            wait_until(somebody_waits)
            page = f"/c/paper/jobs/import/{job.pk}/"
            assert client.post(f"{page}stop", {"page": "/c/paper/imports/"})["Location"] == "/c/paper/imports/"
            wait_until(lambda: client.get(f"{page}progress").json()["words"].startswith("Stopping: "))
            kill_group(worker)
    finally:
        blocker.rollback()
        blocker.close()
    wait_until(lambda: client.get(f"{page}progress").json()["words"] == f"Stopped. {Import.KEPT}")
    assert not Description.objects.exists()
    client.post(f"{page}resume")
    run_import(import_id=job.pk)
    job.refresh_from_db()
    assert (job.state, Description.objects.count()) == ("done", 2)
    assert log(job) == ["Begun.", "Stop requested by w01.", "Resumed by w01.", "Begun.", "Done."]


def somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_locks WHERE NOT granted AND relation = 'corpus_description'::regclass")
        return cursor.fetchone() is not None


def client_of(member: Membership) -> Client:
    client = Client()
    client.force_login(member.account)
    return client


def test_the_pages_show_all_jobs_of_a_collection_and_of_no_other(ada: Membership) -> None:
    ended = fetch_of(ada, state="done", said="Everything ranked.")
    running = fetch_of(ada, state="running", total=40, done=10, touched_at=ada.joined_at)
    keep_upload(member=ada, upload=SimpleUploadedFile("<b>.txt", b"x"))
    client = client_of(ada)
    listed = read(client, "collections/paper/jobs")["items"]
    assert [(item["kind"], item["state"]) for item in listed] == [
        ("import", "queued"),
        ("candidates", "running"),
        ("candidates", "done"),
    ]
    assert listed[1]["progress"]["share"] == 25.0
    text = client.get("/c/paper/jobs/").content.decode()
    assert "&lt;b&gt;.txt" in text and "Everything ranked." in text

    page = client.get(f"/c/paper/jobs/candidates/{running.pk}/").content.decode()
    assert "10 of 40" in page and "Requested" in page and "by w01" in page
    answer = client.post(f"/c/paper/jobs/candidates/{ended.pk}/stop", follow=True)
    assert "It had ended already, so there was nothing to stop." in answer.content.decode()
    answer = client.post(f"/c/paper/jobs/candidates/{ended.pk}/resume", {"page": "https://elsewhere.org/"})
    assert answer["Location"] == f"/c/paper/jobs/candidates/{ended.pk}/"

    other = add_member(
        collection=get_or_create_collection(name="other", title="Another"),
        account=Account.objects.create(username="bo"),
        role="owner",
    )
    bo = client_of(other)
    assert read(bo, "collections/other/jobs") == {"items": [], "next": None}
    for address in (f"candidates/{running.pk}/", f"import/{running.pk + 99}/", f"nothing/{running.pk}/"):
        assert bo.get(f"/c/other/jobs/{address}").status_code == 404
        assert bo.post(f"/c/other/jobs/{address}stop").status_code == 404
        assert bo.post(f"/c/paper/jobs/{address}stop").status_code == 404
    running.refresh_from_db()
    assert running.state == "running"


def test_every_kind_of_job_has_a_name_of_its_own_and_knows_its_collection_and_page(ada: Membership) -> None:
    assert set(kinds()) >= {"import", "candidates", "rewriting", "study", "release", "run", "publication"}
    for model in kinds().values():
        assert model.TITLE and model.STOPPED in dict(model._meta.get_field("state").choices)
        assert model.PAGE or "get_absolute_url" in vars(model)
