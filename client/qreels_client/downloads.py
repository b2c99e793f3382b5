"""Files fetched: to a part beside their place, gone on with where it broke off, checked, and renamed when whole."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from .problems import Damaged, NotReached, Refused
from .sending import Sender, Waiting


def fetch(
    sender: Sender,
    address: str,
    to: Path,
    *,
    query: Mapping[str, Any] | None = None,
    sha256: str | None = None,
) -> Path:
    """Fetch a file of the site.

    What is at `to` is replaced once the new file is whole. A part that an earlier call left is gone on with where
    `sha256` says of which file it is and the site gives ranges.

    Args: sha256: in hexadecimal, of what has to arrive.
    Raises: Damaged, Refused, NotReached. OSError.
    """
    to.parent.mkdir(parents=True, exist_ok=True)
    part = Part(to.with_name(f"{to.name}.part"), f'"{sha256}"' if sha256 else None)
    if part.etag is None:
        part.path.unlink(missing_ok=True)
    waiting = Waiting(sender.patience)
    while True:
        begun = part.size
        try:
            part.go_on(sender, address, query)
        except httpx2.TransportError as fault:
            if part.size > begun:
                waiting.progressed()
            if not waiting.again():
                raise NotReached(f"The connection broke at {address}: {fault}. What arrived is kept.") from fault
            continue
        except Refused as refusal:
            if refusal.status == 416 and begun:  # the part is longer than the file, so it is of another
                part.path.unlink()
                continue
            raise
        arrived = sha256 and digest(part.path)
        if arrived == sha256:
            part.path.replace(to)
            return to
        part.path.unlink()
        if not begun:
            raise Damaged(f"{address} arrived with SHA-256 {arrived}, expected {sha256}.")


@dataclass
class Part:
    """A file that is arriving. `etag`: of which file of the site it is; None: not known yet."""

    path: Path
    etag: str | None

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def go_on(self, sender: Sender, address: str, query: Mapping[str, Any] | None) -> None:
        """Fetch what is lacking, or all anew where the site has another file or gives no ranges."""
        # Ranges count the bytes that are sent, so nothing may pack them on the way.
        headers, begun = {"Accept-Encoding": "identity"}, self.size
        if begun and self.etag:
            headers |= {"Range": f"bytes={begun}-", "If-Range": self.etag}
        answer = sender.send(sender.request("GET", address, query=query, headers=headers), again=True, stream=True)
        try:
            self.etag = answer.headers.get("ETag")
            if answer.status_code != 206:
                begun = 0
            with self.path.open("r+b" if begun else "wb") as file:
                file.seek(begun)
                for block in answer.iter_raw():
                    file.write(block)
                file.truncate()
                file.flush()
                os.fsync(file.fileno())
        finally:
            answer.close()


def digest(path: Path) -> str:
    """A file's SHA-256 in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def within(folder: Path, path: str) -> Path:
    """The place of a site's file in a folder of ours. Raises: Damaged for a path that leads out of it."""
    place = folder / path
    if not place.resolve().is_relative_to(folder.resolve()) or place.resolve() == folder.resolve():
        raise Damaged(f"The site names a file {path!r}, which would lie outside {folder}.")
    return place
