"""How much one account may have begun to send and not finished, and how it is given up."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Count, F, Sum
from django.utils.translation import gettext as _

from corpus.models import VideoUpload
from foundation.models import Membership
from foundation.refused import Refused
from foundation.uploads.pieces import in_bytes

MOST_FILES, MOST_UNSENT = 5_000, 2 * 10**12
"""Files that one account may have begun in all collections together, and bytes of them that are still to come."""
NAMED = 5
"""Collections that a sentence names."""


class Unfinished:
    """What a member's account has begun to send and not finished, in any collection."""

    def __init__(self, member: Membership) -> None:
        rows = VideoUpload.objects.filter(state=VideoUpload.State.ARRIVING, member__account=member.account_id)
        by_collection = rows.values_list("collection__name").annotate(
            files=Count("pk"), unsent=Sum(F("size") - F("received"))
        )
        self._here = member.collection.name
        self._files = {name: files for name, files, _ in by_collection}
        self._unsent = sum(unsent for _, _, unsent in by_collection)

    def add(self, size: int, *, instead_of: VideoUpload | None) -> None:
        """Count a file of `size` bytes that is announced. Raises: Refused if it is one too many."""
        files, here = sum(self._files.values()), self._files.get(self._here, 0)
        unsent = self._unsent + size - (instead_of.size - instead_of.received if instead_of else 0)
        # A single file may be as large as the site takes them.
        if (files >= MOST_FILES and instead_of is None) or (files and unsent > MOST_UNSENT):
            raise Refused(self._too_much(files))
        self._files[self._here], self._unsent = here + (instead_of is None), unsent

    def _too_much(self, files: int) -> str:
        most_first = sorted(self._files, key=lambda name: (-self._files[name], name))
        where = [f"{name} ({self._files[name]:,})" for name in most_first[:NAMED]]
        return _(
            "Too many of your uploads are incomplete: %(files)s, with %(unsent)s still to come, expected at most"
            " %(most)s and %(bytes)s. Finish them, or remove them on the page Add videos. Collections that have them:"
            " %(where)s."
        ) % {
            "files": f"{files:,}",
            "unsent": in_bytes(self._unsent),
            "most": f"{MOST_FILES:,}",
            "bytes": in_bytes(MOST_UNSENT),
            "where": ", ".join([*where, "…"] if len(most_first) > NAMED else where),
        }


def give_up(*, member: Membership, keys: Sequence[str] = ()) -> int:
    """Remove incomplete uploads of the member's collection; without `keys`, all that the member began.

    Returns: how many.
    """
    some = member.collection.video_uploads.filter(state=VideoUpload.State.ARRIVING)
    some = some.filter(public_name__in=keys) if keys else some.filter(member=member)
    with transaction.atomic():
        # A piece that arrives meanwhile is written first, and one that arrives later finds no row.
        uploads = list(some.select_for_update())
        VideoUpload.objects.filter(pk__in=[upload.pk for upload in uploads]).delete()
    for upload in uploads:
        upload.part.unlink(missing_ok=True)
    return len(uploads)
