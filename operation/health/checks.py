"""What makes a site work: a function a check, each with what was found and what to do about it.

None of them waits long: servers that don't answer count as away after a few seconds. The sentences are in the language
of whoever reads them: of a request, of an owner who gets a mail; elsewhere English.
"""

import os
import shutil
from collections.abc import Callable
from datetime import timedelta
from functools import cache, wraps
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
from foundation.lazy import LazyStr
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

TITLES: dict[str, LazyStr] = {}
"""A check's name, which is its function's -> its title."""

Check = Callable[[], Finding]
Answer = tuple[State, str, str]
"""The state, what was found, and what to do, "" for nothing."""


def check(title: LazyStr) -> Callable[[Callable[[], Answer]], Check]:
    """A function's answer as a finding; where it can't be told for want of the database, that it can't."""

    def decorate(answer: Callable[[], Answer]) -> Check:
        name = answer.__name__
        TITLES[name] = title

        @wraps(answer)
        def checked() -> Finding:
            try:
                return Finding(name, str(title), *answer())
            except Error as error:
                words = _("Nobody knows: %(problem)s") % {"problem": _first_line(error)}
                return Finding(name, str(title), "failed", words, _("See Database."))

        return checked

    return decorate


@check(gettext_lazy("Database"))
def database() -> Answer:
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
        return (
            "failed",
            _("It doesn't answer: %(problem)s") % {"problem": _first_line(error)},
            _("Start PostgreSQL, or correct DATABASE_URL. Annotators' pages keep what couldn't be sent meanwhile."),
        )
    values = {"version": version, "size": _number(size / 1e6), "used": used, "most": most}
    words = _("PostgreSQL %(version)s, %(size)s MB, %(used)s of %(most)s connections in use.") % values
    if standby:
        lacks = _("It takes no writes.")
        return ("failed", f"{words} {lacks}", _("Point DATABASE_URL at the primary."))
    if used > most * ALMOST_ALL:
        return (
            "warning",
            words,
            _("Raise max_connections of PostgreSQL, or lower QREELS_WEB_WORKERS or QREELS_WEB_THREADS."),
        )
    return ("ok", words, "")


@check(gettext_lazy("Tables"))
def migrations() -> Answer:
    """Whether the tables are those of this version."""
    waiting, newer = waiting_migrations(), newer_migrations()
    if waiting:
        return (
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
        return (
            "failed",
            _("The database is of a newer Qreels: it has %(newest)s, which this one doesn't know.")
            % {"newest": newer[-1]},
            _("Start the newer version."),
        )
    words = _("They are those of Qreels %(version)s.") % {"version": this_version().version}
    return ("ok", words, "")


@check(gettext_lazy("Upgrade"))
def upgrade() -> Answer:
    """Whether an upgrade is under way, or was made and this process is from before."""
    state = current()
    if not is_held() or state is None:
        return ("ok", _("None is under way."), "")
    if state.done:
        return (
            "failed",
            _("The site was upgraded to Qreels %(version)s, and this process is from before.")
            % {"version": state.version},
            _("Restart the server and the workers."),
        )
    since = _("An upgrade has been under way since %(time)s: pages say so, and jobs wait.") % {"time": state.since}
    return (
        "failed",
        since if state.since else _("An upgrade is under way: pages say so, and jobs wait."),
        _("If manage.py upgrade was broken off, call it again: it goes on where it stopped."),
    )


@check(gettext_lazy("Task queue"))
def broker() -> Answer:
    """Whether the task queue can be reached, and how much waits in it."""
    try:
        waiting = waiting_messages()
    except QueueAway as fault:
        return (
            "failed",
            _("It can't be reached: %(problem)s") % {"problem": _first_line(fault.__cause__ or fault)},
            _("Start Valkey or Redis, or correct REDIS_URL. Judging goes on; jobs begin when it is back."),
        )
    words = ngettext("%(count)s message waits.", "%(count)s messages wait.", waiting) % {"count": _number(waiting)}
    if waiting > LONG_QUEUE:
        return ("warning", words, _("Start more workers: script/worker."))
    return ("ok", words, "")


@check(gettext_lazy("Workers"))
def worker() -> Answer:
    """Whether a worker lives, by its sign of life."""
    now = timezone.now()
    seen = list(WorkerHeartbeat.objects.order_by("-seen_at"))
    alive = [beat for beat in seen if now - beat.seen_at <= LATE]
    start = _("Start one: script/worker. Jobs, releases and clips wait until then; judging goes on.")
    if not seen:
        return ("failed", _("No worker is there."), start)
    if not alive:
        at = {"time": f"{seen[0].seen_at:%Y-%m-%d %H:%M} UTC"}
        return ("failed", _("No worker is there. The last one was seen at %(time)s.") % at, start)
    words = ", ".join(
        _("%(name)s (%(count)s at a time)") % {"name": beat.node, "count": beat.processes} for beat in alive
    )
    others = sorted({beat.version for beat in alive} - {this_version().version})
    if others:
        return (
            "warning",
            _("%(workers)s. Some are of another version: %(versions)s.")
            % {"workers": words, "versions": ", ".join(others)},
            _("Restart the workers after an upgrade."),
        )
    return ("ok", f"{words}.", "")


@check(gettext_lazy("Storage"))
def storage() -> Answer:
    """Whether files can be written: a small one beside the clips, or the bucket's own answer."""
    try:
        if bucket := getattr(default_storage, "bucket_name", ""):
            client = _bucket_client(*(getattr(default_storage, name) for name in ("endpoint_url", "region_name")))
            client.head_bucket(Bucket=bucket)
            return ("ok", _("The bucket %(name)s answers.") % {"name": bucket}, "")
        folder = Path(settings.MEDIA_ROOT)
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.write_bytes(b"qreels")
        probe.unlink()
    except Exception as error:  # disks and clouds each have their own errors, and no common one
        return (
            "failed",
            _("Clips and releases can't be stored: %(problem)s") % {"problem": _first_line(error)},
            _("See that the disk or the bucket is there, has space, and may be written by the user that runs Qreels."),
        )
    return ("ok", _("Clips and releases can be stored."), "")


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


@check(gettext_lazy("Disk space"))
def disk() -> Answer:
    """The free space of every disk that is written to."""
    free = {}
    for folder in (settings.VAR, settings.SCRATCH, settings.VIDEO_FOLDER, settings.MEDIA_ROOT):
        there = next(path for path in (Path(folder), *Path(folder).parents) if path.exists())
        free[there.stat().st_dev] = (shutil.disk_usage(there).free, Path(folder))
    least, folder = min(free.values())
    words = _("%(size)s GB are free where %(folder)s lies.") % {"size": _number(least / 1e9, 1), "folder": folder.name}
    todo = _("Free some space, or give the disk more: docs/operating.md says what may go.")
    if least < LAST_BYTES:
        return ("failed", words, todo)
    if least < settings.FREE_SPACE:
        refused = _("Uploads of videos are refused below QREELS_FREE_MB.")
        return ("warning", f"{words} {refused}", todo)
    return ("ok", words, "")


@check(gettext_lazy("Jobs"))
def jobs() -> Answer:
    """Whether jobs died within a day: of memory, an unexpected error, or broken off again and again."""
    since = timezone.now() - RECENT
    died = [
        row
        for model in kinds().values()
        for row in model._default_manager.filter(state=model.REFUSED, finished_at__gte=since)[:100]
        if row.problem.startswith(DIED)
    ]
    if not died:
        return ("ok", _("None died within a day."), "")
    newest = max(died, key=lambda row: row.finished_at or since)
    return (
        "warning",
        ngettext(
            "%(count)s died within a day; the last was “%(job)s”: %(problem)s",
            "%(count)s died within a day; the last was “%(job)s”: %(problem)s",
            len(died),
        )
        % {"count": len(died), "job": _(newest.TITLE), "problem": newest.problem},
        _("Its log: %(address)s") % {"address": newest.get_absolute_url()},
    )


@check(gettext_lazy("Backups"))
def backups() -> Answer:
    """Whether the last backup is as young as the schedule says, and when one was last tried."""
    schedule = settings.BACKUPS
    if not schedule.place:
        lacks = _("There is no schedule for backups.")
        todo = _("Set QREELS_BACKUP_TO, or have something else call manage.py backup.")
        return ("warning" if settings.PRODUCTION else "ok", lacks, todo)
    # By a clock that was wrong one may be of a time to come.
    done = Backup.objects.filter(state=Backup.DONE, finished_at__lte=timezone.now())
    newest = done.order_by("-finished_at").first()
    tried = done.exclude(verified_at=None).order_by("-verified_at").first()
    failed = Backup.objects.filter(state=Backup.REFUSED).order_by("-finished_at").first()
    trial = (
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
        "place": schedule.place
    }
    if newest is None or newest.finished_at is None:
        return ("warning", _sentences(_("There is none yet."), why), todo)
    words = _("The newest is of %(time)s, %(size)s GB of files.") % {
        "time": f"{newest.finished_at:%Y-%m-%d %H:%M} UTC",
        "size": _number(newest.bytes / 1e9, 1),
    }
    if timezone.now() - newest.finished_at > LATE_BACKUP * timedelta(hours=schedule.hours):
        return ("warning", _sentences(words, _("It is late."), why), todo)
    return ("ok", _sentences(words, trial), "")


NEEDED: tuple[Check, ...] = (database, migrations, upgrade, broker, storage, worker, disk)
"""What `/readyz` asks."""
ALL: tuple[Check, ...] = (*NEEDED, jobs, backups)
"""What owners of the site see and are told about."""


def look(checks: tuple[Check, ...] = ALL) -> list[Finding]:
    """The findings of these checks, in their order."""
    return [look_at() for look_at in checks]


def _first_line(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:300] if text.endswith(".") else f"{text[:300]}."


def _number(value: float, places: int = 0) -> str:
    return str(number_format(round(value, places) if places else round(value), places, force_grouping=True))


def _sentences(*said: str) -> str:
    return " ".join(filter(None, said))
