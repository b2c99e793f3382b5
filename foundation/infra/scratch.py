"""Scratch folders, removed with the process that made them, even if it is killed."""

import fcntl
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings

_LOCK = ".in-use"


@contextmanager
def scratch_folder(what: str) -> Iterator[Path]:
    """A new, empty folder under `settings.SCRATCH`, removed at the end; `what` begins its name."""
    settings.SCRATCH.mkdir(parents=True, exist_ok=True)
    folder = settings.SCRATCH / f"{what}-{secrets.token_hex(6)}"
    note = folder.with_suffix(_LOCK)
    try:
        # The system lets go of the lock when this process ends, however it does: then the folder is nobody's.
        with note.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            folder.mkdir()
            yield folder
    finally:
        _remove(note)


def clear_scratch() -> list[str]:
    """Remove the folders of processes that were killed. Returns their names."""
    gone = []
    for note in sorted(settings.SCRATCH.glob(f"*{_LOCK}")):
        with suppress(OSError), note.open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(note)
            gone.append(note.stem)
    return gone


def _remove(note: Path) -> None:
    shutil.rmtree(note.with_suffix(""), ignore_errors=True)
    note.unlink(missing_ok=True)
