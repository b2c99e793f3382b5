"""Deposit at Zenodo, or another archive that runs InvenioRDM: a draft of a record, published where that was asked for.

A record has no folders and, at Zenodo, at most 100 files: it gets the release's own .tar.gz, which `verify` reads as it
is, with the manifest and the texts that people read first beside it. A draft is found again by the manifest's SHA-256
in its description, so that what was cut off goes on. Where an earlier release of the collection is published there, a
later one becomes a new version of its record. Source: InvenioRDM's REST API, drafts and records.
"""

import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from django.conf import settings
from django.core.files.storage import default_storage

from datasets.formats.about import CITATION_FILE
from datasets.formats.card import CARD
from datasets.formats.datacite import NONE, invenio_metadata
from datasets.formats.ro_crate import CRATE, DATACITE
from datasets.models import Publication, Release, ReleasePage
from datasets.publishing.targets import MANIFEST, Item, Target
from datasets.releases.archive import copy_hashed
from datasets.releases.signing import opened
from evaluation.releases.manifest import SIGNATURE
from foundation.refused import Refused

BESIDE = (CARD, CITATION_FILE, CRATE, DATACITE, SIGNATURE, MANIFEST)
SECONDS = (10, 300)
"""To connect, and until an answer begins: of a large file, until the archive has stored it."""
CHUNK = 1 << 20
ACCEPT = "application/vnd.inveniordm.v1+json, application/json;q=0.9"
"""Zenodo's plain application/json is that of its former API, which has other fields."""


class DepositTarget(Target):
    """An archive by its host. Nobody sees a draft but its owner; what is published can't be taken back."""

    def __init__(self, host: str, *, final: bool, new_record: bool) -> None:
        """Args: final: whether to publish the record once its files are there; new_record: never as a new version."""
        self.host, self.final, self.new_record = host, final, new_record
        here = host.partition(":")[0] in ("localhost", "127.0.0.1")
        self.site = f"{'http' if here else 'https'}://{host}"
        self._record: dict[str, Any] | None = None
        self._entries: dict[str, Any] = {}
        self._before: tuple[Release, dict[str, Any]] | None = None
        """The release, and its record, of which this one's is a new version."""

    @cached_property
    def _session(self) -> Any:
        import requests

        session = requests.Session()
        session.headers.update({"Authorization": f"Bearer {settings.DEPOSIT_TOKENS[self.host]}", "Accept": ACCEPT})
        return session

    def _ask(self, method: str, path: str, **more: Any) -> Any:
        """The answer's JSON. Raises: Refused with the archive's own words."""
        from requests import RequestException

        try:
            answer = self._session.request(method, f"{self.site}/api{path}", timeout=SECONDS, **more)
            if not answer.ok:
                refusal = _Gone if answer.status_code in (404, 410) else Refused
                raise refusal(f"{self.site} answers {answer.status_code}: {_said(answer)}. What was sent stays.")
            return answer.json() if answer.content else {}
        except RequestException as error:
            raise Refused(f"{self.site} can't be asked: {error}. What was sent stays.") from error

    def address(self, item: Item) -> str:
        return f"{self.site}/{item.goes_to}"

    def arranged(self, release: Release, items: list[Item], format_name: str) -> list[Item]:
        if format_name:
            raise Refused(f"A record of {self.host} holds all of a release: choose no single format.")
        archive = Item("", f"{release.collection.name}-{release.name}.tar.gz", release.archive_sha256, -1)
        return [archive, *(item for item in items if item.path in BESIDE)]

    def refuse_unready(self) -> None:
        if self.host not in settings.DEPOSIT_TOKENS:
            raise Refused(
                f"The server has no token for {self.host}: set QREELS_DEPOSIT_TOKENS={self.host}=TOKEN in its "
                "environment, that of the workers too."
            )

    def states(self, items: list[Item], release: Release) -> dict[str, str]:
        if not _metadata(release)["creators"]:
            raise Refused("An archive wants authors: name them on the release's page, at the citation's foot.")
        self._record = self._find(release)
        if self._record is None:
            self._before = None if self.new_record else self._find_before(release)
            self.outcome = self._told_of_versions()
            return {item.goes_to: "new" for item in items}
        if not self._record["is_published"] and self._record["versions"]["index"] > 1:
            self._before = self._before_draft(self._record, release)
        self._tell()
        self._entries = {entry["key"]: entry for entry in self._ask("GET", self._files)["entries"]}
        return {item.goes_to: self._state(item, release) for item in items}

    def _find(self, release: Release) -> dict[str, Any] | None:
        """The record whose description states the release's manifest, the published one first."""
        asked = {"q": f'"{release.manifest_sha256}"', "size": "25", "allversions": "true"}
        found = [
            record
            for record in self._ask("GET", "/user/records", params=asked)["hits"]["hits"]
            if release.manifest_sha256 in record["metadata"].get("description", "")
        ]
        return min(found, key=lambda record: not record["is_published"], default=None)

    def _before_draft(self, draft: dict[str, Any], release: Release) -> tuple[Release, dict[str, Any]] | None:
        """What the release's draft, a new version, comes after. Raises: Refused where it shall be none."""
        if self.new_record:
            page = draft["links"]["self_html"]
            raise Refused(f"{page} is a draft of this release as a new version of another: delete it there first.")
        before = self._find_before(release)
        return before if before and before[1]["parent"]["id"] == draft["parent"]["id"] else None

    def _find_before(self, release: Release) -> tuple[Release, dict[str, Any]] | None:
        """The newest release that is published here, if it is an earlier one, and its record.

        Raises: Refused if that record is gone, or another account's.
        """
        here = {"record__address__startswith": f"{self.site}/"}
        deposited = Publication.objects.filter(release__collection=release.collection, **here).exclude(release=release)
        others = Release.objects.filter(pk__in=deposited.values("release")).order_by("-created_at", "-pk")
        for other in others:
            record = self._find(other)
            if record is not None and record["is_published"]:
                return (other, record) if other.created_at < release.created_at else None
            lost = deposited.filter(release=other, record__published=True).order_by("-pk").first()
            if lost is not None:
                self._refuse_lost(other, lost.record["address"])
        return None

    def _refuse_lost(self, other: Release, address: str) -> None:
        try:
            self._ask("GET", f"/records/{address.rpartition('/')[2]}")
            why = "belongs to another account than the server's token"
        except _Gone:
            why = "isn't there any more"
        raise Refused(
            f"{address}, the record of release {other.name}, {why}: this release can't be its new version. Publish it "
            "as a record of its own (--new-record)."
        )

    def _next_version(self, before: Release, record: dict[str, Any]) -> dict[str, Any]:
        """The draft of a record's next version: made, or made before and nothing sent to it since.

        Raises: Refused if it is somebody's who has begun to fill it.
        """
        draft: dict[str, Any] = self._ask("POST", f"/records/{record['id']}/versions")
        copied = before.manifest_sha256 in draft["metadata"].get("description", "")
        if not copied or self._ask("GET", f"/records/{draft['id']}/draft/files")["entries"]:
            raise Refused(
                f"{draft['links']['self_html']} is a draft of the next version already, and isn't this release's. "
                "Nothing was sent: publish or delete it there, or publish this release as a record of its own "
                "(--new-record)."
            )
        return draft

    @property
    def _path(self) -> str:
        assert self._record is not None
        return f"/records/{self._record['id']}" + ("" if self._record["is_published"] else "/draft")

    @property
    def _files(self) -> str:
        return f"{self._path}/files"

    def _state(self, item: Item, release: Release) -> str:
        entry = self._entries.get(item.goes_to)
        if entry is None or entry.get("status", "completed") != "completed":
            return "new"
        with _opened(item, release) as file:
            return "same" if entry["checksum"] == md5_of(file) else "differs"

    def send(self, items: list[Item], folder: Path, release: Release, arrived: Callable[[Item], None]) -> None:
        if self._record is not None and self._record["is_published"]:
            raise Refused(f"{self.outcome['address']} is published already, and its files can't be changed.")
        if self._record is None and self._before is not None:
            self._record = self._next_version(*self._before)
        body = {
            "access": {"record": "public", "files": "public"},
            "files": {"enabled": True},
            "metadata": _metadata(release, self._dois_before()),
        }
        if self._record is None:
            self._record = self._ask("POST", "/records", json=body)
        else:
            self._record = self._ask("PUT", self._path, json=body)
        if not _doi(self._record):
            self._record = self._ask("POST", f"{self._path}/pids/doi")
        self._tell()
        for item in items:
            self._upload(item, folder, release)
            arrived(item)

    def _upload(self, item: Item, folder: Path, release: Release) -> None:
        path = folder / item.path
        if not item.path:
            path = folder.parent / item.goes_to
            with default_storage.open(release.archive, "rb") as stored, path.open("wb") as copy:
                if copy_hashed(stored, copy) != item.sha256:
                    raise Refused(f"The archive of release {release.name} is damaged: nothing more was sent.")
        here = f"{self._files}/{quote(item.goes_to)}"
        there = self._entries.get(item.goes_to)
        if there and there.get("status") == "completed":
            self._ask("DELETE", here)
        if not there or there.get("status") == "completed":
            self._ask("POST", self._files, json=[{"key": item.goes_to}])
        with path.open("rb") as file:
            self._ask("PUT", f"{here}/content", data=file, headers={"Content-Type": "application/octet-stream"})
        kept = self._ask("POST", f"{here}/commit")
        with path.open("rb") as file:
            if kept["checksum"] != md5_of(file):
                raise Refused(f"{self.address(item)} arrived otherwise than it was sent: publish again.")

    def finish(self, release: Release) -> None:
        if self.final and self._record is not None and not self._record["is_published"]:
            self._record = self._ask("POST", f"{self._path}/actions/publish")
            self._tell()

    def _tell(self) -> None:
        assert self._record is not None
        self.outcome = {
            "doi": _doi(self._record),
            "address": self._record["links"]["self_html"],
            "published": self._record["is_published"],
            **self._told_of_versions(),
        }

    def _told_of_versions(self) -> dict[str, Any]:
        """Of the outcome: `version_of`, the address of the record before, and `concept_doi`, that of all versions."""
        record = self._record or (self._before[1] if self._before else {})
        told = {"concept_doi": _doi(record.get("parent", {}))}
        if self._before:
            told["version_of"] = self._before[1]["links"]["self_html"]
        return {name: value for name, value in told.items() if value}

    def _dois_before(self) -> dict[str, str]:
        """By DataCite's relation: the DOIs of the record before, and of all versions."""
        if self._before is None:
            return {}
        record = self._before[1]
        found = {"IsNewVersionOf": _doi(record), "IsVersionOf": _doi(record["parent"])}
        return {relation: doi for relation, doi in found.items() if doi}


class _Gone(Refused):
    """The archive hasn't what it was asked for."""


def _doi(facts: Mapping[str, Any]) -> str:
    """The DOI of a record, or of its parent; "" without one."""
    doi: str = facts.get("pids", {}).get("doi", {}).get("identifier", "")
    return doi


def _metadata(release: Release, versions: Mapping[str, str] = NONE) -> dict[str, Any]:
    """The record's metadata: authors that a lead has set on the release's page stand for those in its files."""
    page = ReleasePage.objects.filter(release=release).first()
    about = release.manifest["about"] | ({"authors": page.authors} if page and page.authors else {})
    return invenio_metadata({**release.manifest, "about": about}, release.manifest_sha256, versions)


def _opened(item: Item, release: Release) -> IO[bytes]:
    stored: IO[bytes] = opened(release, item.path) if item.path else default_storage.open(release.archive, "rb")
    return stored


def md5_of(file: IO[bytes]) -> str:
    """A file's checksum as InvenioRDM states it."""
    digest = hashlib.md5(usedforsecurity=False)
    while chunk := file.read(CHUNK):
        digest.update(chunk)
    return f"md5:{digest.hexdigest()}"


def _said(answer: Any) -> str:
    """What an answer says is wrong, on one line; of one that isn't JSON, its beginning."""
    try:
        told = answer.json()
        wrong = [f"{one['field']}: {' '.join(one['messages'])}" for one in told.get("errors", [])]
        return "; ".join([str(told["message"]).rstrip("."), *wrong])
    except (ValueError, KeyError, TypeError, AttributeError):
        return " ".join(answer.text[:200].split()) or "nothing"
