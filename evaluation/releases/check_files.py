"""Check that a release has exactly the files that its manifest states, to the byte."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..formats.system_names import SPLITS
from ..progress import BYTES, Stage, untold
from .check_capsule import SCRIPT
from .check_ro_crate import CRATE
from .claims import Claims
from .manifest import DIGEST, MANIFEST, SIGNATURE, VERSION, digest_of, to_bytes
from .untrusted_files import UnreadableFile, is_list, read_object, sha256_of

OF_FORMATS = {
    "tvr-ranking": "raw_annotations.csv",
    "trec": "trec/moments.tsv",
    "beir": "beir/corpus.jsonl",
    "parquet": "parquet/README.md",
    "croissant": "croissant/croissant.json",
    "datasheet": "datasheet/DATASHEET.md",
    "tables": "tables/judging.csv",
    "capsule": SCRIPT,
    "ro-crate": CRATE,
}
"""A file that each format has."""
PAPERS_DEPTHS = [1, 20, 40]
"""Of the training files, where a damaged manifest doesn't state them."""


def check_files(folder: Path, claims: Claims, stage: Stage = untold) -> dict[str, Any]:
    """Check every file's size and SHA-256, and the whole's digest.

    Returns: the manifest; {} where it can't be read.
    """
    manifest: dict[str, Any] = {}
    try:
        manifest = read_object(folder / MANIFEST)
        _check_manifest(folder / MANIFEST, manifest, claims)
    except UnreadableFile as error:
        claims.tell("digest", str(error))
    claims.check("files")
    listed = manifest.get("files")
    if not isinstance(listed, dict):
        claims.tell("files", f"{MANIFEST} lists no files")
        listed = {}
    lists = {*(f"{split}.json" for split in SPLITS), *training_files(manifest).values()}
    expected = {*lists, "video_corpus.json", "raw_annotations.csv"} if "tvr-ranking" in formats_of(manifest) else set()
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    for path in sorted(there - set(listed) - {MANIFEST, SIGNATURE}):
        claims.tell("files", f"{path} is not in the manifest", path)
    for name, path in OF_FORMATS.items():
        if name not in formats_of(manifest) and path in there:
            claims.tell("files", f"{path} is there, but the manifest says nothing of the format {name}", path)
    for path in sorted({*listed, *expected} - there):
        claims.tell("files", f"{path} is missing", path)
    known = sorted(set(listed) & there)
    hashed = stage("Hashing", sum((folder / path).stat().st_size for path in known), BYTES)
    for path in known:
        check_listed(folder / path, path, listed[path], claims)
        hashed((folder / path).stat().st_size)
    for path in sorted(there - lists):
        if "/" not in path and path.endswith(".json") and is_list(folder / path):
            claims.tell("files", f"{path} is a list, and only val, test and training files may be", path)
    return manifest


def check_listed(file: Path, path: str, stated: Any, claims: Claims) -> None:
    """Check one file's size and SHA-256. Args: path: its name in the manifest, and stated: what that says of it."""
    found = {"sha256": sha256_of(file), "size": file.stat().st_size}
    if found != stated:
        claims.tell("files", f"{path}: found {found}, but the manifest says {stated}", path)


def _check_manifest(path: Path, manifest: Mapping[str, Any], claims: Claims) -> None:
    version = manifest.get("manifest_version")
    if DIGEST not in manifest and isinstance(version, int) and version < VERSION:
        claims.note("digest", f"not stated: manifests have one from version {VERSION} on, this is version {version}")
        return
    claims.check("digest")
    try:
        found = digest_of(manifest)
    except ValueError as error:
        claims.tell("digest", f"{MANIFEST} has what no manifest can have: {error}")
        return
    if found != manifest.get(DIGEST):
        claims.tell("digest", f"{MANIFEST}: found the SHA-256 {found}, but it says {manifest.get(DIGEST)!r}")
    elif path.read_bytes() != to_bytes(manifest):
        claims.tell("digest", f"{MANIFEST} has the content of its digest in other bytes")


def formats_of(manifest: Mapping[str, Any]) -> list[str]:
    """The formats that a release says it has; tvr-ranking where a damaged manifest doesn't say."""
    stated = manifest.get("formats")
    return [name for name in stated if isinstance(name, str)] if isinstance(stated, list) else ["tvr-ranking"]


def training_files(manifest: Mapping[str, Any]) -> dict[int, str]:
    """Moments a query -> training file, rising."""
    stated = manifest.get("training_depths")
    good = isinstance(stated, list) and stated and all(type(depth) is int and depth > 0 for depth in stated)
    return {depth: f"train_top{depth:02d}.json" for depth in sorted((good and stated) or PAPERS_DEPTHS)}
