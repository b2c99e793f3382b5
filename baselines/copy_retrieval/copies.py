"""Copies of a clip: weak ones (crop, flip) and strong ones (every transformation), the same from the same seed."""

from __future__ import annotations

from zlib import crc32

import numpy as np
from numpy.random import Generator

from baselines.arrays import ByteArray
from baselines.copy_retrieval import picture_changes, time_changes

EDITION = 2
"""What copies are made by: another number where the same seed gives other copies than before."""
PICTURE = 224
"""Pixels on each side of a copy's pictures."""


def generator_of(seed: int, video: str, clip: int, copy: int) -> Generator:
    """The random generator of one copy, seeded by these arguments alone: the copy is the same whatever else is made."""
    return np.random.default_rng([seed, crc32(video.encode()), clip, copy])


def weak_copy(frames: ByteArray, start: int, length: int, rng: Generator, *, size: int = PICTURE) -> ByteArray:
    """Frames start to start + length of a video, cropped and perhaps flipped: shape (length, size, size, 3)."""
    cropped = picture_changes.crop(frames[start : start + length], rng, size=size, least=picture_changes.WEAK_CROP)
    return picture_changes.flip(cropped) if rng.random() < picture_changes.FLIP else cropped


def strong_copy(
    frames: ByteArray, start: int, length: int, host: ByteArray, rng: Generator, *, size: int = PICTURE
) -> ByteArray:
    """A copy with changed time, crop, flip, RandAugment, overlay and blur of some frames, perhaps in another video.

    Args: frames: a whole video; start, length: the clip in it. host: another video, of which a
        part of the same length is the host; a shorter one is played again and again.
    Returns: shape (length, size, size, 3).
    """
    order = time_changes.drawn_order(length, rng)
    shown = np.minimum(start + np.maximum(order, 0), len(frames) - 1)
    copy = picture_changes.crop(frames[shown], rng, size=size, least=picture_changes.STRONG_CROP)
    if rng.random() < picture_changes.FLIP:
        copy = picture_changes.flip(copy)
    copy = picture_changes.blur(picture_changes.overlay(picture_changes.rand_augment(copy, rng), rng), rng)
    copy[order == time_changes.BLANK] = 0
    if rng.random() < picture_changes.MIX_UP:
        at = (int(rng.integers(len(host))) + np.arange(length)) % len(host)
        copy = picture_changes.mix_up(copy, picture_changes.resized(host[at], size), rng)
    return copy
