"""Transformations of a clip's pictures: crop, flip, colour, overlay, blur, one video within another.

Frames are (frames, height, width, 3) uint8; what is drawn is drawn once a clip, unless it says otherwise.
Source: HAP-VR, supplement, section B.3, 1, 2 and 4; probabilities of its published code.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageFont

from baselines.arrays import ByteArray

FLIP, OVERLAY, BLUR, MIX_UP = 0.5, 0.3, 0.5, 0.3
"""How likely each of them is; a crop is always made."""
WEAK_CROP, STRONG_CROP = 0.6, 0.3
"""The least part of the picture's area that a crop leaves."""
COLOUR = 0.5
"""Brightness, contrast and saturation are multiplied by 1 - COLOUR to 1 + COLOUR."""
EMBEDDED = (0.3, 0.7)
"""What part of its host's width and height an embedded video has."""


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


def colour(frames: ByteArray, rng: Generator) -> ByteArray:
    """Brightness, contrast and saturation changed, the same for every frame."""
    kinds = (ImageEnhance.Brightness, ImageEnhance.Contrast, ImageEnhance.Color)
    factors = [float(factor) for factor in rng.uniform(1 - COLOUR, 1 + COLOUR, len(kinds))]
    changed = []
    for frame in frames:
        picture = Image.fromarray(frame)
        for kind, factor in zip(kinds, factors, strict=True):
            picture = kind(picture).enhance(factor)
        changed.append(np.asarray(picture))
    return np.stack(changed)


def overlay(frames: ByteArray, rng: Generator) -> ByteArray:
    """A drawn face and a line of text over a random half of the frames."""
    height, width = frames.shape[1:3]
    side = int(rng.integers(max(2, width // 6), max(3, width // 3)))
    x, y = int(rng.integers(0, max(1, width - side))), int(rng.integers(0, max(1, height - side)))
    text_at = (int(rng.integers(0, max(1, width // 2))), int(rng.integers(0, max(1, height * 3 // 4))))
    text = "".join(rng.choice(list("abcdefghiklmnoprstuw "), 14))
    face, ink = (tuple(int(c) for c in rng.integers(0, 256, 3)) for _ in range(2))
    changed = frames.copy()
    for place in np.flatnonzero(rng.random(len(frames)) < 0.5):
        picture = Image.fromarray(frames[place])
        pen = ImageDraw.Draw(picture)
        pen.ellipse((x, y, x + side, y + side), fill=face, outline=ink, width=2)
        for eye in (0.3, 0.6):
            pen.ellipse((x + side * eye, y + side * 0.3, x + side * (eye + 0.1), y + side * 0.42), fill=ink)
        pen.arc((x + side * 0.25, y + side * 0.35, x + side * 0.75, y + side * 0.8), 20, 160, fill=ink, width=3)
        pen.text(text_at, text, fill=ink, font=ImageFont.load_default(max(8.0, height / 9)))
        changed[place] = np.asarray(picture)
    return changed


def blur(frames: ByteArray, rng: Generator) -> ByteArray:
    """A Gaussian blur of every frame, radius 0.5 to 2.5 % of the picture's height."""
    radius = float(rng.uniform(0.005, 0.025)) * frames.shape[1]
    blurred = (Image.fromarray(frame).filter(ImageFilter.GaussianBlur(radius)) for frame in frames)
    return np.stack([np.asarray(picture) for picture in blurred])


def mix_up(frames: ByteArray, host: ByteArray, rng: Generator) -> ByteArray:
    """The clip, made smaller, within another clip of as many frames and the same size.

    Raises: ValueError if the shapes differ.
    """
    if frames.shape != host.shape:
        raise ValueError(f"found a host of shape {host.shape}, expected {frames.shape}")
    size = frames.shape[1]
    small = resized(frames, max(1, round(size * float(rng.uniform(*EMBEDDED)))))
    side = small.shape[1]
    left, top = (int(rng.integers(0, size - side + 1)) for _ in range(2))
    mixed = host.copy()
    mixed[:, top : top + side, left : left + side] = small
    return mixed
