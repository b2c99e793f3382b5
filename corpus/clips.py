"""Cutting each moment's clip and keeping it in the storage under an address that tells nothing."""

from pathlib import Path

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import QuerySet

from corpus.film import FilmError, cut_clip
from corpus.models import Clip, Collection, Moment, Video


def videos_to_cut(collection: Collection, *, retry: bool = False) -> QuerySet[Video]:
    """Videos with a moment that has no clip yet; with `retry` also those whose cutting failed."""
    missing = Moment.objects.filter(video__collection=collection, clip__isnull=True)
    if retry:
        missing |= Moment.objects.filter(video__collection=collection, clip__video_file="")
    return collection.videos.filter(pk__in=missing.values("video")).order_by("pk")


def cut_clips_of_video(*, video_id: int, retry: bool = False) -> int:
    """Cut the clips that a video's moments lack. Returns how many moments were tried.

    A moment that can't be cut is recorded with its reason and doesn't stop the others. Safe to repeat and to run
    twice at once: the video's row is locked, and a clip that is there keeps its address for ever.
    """
    tried = 0
    with transaction.atomic():
        video = Video.objects.select_for_update().get(pk=video_id)
        for moment in video.moments.select_related("clip").order_by("pk"):
            clip = getattr(moment, "clip", None)
            if clip is None or (retry and not clip.ready):
                _cut_moment(video, moment, clip or Clip(moment=moment))
                tried += 1
    return tried


def _cut_moment(video: Video, moment: Moment, clip: Clip) -> None:
    if not video.path:
        clip.problem = f"{video.name} has no video file"
    elif not Path(video.path).is_file():
        clip.problem = f"the file of {video.name} is gone"
    else:
        try:
            cut = cut_clip(Path(video.path), start=moment.start, end=moment.end)
        except FilmError as error:
            clip.problem = str(error)
        else:
            folder = f"clips/{clip.public_name[:2]}"
            clip.video_file = default_storage.save(f"{folder}/{clip.public_name}.mp4", ContentFile(cut.mp4))
            clip.poster_file = default_storage.save(f"{folder}/{clip.public_name}.jpg", ContentFile(cut.poster))
            clip.duration = cut.seconds
            clip.problem = ""
    clip.save()
