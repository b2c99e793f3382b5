"""Backups that a worker makes: by the schedule, or when an owner asks."""

from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from foundation.counted import counted
from foundation.infra.jobs import JobProgress, ask, run_job
from operation.backup.make_backup import make_backup, remove_old
from operation.backup.sealing import Seal
from operation.backup.stores import open_store
from operation.models import Backup

TRIED_AGAIN = timedelta(hours=1)
"""After one that was refused, the schedule waits so long."""


def ask_for_backup() -> Backup | None:
    """Have a worker make a backup where QREELS_BACKUP_TO says; None if one is under way, or none is to be made."""
    place = settings.BACKUPS.place
    if not place:
        return None
    try:
        with transaction.atomic():
            row = Backup.objects.create(place=open_store(place).address)
    except IntegrityError:
        return None
    ask(row)
    return row


def ask_when_due() -> Backup | None:
    """The schedule, looked at with every sweep of a worker: a backup every QREELS_BACKUP_HOURS."""
    if not settings.BACKUPS.place or not is_due():
        return None
    return ask_for_backup()


def is_due() -> bool:
    """Whether the last backup there is old enough, and the last try."""
    rows = Backup.objects.filter(place=open_store(settings.BACKUPS.place).address)
    now = timezone.now()
    if rows.filter(state__in=Backup.TURN).exists():
        return False
    if rows.exclude(state=Backup.DONE).filter(asked_at__range=(now - TRIED_AGAIN, now)).exists():
        return False
    # What is of a time to come was made by a clock that was wrong.
    recent = (now - timedelta(hours=settings.BACKUPS.hours), now)
    return not rows.filter(state=Backup.DONE, asked_at__range=recent).exists()


@shared_task(name="operation.tasks.back_up")
def back_up(backup_id: int) -> bool:
    """Make the backup of this row, then remove those that needn't be kept."""
    return run_job(Backup, backup_id, _work)


def _work(row: Backup, progress: JobProgress) -> None:
    where, seal = open_store(row.place), Seal(settings.BACKUPS.key)

    def told(done: int, total: int) -> None:
        progress.done = done
        if done in (0, total):
            progress.note(done=done, total=total)
        else:
            progress.count()

    manifest = make_backup(place=where, seal=seal, told=told)
    gone = remove_old(place=where, seal=seal, days=settings.BACKUPS.days, weeks=settings.BACKUPS.weeks)
    row.said = (
        f"{manifest.backup}: {counted(len(manifest.files), 'file')}, {manifest.bytes / 1e6:,.0f} MB, and the database."
        + (f" Removed: {', '.join(gone)}." if gone else "")
    )
    row.backup, row.bytes = manifest.backup, manifest.bytes
    row.save(update_fields=["said", "backup", "bytes"])


def note_made(*, address: str, backup: str, size: int) -> None:
    """Have the page System know of a backup that a command made."""
    now = timezone.now()
    Backup.objects.create(place=address, backup=backup, bytes=size, state=Backup.DONE, started_at=now, finished_at=now)
