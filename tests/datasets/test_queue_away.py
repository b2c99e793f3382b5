"""The broker goes down and comes back: pages say so at once, and what was asked for meanwhile is done by itself."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotation import precomputed
from annotation.models import Computed, Study
from annotation.studies.services import ask_for_study
from config.celery import app
from corpus.models import Import
from datasets.models import Publication, ReleaseJob, Run
from datasets.releases.make_release import create_release
from foundation.infra.job_progress import NOT_QUEUED
from foundation.infra.sweep import sweep
from foundation.infra.task_queue import KEPT, NOT_KEPT, send
from queries.models import CandidateFetch, RewriteJob
from tests.corpus.conftest import row
from tests.corpus.description_import.test_pages import rows
from tests.datasets.boards import ground_truth, lines, perfect
from tests.datasets.conftest import World
from tests.workers import (
    broker_stopped,
    is_held,
    kill_group,
    nobody_listens,
    one_worker,
    queued_tasks,
    wait_until,
)

pytestmark = pytest.mark.long

JOBS = (Import, CandidateFetch, ReleaseJob, Run, Study, Publication, RewriteJob, Computed)


def test_every_kind_of_job_has_a_task_that_the_worker_knows() -> None:
    app.loader.import_default_modules()
    assert {model.TASK for model in JOBS} <= set(app.tasks)


def test_while_the_broker_is_down_requests_are_kept_and_a_worker_does_them_when_it_is_back(
    judged: World, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QREELS_VAR", str(settings.MEDIA_ROOT.parent))  # the worker's storage is this one
    monkeypatch.setitem(
        precomputed._registered, "statistics", precomputed._registered["statistics"].__class__(lambda one: one, None, 0)
    )
    release = create_release(collection=judged.collection, name="v1")
    run = lines(perfect(ground_truth(release, tmp_path / "v1")))
    ada = Client()
    ada.force_login(judged.members["ada"].account)  # type: ignore[arg-type]

    def post(address: str, *arguments: Any, **form: Any) -> str:
        answer = ada.post(reverse(address, args=["tiny", *arguments]), form, follow=True)
        assert answer.status_code == 200
        return answer.content.decode()

    with one_worker(tmp_path / "worker.log"):
        # A message that the worker holds, as it does the one that it is at. It can't be given back to a broker that is
        # away, which ended the worker.
        later = send("annotation.tasks.apply_review_policy", judged.collection.pk, countdown=3600)
        wait_until(lambda: is_held(later))
        with broker_stopped():
            said = [
                post("import-upload", file=SimpleUploadedFile("more.jsonl", rows(row(1)))),
                post("release-make", name="v2", format="tvr-ranking", without_undecided="on"),
                post("run-upload", release.pk, "test", file=SimpleUploadedFile("mine.jsonl", run)),
            ]
            for page in said:
                assert str(KEPT) in page.replace("&#x27;", "'")
                assert str(NOT_QUEUED) in page
            page = ada.get(reverse("statistics", args=["tiny"])).content.decode()
            assert "the computation starts when the queue is back" in page
            assert sweep() == 0, "nobody can be told"
        # Nobody does anything: the worker that was there all the time finds them.
        wait_until(lambda: all(job.objects.get().finished for job in (Import, ReleaseJob, Run)))
        wait_until(lambda: Computed.objects.get(name="statistics").as_of is not None)
    assert [job.objects.get().state for job in (Import, ReleaseJob, Run)] == ["done", "done", "scored"]
    assert judged.collection.releases.filter(name="v2").exists()


def test_what_was_lost_with_the_broker_or_a_worker_is_told_to_the_queue_once(judged: World) -> None:
    app.control.purge()
    collection, ada = judged.collection, judged.members["ada"]
    study = ask_for_study(collection=collection, kind="pilot", queries=2, asked_by=ada)
    message = (Study.TASK, [study.pk])
    with nobody_listens():
        assert sweep() == 0
    assert (sweep(), sweep(), queued_tasks()) == (1, 0, [message])
    app.control.purge()
    assert sweep() == 0, "it may be on its way to a worker"
    Study.objects.update(due_at=study.asked_at.replace(year=2020))
    assert (sweep(), sweep(), queued_tasks()) == (1, 0, [message])
    # Its worker has begun, and is gone: whatever else waits in the queue, it is told again.
    study.refresh_from_db()
    study.begin()
    assert (sweep(), sweep(), queued_tasks()) == (1, 0, [message, message])
    app.control.purge()


def test_a_check_of_what_is_typed_says_that_nobody_can_be_asked(judged: World) -> None:
    ada = Client()
    ada.force_login(judged.members["ada"].account)  # type: ignore[arg-type]
    caption = judged.query("101").description.caption
    with nobody_listens():
        asked = ada.post(
            reverse("caption-check", args=["tiny", caption.pk]), {"text": "A man."}, HTTP_ACCEPT="application/json"
        )
        waits = ada.get(reverse("caption-checked", args=["tiny"]), {"check": "abc"})
    assert (asked.status_code, asked.json()["said"]) == (409, NOT_KEPT)
    assert waits.json() == {"state": "waiting"}


def test_a_release_whose_worker_is_killed_leaves_no_folder_and_is_made_by_the_next(
    judged: World, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QREELS_VAR", str(settings.MEDIA_ROOT.parent))
    settings.SCRATCH = settings.MEDIA_ROOT.parent / "scratch"
    job = ReleaseJob.objects.create(collection=judged.collection, name="v9", formats=["tvr-ranking"])
    holder = connection.copy()
    try:
        with holder.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute(
                "LOCK TABLE datasets_release IN SHARE ROW EXCLUSIVE MODE"
            )  # it waits there with its files written
            with one_worker(tmp_path / "first.log") as worker:
                wait_until(lambda: list(settings.SCRATCH.glob("release-*/archive.tar.gz")))
                kill_group(worker)
            assert list(settings.SCRATCH.glob("release-*/files")), "nobody could clear it"
            cursor.execute("ROLLBACK")
    finally:
        holder.close()
    with one_worker(tmp_path / "second.log"):
        wait_until(lambda: ReleaseJob.objects.get(pk=job.pk).finished)
    job.refresh_from_db()
    assert (job.state, job.begun, job.release.name) == ("done", 2, "v9")
    assert not list(settings.SCRATCH.iterdir())
