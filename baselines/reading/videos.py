"""Videos as frames at a set rate, read by PyAV."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np

from baselines.arrays import ByteArray
from baselines.errors import BaselineError

FORMATS = frozenset(
    "apng asf av1 avi dhav dirac dv flv gif gxf h261 h263 h264 hevc ivf live_flv m4v matroska mjpeg mov mpeg mpegts "
    "mpegvideo mxf nut obu ogg rm vc1 vvc wtv yuv4mpegpipe".split()
)
"""FFmpeg's names of the formats that are opened, as in `corpus.clips.video_reader`, which a test compares: those that
hold pictures, and never texts or lists of other files."""
STATE_TIMES = frozenset({"flv", "live_flv", "matroska,webm", "mov,mp4,m4a,3gp,3g2,mj2", "mpeg", "mpegts", "nut", "ogg"})
"""Formats that state when a picture is shown, and not only in which order pictures are decoded."""
PACKED = re.compile(rb"DivX[0-9]+(b|Build)[0-9]+p")
"""How MPEG-4 says that packets hold two pictures, as XviD's do: their times are neither's."""
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
        other = found_files.setdefault(normalize("NFC", legible(path.stem)), path)
        if other != path:
            raise BaselineError(f"{folder}: found {other.name} and {path.name}, expected one file a video")
    if not found_files:
        raise BaselineError(f"{folder}: found no file, expected videos")
    return found_files


def legible(name: str) -> str:
    r"""A file's name as it can be stored: a byte that isn't UTF-8 is written as \xe9."""
    return os.fsencode(name).decode(errors="backslashreplace")


def frames(path: Path, *, rate: float, size: tuple[int, int]) -> Iterator[Shot]:
    """Frames of a video at times 0, 1 / rate, 2 / rate, ..., then one without a picture at the video's end.

    The frame of a time is the one that is shown then. The whole picture is brought to `size` (width, height).
    Raises: BaselineError if the file can't be decoded to its end, or has no picture.
    """
    import av
    from av.stream import Disposition

    allowed = {"format_whitelist": ",".join(sorted(FORMATS)), "protocol_whitelist": "file"}
    if not path.is_file():
        raise BaselineError(f"{path}: found no file, expected a video")
    try:
        container = av.open(f"file:{path}", options=allowed, metadata_errors="replace")
    except av.ArgumentError as error:
        raise BaselineError(f"{path}: found no format of films, expected a video such as MP4 or MKV") from error
    except (av.FFmpegError, OSError) as error:
        raise BaselineError(f"{path}: can't be decoded ({error.strerror}), expected a video") from error
    with container:
        tracks = [track for track in container.streams.video if not track.disposition & Disposition.attached_pic]
        stream = max(
            tracks, key=lambda track: (track.frames != 1, bool(track.disposition & Disposition.default)), default=None
        )
        if stream is None or stream.codec_context is None:
            raise BaselineError(f"{path}: found no pictures, expected a video")
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
            raise BaselineError(f"{path}: can't be decoded after {end:.2f} s ({error.strerror})") from error
        if shown is None:
            raise BaselineError(f"{path}: found no picture that can be decoded, expected a video")
        while due == 0 or due / rate < end - MOMENT:  # the first one of the shortest film, too
            yield Shot(due / rate, _picture(shown, size))
            due += 1
        yield Shot(end, None)


def _timed(container: Any, stream: Any, step: float) -> Iterator[tuple[Any, float, float]]:
    """Decoded frames with their times from the first one, and until when each is shown at least.

    A frame without its own time (MPEG) follows the one before by a frame; times never go back.
    """
    origin: float | None = None
    time, end = 0.0, 0.0
    codec = stream.codec_context
    packed = PACKED.search(codec.extradata or b"")
    by_decoding = codec.has_b_frames and bool(packed or container.format.name not in STATE_TIMES)
    for frame in _decoded(container, stream):
        stamp = frame.dts if by_decoding else frame.pts
        if stamp is None:
            time = end
        else:
            own = float(stamp * stream.time_base)
            origin = own if origin is None else origin
            time = max(time, own - origin)
        length = float((frame.duration or 0) * stream.time_base)
        end = time + (length if length > step / 4 else step)
        yield frame, time, end


def _decoded(container: Any, stream: Any) -> Iterator[Any]:
    # At the end PyAV trips over streams that turned up on the way, as they may in a transport stream.
    with suppress(IndexError):
        yield from container.decode(stream)


def _picture(frame: Any, size: tuple[int, int]) -> ByteArray:
    """The whole frame, upright as players show it (phones store pictures that lie on their side)."""
    width, height = size
    turns = round(frame.rotation / 90) % 4
    if turns % 2:
        width, height = height, width
    flat = frame.reformat(width=width, height=height, format="rgb24", interpolation="BICUBIC").to_ndarray()
    return np.ascontiguousarray(np.rot90(flat, turns))
