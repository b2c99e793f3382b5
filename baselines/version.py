"""Which code made a file: Qreels' version and the commit, for manifests."""

from __future__ import annotations

import subprocess
import tomllib
from functools import lru_cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent


@lru_cache(maxsize=1)
def code_version() -> dict[str, str | None]:
    """``{"name", "version", "revision"}``; the revision ends in "+" where files differ from the commit, and is None
    outside a git checkout."""
    with (_ROOT / "pyproject.toml").open("rb") as file:
        version = str(tomllib.load(file)["project"]["version"])
    return {"name": "qreels", "version": version, "revision": _revision()}


def _revision() -> str | None:
    try:
        commit, changed = (
            subprocess.run(
                ["git", *arguments], cwd=_ROOT, capture_output=True, text=True, check=True, timeout=20
            ).stdout.strip()
            for arguments in (["rev-parse", "HEAD"], ["status", "--porcelain", "--untracked-files=no"])
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return commit + ("+" if changed else "")
