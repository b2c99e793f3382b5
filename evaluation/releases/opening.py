"""A release's files: its folder's, or what its archive holds."""

from __future__ import annotations

import shutil
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from ..errors import InputError, shown
from ..progress import BYTES, Advance, Stage, untold
from .manifest import MANIFEST


@contextmanager
def opened(release: Path, stage: Stage = untold) -> Iterator[Path]:
    """Context with the folder of a release; an archive is unpacked for as long, into a temporary folder.

    Args: release: a folder with a manifest.json, or its .tar.gz. stage: called as it is unpacked.
    Raises: InputError for what is no release.
    """
    with TemporaryDirectory(prefix="qreels-release-") as scratch:
        folder = release
        if not release.is_dir():
            folder, _ = unpack(release, Path(scratch), unpacking=stage("Unpacking", None, BYTES))
        if not (folder / MANIFEST).is_file():
            raise InputError(release, "", found=f"no {MANIFEST}", expected="a release: its folder, or its .tar.gz")
        yield folder


def unpack(
    archive: Path,
    scratch: Path,
    wanted: Callable[[PurePosixPath], bool] = lambda path: True,
    unpacking: Advance = lambda done: None,
) -> tuple[Path, tuple[str, ...]]:
    """Unpack the files of an archive that are wanted.

    Returns: where the release's files lie, in `scratch` or its top folder there; all that there are in the archive.
    Raises: InputError for what is no archive, or holds what isn't a file of a release.
    """
    if not archive.is_file():
        raise InputError(archive, "", found="no such folder or file", expected="a release: its folder, or its .tar.gz")
    files: dict[PurePosixPath, None] = {}
    try:
        with tarfile.open(archive) as tar:
            for entry in tar:
                path = PurePosixPath(entry.name)
                if entry.isdir():
                    continue
                source = tar.extractfile(entry) if entry.isfile() else None
                if source is None or path.is_absolute() or ".." in path.parts or path in files:
                    expected = "each file once, within it"
                    raise InputError(archive, shown(entry.name), found="no file of a release", expected=expected)
                files[path] = None
                if wanted(path):
                    target = scratch / path
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with target.open("wb") as copy:
                        shutil.copyfileobj(source, copy)
                    unpacking(entry.size)
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        raise InputError(archive, "", found=f"no archive ({error})", expected="a release's .tar.gz") from error
    tops = {path.parts[0] if path.parts[1:] else "" for path in files}
    top = tops.pop() if len(tops) == 1 else ""
    return scratch / top, tuple(sorted(path.relative_to(top).as_posix() for path in files))
