"""Jobs while the site is being upgraded: one at work waits and goes on, and the upgrade waits for what doesn't."""

from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from config.variables import Backups
from foundation.infra import upgrade_state
from foundation.infra.advisory_lock import somebody_is_at
from foundation.infra.upgrade_state import KNOWN_TABLES, Upgrade
from operation.backup.jobs import back_up
from operation.models import Backup
from tests.workers import database_url

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def own_folders(settings: Any, tmp_path: Path) -> None:
    settings.VAR, settings.MEDIA_ROOT = tmp_path / "var", str(tmp_path / "media")
    settings.VIDEO_FOLDER, settings.SCRATCH = tmp_path / "videos", tmp_path / "scratch"


def test_a_job_waits_without_counting_as_broken_off_and_goes_on_afterwards(tmp_path: Path) -> None:
    job = Backup.objects.create(place=str(tmp_path / "backups"))
    upgrade_state.say(Upgrade(version="0.9.0", tables=KNOWN_TABLES, since=""))
    assert not back_up(job.pk)
    job.refresh_from_db()
    assert (job.state, job.begun, job.due_at) == ("queued", 0, None)
    assert not somebody_is_at(*job.lock)
    upgrade_state.forget()
    assert back_up(job.pk)
    job.refresh_from_db()
    assert job.state == "done"


def test_an_upgrade_waits_for_what_is_at_work_and_opens_the_site_again_if_it_doesn_t_end(settings: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'desk'")
    try:
        with psycopg.connect(database_url(), autocommit=True) as command:
            command.execute("SELECT pg_advisory_lock(1, 2)")
            out = StringIO()
            with pytest.raises(CommandError, match=r"still at work \(1\)\. Stop them.*the site is open again"):
                call_command("upgrade", "--no-backup", "--wait", "0", stdout=out)
            assert "are at work (1)" in out.getvalue() and upgrade_state.current() is None
            call_command("upgrade", "--announce")
            with pytest.raises(CommandError, match="the site stays closed until --cancel"):
                call_command("upgrade", "--no-backup", "--wait", "0")
            with pytest.raises(CommandError, match="Nobody said where the backup goes"):
                call_command("upgrade")
            settings.BACKUPS = Backups().model_copy(update={"place": "elsewhere://backups"})
            with pytest.raises(CommandError, match="is no place for backups"):
                call_command("upgrade", "--backup-if-set")
            settings.BACKUPS = Backups()
            with pytest.raises(CommandError, match="the site stays closed until --cancel"):
                call_command("upgrade", "--backup-if-set", "--wait", "0")
            with pytest.raises(CommandError, match="2 migrations aren't applied, the first is desk"):
                call_command("upgrade", "--cancel")
    finally:
        call_command("migrate", "desk", fake=True, verbosity=0)
