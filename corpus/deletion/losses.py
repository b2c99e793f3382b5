"""What a deleted collection loses of its material."""

from corpus.deletion.hooks import Loss
from corpus.models import Clip, Collection, Moment, clip_ready


def material_lost(collection: Collection) -> list[Loss]:
    """Its videos, moments, clips, descriptions and people's places."""
    moments = Moment.objects.filter(video__collection=collection)
    return [
        Loss(collection.videos.count(), "video", "videos"),
        Loss(moments.count(), "moment", "moments"),
        Loss(Clip.objects.filter(clip_ready(), moment__in=moments).count(), "clip", "clips"),
        Loss(collection.descriptions.count(), "description", "descriptions"),
        Loss(collection.memberships.count(), "person’s place", "people’s places"),
    ]
