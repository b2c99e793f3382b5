"""The files that a backup has: those that rows name in the storage, and the uploaded videos."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import psycopg
from django.apps import apps
from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from psycopg import sql

from foundation.deletion.rows import file_columns
from foundation.infra.scratch import scratch_folder
from foundation.infra.storage import path_here
from foundation.models import Collection
from operation.backup.errors import BackupError
from operation.backup.manifest import Kept
from operation.backup.sealing import sha256_of
from queries.pooling.candidates import training_file

Known = dict[tuple[str, str], Kept]
"""What was measured before, by root and name."""


class Vanished(Exception):
    """A file that a row names isn't there any more: it was deleted after the snapshot, or is lost."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def stored_files(session: psycopg.Connection) -> set[str]:
    """The names of files in the storage that rows name, as this session sees them, and of those that belong to a
    collection by its name."""
    names = session.execute("SELECT name FROM foundation_collection")
    files = {file for (name,) in names if default_storage.exists(file := training_file(Collection(name=name)))}
    for name, column in _file_columns(session):
        table, field = sql.Identifier(name), sql.Identifier(column)
        rows = session.execute(sql.SQL("SELECT DISTINCT {1} FROM {0} WHERE {1} <> ''").format(table, field))
        files |= {str(name) for (name,) in rows}
    return files


def _file_columns(session: psycopg.Connection) -> list[tuple[str, str]]:
    """Tables and their columns that name files. Of the tables as they are: an upgrade makes its backup before they
    become those of the models, which may lack a column, and have others."""
    texts = (
        "SELECT table_name, column_name FROM information_schema.columns"
        " WHERE table_schema = 'public' AND data_type = 'character varying'"
    )
    there = {(table, column) for table, column in session.execute(texts)}
    named = {(model._meta.db_table, column) for model in apps.get_models() for column in file_columns(model)}
    return sorted((named & there) | {(table, column) for table, column in there if column.endswith("_file")})


def uploaded_videos() -> Iterator[tuple[str, Path]]:
    """Whole videos under the folder of uploads, by their names below it. Half-sent ones can be sent again."""
    folder = Path(settings.VIDEO_FOLDER)
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in name.parts):
            yield name.as_posix(), path


@contextmanager
def local_copy(name: str) -> Iterator[Path]:
    """A file of the storage as one of this machine: itself, or a copy that goes at the end. Raises: Vanished."""
    here = path_here(name)
    if here is not None:
        yield here
        return
    with scratch_folder("backup-file") as folder:
        copy = folder / "file"
        try:
            with default_storage.open(name) as source, copy.open("wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
        except FileNotFoundError as error:
            raise Vanished(name) from error
        except OSError:  # of the disk, which `make_backup` tells
            raise
        except Exception as error:  # clouds each have their own errors, and no common one
            raise BackupError(f"{name} can't be read from the storage: {error}.") from error
        yield copy


def may_change(root: str, name: str) -> bool:
    """Whether a file may get another content under its name. One that a row names never does."""
    return root == "videos" or name == training_file(Collection(name=Path(name).stem))


def measured(root: str, name: str, path: Path, known: Known) -> Kept:
    """What a manifest says of a file. What was measured before isn't read again, unless its time says that it changed.

    Raises: Vanished; BackupError if it can't be read.
    """
    try:
        now = path.stat()
        changed = str(now.st_mtime_ns) if may_change(root, name) else ""
        before = known.get((root, name))
        if before is None or (before.size, before.changed) != (now.st_size, changed):
            known[root, name] = Kept(root, name, now.st_size, sha256_of(path), changed)
        return known[root, name]
    except FileNotFoundError as error:
        raise Vanished(name) from error
    except OSError as error:
        raise BackupError(f"{path} can't be read: {error.strerror or error}.") from error


def read_known() -> Known:
    """What this machine has measured for earlier backups; nothing where that is damaged or of another version."""
    try:
        rows = [Kept(**row) for row in json.loads(_known_file().read_text())]
    except (OSError, ValueError, TypeError):
        return {}
    return {(row.root, row.name): row for row in rows}


def write_known(files: list[Kept]) -> None:
    """Keep what was measured, for the next backup."""
    part = _known_file().with_suffix(".part")
    part.parent.mkdir(parents=True, exist_ok=True)
    part.write_text(json.dumps([asdict(file) for file in files]))
    part.replace(_known_file())


def _known_file() -> Path:
    return Path(settings.VAR) / "run" / "backup-files.json"


def put_back(kept: Kept, source: Path) -> None:
    """Bring a file back to where it was. One that is there already with the same content stays.

    Raises: BackupError if another lies there, or it can't be written.
    """
    if kept.root == "videos":
        target = _inside(Path(settings.VIDEO_FOLDER), kept)
        if target.exists():
            _refuse_other(kept, target)
            return
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            part = target.with_name(f".part-{os.getpid()}")
            shutil.copyfile(source, part)
            if kept.changed:
                os.utime(part, ns=(int(kept.changed), int(kept.changed)))
            part.replace(target)
        except OSError as error:
            raise BackupError(f"{target} can't be written: {error.strerror or error}.") from error
        return
    here = path_here(kept.name)
    if here is not None:
        _inside(Path(settings.MEDIA_ROOT), kept)
    if default_storage.exists(kept.name):
        with local_copy(kept.name) as there:
            _refuse_other(kept, there)
        return
    with source.open("rb") as file:
        stored = default_storage.save(kept.name, File(file))
    if stored != kept.name:
        raise BackupError(f"The storage kept {kept.name} as {stored}.")


def _inside(folder: Path, kept: Kept) -> Path:
    """Where a file belongs below a folder. Raises: BackupError where a symbolic link would lead it elsewhere."""
    target = folder.resolve() / kept.name
    if target.resolve() != target:
        raise BackupError(f"{target} leads elsewhere by a symbolic link: nothing is restored through one.")
    return target


def is_back(kept: Kept) -> bool:
    """Whether a file of this size lies where it belongs; its content is compared by `put_back`."""
    if kept.root == "videos":
        there = Path(settings.VIDEO_FOLDER) / kept.name
        return there.is_file() and there.stat().st_size == kept.size
    return default_storage.exists(kept.name) and default_storage.size(kept.name) == kept.size


def _refuse_other(kept: Kept, there: Path) -> None:
    if sha256_of(there) != kept.sha256:
        raise BackupError(
            f"{there} is there already with another content: restore into an empty installation (QREELS_VAR,"
            " QREELS_VIDEOS, the bucket)."
        )
