"""The signature of a release that its owner made elsewhere, by minisign: taken on if it holds, and given out with it.

It is none of the release's files, which never change. It may be replaced or withdrawn; the trail of changes says so.
"""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import IO

from django.utils import timezone
from django.utils.translation import gettext as _

from datasets.models import Release, ReleasePage
from datasets.releases.file_cache import open_file
from evaluation.errors import EvaluationError
from evaluation.releases.manifest import MANIFEST, SIGNATURE
from evaluation.releases.signature import faults_of, key_of, read_signature
from foundation.refused import FieldsRefused

LONGEST = 2000
"""Bytes of a signature: four lines, of which two are comments."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A release's signature. Attributes: content: the `.minisig`; key: the public key; comment: the trusted one."""

    content: bytes
    key: str
    at: datetime

    @property
    def sha256(self) -> str:
        return sha256(self.content).hexdigest()

    @property
    def identity(self) -> str:
        """The key's id as minisign shows it."""
        return key_of(self.key).name

    @property
    def comment(self) -> str:
        return read_signature(self.content, Path(SIGNATURE)).comment


def signature_of(release: Release) -> Signed | None:
    """The release's signature, if it has one."""
    page = ReleasePage.objects.filter(release=release).exclude(signature="").first()
    return signed_by(page) if page else None


def signed_by(page: ReleasePage) -> Signed | None:
    """The signature that a release's page has."""
    return Signed(page.signature.encode(), page.signing_key, page.signed_at) if page.signed_at else None


def opened(release: Release, path: str) -> IO[bytes]:
    """One of a release's files, or its signature. Raises: as `open_file`."""
    signed = signature_of(release) if path == SIGNATURE else None
    return BytesIO(signed.content) if signed else open_file(release, path)


def sign_release(*, release: Release, signature: bytes, key: str) -> Signed:
    """Take on the signature of a release's manifest, in the place of an earlier one.

    Args: signature: the `.minisig`. key: the public key that made it, the line of minisign.pub or all of the file.

    Raises: Refused, by field, where the key is none or the signature isn't its signature of this manifest.
    """
    if len(signature) > LONGEST:
        found = {"found": f"{len(signature):,}", "most": f"{LONGEST:,}"}
        raise FieldsRefused({"signature": _("Found %(found)s bytes, expected at most %(most)s.") % found})
    key = key[:LONGEST]
    try:
        known = key_of(key)
    except EvaluationError as error:
        raise FieldsRefused({"key": str(error)}) from error
    with open_file(release, MANIFEST) as file:
        manifest = file.read()
    try:
        read = read_signature(signature, Path(SIGNATURE))
        wrong = list(faults_of(read, manifest, known, names=(SIGNATURE, MANIFEST)))
    except EvaluationError as error:
        wrong = [str(error)]
    if wrong:
        raise FieldsRefused({"signature": wrong[0]})
    line = key.strip().splitlines()[-1]
    values = {"signature": signature.decode(), "signing_key": line, "signed_at": read.time or timezone.now()}
    page, _made = ReleasePage.objects.update_or_create(release=release, defaults=values)
    signed = signed_by(page)
    assert signed is not None
    return signed


def withdraw_signature(*, release: Release) -> None:
    """Give the release's signature out no more. Repeating it changes nothing."""
    pages = ReleasePage.objects.filter(release=release).exclude(signature="")
    pages.update(signature="", signing_key="", signed_at=None)
