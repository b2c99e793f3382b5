"""Material of the finished collection: the theatre's films, captions and clips once more, with other queries."""

from pathlib import Path

from django.core.files.storage import default_storage
from django.db import transaction

from corpus.clips.cut import Cut, CutSpan
from corpus.clips.cut_clips import lacking
from corpus.clips.cut_orders import ClipOrder
from corpus.clips.import_videos import import_videos
from corpus.models import Clip, clip_ready
from demo.build import run
from foundation.collections.members import get_or_create_collection
from foundation.models import Collection
from queries.models import Attempt, Caption


def copy_material(theatre: Collection, folder: Path, *, name: str, title: str) -> Collection:
    """A collection of the theatre's material. Nobody belongs to it yet. Repeating it resumes where it stopped."""
    collection = get_or_create_collection(name=name, title=title)
    run("import_descriptions", name, folder / "descriptions.jsonl", format="tvr", title=title, verbosity=0)
    import_videos(collection=collection, folder=folder / "videos")
    copy_captions(theatre, collection)
    copy_clips(theatre, collection)
    return collection


@transaction.atomic
def copy_captions(theatre: Collection, collection: Collection) -> None:
    """Every description's attempts and caption, as they are in the theatre: the same text, rewritten by the same rules.
    What a person decided about one there is decided here, too."""
    bare = collection.descriptions.filter(attempts__isnull=True)
    own = dict(bare.values_list("source_id", "pk"))
    attempts: dict[int, Attempt] = {}
    for attempt in Attempt.objects.filter(description__collection=theatre).select_related("description").order_by("pk"):
        there, here = attempt.pk, own.get(attempt.description.source_id)
        if here is not None and attempt.answer_id is None:
            attempt.pk, attempt.description_id = None, here
            attempts[there] = attempt
    Attempt.objects.bulk_create(attempts.values())
    captions = Caption.objects.filter(attempt__in=attempts).select_related("description").order_by("pk")
    Caption.objects.bulk_create(
        Caption(
            description_id=own[caption.description.source_id],
            attempt=attempts[caption.attempt_id],
            text=caption.text,
            normalised=caption.normalised,
            status=caption.status,
        )
        for caption in captions
    )


def copy_clips(theatre: Collection, collection: Collection) -> None:
    """Every clip that lacks, from the same moment's in the theatre, under an address of its own."""
    ready = Clip.objects.filter(clip_ready(), moment__video__collection=theatre).select_related("moment__video")
    there = {(clip.moment.video.name, clip.moment.start, clip.moment.end): clip for clip in ready}
    for moment in lacking(collection).select_related("video"):
        clip = there.get((moment.video.name, moment.start, moment.end))
        if clip is None:
            continue
        contents = []
        for file in (clip.video_file, clip.poster_file):
            with default_storage.open(file) as opened:
                contents.append(opened.read())
        mp4, poster = contents
        cut = Cut(mp4=mp4, poster=poster, gif=b"", begin=moment.start, seconds=clip.duration or 0.0)
        ClipOrder(moment.video, moment, CutSpan(moment.start, moment.end)).keep(cut)
