"""What webhooks are told of a release that is made."""

from datasets.models import Release
from foundation.webhooks.kinds import RELEASE_MADE
from foundation.webhooks.outbox import note


def note_made(release: Release) -> None:
    """A release is made: its name, and the digests by which it is known. Part of the caller's transaction."""
    data = {
        "release": release.name,
        "content_hash": release.content_hash,
        "manifest_sha256": release.manifest_sha256,
        "archive_sha256": release.archive_sha256,
    }
    note(RELEASE_MADE, collection=release.collection, data=data)
