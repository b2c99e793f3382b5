"""A release's folder, or what its archive holds."""

from __future__ import annotations

import shutil
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from ..errors import EvaluationError, InputError, shown
from ..progress import BYTES, Stage, untold
from .check_files import MANIFEST


@contextmanager
def opened(release: Path, stage: Stage = untold) -> Iterator[Path]:
    """Context with the folder of a release; an archive is unpacked for as long, into a temporary folder.

    Args: release: a folder with a manifest.json, or its .tar.gz. stage: called as it is unpacked.
    Raises: EvaluationError for what is no release.
    """
    with TemporaryDirectory(prefix="qreels-release-") as scratch:
        folder = release if release.is_dir() else _unpacked(release, Path(scratch), stage)
        if not (folder / MANIFEST).is_file():
            raise InputError(release, "", found=f"no {MANIFEST}", expected="a release: its folder, or its .tar.gz")
        yield folder


def _unpacked(archive: Path, scratch: Path, stage: Stage) -> Path:
    if not archive.is_file():
        raise InputError(archive, "", found="no such folder or file", expected="a release: its folder, or its .tar.gz")
    unpacking = stage("Unpacking", None, BYTES)
    try:
        with tarfile.open(archive) as tar:
            for entry in tar:
                if not entry.isdir():
                    _write(archive, tar, entry, scratch)
                    unpacking(entry.size)
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        raise EvaluationError(f"{archive} can't be unpacked: {error}") from error
    inside = list(scratch.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else scratch


def _write(archive: Path, tar: tarfile.TarFile, entry: tarfile.TarInfo, scratch: Path) -> None:
    path = PurePosixPath(entry.name)
    source, target = tar.extractfile(entry) if entry.isfile() else None, scratch / path
    if source is None or path.is_absolute() or ".." in path.parts or target.exists():
        raise InputError(archive, shown(entry.name), found="no file of a release", expected="each file once, within it")
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        shutil.copyfileobj(source, file)
