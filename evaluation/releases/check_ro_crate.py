"""Check that a release's RO-Crate lists the files that there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from .manifest import MANIFEST
from .untrusted_files import read_object

CRATE = "ro-crate-metadata.json"


def check_ro_crate(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Each problem: a file that the crate doesn't list, lists with another size, or that isn't there."""
    graph = read_object(folder / CRATE)["@graph"]
    (root,) = (one for one in graph if one["@id"] == "./")
    parts = {part["@id"] for part in root["hasPart"]}
    sizes = {unquote(one["@id"]): one.get("contentSize") for one in graph if one["@id"] in parts}
    stated = {path: str(facts["size"]) for path, facts in manifest["files"].items() if path != CRATE}
    for path in sorted({*sizes, *stated} - {MANIFEST}):
        if sizes.get(path) != stated.get(path):
            yield f"{CRATE}: found the size {sizes.get(path)} of {path}, but the manifest says {stated.get(path)}"
