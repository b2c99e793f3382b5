"""Bring a backup back into an empty installation, or try it beside the running one."""

import secrets
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.models import F, Value
from django.db.models.functions import Concat, Substr
from django.utils import timezone

from annotation.people.erasure import erase_account, part_member
from corpus.models import Video
from foundation.infra.scratch import scratch_folder
from foundation.infra.upgrade_state import forget
from foundation.mail.outbox import hold_all
from foundation.models import Account, Webhook
from foundation.refused import Refused
from foundation.webhooks.services import stop_webhooks
from operation.backup.database import is_empty, load, loading_role, row_counts, scratch_database, session_of
from operation.backup.errors import BackupError
from operation.backup.files import is_back, put_back
from operation.backup.make_backup import backups_of, manifest_of, name_of
from operation.backup.manifest import Kept, Manifest
from operation.backup.sealing import SUFFIX, Seal, sha256_of
from operation.backup.stores import BackupStore
from operation.backup.voided import void_what_opens
from operation.models import Backup

RESTORED = "The site was restored from a backup: start it if it is to be told by this copy."
Told = Callable[[str, int, int], object]
"""Called with what is done now, how much of it is, and how much there is."""


def chosen(place: BackupStore, seal: Seal, backup: str = "") -> Manifest:
    """The manifest of a backup, the newest where none is named. Raises: BackupError."""
    there = backups_of(place)
    if not there:
        raise BackupError(f"{place.address} has no backup.")
    if backup and backup not in there:
        raise BackupError(f"{place.address} has no backup {backup}; the newest is {there[-1]}, the oldest {there[0]}.")
    return manifest_of(place, seal, backup or there[-1])


def verify(*, place: BackupStore, seal: Seal, manifest: Manifest, told: Told = lambda what, done, total: None) -> None:
    """Try a backup: read every file, restore the database into one that is dropped again, and count its rows.

    Nothing of the running site changes. Raises: BackupError with the first thing that is wrong.
    """
    for done, kept in enumerate(manifest.files):
        told("files", done, len(manifest.files))
        _with_file(place, seal, kept, lambda path: None)
    told("files", len(manifest.files), len(manifest.files))
    with scratch_database(f"qreels_try_{secrets.token_hex(6)}") as name:
        told("database", 0, 1)
        _load(place, seal, manifest, name)
        told("database", 1, 1)
    Backup.objects.filter(place=place.address, backup=manifest.backup).update(verified_at=timezone.now())


def restore(
    *, place: BackupStore, seal: Seal, manifest: Manifest, told: Told = lambda what, done, total: None
) -> list[str]:
    """Bring it back, files first, then the database all at once. Broken off, it goes on when it is called again.

    Webhooks are stopped and mails that wait are held: the site that the backup is of may go on, and tell the same.

    Returns: what somebody has to look at, in sentences: tokens and links that are void, files that the backup didn't
    have, people who were erased after it and couldn't be erased again, webhooks and mails that wait.
    Raises: BackupError if something is there already, or the backup is damaged or of a newer Qreels.
    """
    note = _note()
    begun = note.read_text() if note.exists() else ""
    if begun and begun != f"{place.address} {manifest.backup}":
        raise BackupError(f"The restore of {begun} was broken off here: go on with that one, or remove {note}.")
    if not is_empty() and not begun:
        raise BackupError(
            "The database isn't empty, and nothing was changed. A backup is restored into an empty installation:"
            " another DATABASE_URL or, without one, another QREELS_VAR."
        )
    _refuse_newer(manifest)
    erased = _erased_since(place, seal, manifest)
    for done, kept in enumerate(manifest.files):
        told("files", done, len(manifest.files))
        if not is_back(kept):
            _with_file(place, seal, kept, partial(put_back, kept))
    told("files", len(manifest.files), len(manifest.files))
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(f"{place.address} {manifest.backup}")
    told("database", 0, 1)
    _load(place, seal, manifest)
    connection.close()
    # What a newer Qreels has changed about the tables since.
    call_command("migrate", verbosity=0, interactive=False)
    told("database", 1, 1)
    voided, stopped, mails = void_what_opens(), stop_webhooks(Webhook.objects.all(), problem=RESTORED), hold_all()
    _move_videos(manifest)
    problems = [voided, *(f"{name} was lost before the backup was made." for name in manifest.lost)]
    problems += _erase_again(erased)
    if stopped:
        problems.append(
            f"Webhooks that are stopped, since this may be a second copy of the site: {stopped}. What they have yet to"
            " be told waits until somebody starts them on their pages."
        )
    if mails:
        problems.append(
            f"Notices to be mailed that are held, since this may be a second copy of the site: {mails}. They wait until"
            " an owner starts them on the page System."
        )
    note.unlink()
    # An upgrade that was broken off here was of the database before.
    forget()
    return problems


def _note() -> Path:
    return Path(settings.VAR) / "run" / "restoring"


def _with_file(place: BackupStore, seal: Seal, kept: Kept, use: Callable[[Path], object]) -> None:
    # As it lies there: a site may have begun to encrypt its backups.
    plain = name_of(kept, Seal())
    name = plain if place.has(plain) else f"{plain}{SUFFIX}"
    _with_content(place, seal, name, kept.sha256, use)


def _load(place: BackupStore, seal: Seal, manifest: Manifest, database: str = "") -> None:
    """Fill a database by a role that may do nothing else, unless that was done, and count what it has."""
    with loading_role(database, always=seal.unsigned) as where:
        if is_empty(database):
            _with_content(place, seal, manifest.dump, manifest.dump_sha256, partial(load, where=where))
            with session_of(where) as session:
                _compare_rows(manifest, row_counts(session))


def _with_content(place: BackupStore, seal: Seal, name: str, sha256: str, use: Callable[[Path], object]) -> None:
    with scratch_folder("restore") as folder:
        place.get(name, folder / "got")
        content = seal.open(name, folder / "got", folder / "plain")
        actual = sha256_of(content)
        if actual != sha256:
            raise BackupError(
                f"{place.address}/{name} is damaged: its SHA-256 is {actual}, and the manifest says {sha256}."
            )
        use(content)


def _compare_rows(manifest: Manifest, counts: dict[str, int]) -> None:
    for table, number in manifest.rows.items():
        if counts.get(table) != number:
            raise BackupError(
                f"The table {table} has {counts.get(table, 'no')} rows, and the manifest says {number}: it is damaged."
            )


def _refuse_newer(manifest: Manifest) -> None:
    from django.db.migrations.loader import MigrationLoader

    known = set(MigrationLoader(None).disk_migrations)
    ours = {app.label for app in apps.get_app_configs()}
    for app, name in manifest.migrations.items():
        if app not in ours or (app, name) not in known:
            raise BackupError(
                f"The backup is of Qreels {manifest.version}, with the migration {app}.{name}, which this one doesn't"
                " have: restore it with that version or a newer one."
            )


def _move_videos(manifest: Manifest) -> None:
    """Uploaded videos lie where this installation keeps them."""
    old, new = manifest.video_folder.rstrip("/") + "/", str(settings.VIDEO_FOLDER).rstrip("/") + "/"
    if old != new:
        Video.objects.filter(path__startswith=old).update(path=Concat(Value(new), Substr(F("path"), len(old) + 1)))


def _erased_since(place: BackupStore, seal: Seal, manifest: Manifest) -> list[Any]:
    """Who was erased after a backup was made, as far as any later one in the place says. Raises: BackupError."""
    erased: list[Any] = []
    for later in backups_of(place):
        if later > manifest.backup:
            try:
                erased += manifest_of(place, seal, later).erased
            except BackupError as error:
                raise BackupError(
                    f"{error} It says who was erased after the backup {manifest.backup}, and they would be here again."
                    f" If you know that nobody was, remove backups/{later}.json from the place."
                ) from error
    return [person for person in erased if datetime.fromisoformat(person["at"]) >= manifest.at]


def _erase_again(erased: list[Any]) -> list[str]:
    problems = []
    for person in erased:
        account = Account.objects.filter(pk=person["account"]).first()
        if account is None:
            continue
        member = account.memberships.filter(pk=person["member"]).first() if person["member"] else None
        try:
            if not person["member"]:
                erase_account(account=account)
            elif member is not None:
                part_member(member=member)
        except Refused as refusal:
            problems.append(
                f"The account {account.username} was erased on {person['at'][:10]} and is here again: {refusal}"
            )
    return problems
