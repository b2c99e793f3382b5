"""Read videos as timed pictures: any container through PyAV, or folders of numbered pictures."""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Protocol

FRAME_SUFFIXES = frozenset({".jpg", ".jpeg", ".png"})
LISTS = frozenset({"concat", "dash", "hls", "imf", "rtsp", "sdp", "webm_dash_manifest"})
"""FFmpeg's formats that name other files: whoever sends one could have files of others read."""
USUAL_RATE = Fraction(25)
"""Pictures a second where a file states none."""


class FilmError(Exception):
    """A video that can't be read or has nothing at the asked time; the message says which and why."""


class Picture(NamedTuple):
    """A decoded frame (av.VideoFrame) as it is stored, shown from `time` for `length` seconds."""

    frame: Any
    time: float
    length: float


class TimedVideo(Protocol):
    """A video that can be read from any place. Times are in seconds from its first picture."""

    name: str
    rate: Fraction
    """Pictures a second, on average."""
    pixel_aspect: Fraction
    """How many times wider than high a pixel is."""

    def pictures(self, reach: float) -> Iterator[Picture]:
        """The pictures in order, beginning with one no later than `reach` if there is such a one."""

    def jump_pays(self, position: float, reach: float) -> bool:
        """Whether seeking to `reach` reads less than decoding on from `position`."""


@dataclass(frozen=True, slots=True)
class VideoFacts:
    """A video file's own facts: its duration (s; None if not stated) and a fingerprint of its content."""

    duration: float | None
    fingerprint: str


@contextmanager
def open_film(path: Path, *, frame_rate: float | None = None, threads: int = 0) -> Iterator[TimedVideo]:
    """The film in a file, or in a folder of pictures shown at `frame_rate`; `threads` decode it (0: as many as fit).

    Raises: FilmError if it can't be opened.
    """
    if path.is_dir():
        yield FrameFolder(path, frame_rate)
        return
    import av

    try:
        container = av.open(str(path))
    except (av.FFmpegError, OSError) as error:
        raise FilmError(f"{path.name} can't be decoded: {error}") from error
    with container:
        if container.format.name in LISTS:
            raise FilmError(f"{path.name} is a list of other files, and no video")
        yield VideoFile(container, path.name, threads)


def probe(path: Path, *, frame_rate: float | None = None) -> VideoFacts:
    """Read what a video states and its first picture.

    Raises: FilmError if it is no video that can be opened and decoded.
    """
    with open_film(path, frame_rate=frame_rate, threads=1) as film:
        if next(film.pictures(0.0), None) is None:
            raise FilmError(f"{path.name} has no picture that can be decoded")
        duration = film.duration if isinstance(film, VideoFile | FrameFolder) else None
    return VideoFacts(duration or None, fingerprint(path, frame_rate))  # a file cut off while it was written states 0


BLOCK = 64 * 1024


def fingerprint(path: Path, frame_rate: float | None = None) -> str:
    """A digest of a video's size and its first, middle and last bytes.

    For a folder its names, its first, middle and last picture and the rate: at another one all moments lie elsewhere.
    Not its time, which a copy doesn't keep, and not all of it: a corpus can be terabytes.
    """
    mark = hashlib.blake2b(digest_size=16)
    if path.is_dir():
        frames = list_frames(path)
        mark.update("\0".join(frame.name for frame in frames).encode(errors="surrogateescape"))
        for frame in (frames[0], frames[len(frames) // 2], frames[-1]):
            mark.update(frame.read_bytes())
        mark.update(f"{frame_rate:g}".encode() if frame_rate else b"")
        return mark.hexdigest()
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        mark.update(str(size).encode())
        for place in (0, max(0, size // 2 - BLOCK // 2), max(0, size - BLOCK)):
            file.seek(place)
            mark.update(file.read(BLOCK))
    return mark.hexdigest()


class VideoFile:
    """A film in a container that PyAV opens."""

    def __init__(self, container: Any, name: str, threads: int) -> None:
        if not container.streams.video:
            raise FilmError(f"{name} can't be decoded: it has no pictures")
        self.name = name
        self.container = container
        self.stream = container.streams.video[0]
        if self.stream.codec_context is None:
            raise FilmError(f"{name} can't be decoded: its pictures are of an unknown kind")
        self.stream.thread_type = "AUTO"
        self.stream.codec_context.thread_count = threads
        self.rate = self.stream.average_rate or self.stream.guessed_rate or USUAL_RATE
        self.pixel_aspect = Fraction(self.stream.sample_aspect_ratio or 1) or Fraction(1)
        # A container may start later than 0: a moment's times count from its first picture.
        start = self.stream.start_time
        self.origin = float(start * self.stream.time_base) if start is not None else 0.0

    @property
    def duration(self) -> float | None:
        """Seconds, as the file states them."""
        if self.stream.duration is not None and self.stream.time_base is not None:
            return float(self.stream.duration * self.stream.time_base)
        return None if self.container.duration is None else self.container.duration / 1_000_000

    def jump_pays(self, position: float, reach: float) -> bool:
        index = self.stream.index_entries
        if len(index):
            place = index.search_timestamp(self._timestamp(reach), backward=True)
            return place >= 0 and float(index[place].timestamp * self.stream.time_base) - self.origin > position
        return reach - position > 5.0  # without an index: about the distance of key frames

    def pictures(self, reach: float) -> Iterator[Picture]:
        import av

        before: tuple[Any, float] | None = None
        try:
            for frame, time in self._frames(reach):
                # A time that doesn't advance (a broken file) can't be shown.
                if before is not None and time > before[1]:
                    yield Picture(before[0], before[1], time - before[1])
                if before is None or time > before[1]:
                    before = frame, time
        except (av.FFmpegError, OSError) as error:
            raise FilmError(f"{self.name} can't be decoded{_near(before)}: {error}") from error
        if before is not None:
            own = float((before[0].duration or 0) * self.stream.time_base)
            yield Picture(*before, own if own * self.rate > 0.25 else float(1 / self.rate))

    def _timestamp(self, time: float) -> int:
        return int((time + self.origin) / self.stream.time_base)

    def _frames(self, reach: float) -> Iterator[tuple[Any, float]]:
        # Containers without an index (MPEG) find a place by guessing and may land behind it: then from further before.
        for earlier in (0.0, 2.0, 20.0, None):
            target = 0.0 if earlier is None else max(0.0, reach - earlier)
            self.container.seek(self._timestamp(target), stream=self.stream, backward=True)
            frames = self._timed(0.0 if target == 0 else None)
            first = next(frames, None)
            if target == 0 or (first is not None and first[1] <= reach):
                break
        if first is not None:
            yield first
            yield from frames

    def _timed(self, begin: float | None) -> Iterator[tuple[Any, float]]:
        """Decoded frames with their times; one without its own (MPEG) follows the one before by a frame.

        `begin` is the first frame's time where it states none; None: frames are left out until one states its time.
        """
        step = float(1 / self.rate)
        due = begin
        for frame in self.container.decode(self.stream):
            time = due if frame.pts is None else float(frame.pts * self.stream.time_base) - self.origin
            if time is not None:
                yield frame, time
                due = time + step


def _near(before: tuple[Any, float] | None) -> str:
    return "" if before is None else f" after {before[1]:.2f} s"


class FrameFolder:
    """A film stored as pictures, `NAME/00001.jpg` and so on, as TVQA and TVR are distributed."""

    pixel_aspect = Fraction(1)

    def __init__(self, folder: Path, frame_rate: float | None) -> None:
        if not frame_rate:
            raise FilmError(f"{folder.name} is a folder of pictures, and how many a second is not known")
        self.name = folder.name
        self.rate = Fraction(frame_rate).limit_denominator(100_000)
        self.files = list_frames(folder)

    @property
    def duration(self) -> float:
        """Seconds that all pictures take."""
        return float(len(self.files) / self.rate)

    def jump_pays(self, position: float, reach: float) -> bool:
        return reach > position

    def pictures(self, reach: float) -> Iterator[Picture]:
        import av
        from PIL import Image

        for number in range(max(0, int(reach * self.rate)), len(self.files)):
            file = self.files[number]
            try:
                with Image.open(file) as image:
                    frame = av.VideoFrame.from_image(image.convert("RGB"))  # type: ignore[no-untyped-call]
            except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
                raise FilmError(f"{self.name}/{file.name} can't be decoded: {error}") from error
            yield Picture(frame, float(number / self.rate), float(1 / self.rate))


def list_frames(folder: Path) -> list[Path]:
    """A folder's JPEG and PNG files in their natural order (2 before 10).

    Raises: FilmError if there is none, or if the last numbers in their names don't go up in equal steps: after a gap
    every time would be wrong.
    """
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if not entry.name.startswith(".") and is_frame(entry.name)]
    if not names:
        raise FilmError(f"{folder.name} has no JPEG or PNG files")
    names.sort(key=_natural)
    numbers = [re.findall(r"\d+", name.rpartition(".")[0]) for name in names]
    if all(numbers) and len(names) > 1:
        counted = [int(found[-1]) for found in numbers]
        steps = [later - earlier for earlier, later in pairwise(counted)]
        step = min(steps)
        for (name, follower), found in zip(pairwise(names), steps, strict=True):
            if found != step or step < 1:
                raise FilmError(
                    f"{folder.name}/{follower} follows {name}: expected numbers in equal steps, "
                    "because every time after a gap would be wrong"
                )
    return [folder / name for name in names]


def is_frame(name: str) -> bool:
    """Whether a file of this name can be a picture of a film."""
    return name[name.rfind(".") :].lower() in FRAME_SUFFIXES


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"([0-9]+)", name)]
