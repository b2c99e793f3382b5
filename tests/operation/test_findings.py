"""What the checks of a site's health find at their thresholds, and what they say to do."""

import shutil
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import Opening
from config.variables import Backups
from foundation.infra.jobs import BROKEN_OFF
from foundation.infra.upgrade_state import KNOWN_TABLES, Upgrade, say
from foundation.models import Collection
from operation.health import checks
from operation.health.heartbeat import FORGOTTEN, LATE, beat, signs_of_life
from operation.models import Alert, Backup, WorkerHeartbeat

pytestmark = pytest.mark.django_db
MOMENT = timedelta(seconds=2)


def test_a_worker_lives_for_twenty_seconds_after_its_last_sign() -> None:
    assert checks.worker().found == "No worker is there." and not signs_of_life()
    beat(node="celery@one", processes=2)
    assert checks.worker().state == "ok" and signs_of_life().count() == 1
    WorkerHeartbeat.objects.update(seen_at=timezone.now() - LATE + MOMENT)
    assert checks.worker().state == "ok" and signs_of_life().count() == 1
    WorkerHeartbeat.objects.update(seen_at=timezone.now() - LATE - MOMENT)
    gone = checks.worker()
    assert gone.state == "failed" and "The last one was seen at" in gone.found and "script/worker" in gone.todo
    assert not signs_of_life()
    beat(node="celery@two", processes=1)
    assert checks.worker().found == "celery@two (1 at a time).", "one that is away isn't counted"
    assert WorkerHeartbeat.objects.count() == 2
    WorkerHeartbeat.objects.filter(node="celery@one").update(seen_at=timezone.now() - FORGOTTEN - MOMENT)
    beat(node="celery@two", processes=1)
    assert [row.node for row in WorkerHeartbeat.objects.all()] == ["celery@two"]


def test_a_worker_of_another_version_is_named() -> None:
    for node in ("celery@one", "celery@two"):
        beat(node=node, processes=2)
    WorkerHeartbeat.objects.filter(node="celery@two").update(version="0.0.1")
    finding = checks.worker()
    assert (finding.state, "another version: 0.0.1." in finding.found) == ("warning", True)


def test_an_upgrade_that_begins_between_two_looks_is_found_by_the_next(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.VAR = tmp_path
    with monkeypatch.context() as early:
        early.setattr(checks, "current", lambda: None)
        early.setattr(checks, "is_held", lambda: True)
        assert (checks.upgrade().state, checks.upgrade().found) == ("ok", "None is under way.")
    assert checks.upgrade().state == "ok"
    say(Upgrade(version="9.9", tables=KNOWN_TABLES, since="2026-11-25T20:00:00+00:00"))
    assert checks.upgrade().state == "failed" and "since 2026-11-25T20:00:00" in checks.upgrade().found


def test_a_long_queue_and_a_busy_database_are_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks.broker().state == "ok" and checks.database().state == "ok"
    waiting = checks.waiting_messages()
    monkeypatch.setattr(checks, "LONG_QUEUE", waiting)
    assert checks.broker().state == "ok", "as many as may wait"
    monkeypatch.setattr(checks, "LONG_QUEUE", waiting - 1)
    assert checks.broker().state == "warning"
    monkeypatch.setattr(checks, "ALMOST_ALL", 0.0)
    busy = checks.database()
    assert busy.state == "warning" and "Raise max_connections" in busy.todo


def test_little_space_is_a_warning_and_next_to_none_a_failure(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.VIDEO_FOLDER = tmp_path / "not" / "there" / "yet"
    free = min(shutil.disk_usage(place).free for place in (settings.VAR, tmp_path))
    settings.FREE_SPACE = free // 2
    assert checks.disk().state == "ok"
    settings.FREE_SPACE = free * 2
    little = checks.disk()
    assert little.state == "warning" and "QREELS_FREE_MB" in little.found
    for least, state in ((64 << 20, "warning"), ((64 << 20) - 1, "failed")):
        monkeypatch.setattr(checks.shutil, "disk_usage", lambda place, least=least: SimpleNamespace(free=least))
        assert checks.disk().state == state, "64 MB, as docs/operating.md says"


def test_a_job_that_died_a_day_ago_is_over_and_the_newest_is_the_one_that_is_shown() -> None:
    collection = Collection.objects.create(name="paper", title="The paper moon")
    now = timezone.now()
    for hours, times in ((25, 9), (23, 4), (1, 3), (5, 2)):
        ended = now - timedelta(hours=hours)
        Opening.objects.create(
            collection=collection, state="refused", finished_at=ended, problem=BROKEN_OFF.format(times)
        )
    finding = checks.jobs()
    assert finding.state == "warning" and finding.found.startswith("3 died within a day")
    assert BROKEN_OFF.format(3) in finding.found
    Opening.objects.update(finished_at=now - timedelta(hours=25))
    assert checks.jobs().state == "ok"


def test_backups_say_what_is_lacking(settings: Any, tmp_path: Path) -> None:
    assert (checks.backups().state, checks.backups().found) == ("ok", "There is no schedule for backups.")
    settings.PRODUCTION = True
    assert checks.backups().state == "warning"
    settings.BACKUPS = Backups(place=str(tmp_path))
    now = timezone.now()
    Backup.objects.create(place=str(tmp_path), state="refused", finished_at=now, problem="The disk is full.")
    assert (checks.backups().state, checks.backups().found) == (
        "warning",
        "There is none yet. The last try: The disk is full.",
    )
    made = Backup.objects.create(place=str(tmp_path), state="done", finished_at=now - timedelta(hours=35), bytes=10**9)
    young = checks.backups()
    assert young.state == "ok" and "1.0 GB of files." in young.found and "None was ever restored" in young.found
    assert "The disk is full" not in young.found, "one was made since"
    Backup.objects.update(verified_at=now)
    assert f"restored to try it on {now:%Y-%m-%d}" in checks.backups().found
    Backup.objects.filter(pk=made.pk).update(finished_at=now - timedelta(hours=37))
    assert checks.backups().state == "warning" and "It is late." in checks.backups().found


def test_files_that_can_t_be_written_are_a_failure_and_nothing_stays_of_the_try(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = str(tmp_path / "media")
    assert checks.storage().state == "ok" and not list((tmp_path / "media").iterdir())
    (tmp_path / "file").write_text("")
    settings.MEDIA_ROOT = str(tmp_path / "file")
    assert checks.storage().state == "failed"


def test_an_alert_that_goes_on_says_what_is_found_now_and_opens_once(olga: Any) -> None:
    from operation.alerts.watch import watch

    assert [alert.check_name for alert in watch()] == ["worker"]
    beat(node="celery@one", processes=2)
    WorkerHeartbeat.objects.update(seen_at=timezone.now() - LATE - MOMENT)
    assert watch() == [] and "The last one was seen at" in Alert.objects.get().found
    beat(node="celery@one", processes=2)
    watch()
    assert Alert.objects.get().ended_at is not None
    ended = Alert.objects.get().ended_at
    watch()
    assert Alert.objects.get().ended_at == ended, "it ended once"
    WorkerHeartbeat.objects.all().delete()
    assert [alert.check_name for alert in watch()] == ["worker"] and Alert.objects.count() == 2
