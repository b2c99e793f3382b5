"""Signs of life of a real worker, and that it takes no job while the site is being upgraded."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from config.celery import app
from foundation.infra import upgrade_state
from foundation.infra.jobs import ask
from foundation.infra.upgrade_state import KNOWN_TABLES, Upgrade
from foundation.models import Membership
from operation.health.checks import worker
from operation.health.heartbeat import FORGOTTEN, LATE, beat
from operation.models import Backup, WorkerHeartbeat
from tests.conftest import World
from tests.workers import one_worker, wait_until

pytestmark = pytest.mark.long


@pytest.mark.django_db(transaction=True)
def test_a_worker_gives_signs_of_life_takes_no_job_in_an_upgrade_and_counts_as_gone(tmp_path: Path) -> None:
    app.control.purge()
    assert worker().state == "failed" and "No worker is there." in worker().found
    with one_worker(tmp_path / "worker.log"):
        wait_until(lambda: WorkerHeartbeat.objects.exists())
        assert worker().state == "ok" and "(1 at a time)" in worker().found
        upgrade_state.say(Upgrade(version="0.9.0", tables=KNOWN_TABLES, since=""))
        try:
            job = Backup.objects.create(place="ftp://no.such.place")
            ask(job)
            wait_until(lambda: "retry" in (tmp_path / "worker.log").read_text().lower())
            job.refresh_from_db()
            assert (job.state, job.begun) == ("queued", 0)
        finally:
            upgrade_state.forget()
        wait_until(lambda: Backup.objects.get().state == "refused")
    row = WorkerHeartbeat.objects.get()
    WorkerHeartbeat.objects.update(seen_at=row.seen_at - LATE - timedelta(seconds=60))
    assert worker().state == "failed" and f"{row.seen_at:%Y-%m-%d}" in worker().found


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("who", "said"),
    [("ada", "script/worker"), ("ed", "until whoever runs this site starts one"), ("bo", "You can go on, and nothing")],
)
def test_everybody_reads_what_it_means_that_no_worker_runs(world: World, client_of: Any, who: str, said: str) -> None:
    Membership.objects.filter(pk=world["ed"].pk).update(role="lead")
    Membership.objects.filter(pk=world["ada"].pk).update(role="owner")
    client = client_of(world[who].account)
    there = reverse("own-time" if who == "bo" else "overview", args=["paper"])
    assert said in client.get(there).content.decode()
    beat(node="celery@one", processes=4)
    assert said not in client.get(there).content.decode()


@pytest.mark.django_db
def test_a_worker_of_another_version_is_a_warning_and_one_of_yesterday_is_forgotten() -> None:
    beat(node="celery@one", processes=4)
    beat(node="celery@one", processes=2)
    WorkerHeartbeat.objects.create(
        node="celery@old", started_at=timezone.now(), seen_at=timezone.now(), processes=1, version="0.0.9"
    )
    assert worker().state == "warning" and "0.0.9" in worker().found
    WorkerHeartbeat.objects.filter(node="celery@old").update(seen_at=timezone.now() - FORGOTTEN - timedelta(hours=1))
    beat(node="celery@one", processes=2)
    assert [row.node for row in WorkerHeartbeat.objects.all()] == ["celery@one"]
