"""A run's file, and beside it the manifest that says what made it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from baselines.reading.release import Release
from baselines.version import code_version
from baselines.whole_files import whole_file
from evaluation.formats.writing import qreels_text
from evaluation.moments.run import Run
from evaluation.reading import run_name

FORMAT = "qreels run 1"
ENDING = ".manifest.json"


def manifest_path(run: Path) -> Path:
    """Where a run's manifest lies: ``XML-top20-test-seed1.manifest.json`` beside ``XML-top20-test-seed1.jsonl``."""
    return run.with_name(run_name(run) + ENDING)


def run_manifest(
    release: Release,
    *,
    system: str,
    split: str,
    seed: int,
    features: Mapping[str, Any] | None,
    top: int | None = None,
    loss: str | None = None,
    more: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What a run is kept with.

    Args: features: the features' own manifest, None where none were used. top: N, None without training. loss: its
    name, None without training. more: the model's configuration, epochs, the checkpoint's digest and the like.
    """
    return {
        "format": FORMAT,
        "system": system,
        "split": split,
        "seed": seed,
        "top": top,
        "loss": loss,
        "features": features,
        "release": _release(release),
        "code": code_version(),
        **(more or {}),
    }


def write_run(path: Path, run: Run, manifest: Mapping[str, Any]) -> None:
    """Write a run as JSON Lines, with its manifest beside it; both appear whole or not at all.

    Raises: BaselineError if the place can't be written.
    """
    note = dict(manifest) | {"queries": len(run.query_ids), "predictions": len(run)}
    with whole_file(path) as file, whole_file(manifest_path(path)) as beside:
        file.writelines(line.encode() for line in qreels_text(run))
        beside.write(f"{json.dumps(note, indent=1)}\n".encode())


def told_of(path: Path, run: Run) -> str:
    """A sentence on a run that was written."""
    return f"{path}: {len(run.query_ids)} queries, {len(run)} moments; what made it: {manifest_path(path)}"


def digest_of_file(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _release(release: Release) -> dict[str, Any]:
    """Which release it was: its folder's name, its manifest's SHA-256 where it has one."""
    manifest = release.folder / "manifest.json"
    digest = digest_of_file(manifest) if manifest.is_file() else None
    return {"name": release.folder.resolve().name, "manifest": digest, "videos": len(release.durations)}
