"""The steps of `manage.py upgrade`. Each may be broken off: what is noted as done isn't done again."""

import time
from collections.abc import Callable
from dataclasses import replace
from io import StringIO

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from django.utils import timezone

from foundation.counted import counted
from foundation.infra import upgrade_state
from foundation.infra.advisory_lock import alone_at
from foundation.infra.upgrade_state import Upgrade
from foundation.refused import Refused
from foundation.version import this_version
from operation.backup.database import is_empty
from operation.backup.errors import BackupError
from operation.backup.jobs import note_made
from operation.backup.make_backup import make_backup
from operation.backup.manifest import Manifest
from operation.backup.sealing import Seal
from operation.backup.stores import BackupStore, open_store
from operation.health.checks import database, look, storage
from operation.health.checks import migrations as tables
from operation.health.tables import newer_migrations, waiting_migrations
from operation.models import Backup

Say = Callable[[str], object]
LOOK_SECONDS = 0.5
"""Between two looks at whether jobs have ended."""
UPGRADING = "operation.upgrade"


def announce() -> Upgrade:
    """From now on pages say that the site is being upgraded, and workers of this machine begin no job."""
    standing = upgrade_state.current()
    if standing is not None and not standing.done:
        return standing
    started = Upgrade(this_version().version, upgrade_state.KNOWN_TABLES, timezone.now().isoformat(timespec="seconds"))
    upgrade_state.say(started)
    return started


def cancel() -> None:
    """Take an announcement back. Raises: Refused if tables are to be changed still."""
    _refuse_unless_current()
    upgrade_state.forget()


def check() -> None:
    """See that the tables are those of this code; processes of other code are held. Raises: Refused if not."""
    _refuse_unless_current()
    standing = upgrade_state.current()
    if standing is not None and standing.done and standing.tables != upgrade_state.KNOWN_TABLES:
        upgrade_state.say_done(standing)


def _refuse_unless_current() -> None:
    finding = tables()
    if not finding.ok:
        raise Refused(f"{finding.found} {finding.todo}")


def upgrade(*, backup_to: str, without_backup: bool, patience: float, say: Say) -> bool:
    """Bring the tables to this code's, under the announcement. Safe to repeat, and to break off at any moment.

    Args:
        backup_to: where the backup goes; "" where workers make theirs (QREELS_BACKUP_TO).
        without_backup: make none.
        patience: seconds to wait for jobs that are at work.
        say: hears what is done, in sentences.

    Returns: whether tables were changed, so that the server and the workers have to be restarted.
    Raises: Refused; BackupError. While tables are half changed the announcement stays.
    """
    with alone_at(UPGRADING, 0, wait=False) as ours:
        if not ours:
            raise Refused("Another upgrade of this database is under way. Nothing was changed.")
        if is_empty():
            say("The database is empty: its tables are made.")
            call_command("migrate", verbosity=0, interactive=False)
            _check()
            upgrade_state.forget()
            return False
        if newer := newer_migrations():
            raise Refused(
                f"The database is of a newer Qreels: it has {newer[-1]}, which this one doesn't know. Install that"
                " version, or restore a backup from before (docs/upgrading.md). Nothing was changed."
            )
        return _perform(backup_to, without_backup, patience, say)


def _perform(backup_to: str, without_backup: bool, patience: float, say: Say) -> bool:
    before = upgrade_state.current()
    goes_on = before is not None and not before.done
    waiting = waiting_migrations()
    if not waiting:
        if goes_on:
            _check()
            upgrade_state.say_done(announce())
        say(f"The tables are those of Qreels {this_version().version}{'' if goes_on else ' already'}.")
        return goes_on
    if not (goes_on and before and before.backup) and not without_backup:
        # What is wrong with it is said before anybody is kept waiting.
        open_store(_target(backup_to))
    standing = announce()
    wait = counted(len(waiting), "migration waits", "migrations wait")
    say(f"The site says that it is being upgraded. {wait}, the first is {waiting[0]}.")
    _wait_for_jobs(patience, say, reopens=not goes_on)
    if standing.backup:
        say(f"The backup {standing.backup} was made before.")
    elif not without_backup:
        where = open_store(_target(backup_to))
        manifest = _back_up(where, say)
        standing = replace(standing, place=where.address, backup=manifest.backup, bytes=manifest.bytes)
        upgrade_state.say(standing)
    call_command("migrate", verbosity=0, interactive=False)
    if standing.backup and not Backup.objects.filter(place=standing.place, backup=standing.backup).exists():
        # Not before: its table may be one of those that were made now.
        note_made(address=standing.place, backup=standing.backup, size=standing.bytes)
    _check()
    upgrade_state.say_done(standing)
    say(f"The tables are those of Qreels {this_version().version}.")
    return True


def _target(backup_to: str) -> str:
    place = backup_to or settings.BACKUPS.place
    if not place:
        raise Refused(
            "Nobody said where the backup goes: set QREELS_BACKUP_TO, or give --backup-to TARGET, or --no-backup if you"
            " have one. Nothing was changed."
        )
    return place


def _back_up(where: BackupStore, say: Say) -> Manifest:
    say(f"A backup is made in {where.address}.")
    try:
        manifest = make_backup(place=where, seal=Seal(settings.BACKUPS.key))
    except BackupError as error:
        raise Refused(
            f"The backup failed, and no table was changed: {error} Call manage.py upgrade again, or --cancel it."
        ) from error
    say(f"The backup {manifest.backup} has {len(manifest.files):,} files and {sum(manifest.rows.values()):,} rows.")
    return manifest


def _wait_for_jobs(patience: float, say: Say, *, reopens: bool) -> None:
    """Until nobody holds a lock of a job or command. Raises: Refused after `patience`."""
    end = time.monotonic() + patience
    announced = False
    while at_work := _jobs_at_work():
        if not announced:
            announced = True
            say(f"Jobs or commands are at work ({at_work}): waiting for their end.")
        if time.monotonic() >= end:
            if reopens:
                upgrade_state.forget()
            raise Refused(
                f"After {patience:g} s jobs or commands are still at work ({at_work}). Stop them (page Jobs) or the"
                " workers: they go on afterwards. Nothing was changed"
                + (", and the site is open again." if reopens else "; the site stays closed until --cancel.")
            )
        time.sleep(LOOK_SECONDS)


def _jobs_at_work() -> int:
    """Sessions other than this one that hold an advisory lock: every job and long command has one."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(DISTINCT pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
            " AND pid <> pg_backend_pid()"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        return int(cursor.fetchone()[0])


def _check() -> None:
    """Raises: Refused for what Django's checks or the site's find wrong; the announcement stays."""
    try:
        call_command("check", stdout=StringIO())
    except SystemCheckError as error:
        raise Refused(f"The settings are wrong, and the site stays closed: {error}") from error
    for finding in look((database, tables, storage)):
        if not finding.ok:
            raise Refused(f"{finding.title}: {finding.found} {finding.todo} The site stays closed until then.")
