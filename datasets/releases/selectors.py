"""What pages and the API read of releases."""

from typing import Any

from django.http import Http404

from datasets.content.splits import SPLITS
from datasets.models import Release
from datasets.releases.access import may_see_release
from foundation.models import Membership


def release_of(member: Membership, release_id: int) -> Release:
    """A release of the member's collection; 404 if it isn't shared with them."""
    release = member.collection.releases.filter(pk=release_id).first()
    if release is None or not may_see_release(member, release):
        raise Http404("no such release")
    return release


def facts_of(release: Release) -> dict[str, Any]:
    """A release's facts for lists."""
    counts = release.manifest["counts"]
    return {
        "id": release.pk,
        "name": release.name,
        "created_at": release.created_at,
        "formats": release.formats,
        "content_hash": release.content_hash,
        "undecided": sum(counts[split]["pairs_undecided"] for split in SPLITS),
        "size": sum(file["size"] for file in release.manifest["files"].values()),
        "splits": {split: {"queries": counts[split]["queries"], "pairs": counts[split]["pairs"]} for split in SPLITS},
    }
