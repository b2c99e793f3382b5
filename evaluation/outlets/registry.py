"""Which outlets there are, and writing one."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import mkdtemp

from ..errors import EvaluationError
from ..outlets import (
    activitynet,
    charades_sta,
    didemo,
    ir_datasets,
    mteb,
    pyterrier,
    qvhighlights,
    trecvid,
    tvr,
    webvtt,
)
from ..outlets.outlet import Left, Outlet, Wanted
from ..outlets.release import Release

_ALL: tuple[Outlet, ...] = (
    *(qvhighlights, tvr, charades_sta, activitynet, didemo),
    *(mteb, ir_datasets, pyterrier, webvtt, trecvid),
)
OUTLETS = {outlet.NAME: outlet for outlet in _ALL}
"""By name."""


def export(release: Release, out: Path, outlet: Outlet, wanted: Wanted) -> list[Left]:
    """Write a release for an outlet into a folder that isn't there or is empty: whole, or not at all.

    Returns: what was left out. Raises: EvaluationError if the folder has something or can't be written, or the release
    is none; InputError for a bad file of it.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        found = "a folder with files" if out.is_dir() else "a file"
        raise EvaluationError(f"{out}: found {found}, expected an empty folder or none")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(mkdtemp(prefix=f".{out.name}-", dir=out.parent))
        try:
            left = outlet.write(release, wanted, aside)
            aside.chmod(0o755)
            aside.replace(out)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except OSError as error:
        raise EvaluationError(f"{out} cannot be written: {error.strerror or error}") from error
    except UnicodeEncodeError as error:
        found = f"half of a surrogate pair, {error.object[error.start]!r}"
        raise EvaluationError(f"{release.given}: found {found} in a text, expected Unicode") from error
    return left
