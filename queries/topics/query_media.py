"""Give topics their pictures, clips and sounds: a zip file of them, named by topic ids, or a single one."""

from __future__ import annotations

import lzma
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from django.core.files.base import File
from django.db import transaction
from django.utils.translation import gettext as _

from corpus.description_formats import BadRow, fields
from corpus.description_import.rejected_rows import Rejections
from evaluation.formats.trec_ids import read_id
from foundation.infra.advisory_lock import hold_descriptions
from foundation.infra.scratch import scratch_folder
from foundation.infra.storage import delete_at_commit, kept_files, space_told
from foundation.models import Collection, new_public_name
from foundation.refused import Refused
from queries.models import Candidate, Query, QueryMedium
from queries.pooling.candidates import in_use
from queries.topics.media_files import LARGEST, MediumFile, read_medium
from queries.topics.standing_topics import StandingTopics
from queries.topics.topic_rows import SourceTopic

MOST_FILES = 10_000
_DAMAGED = (BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, OSError, zlib.error, lzma.LZMAError)
"""What `zipfile` raises of files that are damaged or locked, their names and compressed bytes included."""
_OFFICE = "[Content_Types].xml"
"""What every spreadsheet has, which is a zip file, too."""


def holds_media(file: BinaryIO) -> bool:
    """Whether a file is a zip file and no spreadsheet; it is rewound."""
    begins = file.read(4) == b"PK\x03\x04"
    file.seek(0)
    if not begins:
        return False
    try:
        with ZipFile(file) as archive:
            return _OFFICE not in archive.namelist()
    except _DAMAGED:
        return False
    finally:
        file.seek(0)


def store_media(
    *, collection: Collection, file: BinaryIO, name: str, split: str, progress: Callable[[int], object]
) -> tuple[int, int, int]:
    """Give topics the media of a zip file, each named by its topic's id: `T7.jpg`. Call it in a transaction.

    A file whose id no topic has makes a topic without words, in `split`.

    Returns: how many topics are new, were changed, and had that medium already.
    Raises: BadFile naming the first ten problems with file, found and expected; StoringError; Busy.
    """
    hold_descriptions(collection)
    standing, rejections = StandingTopics(collection), Rejections(name)
    with scratch_folder("query-media") as folder:
        media = dict(_read(file, folder, rejections, progress))
        standing_media = QueryMedium.objects.filter(query__collection=collection)
        present = dict(standing_media.values_list("query__topic_id", "sha256"))
        changed = {id: one for id, one in media.items() if present.get(id) != one.sha256}
        fresh = [_wordless(id, one) for id, one in changed.items() if not standing.has(id)]
        for row, bad in standing.conflicts(fresh):
            rejections.add(0, row.topic_id, bad, None)
        for id in changed:
            if standing.is_fixed(id):
                expected = "the medium that it has: judging of this topic is open, so it is fixed"
                rejections.add(0, id, BadRow("file", id, expected), None)
        if not media and not rejections.total:
            rejections.add(1, "", BadRow("file", None, "pictures, clips or sounds named by topic ids"), None)
        if rejections.total:
            raise rejections.as_error()
        standing.store(fresh, split=split)
        topics = {query.topic_id: query for query in collection.queries.filter(topic_id__in=changed)}
        with _kept(changed.values()) as names:
            words = {row.topic_id for row in fresh}
            _replace([(topics[id], one, id in words) for id, one in changed.items()], names)
    return len(fresh), len(changed) - len(fresh), len(media) - len(changed)


def put_medium(*, topic: Query, upload: File[Any]) -> QueryMedium:
    """Give a topic a picture, clip or sound beside its words, or in place of the one that it has.

    Raises: Refused if the file is none, or judging of the topic is open; StoringError; Busy.
    """
    with scratch_folder("query-media") as folder:
        path = folder / "file"
        with space_told(), path.open("wb") as copy:
            shutil.copyfileobj(upload.open(), copy)
        try:
            medium = read_medium(path)
        except BadRow as bad:
            raise bad.refusal() from bad
        with _kept([medium]) as names, transaction.atomic():
            _hold_unjudged(topic)
            wordless = QueryMedium.objects.filter(query=topic, alone=True).exists()
            _replace([(topic, medium, wordless)], names)
    return QueryMedium.objects.get(query=topic)


@transaction.atomic
def remove_medium(*, topic: Query) -> None:
    """Take a topic's medium away; safe to repeat. Raises: Refused if it has no words, or its judging is open; Busy."""
    _hold_unjudged(topic)
    medium = QueryMedium.objects.filter(query=topic).first()
    if medium is None:
        return
    if medium.alone:
        raise Refused(_("This topic has no words. Write some first, or delete the topic."))
    medium.delete()
    delete_at_commit([medium.media_file])


def _hold_unjudged(topic: Query) -> None:
    hold_descriptions(topic.collection)
    Query.objects.select_for_update(no_key=True).get(pk=topic.pk)
    if in_use(Candidate.objects.filter(query=topic)).exists():
        raise Refused(_("Judging of this topic is open, so its picture, clip or sound stays."))


def _wordless(topic_id: str, medium: MediumFile) -> SourceTopic:
    return SourceTopic(line=0, topic_id=topic_id, text=f"[{medium.kind}] {topic_id}")


def _read(
    file: BinaryIO, folder: Path, rejections: Rejections, progress: Callable[[int], object]
) -> Iterator[tuple[str, MediumFile]]:
    """The media of a zip file by topic id, unpacked into a folder."""
    seen: dict[str, str] = {}
    with ZipFile(file) as archive:
        members = [member for member in archive.infolist() if _is_file(member)]
        if len(members) > MOST_FILES:
            too_many = BadRow.saying("file", f"{len(members):,} files", f"at most {MOST_FILES:,}")
            rejections.add(1, "", too_many, None)
            return
        for place, member in enumerate(members):
            named = PurePosixPath(member.filename)
            try:
                topic_id = fields.source_id(read_id(named.stem), "id")
                if topic_id in seen:
                    raise BadRow("file", named.name, f"one file a topic; {seen[topic_id]} is of the same id")
                seen[topic_id] = named.name
                path = folder / str(place)
                path.write_bytes(_content(archive, member))
                yield topic_id, read_medium(path)
            except BadRow as bad:
                rejections.add(0, member.filename, bad, None)
            progress(1)


def _is_file(member: ZipInfo) -> bool:
    parts = PurePosixPath(member.filename).parts
    return not member.is_dir() and not any(part.startswith(".") or part == "__MACOSX" for part in parts)


def _content(archive: ZipFile, member: ZipInfo) -> bytes:
    try:
        with archive.open(member) as packed:
            content = packed.read(LARGEST + 1)
    except _DAMAGED as error:
        raise BadRow.saying("file", f"a damaged or locked zip file ({error})", "a zip file") from error
    # What the archive says of a file's size is its maker's word.
    if len(content) > LARGEST:
        raise BadRow.saying("file", f"more than {LARGEST:,} bytes", f"1 to {LARGEST:,}")
    return content


def _kept(media: Iterable[MediumFile]) -> AbstractContextManager[list[str]]:
    return kept_files((f"query-media/{new_public_name()}.{medium.suffix}", medium.path) for medium in media)


def _replace(media: Sequence[tuple[Query, MediumFile, bool]], names: Sequence[str]) -> None:
    """Store rows of (topic, its medium, whether it has no words); the files of former ones go with the transaction."""
    former = QueryMedium.objects.filter(query__in=[topic for topic, _, _ in media])
    delete_at_commit(former.values_list("media_file", flat=True))
    former.delete()
    QueryMedium.objects.bulk_create(
        QueryMedium(
            query=topic,
            kind=medium.kind,
            alone=alone,
            suffix=medium.suffix,
            media_file=name,
            size=medium.size,
            sha256=medium.sha256,
        )
        for (topic, medium, alone), name in zip(media, names, strict=True)
    )
