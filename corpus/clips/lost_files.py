"""Finds clips whose files are gone from the storage, and has them cut again."""

from dataclasses import dataclass

from django.core.cache import cache
from django.core.files.storage import default_storage

from corpus.models import Clip, ContextClip, clip_ready
from foundation.infra.storage import delete_file, names_below
from foundation.models import Collection, new_public_name

GONE = "its file is gone from the storage"
SAMPLE = 40
SAMPLE_SECONDS = 60
ROWS_AT_ONCE = 2000


@dataclass(frozen=True, slots=True)
class ClipSample:
    """How many clips were looked for, and how many of them were missing."""

    looked: int
    gone: int


def lost_in_sample(collection: Collection) -> ClipSample:
    """Look for a few clips drawn at random, at most once a minute: cheap enough for a page even with S3."""
    key = f"lost-clips:{collection.pk}"
    sample: ClipSample | None = cache.get(key)
    if sample is None:
        ready = Clip.objects.filter(clip_ready(), moment__video__collection=collection).order_by("public_name")
        size = 5 if hasattr(default_storage, "bucket") else SAMPLE
        files = ready.values_list("video_file", flat=True)
        # From a place drawn at random, and from the beginning where that is near the end.
        found_files = files.filter(public_name__gte=new_public_name())[:size].union(files[:size], all=True)
        names = list(dict.fromkeys(found_files))[:size]
        sample = ClipSample(len(names), sum(not _there(name) for name in names))
        if not sample.gone:
            # What is mended is seen at once.
            cache.set(key, sample, SAMPLE_SECONDS)
    return sample


def _there(name: str) -> bool:
    try:
        return default_storage.exists(name)
    except Exception:  # a cloud that doesn't answer has lost nothing
        return True


def let_go_of_lost(collection: Collection) -> int:
    """Find all clips of the collection whose files are gone, and make them due. Returns: how many.

    A clip keeps its address if it will show the same again: its video's file is still the one it was cut from. In
    memory are the names of the stored files, and the rows that name others.

    Raises: StoringError if the storage can't be listed.
    """
    mine = {"moment__video__collection": collection}
    clips, contexts = Clip.objects.filter(clip_ready(), **mine), ContextClip.objects.filter(clip_ready(), **mine)
    if not clips.exists() and not contexts.exists():
        return 0
    there = names_below("clips")
    files = clips.order_by().values_list("pk", "video_file", "poster_file", "gif_file").iterator(ROWS_AT_ONCE)
    doubtful = {
        pk: names for pk, *names in files if not there.issuperset(names[:2]) or (names[2] and names[2] not in there)
    }
    context_files = contexts.order_by().values_list("pk", "video_file").iterator(ROWS_AT_ONCE)
    doubtful_contexts = {pk: name for pk, name in context_files if name not in there}
    # Listed again, after the rows were read: their files may have been stored since the first time.
    there = names_below("clips") if doubtful or doubtful_contexts else set()
    gone = 0
    for pk, (film, poster, gif) in doubtful.items():
        if film not in there or poster not in there:
            gone += _let_go(pk, film)
        elif gif and gif not in there:
            Clip.objects.filter(pk=pk, gif_file=gif).update(gif_file="")
    for pk, name in doubtful_contexts.items():
        if name not in there:
            same = ContextClip.objects.filter(pk=pk, video_file=name)
            gone += same.update(video_file="", cut_from="", problem=GONE, public_name=new_public_name())
    return gone


def _let_go(pk: int, video_file: str) -> int:
    clip = Clip.objects.select_related("moment__video").filter(pk=pk, video_file=video_file).first()
    if clip is None:
        return 0
    name = clip.public_name if clip.cut_from == clip.moment.video.fingerprint else new_public_name()
    same = Clip.objects.filter(pk=clip.pk, video_file=clip.video_file)
    changed = same.update(
        video_file="", poster_file="", gif_file="", cut_from="", problem=GONE, duration=None, public_name=name
    )
    if changed:
        for file in filter(None, (clip.video_file, clip.poster_file, clip.gif_file)):
            delete_file(file)  # what is left of it would be in the new one's way
    return changed
