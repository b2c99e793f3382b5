"""Regions of a film that nobody is to recognise: each is shown as a coarse mosaic, from which nothing comes back. Pure.

A mosaic and not a blur, since a blur can be undone to a degree.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

FEWEST_BLOCKS = 12
"""Blocks over a picture's height: a face that fills half of it becomes six blocks high."""
LEAST_BLOCK = 16
"""Pixels of a block's side at least, also in small pictures."""


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A rectangle, in shares (0 to 1) of the upright picture's width and height, from `start` to `end` (s; None: of the
    whole film). `mask`: bool of shape (height, width) over the whole picture in place of the rectangle."""

    start: float | None
    end: float | None
    x: float = 0.0
    y: float = 0.0
    width: float = 1.0
    height: float = 1.0
    mask: Any = None

    def covers(self, time: float, length: float) -> bool:
        """Whether a picture shown from `time` for `length` (s) is touched."""
        return (self.start is None or time + length > self.start) and (self.end is None or time < self.end)


def hide(picture: Any, regions: Sequence[Region]) -> None:
    """Change a yuv420p picture (av.VideoFrame) in place: what the regions cover becomes a mosaic."""
    for plane in picture.planes:
        pixels = np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)[:, : plane.width]
        scale = plane.height / picture.height
        block = max(round(picture.height / FEWEST_BLOCKS), LEAST_BLOCK)
        covered = _covered(pixels.shape, regions)
        pixels[covered] = _mosaic(pixels, max(1, round(block * scale)))[covered]


def _covered(shape: tuple[int, ...], regions: Sequence[Region]) -> Any:
    """Bool of the plane's shape (height, width). Every pixel that a region touches is covered."""
    height, width = shape
    covered = np.zeros(shape, bool)
    for region in regions:
        if region.mask is not None:
            rows = np.arange(height) * region.mask.shape[0] // height
            columns = np.arange(width) * region.mask.shape[1] // width
            covered |= np.logical_or.reduceat(np.logical_or.reduceat(region.mask, rows, axis=0), columns, axis=1)
            continue
        top, left = int(region.y * height), int(region.x * width)
        bottom = int(np.ceil((region.y + region.height) * height - 1e-9))
        right = int(np.ceil((region.x + region.width) * width - 1e-9))
        covered[top:bottom, left:right] = True
    return covered


def _mosaic(pixels: Any, block: int) -> Any:
    """The plane in blocks of their mean, of the same shape."""
    height, width = pixels.shape
    padded = np.pad(pixels, ((0, -height % block), (0, -width % block)), mode="edge").astype(np.float32)
    blocks = padded.reshape(padded.shape[0] // block, block, padded.shape[1] // block, block).mean(axis=(1, 3))
    return np.kron(np.rint(blocks).astype(np.uint8), np.ones((block, block), np.uint8))[:height, :width]
