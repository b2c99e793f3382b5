"""Videos as frames at a set rate, or as pictures at given times, read by PyAV."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
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
FAR = 10.0
"""Seconds from a video's beginning from which on it is sought in, not decoded up to there."""
JPEG_QUALITY = 85


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
    with _opened(path) as film:
        due, end = 0, 0.0
        shown: Any = None
        for frame, time, until in film.timed():
            while shown is not None and due / rate < time - MOMENT:
                yield Shot(due / rate, _picture(shown, size))
                due += 1
            shown, end = frame, until
        if shown is None:
            raise BaselineError(f"{path}: found no picture that can be decoded, expected a video")
        while due == 0 or due / rate < end - MOMENT:  # the first one of the shortest film, too
            yield Shot(due / rate, _picture(shown, size))
            due += 1
        yield Shot(end, None)


def pictures_at(path: Path, times: Sequence[float], pixels: int) -> list[bytes]:
    """What a video shows at these times, upright, as JPEG whose longer side has at most ``pixels`` pixels.

    Args: times: rising, in seconds from the video's first picture. After its end it shows its last picture.
    Raises: BaselineError as `frames`.
    """
    from PIL import Image

    with _opened(path) as film:
        shown = _at(film.timed_from(times[0] - MOMENT), times)
        if not shown:
            raise BaselineError(f"{path}: found no picture that can be decoded, expected a video")
        found = []
        for frame in shown:
            width, height = frame.width * film.pixel_aspect, frame.height
            if round(frame.rotation / 90) % 2:
                width, height = height, width
            scale = min(1.0, pixels / max(width, height))
            size = (max(1, round(width * scale)), max(1, round(height * scale)))
            buffer = io.BytesIO()
            Image.fromarray(_picture(frame, size)).save(buffer, "JPEG", quality=JPEG_QUALITY)
            found.append(buffer.getvalue())
        return found


def _at(timed: Iterable[tuple[Any, float, float]], times: Sequence[float]) -> list[Any]:
    """The frames that are shown at these times, one each; none if there is no frame."""
    found: list[Any] = []
    shown: Any = None
    for frame, time, _ in timed:
        while shown is not None and len(found) < len(times) and times[len(found)] < time - MOMENT:
            found.append(shown)
        if len(found) == len(times):
            return found
        shown = frame
    return found if shown is None else found + [shown] * (len(times) - len(found))


@dataclass
class _Film:
    """An open video. Attributes: container, stream: PyAV's; step: seconds between frames, by its rate."""

    path: Path
    container: Any
    stream: Any
    step: float

    @property
    def pixel_aspect(self) -> float:
        """A pixel's width, of its height."""
        return float(self.stream.sample_aspect_ratio or 1)

    def timed(self, origin: float | None = None) -> Iterator[tuple[Any, float, float]]:
        """As `_timed`. Raises: BaselineError where it can't be decoded."""
        import av

        end = 0.0
        try:
            for frame, time, end in _timed(self.container, self.stream, self.step, origin):
                yield frame, time, end
        except (av.FFmpegError, OSError) as error:
            raise BaselineError(f"{self.path}: can't be decoded after {end:.2f} s ({error.strerror})") from error

    def timed_from(self, second: float) -> Iterator[tuple[Any, float, float]]:
        """The same from a frame on that is shown at a time or before, where the format can be sought in."""
        import av

        begins = self.timed()
        first = next(begins, None)
        if first is None:
            return
        stamp = first[0].pts
        if second < FAR or stamp is None or self.container.format.name not in STATE_TIMES:
            yield first
            yield from begins
            return
        origin = float(stamp * self.stream.time_base)
        for place in (second, second - FAR, 0.0):
            with suppress(av.FFmpegError):
                self.container.seek(int((origin + place) / self.stream.time_base), stream=self.stream)
            sought = self.timed(origin)
            first = next(sought, None)
            if first is not None and (first[1] <= second or not place):
                yield first
                yield from sought
                return


@contextmanager
def _opened(path: Path) -> Iterator[_Film]:
    """A video's own pictures, not its cover. Raises: BaselineError if it is none."""
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
        yield _Film(path, container, stream, float(1 / (stream.average_rate or stream.guessed_rate or USUAL_RATE)))


def _timed(container: Any, stream: Any, step: float, origin: float | None = None) -> Iterator[tuple[Any, float, float]]:
    """Decoded frames with their times from the first one, and until when each is shown at least.

    Args: origin: when the first one is shown, by its own time, where these don't begin with it.

    A frame without its own time (MPEG) follows the one before by a frame; times never go back.
    """
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
