"""What pages and the API read of releases."""

from typing import Any

from django.http import Http404

from datasets.content.splits import SPLITS
from datasets.models import Release
from datasets.releases.access import may_see_release
from foundation.models import Membership


def release_of(member: Membership, release_id: int) -> Release:
    """A release of the member's collection; 404 if it isn't shared with them."""
    found = member.collection.releases.filter(pk=release_id).first()
    if found is None or not may_see_release(member, found):
        raise Http404("no such release")
    return found


def facts_of(release: Release) -> dict[str, Any]:
    """A release's facts for lists."""
    counts = release.manifest["counts"]
    return {
        "id": release.pk,
        "name": release.name,
        "created_at": release.created_at,
        "formats": release.formats,
        "content_hash": release.content_hash,
        "undecided": sum(counts[split].get("pairs_undecided", 0) for split in map(str, SPLITS)),
        "size": sum(file["size"] for file in release.manifest["files"].values()),
        "splits": {
            split: {"queries": counts[split]["queries"], "pairs": counts[split]["pairs"]} for split in map(str, SPLITS)
        },
    }
