"""Make a backup while people work: everything in it is of one moment.

    PLACE/files/AB/SHA256          each file once, by its content, whichever backups it belongs to
    PLACE/backups/ID.dump          PostgreSQL's own format
    PLACE/backups/ID.json          the manifest, written last: without it there is no backup. It says who was erased, so
                                   that restoring an older backup erases them again
    PLACE/backups/ID.mac           the HMAC by which the site knows its manifest (`authenticity.py`)
    PLACE/owner/DATABASE.txt       whose place it is: two sites would remove each other's backups

The names end with .age where they are encrypted. Only what isn't there yet is copied, so a broken off backup goes on
where it stopped.
"""

from collections.abc import Callable
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from foundation.infra.scratch import scratch_folder
from foundation.version import this_version
from operation.backup.authenticity import mac_of, refuse_forged
from operation.backup.database import dump, identity, row_counts, snapshot
from operation.backup.errors import BackupError
from operation.backup.files import (
    Vanished,
    local_copy,
    may_change,
    measured,
    read_known,
    stored_files,
    uploaded_videos,
    write_known,
)
from operation.backup.manifest import Kept, Manifest, moment_of, new_id, read_manifest
from operation.backup.rotation import to_remove
from operation.backup.sealing import SUFFIX, Seal, sha256_of
from operation.backup.stores import BackupStore
from operation.models import Erasure

OWNER = "owner"

Told = Callable[[int, int], object]
"""Called with how many files are done, and how many there are."""


def make_backup(*, place: BackupStore, seal: Seal, told: Told = lambda done, total: None) -> Manifest:
    """Make one. Safe to repeat and to break off. Raises: BackupError."""
    try:
        copying = _Copying(place, seal, told)
        refuse_other_site(place, seal)
        # Files of a first snapshot are copied beforehand: few are left for the one that the backup is of.
        while True:
            try:
                with snapshot() as (session, _):
                    copying.keep(stored_files(session))
                return _make(copying)
            except Vanished as gone:
                # Deleted after the snapshot, and so named no longer by the next one; or lost.
                copying.note_vanished(gone.name)
    except OSError as error:
        where = error.filename or settings.SCRATCH
        raise BackupError(f"{where} can't be written: {error.strerror or error}.") from error


def refuse_other_site(place: BackupStore, seal: Seal) -> None:
    """See that the place is this database's; one that is nobody's becomes it. Raises: BackupError."""
    owners = [name.removeprefix(f"{OWNER}/").partition(".")[0] for name in place.names(OWNER)]
    if not owners:
        claim(place, seal)
    elif identity() not in owners:
        raise BackupError(
            f"{place.address} has the backups of another database: two sites there would remove each other's. Give this"
            " one another place; if it replaces the other, as after a restore, call manage.py backup TARGET --take-over"
            " once."
        )


def claim(place: BackupStore, seal: Seal) -> None:
    """From now on the place is this database's. Raises: BackupError."""
    others = list(place.names(OWNER))
    with scratch_folder("backup-owner") as folder:
        put_text(place, seal, f"{OWNER}/{identity()}.txt", f"since {timezone.now().isoformat()}\n", folder)
    for name in others:
        if not name.startswith(f"{OWNER}/{identity()}."):
            place.remove(name)


def _make(copying: "_Copying") -> Manifest:
    place, seal = copying.place, copying.seal
    with scratch_folder("backup") as folder, snapshot() as (session, seen):
        backup = _free_id(place)
        names = stored_files(session)
        rows = row_counts(session)
        file = folder / "dump"
        dump(file, seen=seen)
        files = copying.keep(names)
        sealed = f"backups/{backup}.dump{seal.suffix}"
        manifest = Manifest(
            backup=backup,
            version=this_version().version,
            migrations=_last_migrations(),
            postgresql=str(session.info.server_version // 10_000),
            dump=sealed,
            dump_sha256=sha256_of(file),
            rows=rows,
            video_folder=str(settings.VIDEO_FOLDER),
            files=files,
            lost=sorted(copying.lost & names),
            erased=_erased(),
        )
        place.put(sealed, seal.seal(file, folder / "dump.sealed"))
        name, text = f"backups/{backup}.json", manifest.as_json()
        put_text(place, seal, f"backups/{backup}.mac", mac_of(name, text), folder)
        put_text(place, seal, name, text, folder)
    return manifest


class _Copying:
    """Copies what isn't in the place yet, and remembers what is."""

    def __init__(self, place: BackupStore, seal: Seal, note: Told) -> None:
        self.place, self.seal = place, seal
        self.lost: set[str] = set()
        self._told, self._known = note, read_known()
        self._there = set(place.names("files"))
        self._vanished: set[str] = set()

    def note_vanished(self, name: str) -> None:
        """A file that is missing twice is lost; the backup goes on without it and says so."""
        if name in self._vanished:
            self.lost.add(name)
        self._vanished.add(name)

    def keep(self, names: set[str]) -> list[Kept]:
        """Have these files of the storage, and all uploaded videos, in the place. Raises: BackupError, Vanished."""
        stored, videos = sorted(names - self.lost), list(uploaded_videos())
        files: list[Kept] = []
        self._told(0, len(stored) + len(videos))
        for name in stored:
            known = self._known.get(("storage", name))
            if known is None or name_of(known, self.seal) not in self._there or may_change("storage", name):
                with local_copy(name) as path:
                    known = measured("storage", name, path, self._known)
                    self._copy(known, path)
            files.append(known)
            self._told(len(files), len(stored) + len(videos))
        for name, path in videos:
            video = measured("videos", name, path, self._known)
            self._copy(video, path)
            files.append(video)
            self._told(len(files), len(stored) + len(videos))
        write_known(files)
        return files

    def _copy(self, kept: Kept, path: Path) -> None:
        name = name_of(kept, self.seal)
        if name in self._there:
            return
        if not path.exists():
            raise Vanished(kept.name)
        with scratch_folder("backup-file") as folder:
            self.place.put(name, self.seal.seal(path, folder / "sealed"))
        self._there.add(name)


def name_of(kept: Kept, seal: Seal) -> str:
    """The name of a file's content in the place."""
    return f"files/{kept.sha256[:2]}/{kept.sha256}{seal.suffix}"


def _free_id(place: BackupStore) -> str:
    backup = new_id(timezone.now())
    if backup in backups_of(place):
        raise BackupError(f"Another backup was made in this second: {backup}.")
    return backup


def backups_of(place: BackupStore) -> list[str]:
    """The ids of whole backups, oldest first. Raises: BackupError."""
    files = (name.removeprefix("backups/") for name in place.names("backups"))
    return sorted({name.partition(".")[0] for name in files if name.endswith((".json", f".json{SUFFIX}"))})


def manifest_of(place: BackupStore, seal: Seal, backup: str, *, proved: bool = True) -> Manifest:
    """`proved`: whether it has to be signed by the site. Raises: BackupError if there is none, it is damaged or
    forged, or no key opens it."""
    moment_of(backup)
    name = f"backups/{backup}.json"
    text = got_text(place, seal, name)
    if proved:
        beside = f"backups/{backup}.mac"
        mac = got_text(place, seal, beside) if place.has(beside) or place.has(f"{beside}{SUFFIX}") else None
        refuse_forged(name, text, mac=mac, signer=seal.signer, unsigned=seal.unsigned)
    manifest = read_manifest(text, name=f"{place.address}/{name}")
    if manifest.backup != backup:
        raise BackupError(f"{place.address}/{name} is the manifest of another backup, {manifest.backup}.")
    return manifest


def put_text(place: BackupStore, seal: Seal, name: str, text: str, folder: Path) -> None:
    """Write a small file, encrypted where files are."""
    plain = folder / "text"
    plain.write_text(text, encoding="utf-8")
    place.put(f"{name}{seal.suffix}", seal.seal(plain, folder / "text.sealed"))


def got_text(place: BackupStore, seal: Seal, name: str) -> str:
    """A small file, whether it lies there encrypted or not. Raises: BackupError."""
    there = name if place.has(name) else f"{name}{SUFFIX}"
    with scratch_folder("backup-text") as folder:
        place.get(there, folder / "got")
        return seal.open(there, folder / "got", folder / "plain").read_text(encoding="utf-8", errors="replace")


def _erased() -> list[dict[str, str | int | None]]:
    """All erasures that this database knows."""
    return [
        {"account": row.account, "member": row.member, "at": row.at.isoformat()}
        for row in Erasure.objects.order_by("at", "pk")
    ]


def _last_migrations() -> dict[str, str]:
    ours = {app.label for app in apps.get_app_configs()}
    last: dict[str, str] = {}
    for app, name in sorted(MigrationRecorder(connection).applied_migrations()):
        if app in ours:
            last[app] = name
    return last


def remove_old(*, place: BackupStore, seal: Seal, days: int, weeks: int) -> list[str]:
    """Remove backups that needn't be kept, then the files that no backup has. Returns: the ids of those removed.

    Where manifests can't be opened, as with a public key alone, no file is removed.
    """
    gone = to_remove(backups_of(place), days=days, weeks=weeks)
    for backup in gone:
        for ending in ("json", "dump", "mac"):
            place.remove(f"backups/{backup}.{ending}{seal.suffix}")
    if gone and (not seal.public or seal.secrets):
        _remove_unused(place, seal)
    return gone


def _remove_unused(place: BackupStore, seal: Seal) -> None:
    # Of whoever made them: what a manifest names isn't removed.
    manifests = (manifest_of(place, seal, backup, proved=False) for backup in backups_of(place))
    used = {name_of(kept, seal) for manifest in manifests for kept in manifest.files}
    for name in list(place.names("files")):
        if name not in used:
            place.remove(name)
