"""Check that the capsule of a release makes one environment only: its packages pinned, its wheel whole."""

from __future__ import annotations

import csv
import re
import struct
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from zipfile import ZIP_STORED, BadZipFile, ZipFile

SCRIPT = "capsule/reproduce.sh"
REQUIREMENTS = "capsule/requirements.txt"
_PINNED = re.compile(r"[\w.-]+==[\w.]+(\s+--hash=sha256:[0-9a-f]{64})+")


def check_capsule(folder: Path) -> Iterator[str]:
    """Each problem: a requirement without a version or hash, a file of the wheel that isn't as its RECORD says."""
    if "requirements.txt" not in (folder / SCRIPT).read_text(encoding="utf-8"):
        yield f"{SCRIPT} doesn't read requirements.txt"
    lines = (folder / REQUIREMENTS).read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    for line in filter(None, (line.strip() for line in lines)):
        if not line.startswith("#") and not _PINNED.fullmatch(line):
            yield f"{REQUIREMENTS}: found {line[:80]!r}, expected NAME==VERSION with hashes of SHA-256"
    wheels = sorted((folder / "capsule").glob("*.whl"))
    if len(wheels) != 1:
        yield f"capsule/: found {len(wheels)} wheels, expected one"
    for path in wheels:
        try:
            yield from _check_wheel(path)
        except (BadZipFile, EOFError, RuntimeError, struct.error) as error:
            yield f"capsule/{path.name} can't be read: {error}"


def _check_wheel(path: Path) -> Iterator[str]:
    with ZipFile(path) as wheel:
        names = wheel.namelist()
        if any(entry.compress_type != ZIP_STORED for entry in wheel.infolist()):
            yield f"capsule/{path.name} has compressed files, and ours have none"
            return
        (record,) = (name for name in names if name.endswith(".dist-info/RECORD"))
        stated = {row[0]: row[1] for row in csv.reader(wheel.read(record).decode().splitlines())}
        for name in sorted({*names, *stated} - {record}):
            found = f"sha256={_digest(wheel.read(name))}" if name in names else "nothing"
            if stated.get(name) != found:
                yield f"capsule/{path.name}: {name} is {found}, but its RECORD says {stated.get(name)}"


def _digest(content: bytes) -> str:
    return urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
