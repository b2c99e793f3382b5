"""Whether the site is being upgraded: a small file under QREELS_VAR that every process of the machine looks at.

While it says so, web processes answer 503 and workers take no job. When the upgrade is done it says which tables the
database has: a process that was started from other code, with other migrations, is held until it is restarted.
"""

import hashlib
import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from django.conf import settings


def _known_tables() -> str:
    """Of the code that this process was started from: a digest of the names of its migrations."""
    root = Path(__file__).resolve().parents[2]
    paths = [*root.glob("*/migrations/[0-9]*.py"), *root.glob("*/*/migrations/[0-9]*.py")]
    names = sorted(path.relative_to(root).as_posix() for path in paths)
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]


KNOWN_TABLES = _known_tables()


@dataclass(frozen=True, slots=True)
class Upgrade:
    """An upgrade. `tables` are those of the code that made it, as `KNOWN_TABLES`; `since` is in ISO 8601."""

    version: str
    tables: str
    since: str
    done: bool = False
    place: str = ""
    backup: str = ""
    """The id of the backup that was made before it, and where; "" if none was (yet)."""
    bytes: int = 0
    """Of the backup's files."""


_DAMAGED = Upgrade(version="", tables="", since="")
_seen: tuple[tuple[str, int, int], Upgrade] | None = None


def file() -> Path:
    """The file."""
    return Path(settings.VAR) / "run" / "upgrade.json"


def current() -> Upgrade | None:
    """The upgrade under way, or the last one; None if there is none. Costs one look at a file, for every request."""
    global _seen
    path = str(file())
    try:
        status = os.stat(path)  # noqa: PTH116 - half the time of a Path's
    except FileNotFoundError:
        return None
    key = (path, status.st_mtime_ns, status.st_ino)
    if _seen is None or _seen[0] != key:
        _seen = (key, _read(Path(path)))
    return _seen[1]


def _read(path: Path) -> Upgrade:
    try:
        return Upgrade(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        # Somebody wanted the site held; it goes on once the file is mended or removed.
        return _DAMAGED


def is_held() -> bool:
    """Whether this process has to wait: for the end of an upgrade, or for its own restart after one."""
    upgrade = current()
    return upgrade is not None and (not upgrade.done or upgrade.tables != KNOWN_TABLES)


def say(upgrade: Upgrade) -> None:
    """Tell every process of this machine, from its next request or job on."""
    path = file()
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps(asdict(upgrade)))
    part.replace(path)


def say_done(upgrade: Upgrade) -> None:
    """The database has the tables of this process's code. Processes of other code stay held."""
    say(replace(upgrade, done=True, tables=KNOWN_TABLES))


def forget() -> None:
    """No process is held any longer."""
    file().unlink(missing_ok=True)
