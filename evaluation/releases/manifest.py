"""A release's manifest: the bytes of its file, and the digests that stand for the whole."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError, shown
from ..reading.json_stream import whole_text

MANIFEST = "manifest.json"
SIGNATURE = f"{MANIFEST}.minisig"
"""What an owner may lay beside the manifest, who signed it."""
DIGEST = "digest"
VERSION = 3
"""Of manifests; from this one on they state the digest."""
IDENTITY = ("release", "created_at", DIGEST)
"""What two releases of one content don't share."""


def to_bytes(manifest: Mapping[str, Any]) -> bytes:
    r"""The manifest as bytes of its file; keys are sorted, so that equal manifests are equal bytes.

    Raises: ValueError for what no file can have: NaN, infinities, half of a surrogate pair.

    >>> to_bytes({"b": 1, "a": "é"})
    b'{\n  "a": "\xc3\xa9",\n  "b": 1\n}\n'
    """
    text = json.dumps(manifest, ensure_ascii=False, allow_nan=False, indent=2, sort_keys=True)
    return (text + "\n").encode()


def read_manifest(path: Path) -> dict[str, Any]:
    """What a manifest's file says, as far as it is a JSON object. Raises: InputError."""
    try:
        manifest = json.loads(whole_text(path))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(path, "", found=f"no JSON ({error})", expected="a release's manifest") from error
    if not isinstance(manifest, dict):
        raise InputError(path, "", found=shown(manifest), expected="a JSON object")
    return manifest


def digest_of(manifest: Mapping[str, Any]) -> str:
    """SHA-256 of the whole release: of the manifest's bytes without the digest itself, and so of every file's SHA-256.

    >>> digest_of({"files": {}}) == digest_of({"files": {}, "digest": "f00d"})
    True
    """
    return _sha256_without(manifest, (DIGEST,))


def content_hash(manifest: Mapping[str, Any]) -> str:
    """SHA-256 of a manifest without name, time and digest, which identifies the release's content."""
    return _sha256_without(manifest, IDENTITY)


def _sha256_without(manifest: Mapping[str, Any], names: tuple[str, ...]) -> str:
    kept = {name: value for name, value in manifest.items() if name not in names}
    return hashlib.sha256(to_bytes(kept)).hexdigest()
