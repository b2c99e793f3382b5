"""Videos as frames at a set rate: anything that PyAV opens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np

from baselines.arrays import ByteArray
from baselines.errors import BaselineError

LISTS = frozenset({"concat", "dash", "hls", "imf", "rtsp", "sdp", "webm_dash_manifest"})
"""FFmpeg's formats that name other files: whoever sends one could have files of others read."""
USUAL_RATE = Fraction(25)
"""Frames a second where a file states none."""
MOMENT = 0.001
"""Seconds by which a container's units may have rounded a frame's time."""


@dataclass(frozen=True)
class Shot:
    """A frame of a video. Attributes: time: in seconds from the video's first picture; picture: RGB (h, w, 3), or
    None for the last one, whose time is the video's duration."""

    time: float
    picture: ByteArray | None


def videos_in(folder: Path) -> dict[str, Path]:
    """The files in a folder by the name that a release gives its video: the file's in NFC, without its ending.

    Files that start with a dot are left out. Raises: BaselineError if there is no file, or two have one name.
    """
    if not folder.is_dir():
        found = "a file" if folder.is_file() else "nothing"
        raise BaselineError(f"{folder}: found {found}, expected a folder of videos")
    found_files: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if not path.is_file() or path.name.startswith(".") or path.suffix.lower() in {".srt", ".vtt", ".jsonl"}:
            continue
        other = found_files.setdefault(normalize("NFC", path.stem), path)
        if other != path:
            raise BaselineError(f"{folder}: found {other.name} and {path.name}, expected one file a video")
    if not found_files:
        raise BaselineError(f"{folder}: found no file, expected videos")
    return found_files


def frames(path: Path, *, rate: float, size: tuple[int, int]) -> Iterator[Shot]:
    """Frames of a video at times 0, 1 / rate, 2 / rate, ..., then one without a picture at the video's end.

    The frame of a time is the one that is shown then. The whole picture is brought to `size` (width, height).
    Raises: BaselineError if the file can't be decoded to its end, or has no picture.
    """
    import av

    try:
        container = av.open(str(path))
    except (av.FFmpegError, OSError) as error:
        raise BaselineError(f"{path}: can't be decoded ({error}), expected a video") from error
    with container:
        if container.format.name in LISTS:
            raise BaselineError(f"{path}: found a list of other files, expected a video")
        if not container.streams.video:
            raise BaselineError(f"{path}: found no pictures, expected a video")
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        step = float(1 / (stream.average_rate or stream.guessed_rate or USUAL_RATE))
        due, end = 0, 0.0
        shown: Any = None
        try:
            for frame, time, until in _timed(container, stream, step):
                while shown is not None and due / rate < time - MOMENT:
                    yield Shot(due / rate, _picture(shown, size))
                    due += 1
                shown, end = frame, until
        except (av.FFmpegError, OSError) as error:
            raise BaselineError(f"{path}: can't be decoded after {end:.2f} s ({error})") from error
        if shown is None:
            raise BaselineError(f"{path}: found no picture that can be decoded, expected a video")
        while due / rate < end - MOMENT:
            yield Shot(due / rate, _picture(shown, size))
            due += 1
        yield Shot(end, None)


def _timed(container: Any, stream: Any, step: float) -> Iterator[tuple[Any, float, float]]:
    """Decoded frames with their times from the first one, and until when each is shown at least.

    A frame without its own time (MPEG) follows the one before by a frame; times never go back.
    """
    origin: float | None = None
    time, end = 0.0, 0.0
    for frame in container.decode(stream):
        if frame.pts is None:
            time = end
        else:
            own = float(frame.pts * stream.time_base)
            origin = own if origin is None else origin
            time = max(time, own - origin)
        length = float((frame.duration or 0) * stream.time_base)
        end = time + (length if length > step / 4 else step)
        yield frame, time, end


def _picture(frame: Any, size: tuple[int, int]) -> ByteArray:
    """The whole frame, upright as players show it (phones store pictures that lie on their side)."""
    width, height = size
    turns = round(frame.rotation / 90) % 4
    if turns % 2:
        width, height = height, width
    flat = frame.reformat(width=width, height=height, format="rgb24", interpolation="BICUBIC").to_ndarray()
    return np.ascontiguousarray(np.rot90(flat, turns))
