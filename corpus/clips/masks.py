"""What of a video is hidden, as the cutter takes it: masks are read from the storage."""

from django.core.files.storage import default_storage

from corpus.clips.hidden_regions import Region
from corpus.models import HiddenRegion, Video

DARK = 128
"""A mask covers what is at least so bright in it, of 255."""


def regions_of(video: Video) -> list[Region]:
    """The video's hidden regions. One SQL query."""
    return [_region(row) for row in video.hidden_regions.order_by("pk")]


def _region(row: HiddenRegion) -> Region:
    return Region(row.start, row.end, row.x, row.y, row.width, row.height, _mask(row.mask_file))


def _mask(name: str) -> object:
    if not name:
        return None
    import numpy as np
    from PIL import Image

    with default_storage.open(name) as file, Image.open(file) as image:
        return np.asarray(image.convert("L")) >= DARK
