"""Clips of videos with their copies, as features of frame regions; made once, kept a file a video."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, runtime_checkable
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from baselines.arrays import ByteArray, SingleArray
from baselines.copy_retrieval.copies import EDITION, generator_of, strong_copy, weak_copy
from baselines.copy_retrieval.picture_changes import resized
from baselines.copy_retrieval.settings import ClipSettings
from baselines.errors import BaselineError
from baselines.features.encoders.interface import FrameEncoder
from baselines.reading.videos import frames, videos_in
from baselines.whole_files import whole_file

DECODED = 256
"""Pixels on each side of a decoded picture, of which a copy is cropped; the picture's shape isn't kept."""


@runtime_checkable
class RegionEncoder(Protocol):
    """What makes features of regions: ``identity`` for the manifest, and vectors of a grid of regions."""

    identity: dict[str, Any]

    def regions(self, pictures: ByteArray, side: int) -> SingleArray:
        """RGB pictures, shape (frames, 224, 224, 3), to vectors of shape (frames, side * side, size)."""


Vectors = tuple[NDArray[np.float16], NDArray[np.float16]]
"""Of a video's clips: their regions and their frames, as in `Clips`."""


@dataclass(frozen=True)
class Clips:
    """All clips of a study, C of them.

    Attributes:
        regions: (C, 1 + copies, length, regions, size) float16; the first copy is the weak one,
        which stands for the clip itself. frames: (C, 1 + copies, length, size) float16, by which
        frames are labelled. names: C names, video and number. test: (C,) bool.
        too_short: videos that have not one whole clip, and were left out.
    """

    regions: NDArray[np.float16]
    frames: NDArray[np.float16]
    names: tuple[str, ...]
    test: NDArray[np.bool_]
    too_short: tuple[str, ...]


def held_out_videos(names: Sequence[str], settings: ClipSettings) -> set[str]:
    """Which videos are kept for the test: a share of them by the seed, at least one and not all."""
    order = np.random.default_rng(settings.seed).permutation(len(names))
    count = min(max(1, round(len(names) * settings.test_share)), len(names) - 1)
    return {names[place] for place in order[:count]}


def make_clips(
    folder: Path,
    parts: Path,
    encoder: Callable[[], RegionEncoder],
    settings: ClipSettings,
    progress: Callable[[int, int], None] | None = None,
    *,
    labels: FrameEncoder | None = None,
) -> Clips:
    """Cut every video into clips, copy them, encode them; what ``parts`` has already is not made again.

    Args:
        folder: of videos. parts: a folder for a file a video; a file
        holds for the video, the settings and the encoder that it was made with.
        encoder: makes the encoder; called once. progress: called with (videos done, videos).
        labels: what frames are labelled by, such as DINO's; None for the mean of a frame's regions.
    Raises: BaselineError if there are fewer than four videos, one can't be decoded, or there are too few
        clips for a test.
    """
    files = videos_in(folder)
    names = sorted(files)
    if len(names) < 4:
        raise BaselineError(f"{folder}: found {len(names)} video(s), expected at least 4: two to train on, two to test")
    tested = held_out_videos(names, settings)
    hosts = _hosts(names, tested)
    parts.mkdir(parents=True, exist_ok=True)
    network = encoder()
    decode = lru_cache(maxsize=2)(lambda name: _decoded(files[name], settings.rate))
    identity = {**network.identity, "labels": labels and labels.identity}
    all_made, clip_names, test, too_short = [], [], [], []
    for done, name in enumerate(names):
        if progress:
            progress(done, len(names))
        part = parts / f"{_key(files[name], files[hosts[name]], settings, identity)}.npz"
        made = _stored(part)
        if made is None:
            made = _encoded(name, decode(name), decode(hosts[name]), network, labels, settings)
            _store(part, made)
        count = len(made[0])
        if not count:
            too_short.append(name)
            continue
        all_made.append(made)
        clip_names += [f"{name}#{clip}" for clip in range(count)]
        test += [name in tested] * count
    if progress:
        progress(len(names), len(names))
    of_test = sum(test)
    if of_test < 2 or len(test) - of_test < 2:
        raise BaselineError(
            f"{folder}: found {len(test) - of_test} clip(s) to train on and {of_test} to test, expected two of each; "
            f"a clip takes {settings.length / settings.rate:g} s and {len(too_short)} video(s) are shorter"
        )
    regions, frames_of = (np.concatenate(part) for part in zip(*all_made, strict=True))
    return Clips(regions, frames_of, tuple(clip_names), np.array(test), tuple(too_short))


def _hosts(names: Sequence[str], tested: set[str]) -> dict[str, str]:
    """Each video's host for mix-up: the one before it on its own side, the last for the first."""
    hosts: dict[str, str] = {}
    for side in ([name for name in names if name in tested], [name for name in names if name not in tested]):
        hosts |= {name: side[place - 1] for place, name in enumerate(side)}
    return hosts


def _decoded(path: Path, rate: float) -> ByteArray:
    shots = frames(path, rate=rate, size=(DECODED, DECODED))
    return np.stack([shot.picture for shot in shots if shot.picture is not None])


def _encoded(
    name: str,
    video: ByteArray,
    host: ByteArray,
    encoder: RegionEncoder,
    labels: FrameEncoder | None,
    settings: ClipSettings,
) -> Vectors:
    """Regions (clips, 1 + copies, length, regions, size) and frames without regions; no clip of a video too short."""
    length = settings.length
    clips, frames_of = [], []
    for clip in range(len(video) // length):
        copies = [weak_copy(video, clip * length, length, generator_of(settings.seed, name, clip, 0))]
        for copy in range(1, settings.copies + 1):
            rng = generator_of(settings.seed, name, clip, copy)
            copies.append(strong_copy(video, clip * length, length, host, rng))
        pictures = np.concatenate(copies)
        vectors = encoder.regions(pictures, settings.side)
        whole = vectors.mean(axis=1) if labels is None else _whole(pictures, labels)
        clips.append(vectors.reshape(len(copies), length, *vectors.shape[1:]))
        frames_of.append(whole.reshape(len(copies), length, -1))
    if not clips:
        return np.zeros((0, 0, 0, 0, 0), dtype=np.float16), np.zeros((0, 0, 0, 0), dtype=np.float16)
    made = np.stack(clips).astype(np.float16), np.stack(frames_of).astype(np.float16)
    if not all(np.isfinite(part).all() for part in made):
        raise BaselineError(f"the video {name!r}: the encoder gave NaN or a number that float16 can't hold")
    return made


def _whole(pictures: ByteArray, labels: FrameEncoder) -> SingleArray:
    side = labels.picture_size[0]
    return labels.encode(pictures if pictures.shape[1] == side else resized(pictures, side)).visual


def _key(path: Path, host: Path, settings: ClipSettings, identity: dict[str, Any]) -> str:
    """A key of everything that determines a part's content: the file, the settings, the encoder."""
    sources = [[file.name, file.stat().st_size, file.stat().st_mtime_ns] for file in (path, host)]
    told = json.dumps([sources, asdict(settings), identity, EDITION], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:32]


def _stored(part: Path) -> Vectors | None:
    """What is there, or None: a file that can't be read is made anew."""
    try:
        with np.load(part) as stored:
            return stored["regions"], stored["frames"]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None


def _store(part: Path, made: Vectors) -> None:
    with whole_file(part) as file:
        np.savez(file, regions=made[0], frames=made[1])
