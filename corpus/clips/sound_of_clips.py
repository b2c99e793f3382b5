"""Whether a collection's clips have sound."""

from django.core.files.storage import default_storage

from corpus.models import Clip, clip_ready
from foundation.infra.storage import StoringError
from foundation.models import Collection

LOOKED_AT = 5
"""A film may be silent, so a few clips are looked at."""


def clips_have_sound(collection: Collection) -> bool:
    """Whether one of the newest clips has sound. Raises: StoringError if the storage doesn't give them."""
    clips = Clip.objects.filter(clip_ready(), moment__video__collection=collection)
    return any(_has_sound(name) for name in clips.order_by("-pk").values_list("video_file", flat=True)[:LOOKED_AT])


def _has_sound(name: str) -> bool:
    import av

    try:
        with default_storage.open(name) as file, av.open(file, format="mp4") as clip:
            return bool(clip.streams.audio)
    except (av.FFmpegError, FileNotFoundError):
        return False
    except Exception as error:  # disks and clouds each have their own errors, and no common one
        raise StoringError(f"{name} can't be read from the storage: {error}") from error
