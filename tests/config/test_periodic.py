"""Periodic work stands in one list, whose every row is there, is done, and is in the manual."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.utils.module_loading import import_string

from config import worker
from config.celery import app
from config.periodic import BEAT, HOUR, MINUTE, PERIODIC, SWEEP, SWEEP_SECONDS, Periodic
from foundation.infra import sweep, task_queue
from foundation.models import Queued
from tests.paths import ROOT


def test_every_row_names_what_is_there() -> None:
    app.loader.import_default_modules()
    for periodic in PERIODIC:
        assert periodic.work in app.tasks if periodic.where == "task" else callable(import_string(periodic.work)), (
            periodic
        )
        assert periodic.every % SWEEP_SECONDS == 0 and periodic.every >= SWEEP_SECONDS, periodic
        assert periodic.where == "worker" or periodic.every == (HOUR if periodic.where == "task" else SWEEP_SECONDS), (
            periodic
        )


def test_workers_import_every_module_that_has_a_task_and_know_every_job_s() -> None:
    files = [path for path in ROOT.glob("[a-z]*/**/*.py") if "tests" not in path.relative_to(ROOT).parts]
    having = {path.relative_to(ROOT) for path in files if re.search("^@(shared_task|job_task)", path.read_text(), re.M)}
    assert set(settings.CELERY_IMPORTS) == {".".join(path.with_suffix("").parts) for path in having}
    app.loader.import_default_modules()
    assert {model.TASK for model in apps.get_models() if issubclass(model, Queued)} <= set(app.tasks)


def test_the_manual_has_each_row_with_its_interval() -> None:
    manual = (ROOT / "docs" / "developing" / "jobs.md").read_text()
    told = re.findall(r"^\| `([a-z_.]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", manual, re.M)
    interval = {SWEEP_SECONDS: "5 seconds", MINUTE: "minute", HOUR: "hour"}
    where = {"worker": "worker", "idle": "worker, no message waiting", "task": "task"}
    assert told == [
        (periodic.work, interval[periodic.every], where[periodic.where], periodic.does) for periodic in PERIODIC
    ]


def test_what_is_done_while_no_message_waits_is_with_the_sweep_and_nothing_else_is() -> None:
    assert set(sweep._looks) == {periodic.run for periodic in PERIODIC if periodic.where == "idle"}


def test_in_an_hour_every_row_is_done_as_often_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(Periodic, "run", lambda periodic, **_: done.append(periodic.work))
    monkeypatch.setattr("django.db.connection.close", lambda: None)
    clock: Any = worker.Clock(SimpleNamespace())
    for _ in range(HOUR // SWEEP_SECONDS):
        clock._tick()
    counts = {work: done.count(work) for work in set(done)}
    hourly = {periodic.work: 1 for periodic in PERIODIC if periodic.where == "task"}
    minutely = {periodic.work: 60 for periodic in PERIODIC if periodic.every == MINUTE}
    assert counts == {BEAT.work: 720, SWEEP.work: 720, **minutely, **hourly}


def test_a_task_is_sent_and_wanted_by_nobody_once_the_next_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_queue, "send", lambda task, expires: (task, expires))
    assert PERIODIC[-1].run() == ("operation.tasks.forget", HOUR)


def test_a_fault_of_one_row_is_logged_and_the_next_round_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[str] = []

    def run(periodic: Periodic, **_: Any) -> None:
        done.append(periodic.work)
        if len(done) == 1:
            raise OSError("the database is away")

    monkeypatch.setattr(Periodic, "run", run)
    monkeypatch.setattr("django.db.connection.close", lambda: None)
    clock: Any = worker.Clock(SimpleNamespace())
    clock._tick()
    assert "it is tried again in 5 s" in caplog.text and done == [BEAT.work]
    clock._tick()
    assert done == [BEAT.work, BEAT.work, SWEEP.work]
