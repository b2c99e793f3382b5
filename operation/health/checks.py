"""What makes a site work: a function a check, each with what was found and what to do about it.

None of them waits long: servers that don't answer count as away after a few seconds. The sentences are in the language
of whoever reads them: of a request, of an owner who gets a mail; elsewhere English.
"""

import os
import shutil
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import Error, connection
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from foundation.infra.jobs import DIED
from foundation.infra.s3 import client_at
from foundation.infra.task_queue import QueueAway, waiting_messages
from foundation.infra.upgrade_state import current, is_held
from foundation.jobs.selectors import kinds
from foundation.version import this_version
from operation.health.findings import Finding, State
from operation.health.heartbeat import LATE
from operation.health.tables import newer_migrations, waiting_migrations
from operation.models import Backup, WorkerHeartbeat

ALMOST_ALL = 0.85
"""Of the database's connections: more in use are a warning."""
LONG_QUEUE = 1_000
"""Messages that wait: more are a warning."""
LAST_BYTES = 64 << 20
"""With less free space than this even judgments may not be stored."""
LATE_BACKUP = 1.5
"""Of QREELS_BACKUP_HOURS."""
RECENT = timedelta(days=1)

TITLES = {
    "database": gettext_lazy("Database"),
    "migrations": gettext_lazy("Tables"),
    "upgrade": gettext_lazy("Upgrade"),
    "broker": gettext_lazy("Task queue"),
    "storage": gettext_lazy("Storage"),
    "worker": gettext_lazy("Workers"),
    "disk": gettext_lazy("Disk space"),
    "jobs": gettext_lazy("Jobs"),
    "backups": gettext_lazy("Backups"),
}
"""A check's name, which is its function's -> its title."""

Check = Callable[[], Finding]


def database() -> Finding:
    """Whether PostgreSQL answers, and how many of its connections are in use."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT current_setting('server_version'), current_setting('max_connections')::int,"
                " (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),"
                " pg_database_size(current_database()), pg_is_in_recovery()"
            )
            version, most, used, size, standby = cursor.fetchone()
    except Error as error:
        return _finding(
            "database",
            "failed",
            _("It doesn't answer: %(problem)s") % {"problem": _first_line(error)},
            _("Start PostgreSQL, or correct DATABASE_URL. Annotators' pages keep what couldn't be sent meanwhile."),
        )
    values = {"version": version, "size": _number(size / 1e6), "used": used, "most": most}
    found = _("PostgreSQL %(version)s, %(size)s MB, %(used)s of %(most)s connections in use.") % values
    if standby:
        lacks = _("It takes no writes.")
        return _finding("database", "failed", f"{found} {lacks}", _("Point DATABASE_URL at the primary."))
    if used > most * ALMOST_ALL:
        return _finding(
            "database",
            "warning",
            found,
            _("Raise max_connections of PostgreSQL, or lower QREELS_WEB_WORKERS or QREELS_WEB_THREADS."),
        )
    return _finding("database", "ok", found)


def migrations() -> Finding:
    """Whether the tables are those of this version."""
    try:
        waiting, newer = waiting_migrations(), newer_migrations()
    except Error as error:
        return _unseen("migrations", error)
    if waiting:
        return _finding(
            "migrations",
            "failed",
            ngettext(
                "%(count)s migration isn't applied: %(first)s.",
                "%(count)s migrations aren't applied, the first is %(first)s.",
                len(waiting),
            )
            % {"count": len(waiting), "first": waiting[0]},
            _("Run .venv/bin/python manage.py upgrade, then restart the server and the workers."),
        )
    if newer:
        return _finding(
            "migrations",
            "failed",
            _("The database is of a newer Qreels: it has %(newest)s, which this one doesn't know.")
            % {"newest": newer[-1]},
            _("Start the newer version."),
        )
    found = _("They are those of Qreels %(version)s.") % {"version": this_version().version}
    return _finding("migrations", "ok", found)


def upgrade() -> Finding:
    """Whether an upgrade is under way, or was made and this process is from before."""
    found = current()
    if not is_held() or found is None:
        return _finding("upgrade", "ok", _("None is under way."))
    if found.done:
        return _finding(
            "upgrade",
            "failed",
            _("The site was upgraded to Qreels %(version)s, and this process is from before.")
            % {"version": found.version},
            _("Restart the server and the workers."),
        )
    since = _("An upgrade has been under way since %(time)s: pages say so, and jobs wait.") % {"time": found.since}
    return _finding(
        "upgrade",
        "failed",
        since if found.since else _("An upgrade is under way: pages say so, and jobs wait."),
        _("If manage.py upgrade was broken off, call it again: it goes on where it stopped."),
    )


def broker() -> Finding:
    """Whether the task queue can be reached, and how much waits in it."""
    try:
        waiting = waiting_messages()
    except QueueAway as fault:
        return _finding(
            "broker",
            "failed",
            _("It can't be reached: %(problem)s") % {"problem": _first_line(fault)},
            _("Start Valkey or Redis, or correct REDIS_URL. Judging goes on; jobs begin when it is back."),
        )
    found = ngettext("%(count)s message waits.", "%(count)s messages wait.", waiting) % {"count": _number(waiting)}
    if waiting > LONG_QUEUE:
        return _finding("broker", "warning", found, _("Start more workers: script/worker."))
    return _finding("broker", "ok", found)


def worker() -> Finding:
    """Whether a worker lives, by its sign of life."""
    now = timezone.now()
    try:
        seen = list(WorkerHeartbeat.objects.order_by("-seen_at"))
    except Error as error:
        return _unseen("worker", error)
    alive = [one for one in seen if now - one.seen_at <= LATE]
    start = _("Start one: script/worker. Jobs, releases and clips wait until then; judging goes on.")
    if not seen:
        return _finding("worker", "failed", _("No worker is there."), start)
    if not alive:
        at = {"time": f"{seen[0].seen_at:%Y-%m-%d %H:%M} UTC"}
        return _finding("worker", "failed", _("No worker is there. The last one was seen at %(time)s.") % at, start)
    found = ", ".join(_("%(name)s (%(count)s at a time)") % {"name": one.node, "count": one.processes} for one in alive)
    others = sorted({one.version for one in alive} - {this_version().version})
    if others:
        return _finding(
            "worker",
            "warning",
            _("%(workers)s. Some are of another version: %(versions)s.")
            % {"workers": found, "versions": ", ".join(others)},
            _("Restart the workers after an upgrade."),
        )
    return _finding("worker", "ok", f"{found}.")


def storage() -> Finding:
    """Whether files can be written: a small one beside the clips, or the bucket's own answer."""
    try:
        if bucket := getattr(default_storage, "bucket_name", ""):
            client = _bucket_client(*(getattr(default_storage, name) for name in ("endpoint_url", "region_name")))
            client.head_bucket(Bucket=bucket)
            return _finding("storage", "ok", _("The bucket %(name)s answers.") % {"name": bucket})
        folder = Path(settings.MEDIA_ROOT)
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.write_bytes(b"qreels")
        probe.unlink()
    except Exception as error:  # disks and clouds each have their own errors, and no common one
        return _finding(
            "storage",
            "failed",
            _("Clips and releases can't be stored: %(problem)s") % {"problem": _first_line(error)},
            _("See that the disk or the bucket is there, has space, and may be written by the user that runs Qreels."),
        )
    return _finding("storage", "ok", _("Clips and releases can be stored."))


@cache
def _bucket_client(endpoint: str | None, region: str | None) -> Any:
    """A client of the storage's S3 server that asks once and doesn't wait long."""
    from botocore.config import Config

    patience = Config(
        connect_timeout=2,
        read_timeout=3,
        retries={"total_max_attempts": 1},
        s3={"addressing_style": "path" if endpoint else None},
    )
    return client_at(endpoint, region, patience)


def disk() -> Finding:
    """The free space of every disk that is written to."""
    free = {}
    for folder in (settings.VAR, settings.SCRATCH, settings.VIDEO_FOLDER, settings.MEDIA_ROOT):
        there = next(one for one in (Path(folder), *Path(folder).parents) if one.exists())
        free[there.stat().st_dev] = (shutil.disk_usage(there).free, Path(folder))
    least, folder = min(free.values())
    found = _("%(size)s GB are free where %(folder)s lies.") % {"size": _number(least / 1e9, 1), "folder": folder.name}
    todo = _("Free some space, or give the disk more: docs/operating.md says what may go.")
    if least < LAST_BYTES:
        return _finding("disk", "failed", found, todo)
    if least < settings.FREE_SPACE:
        refused = _("Uploads of videos are refused below QREELS_FREE_MB.")
        return _finding("disk", "warning", f"{found} {refused}", todo)
    return _finding("disk", "ok", found)


def jobs() -> Finding:
    """Whether jobs died within a day: of memory, an unexpected error, or broken off again and again."""
    since = timezone.now() - RECENT
    try:
        died = [
            row
            for model in kinds().values()
            for row in model._default_manager.filter(state=model.REFUSED, finished_at__gte=since)[:100]
            if row.problem.startswith(DIED)
        ]
    except Error as error:
        return _unseen("jobs", error)
    if not died:
        return _finding("jobs", "ok", _("None died within a day."))
    newest = max(died, key=lambda row: row.finished_at or since)
    return _finding(
        "jobs",
        "warning",
        ngettext(
            "%(count)s died within a day; the last was “%(job)s”: %(problem)s",
            "%(count)s died within a day; the last was “%(job)s”: %(problem)s",
            len(died),
        )
        % {"count": len(died), "job": _(newest.TITLE), "problem": newest.problem},
        _("Its log: %(address)s") % {"address": newest.get_absolute_url()},
    )


def backups() -> Finding:
    """Whether the last backup is as young as the schedule says, and when one was last tried."""
    wanted = settings.BACKUPS
    if not wanted.place:
        lacks = _("There is no schedule for backups.")
        todo = _("Set QREELS_BACKUP_TO, or have something else call manage.py backup.")
        return _finding("backups", "warning" if settings.PRODUCTION else "ok", lacks, todo)
    try:
        # By a clock that was wrong one may be of a time to come.
        made = Backup.objects.filter(state=Backup.DONE, finished_at__lte=timezone.now())
        newest = made.order_by("-finished_at").first()
        tried = made.exclude(verified_at=None).order_by("-verified_at").first()
        failed = Backup.objects.filter(state=Backup.REFUSED).order_by("-finished_at").first()
    except Error as error:
        return _unseen("backups", error)
    told = (
        _("One was last restored to try it on %(day)s.") % {"day": f"{tried.verified_at:%Y-%m-%d}"}
        if tried and tried.verified_at
        else _("None was ever restored to try it: manage.py restore SOURCE --verify.")
    )
    why = (
        _("The last try: %(problem)s") % {"problem": failed.problem}
        if failed and (not newest or failed.pk > newest.pk)
        else ""
    )
    todo = _("See that %(place)s can be written and that a worker runs, then ask for one here.") % {
        "place": wanted.place
    }
    if newest is None or newest.finished_at is None:
        return _finding("backups", "warning", _sentences(_("There is none yet."), why), todo)
    found = _("The newest is of %(time)s, %(size)s GB of files.") % {
        "time": f"{newest.finished_at:%Y-%m-%d %H:%M} UTC",
        "size": _number(newest.bytes / 1e9, 1),
    }
    if timezone.now() - newest.finished_at > LATE_BACKUP * timedelta(hours=wanted.hours):
        return _finding("backups", "warning", _sentences(found, _("It is late."), why), todo)
    return _finding("backups", "ok", _sentences(found, told))


NEEDED: tuple[Check, ...] = (database, migrations, upgrade, broker, storage, worker, disk)
"""What `/readyz` asks."""
ALL: tuple[Check, ...] = (*NEEDED, jobs, backups)
"""What owners of the site see and are told about."""


def look(checks: tuple[Check, ...] = ALL) -> list[Finding]:
    """The findings of these checks, in their order."""
    return [check() for check in checks]


def _first_line(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:300] if text.endswith(".") else f"{text[:300]}."


def _number(value: float, places: int = 0) -> str:
    return str(number_format(round(value, places) if places else round(value), places, force_grouping=True))


def _sentences(*said: str) -> str:
    return " ".join(filter(None, said))


def _unseen(name: str, error: Error) -> Finding:
    return _finding(
        name, "failed", _("Nobody knows: %(problem)s") % {"problem": _first_line(error)}, _("See Database.")
    )


def _finding(name: str, state: State, found: str, todo: str = "") -> Finding:
    return Finding(name, str(TITLES[name]), state, found, todo)
