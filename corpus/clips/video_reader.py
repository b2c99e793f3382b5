"""Read videos as timed pictures: files by PyAV, or folders of numbered pictures."""

import math
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from foundation.text import legible

FRAME_SUFFIXES = frozenset({".jpg", ".jpeg", ".png"})
FORMATS = frozenset(
    "apng asf av1 avi dhav dirac dv flv gif gxf h261 h263 h264 hevc ivf live_flv m4v matroska mjpeg mov mpeg mpegts "
    "mpegvideo mxf nut obu ogg rm vc1 vvc wtv yuv4mpegpipe".split()
)
"""FFmpeg's names of the formats that are opened: those that hold pictures, and never texts or lists of other files,
whose sender could have files of others read."""
SOUND_FORMATS = frozenset({"flac", "mp3", "wav"})
"""Those of sound alone; many others may hold it as well."""
STATE_TIMES = frozenset({"flv", "live_flv", "matroska,webm", "mov,mp4,m4a,3gp,3g2,mj2", "mpeg", "mpegts", "nut", "ogg"})
"""Formats that state when a picture is shown, and not only in which order pictures are decoded."""
PACKED = re.compile(rb"DivX[0-9]+(b|Build)[0-9]+p")
"""How MPEG-4 says that packets hold two pictures, as XviD's do: their times are neither's."""
USUAL_RATE = Fraction(25)
"""Pictures a second where a file states none."""


class FilmError(Exception):
    """A video that can't be read or has nothing at the asked time; the message says which and why."""


class OnlySound(FilmError):
    """A file that has sound and no pictures, but for a cover or one that stands still over all of it."""


class Picture(NamedTuple):
    """A decoded frame (av.VideoFrame) as it is stored, shown from `time` for `length` seconds."""

    frame: Any
    time: float
    length: float


@contextmanager
def open_film(path: Path, *, frame_rate: float | None = None, threads: int = 0) -> Iterator["VideoFile | FrameFolder"]:
    """The film in a file, or in a folder of pictures shown at `frame_rate`; `threads` decode it (0: as many as fit).

    Raises: FilmError if it can't be opened or has no picture that can be decoded; OnlySound if it has sound instead.
    """
    if path.is_dir():
        yield FrameFolder(path, frame_rate)
        return
    with closing(VideoFile(path, threads)) as film:
        yield film


def open_media(path: Path, formats: frozenset[str] = FORMATS | SOUND_FORMATS) -> Any:
    """A file's container (av.container.InputContainer), opened as the file that it is, whatever its name looks like.

    Raises: FilmError if it is no regular file, or in none of these formats.
    """
    import av

    refuse_no_file(path)
    allowed = {"format_whitelist": ",".join(sorted(formats)), "protocol_whitelist": "file"}
    try:
        return av.open(f"file:{path}", options=allowed, metadata_errors="replace")
    except av.ArgumentError as error:
        raise FilmError(f"{path.name} can't be decoded: it is in no format of films, such as MP4 or MKV") from error
    except (av.FFmpegError, OSError) as error:
        raise FilmError(f"{path.name} can't be decoded: {error.strerror}") from error


def refuse_no_file(path: Path) -> None:
    """Raises: FilmError for what is no regular file: whoever opens a named pipe waits until somebody writes to it."""
    try:
        regular = stat.S_ISREG(path.stat().st_mode)
    except OSError as error:
        raise FilmError(f"{path.name} can't be read: {error.strerror}") from error
    if not regular:
        raise FilmError(f"{path.name} can't be read: it is a pipe, a socket or a device, and no file")


def main_track(tracks: Iterable[Any]) -> Any:
    """The default one of an opened file's video or sound tracks, before others one of more than a single picture.

    None if there is none. Covers aren't tracks.
    """
    from av.stream import Disposition

    shown = [track for track in tracks if not track.disposition & Disposition.attached_pic]
    return max(
        shown, key=lambda track: (track.frames != 1, bool(track.disposition & Disposition.default)), default=None
    )


def packets_of(*tracks: Any) -> Iterator[Any]:
    """The packets of an opened file's tracks from where it is read."""
    # At the end PyAV trips over tracks that turned up on the way, as they may in a transport stream.
    with suppress(IndexError):
        yield from tracks[0].container.demux(*tracks)


class VideoFile:
    """A film in a container that PyAV opens, to be read from any place. Times are in seconds from its first picture.

    `rate`: pictures a second, on average. `pixel_aspect`: how many times wider than high a pixel is.
    """

    def __init__(self, path: Path, threads: int) -> None:
        self.path, self.name, self._threads = path, path.name, threads
        self._open()
        try:
            from av.format import Flags

            self.rate = self.stream.average_rate or self.stream.guessed_rate or USUAL_RATE
            self.pixel_aspect = Fraction(self.stream.sample_aspect_ratio or 1) or Fraction(1)
            kind, codec = self.container.format, self.stream.codec_context
            packed = PACKED.search(codec.extradata or b"")
            self._by_decoding = codec.has_b_frames and bool(packed or kind.name not in STATE_TIMES)
            self._untimed = bool(kind.flags & Flags.no_timestamps.value)
            # Elsewhere a picture's time is known only once all before it are decoded; program streams state one for
            # every few pictures.
            self._seeks = not (self._by_decoding or self._untimed or kind.name == "mpeg")
            # A container may start later than 0, or before: a moment's times count from its first picture.
            self.origin = 0.0
            pictures = self.pictures(0.0)
            first = next(pictures, None)
            if first is None:
                raise FilmError(f"{self.name} can't be decoded: it has no picture")
            if self.container.streams.audio and self._ends(pictures):
                raise OnlySound(f"{self.name} has a single picture")
            self.origin = first.time
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        self.container = open_media(self.path)
        self.stream = main_track(self.container.streams.video)
        self._untouched = True
        if self.stream is None or self.stream.codec_context is None:
            sounds = main_track(self.container.streams.audio) is not None
            self.close()
            if self.stream is None and sounds:
                raise OnlySound(f"{self.name} has no pictures")
            problem = "it has no pictures" if self.stream is None else "its pictures are of an unknown kind"
            raise FilmError(f"{self.name} can't be decoded: {problem}")
        self.stream.thread_type = "AUTO"
        self.stream.codec_context.thread_count = self._threads

    def close(self) -> None:
        """Close the file; safe to repeat."""
        self.container.close()

    @property
    def duration(self) -> float | None:
        """Seconds, as the file states for this track, or else as its last packets do; None for a bare stream."""
        if self._untimed:
            return None
        # ASF states the longest track's for each, Matroska and FLV for all.
        if self.stream.duration is not None and self.container.format.name != "asf":
            return float(self.stream.duration * self.stream.time_base)
        for near in ((self.container.duration or 0) / 1_000_000, 0.0):
            ends = [packet.pts + packet.duration for packet in self._sought(near) if packet.pts is not None]
            if ends:
                return self._time(max(ends))
        return None

    def jump_pays(self, position: float, reach: float) -> bool:
        """Whether seeking to `reach` reads less than decoding on from `position`."""
        if not self._seeks:
            return False
        index = self.stream.index_entries
        if len(index):
            place = index.search_timestamp(self._timestamp(reach), backward=True)
            return place >= 0 and float(index[place].timestamp * self.stream.time_base) - self.origin > position
        return reach - position > 5.0  # without an index: about the distance of key frames

    def pictures(self, reach: float) -> Iterator[Picture]:
        """The pictures in order, beginning with one no later than `reach` if there is such a one."""
        import av

        before: tuple[Any, float] | None = None
        try:
            for frame, time in self._frames(reach):
                if before is not None:
                    yield Picture(*before, time - before[1])
                before = frame, time
        except (av.FFmpegError, OSError) as error:
            raise FilmError(f"{self.name} can't be decoded{_near(before)}: {error.strerror}") from error
        if before is not None:
            own = float((before[0].duration or 0) * self.stream.time_base)
            yield Picture(*before, own if own * self.rate > 0.25 else float(1 / self.rate))

    def _ends(self, pictures: Iterator[Picture]) -> bool:
        """Whether there are no more of them; one that is broken is there nevertheless."""
        try:
            return next(pictures, None) is None
        except FilmError:
            return False

    def _timestamp(self, time: float) -> int:
        return int((time + self.origin) / self.stream.time_base)

    def _time(self, stamp: int) -> float:
        return float(stamp * self.stream.time_base) - self.origin

    def _frames(self, reach: float) -> Iterator[tuple[Any, float]]:
        """Decoded frames with their times, beginning with one no later than `reach`, or else with the first one."""
        # Seeks go by the time of decoding, and without an index (MPEG) by guessing: they may land behind the place.
        for earlier in (0.0, 2.0, 20.0):
            if not self._seeks or reach <= earlier:
                break
            frames = self._timed(self._sought(reach - earlier), reach, None)
            first = next(frames, None)
            if first is not None and first[1] <= reach:
                yield first
                yield from frames
                return
        else:
            self._seeks = False
        if not self._untouched:  # to seek to the beginning isn't to be there, either
            self.close()
            self._open()
        self._untouched = False
        yield from self._timed(packets_of(self.stream), reach, 0.0)

    def _sought(self, target: float) -> Iterator[Any]:
        """Packets from somewhere near `target` on; none where the file can't be searched."""
        import av

        self._untouched = False
        try:
            self.container.seek(self._timestamp(target), stream=self.stream, backward=True)
        except av.FFmpegError:
            return
        yield from packets_of(self.stream)

    def _timed(self, packets: Iterator[Any], reach: float, begin: float | None) -> Iterator[tuple[Any, float]]:
        """Decoded frames with their times; one without its own (MPEG) follows the one before by a frame.

        What can't be decoded before `reach` costs the frames up to the next key frame. `begin` is the first frame's
        time where it states none; None: begin with a key frame, since what is shown before it needs others.
        """
        import av

        step, due, latest = float(1 / self.rate), begin, -math.inf
        key: int | None = None
        broken: av.FFmpegError | None = None
        for packet in packets:
            if begin is None and key is None:
                if not packet.is_keyframe or packet.pts is None:
                    continue
                key = packet.pts
            if broken is not None:
                if packet.size and not packet.is_keyframe:
                    continue
                if packet.dts is None or self._time(packet.dts) > reach:
                    raise broken
                self.stream.codec_context.flush_buffers()
                broken = None
            try:
                frames = packet.decode()
            except av.FFmpegError as error:
                broken = error
                continue
            for frame in frames:
                stamp = frame.dts if self._by_decoding else frame.pts
                if due is None and (stamp is None or key is None or stamp < key):
                    continue
                time = due if stamp is None else self._time(stamp)
                assert time is not None
                if time <= latest:  # a broken file's time; the picture is shown nevertheless
                    time = latest + step / 2
                latest = time
                yield frame, time
                due = time + step
        if broken is not None:
            raise broken


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
                    picture = image.convert("RGB")
                    frame = av.VideoFrame.from_image(picture)  # type: ignore[no-untyped-call]  # PyAV has no types for it
            except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
                raise FilmError(f"{self.name}/{legible(Path(file.name))} can't be decoded: {error}") from error
            yield Picture(frame, float(number / self.rate), float(1 / self.rate))


def list_frames(folder: Path) -> list[Path]:
    """A folder's JPEG and PNG files in their natural order (2 before 10).

    Raises: FilmError if there is none, or if the last numbers in their names don't go up in equal steps: after a gap
    every time would be wrong.
    """
    with os.scandir(folder) as entries:
        shown = [entry for entry in entries if not entry.name.startswith(".") and is_frame(entry.name)]
    names = [entry.name for entry in shown if entry.is_file()]
    if not names:
        raise FilmError(f"{folder.name} has no JPEG or PNG files")
    names.sort(key=_natural)
    numbers = [re.findall(r"\d+", name.rpartition(".")[0]) for name in names]
    if all(numbers) and len(names) > 1:
        counted = [int(digits[-1]) for digits in numbers]
        steps = [later - earlier for earlier, later in pairwise(counted)]
        step = min(steps)
        for (name, follower), own_step in zip(pairwise(names), steps, strict=True):
            if own_step != step or step < 1:
                raise FilmError(
                    f"{folder.name}/{legible(Path(follower))} follows {legible(Path(name))}: expected numbers in "
                    "equal steps, because every time after a gap would be wrong"
                )
    return [folder / name for name in names]


def is_frame(name: str) -> bool:
    """Whether a file of this name can be a picture of a film."""
    return name[name.rfind(".") :].lower() in FRAME_SUFFIXES


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"([0-9]+)", name)]
