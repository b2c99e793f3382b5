"""Transformations of a clip's pictures: crop, flip, RandAugment, overlay, blur, one video within another.

Frames are (frames, height, width, 3) uint8; what is drawn is drawn once a clip, unless it says otherwise.
Source: HAP-VR, supplement, section B.3, 1, 2 and 4; probabilities and ranges of its published code.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageFont, ImageOps

from baselines.arrays import ByteArray

FLIP, OVERLAY, BLUR, MIX_UP = 0.5, 0.3, 0.5, 0.3
"""How likely each of them is, overlay and blur of each frame; a crop and RandAugment are always made."""
WEAK_CROP, STRONG_CROP = 0.8, 0.5
"""The least part of the picture's area that a crop leaves."""
OPERATIONS, MAGNITUDE = 2, 9 / 30
"""RandAugment's N, and its M as a part of the greatest."""
EMBEDDED = (0.3, 0.7)
"""What part of its host's area an embedded video has."""


def crop(frames: ByteArray, rng: Generator, *, size: int, least: float) -> ByteArray:
    """The same random rectangle of every frame, brought to size x size pixels.

    Args: least: the least part of the area that is left, in (0, 1]; the sides are drawn between
        3:4 and 4:3 of each other.
    """
    height, width = frames.shape[1:3]
    area = float(rng.uniform(least, 1.0))
    ratio = float(np.exp(rng.uniform(np.log(3 / 4), np.log(4 / 3))))
    part_x, part_y = min(1.0, (area * ratio) ** 0.5), min(1.0, (area / ratio) ** 0.5)
    wide, high = max(1, round(width * part_x)), max(1, round(height * part_y))
    left, top = int(rng.integers(0, width - wide + 1)), int(rng.integers(0, height - high + 1))
    return resized(frames[:, top : top + high, left : left + wide], size)


def resized(frames: ByteArray, size: int) -> ByteArray:
    """Frames brought to size x size pixels."""
    pictures = (Image.fromarray(frame).resize((size, size), Image.Resampling.BILINEAR) for frame in frames)
    return np.stack([np.asarray(picture) for picture in pictures])


def flip(frames: ByteArray) -> ByteArray:
    """Left and right exchanged."""
    return frames[:, :, ::-1].copy()


def rand_augment(frames: ByteArray, rng: Generator) -> ByteArray:
    """RandAugment: some of 14 geometric and optical operations, one after the other, the same for every frame.

    Each is drawn from all, with or against its direction where it has one, at one magnitude.
    Source: Cubuk et al., RandAugment (CVPR Workshops 2020); ranges as torchvision has them.
    """
    pictures = [Image.fromarray(frame) for frame in frames]
    for place in rng.integers(0, len(AUGMENTATIONS), OPERATIONS):
        magnitude = MAGNITUDE if rng.random() < 0.5 else -MAGNITUDE
        pictures = [AUGMENTATIONS[place](picture, magnitude) for picture in pictures]
    return np.stack([np.asarray(picture) for picture in pictures])


def _moved(picture: Image.Image, *affine: float) -> Image.Image:
    return picture.transform(picture.size, Image.Transform.AFFINE, affine)


AUGMENTATIONS: tuple[Callable[[Image.Image, float], Image.Image], ...] = (
    lambda picture, part: picture,
    lambda picture, part: _moved(picture, 1, 0.3 * part, 0, 0, 1, 0),
    lambda picture, part: _moved(picture, 1, 0, 0, 0.3 * part, 1, 0),
    lambda picture, part: _moved(picture, 1, 0, picture.width * 150 / 331 * part, 0, 1, 0),
    lambda picture, part: _moved(picture, 1, 0, 0, 0, 1, picture.height * 150 / 331 * part),
    lambda picture, part: picture.rotate(30 * part),
    lambda picture, part: ImageEnhance.Brightness(picture).enhance(1 + 0.9 * part),
    lambda picture, part: ImageEnhance.Color(picture).enhance(1 + 0.9 * part),
    lambda picture, part: ImageEnhance.Contrast(picture).enhance(1 + 0.9 * part),
    lambda picture, part: ImageEnhance.Sharpness(picture).enhance(1 + 0.9 * part),
    lambda picture, part: ImageOps.posterize(picture, 8 - round(4 * abs(part))),
    lambda picture, part: ImageOps.solarize(picture, round(255 * (1 - abs(part)))),
    lambda picture, part: ImageOps.autocontrast(picture),
    lambda picture, part: ImageOps.equalize(picture),
)
"""What is done to a picture at a magnitude from -1 to 1."""


def overlay(frames: ByteArray, rng: Generator) -> ByteArray:
    """A drawn face, and a line of text, each over some frames, always at one place, a fifth to half of them large.

    The published code draws place and size for each frame, and has pictures of emojis, of which no set is packaged.
    """
    height, width = frames.shape[1:3]
    side, letters = (int(height * rng.uniform(0.2, 0.5)) for _ in range(2))
    (x, y), text_at = rng.integers(0, max(1, width - side), 2).tolist(), tuple(rng.integers(0, width, 2).tolist())
    text = "".join(rng.choice(list("abcdefghiklmnoprstuw "), 14))
    face, ink = (tuple(int(c) for c in rng.integers(0, 256, 3)) for _ in range(2))
    with_face, with_text = rng.random((2, len(frames))) < OVERLAY
    changed = frames.copy()
    for place in np.flatnonzero(with_face | with_text):
        picture = Image.fromarray(frames[place])
        pen = ImageDraw.Draw(picture)
        if with_face[place]:
            pen.ellipse((x, y, x + side, y + side), fill=face, outline=ink, width=2)
            for eye in (0.3, 0.6):
                pen.ellipse((x + side * eye, y + side * 0.3, x + side * (eye + 0.1), y + side * 0.42), fill=ink)
            pen.arc((x + side * 0.25, y + side * 0.35, x + side * 0.75, y + side * 0.8), 20, 160, fill=ink, width=3)
        if with_text[place]:
            pen.text(text_at, text, fill=ink, font=ImageFont.load_default(max(8.0, letters / 2)))
        changed[place] = np.asarray(picture)
    return changed


def blur(frames: ByteArray, rng: Generator) -> ByteArray:
    """A Gaussian blur of some frames, of a radius of 0.1 to 2 pixels, drawn for each."""
    changed = frames.copy()
    for place in np.flatnonzero(rng.random(len(frames)) < BLUR):
        blurred = Image.fromarray(frames[place]).filter(ImageFilter.GaussianBlur(float(rng.uniform(0.1, 2.0))))
        changed[place] = np.asarray(blurred)
    return changed


def mix_up(frames: ByteArray, host: ByteArray, rng: Generator) -> ByteArray:
    """The clip, made smaller, within another clip of as many frames and the same size.

    Raises: ValueError if the shapes differ.
    """
    if frames.shape != host.shape:
        raise ValueError(f"found a host of shape {host.shape}, expected {frames.shape}")
    size = frames.shape[1]
    small = resized(frames, max(1, round(size * float(rng.uniform(*EMBEDDED)) ** 0.5)))
    side = small.shape[1]
    left, top = (int(rng.integers(0, size - side + 1)) for _ in range(2))
    mixed = host.copy()
    mixed[:, top : top + side, left : left + side] = small
    return mixed
