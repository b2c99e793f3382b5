"""The manifest of a backup: what belongs to it, with sizes and checksums; written last, so that it is whole."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime

from operation.backup.errors import BackupError
from operation.backup.sealing import SUFFIX

FORMAT = 1
ROOTS = ("storage", "videos")
"""Where a file lies: in the storage (clips, releases, uploads), or in the folder of uploaded videos."""
_ID = re.compile(r"\d{8}T\d{6}Z\Z")
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True, slots=True)
class Kept:
    """A file of a backup. `changed` (storage: "") and `size` tell whether it is still the same without reading it."""

    root: str
    name: str
    size: int
    sha256: str
    changed: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup has. `backup` is its id, the moment in UTC that it is of."""

    backup: str
    version: str
    """Of Qreels."""
    migrations: dict[str, str]
    """The last migration of each app."""
    postgresql: str
    dump: str
    """The name of the database's dump in the place."""
    dump_sha256: str
    rows: dict[str, int]
    """Of each table at that moment."""
    video_folder: str
    files: list[Kept] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    """Files that rows name and the storage didn't have when the backup was made."""
    erased: list[dict[str, str | int | None]] = field(default_factory=list)
    """Who had been erased, by number: `account`, `member` (null: the whole account went) and `at`."""
    format: int = FORMAT

    @property
    def at(self) -> datetime:
        """The moment that it is of."""
        return moment_of(self.backup)

    @property
    def bytes(self) -> int:
        """Of all files together, without the database."""
        return sum(file.size for file in self.files)

    def as_json(self) -> str:
        """One JSON object."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False)


def new_id(now: datetime) -> str:
    """The id of a backup made now."""
    return now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def moment_of(backup: str) -> datetime:
    """The moment of a backup's id. Raises: BackupError if it is none."""
    if not _ID.match(backup):
        raise BackupError(f"{backup!r} is no backup: expected an id such as 20261122T031500Z.")
    try:
        return datetime.strptime(backup, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError as error:
        raise BackupError(f"{backup!r} is no backup: {error}.") from error


def read_manifest(text: str, *, name: str) -> Manifest:
    """Raises: BackupError for what isn't a manifest, or one of a newer format, or names what lies outside."""
    try:
        content = json.loads(text)
        if not isinstance(content, Mapping):
            raise ValueError("expected an object")
        if content.get("format") != FORMAT:
            raise BackupError(
                f"{name} has the format {content.get('format')!r}, and this Qreels reads {FORMAT}: a newer one made it."
            )
        files = [Kept(**file) for file in content["files"]]
        manifest = Manifest(**{**content, "files": files})
        moment_of(manifest.backup)
        sums = [manifest.dump_sha256, *(file.sha256 for file in files)]
        wrong = next((sha256 for sha256 in sums if not _SHA256.match(sha256)), None)
        if wrong is not None:
            raise ValueError(f"{wrong!r:.80} is no SHA-256")
    except (ValueError, TypeError, KeyError) as error:
        raise BackupError(f"{name} is no manifest of a backup: {error}.") from error
    dump = f"backups/{manifest.backup}.dump"
    outside = [manifest.dump] if manifest.dump not in (dump, f"{dump}{SUFFIX}") else []
    outside += [file.name for file in manifest.files if file.root not in ROOTS or not _is_inside(file.name)]
    if outside:
        raise BackupError(f"{name} names the file {outside[0]!r}, which lies outside: it isn't of Qreels's making.")
    return manifest


def _is_inside(name: str) -> bool:
    parts = name.split("/")
    return "\x00" not in name and not any(part in ("", ".", "..") for part in parts)
