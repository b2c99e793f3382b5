"""A site and its collections, as Python programs see them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, Self

import httpx2

from .calls import part
from .downloads import digest, fetch, within
from .judging import Judging
from .operations import CollectionCalls, SiteCalls
from .problems import JobFailed, NotKnown, WaitedTooLong
from .schemas import JobWithLog, ReleaseWithFiles, RunOut
from .sending import API, Patience, Sender
from .uploads import Progress, Uploaded, send_file, upload_folder
from .version import __version__

Told = Callable[[JobWithLog], object]
ENDED_BADLY = ("refused", "stopped")
FIRST_LOOK, LONGEST_LOOK = 0.2, 5.0
"""Seconds between two looks at a job: short at first, since many are done at once."""


class Qreels(SiteCalls):
    """A site, by one token: `Qreels("https://SITE", token=...)`. A context manager, and safe among threads.

    Args:
        site: its address; by default what the environment has as QREELS_SITE.
        token: made on the page Tokens; by default what the environment has as QREELS_TOKEN.
        patience: how often and how long a request is tried where the site is busy or the connection breaks.
        timeout: seconds that an answer may take, or a piece of it.
        transport: of httpx2, for certificates, proxies or an application in the same process.
    """

    def __init__(
        self,
        site: str | None = None,
        token: str | None = None,
        *,
        patience: Patience | None = None,
        timeout: float = 60.0,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        site, token = site or os.environ.get("QREELS_SITE"), token or os.environ.get("QREELS_TOKEN")
        if not site or not site.startswith(("https://", "http://")):
            raise ValueError(f"found the site {site!r}, expected an address such as https://SITE (or QREELS_SITE)")
        if not token:
            raise NotKnown(401, "No token", "Give a token, or set QREELS_TOKEN.")
        agent = f"qreels-client/{__version__}"
        sender = Sender(site, token, patience=patience or Patience(), timeout=timeout, transport=transport, agent=agent)
        super().__init__(sender, "")

    def collection(self, name: str) -> Collection:
        """A collection by its name in addresses. Nothing is asked for yet."""
        return Collection(self._sender, name)

    def close(self) -> None:
        self._sender.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Qreels({self._sender.site!r})"


class Collection(CollectionCalls):
    """A collection of a site: a method for each thing that its API can do, and some that take several."""

    def __init__(self, sender: Sender, name: str) -> None:
        super().__init__(sender, f"/collections/{part(name)}")
        self.name = name

    def __repr__(self) -> str:
        return f"Collection({self.name!r})"

    def wait(self, job: Mapping[str, Any], *, timeout: float | None = None, progress: Told | None = None) -> JobWithLog:
        """Wait until a job has ended well.

        Args:
            job: what asked for it, as answered: its `kind` and `job` are looked at.
            timeout: seconds; None: as long as it takes.
            progress: called with the job whenever it was looked at, the last time with the one that has ended.

        Raises: JobFailed, WaitedTooLong.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        pause = FIRST_LOOK
        while True:
            newest = self.get_job(job["kind"], job["job"])
            if progress is not None:
                progress(newest)
            if newest["progress"]["finished"]:
                if newest["state"] in ENDED_BADLY:
                    raise JobFailed(newest)
                return newest
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                words = newest["progress"]["words"]
                raise WaitedTooLong(f"{newest['title']} {newest['job']} isn't done after {timeout} s: {words}")
            time.sleep(pause if left is None else min(pause, left))
            pause = min(LONGEST_LOOK, pause * 1.5)

    def upload_folder(
        self, folder: Path | str, *, at_once: int = 3, replace: bool = False, progress: Progress | None = None
    ) -> Uploaded:
        """Send a folder's videos, and the files of descriptions among them, to be imported.

        What is on the site already isn't sent again, and what broke off goes on where it stopped, also in a later call.

        Args:
            at_once: how many files; replace: whether one may take the place of another one of its name.
            progress: called with the bytes that have arrived and those that were to be sent.

        Raises: Refused, NotReached; what has arrived stays. NotADirectoryError.
        """
        return upload_folder(self, Path(folder), at_once=at_once, replace=replace, progress=progress)

    def send_file(self, path: Path | str, *, progress: Progress | None = None) -> str:
        """Send a file that another request is to use. Returns its key, by which that request names it."""
        return send_file(self, Path(path), progress=progress)["file"]

    def judging(self) -> Judging:
        """Judge in one's own places."""
        return Judging(self)

    def release(self, name: str) -> ReleaseWithFiles:
        """A release by its name. Raises: LookupError."""
        for release in self.list_releases():
            if release["name"] == name:
                return self.get_release(release["release"])
        raise LookupError(f"there is no release {name!r} in {self.name}, or it isn't yours to see")

    def download_release(self, name: str, to: Path | str) -> Path:
        """Fetch a release's files into a folder.

        Each is checked by its SHA-256 and has its name once it is whole. Files that are there already aren't fetched
        again, and one that broke off is gone on with, also by a later call.

        Raises: LookupError, Damaged, NotReached.
        """
        release, folder = self.release(name), Path(to)
        folder.mkdir(parents=True, exist_ok=True)
        for file in release["files"]:
            place = within(folder, file["path"])
            if place.is_file() and place.stat().st_size == file["size"] and digest(place) == file["sha256"]:
                continue
            fetch(
                self._sender,
                f"{API}{self._here}/releases/{release['release']}/file",
                place,
                query={"path": file["path"]},
                sha256=file["sha256"],
            )
        return folder

    def submit(
        self,
        release: str,
        split: Literal["val", "test"],
        run: Path | str,
        *,
        name: str = "",
        same_name: Literal["", "replace", "version"] = "",
        timeout: float | None = None,
        progress: Told | None = None,
    ) -> RunOut:
        """Have a run's file scored on a release's board, and wait for its values.

        Args: name: of the run, by default of its file; same_name: `replace` or `version` where another has it.
        Raises: JobFailed, WaitedTooLong, Refused.
        """
        file = Path(run)
        submitted = self.submit_run(
            self.release(release)["release"],
            split,
            name=name or file.stem,
            file=self.send_file(file),
            same_name=same_name,
        )
        self.wait(submitted, timeout=timeout, progress=progress)
        return self.get_run(submitted["run"])
