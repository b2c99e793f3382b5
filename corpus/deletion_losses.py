"""What a deleted collection loses of its material, and where its uploads lie."""

from pathlib import Path

from django.utils.translation import ngettext_lazy

from corpus.models import Clip, Moment, clip_ready, folder_of_uploads
from foundation.deletion.hooks import Loss
from foundation.models import Collection


def material_lost(collection: Collection) -> list[Loss]:
    """Its videos, moments, clips, descriptions and people's places."""
    moments = Moment.objects.filter(video__collection=collection)
    ready = Clip.objects.filter(clip_ready(), moment__in=moments).count()
    places = ngettext_lazy("%(count)s person's place", "%(count)s people's places", "number")
    descriptions = ngettext_lazy("%(count)s description", "%(count)s descriptions", "number")
    return [
        Loss(collection.videos.count(), ngettext_lazy("%(count)s video", "%(count)s videos", "number")),
        Loss(moments.count(), ngettext_lazy("%(count)s moment", "%(count)s moments", "number")),
        Loss(ready, ngettext_lazy("%(count)s clip", "%(count)s clips", "number")),
        Loss(collection.descriptions.count(), descriptions),
        Loss(collection.memberships.count(), places),
    ]


def uploads_of(collection: Collection) -> dict[str, Path]:
    """Its uploaded videos, and what has arrived of others."""
    parts = [upload.part for upload in collection.video_uploads.all()]
    return {"videos": folder_of_uploads(collection)} | {part.name: part for part in parts}
