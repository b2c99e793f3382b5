"""Files of programs: announced, sent in pieces, then used once, named by their key in the request that uses them."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import IO, Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models.functions import Now

from foundation.infra.storage import NoSpace
from foundation.models import Account, Membership, SentFile
from foundation.refused import FileRefused, Refused
from foundation.text import UNSTORABLE
from foundation.uploads.pieces import NO_ROOM, add_piece, free_space, in_bytes, refuse_other_content

KEPT_FOR = timedelta(days=1)
"""After so long without a piece, a file that nothing used is removed."""
MOST_OF_LEADS, MOST = 20, 3
"""Files that one account may have at a time in all collections, unused or under way."""
AT_ONCE = 100
NO_FILE = "There is no such file of yours here: it was used, deleted or never sent."


def announce_file(*, member: Membership, name: str, size: int, mark: str) -> SentFile:
    """Find or begin a file of a member, of `size` bytes. Args: mark: as `mark_of_file`.

    Raises: Refused, NoSpace.
    """
    name = UNSTORABLE.sub("", name).rpartition("/")[2].strip()[-200:]
    if name in ("", ".", ".."):
        raise Refused("A file needs a name.")
    if not size:
        raise Refused("The file is empty.")
    if size > settings.LONGEST_UPLOAD:
        raise Refused(
            f"It is too large: found {in_bytes(size)}, expected at most {in_bytes(settings.LONGEST_UPLOAD)} "
            "(QREELS_UPLOAD_MB)."
        )
    with transaction.atomic():
        # One at a time, so that the number holds.
        Account.objects.select_for_update(no_key=True).get(pk=member.account_id or 0)
        about = {"member": member, "name": name, "size": size, "mark": mark}
        begun = SentFile.objects.filter(**about).first()
        if begun is not None:
            return _finished(begun)
        most = MOST_OF_LEADS if member.leads else MOST
        unused = SentFile.objects.filter(member__account=member.account_id)
        if unused.count() >= most:
            where = ", ".join(sorted(set(unused.values_list("collection__name", flat=True))))
            raise Refused(f"You have {most} files here that nothing has used, in {where}. Use or delete one of them.")
        room = free_space()
        if size > room:
            raise NoSpace(NO_ROOM.format(needed=in_bytes(size), free=in_bytes(max(0, room))))
        return SentFile.objects.create(collection=member.collection, **about)


def append_to_file(*, file: SentFile, offset: int, piece: IO[bytes], length: int, checksum: int | None) -> None:
    """Add a piece to a file, and check the file with its last: as `add_piece`, with what it raises."""
    add_piece(upload=file, offset=offset, piece=piece, length=length, checksum=checksum, finish=_finish)


def _finished(file: SentFile) -> SentFile:
    """A file whose last piece is here, and whose end a killed process may have missed."""
    if file.arriving and file.received == file.size:
        _finish(file)
    return file


def _finish(file: SentFile) -> None:
    """Note that a file is whole, if it is what was announced. Safe to repeat."""
    refuse_other_content(file, file.mark)
    SentFile.objects.filter(pk=file.pk).update(whole=True, touched_at=Now())
    file.whole = True


@contextmanager
def use_file(*, member: Membership, key: str) -> Iterator["UploadedFile[Any]"]:
    """Context with a member's whole file, as forms have theirs; one transaction. Unless something is raised in it, the
    file is gone afterwards.

    Raises: FileRefused.
    """
    with transaction.atomic():
        # Whoever uses it at the same time waits, and finds it gone.
        file = SentFile.objects.select_for_update().filter(member=member, public_name=key).first()
        if file is None:
            raise FileRefused(NO_FILE)
        if not file.whole or not file.part.exists():
            raise FileRefused("This file hasn't arrived whole: send what is missing of it.")
        with file.part.open("rb") as part:
            yield UploadedFile(part, name=file.name, size=file.size)
        forget_file(file=file)


def forget_file(*, file: SentFile) -> None:
    """Remove a file, whole or not. Repeating it changes nothing."""
    SentFile.objects.filter(pk=file.pk).delete()
    transaction.on_commit(lambda: file.part.unlink(missing_ok=True))


def remove_unused() -> None:
    """Remove files that nobody has sent a piece of for `KEPT_FOR`, nor used."""
    for file in SentFile.objects.filter(touched_at__lt=Now() - KEPT_FOR)[:AT_ONCE]:
        forget_file(file=file)
