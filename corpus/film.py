"""Video files through PyAV: how long they are, and short clips cut out of them exact to the frame."""

import io
import tempfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

MAX_LINES = 480


class FilmError(Exception):
    """A video that can't be read or has nothing at the asked time; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A clip in memory: H.264 mp4 without sound, its first frame as JPEG, and how long it plays (s)."""

    mp4: bytes
    poster: bytes
    seconds: float


def probe_duration(path: Path) -> float | None:
    """Seconds of the file's first video stream, None where the container doesn't tell.

    Raises: FilmError if it is no video that can be opened.
    """
    import av

    try:
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            if stream.duration is not None and stream.time_base is not None:
                return float(stream.duration * stream.time_base)
            return None if container.duration is None else container.duration / av.time_base
    except (av.FFmpegError, IndexError) as error:
        raise FilmError(f"{path.name} is not a video that can be read: {error}") from error


def cut_clip(path: Path, *, start: float, end: float) -> Cut:
    """Decode the frames shown from `start` up to `end` (s) and encode them anew, at most 480 lines high.

    A frame belongs to the clip when its time t is start <= t < end, to half a frame.

    Raises: FilmError if the file can't be decoded or no frame lies there.
    """
    import av

    try:
        # Fast start is a second pass over the written file, so it has to be one.
        with av.open(str(path)) as source, tempfile.NamedTemporaryFile(suffix=".mp4") as target:
            seconds, poster = _cut(source, Path(target.name), path.name, start, end)
            return Cut(mp4=Path(target.name).read_bytes(), poster=poster, seconds=seconds)
    except (av.FFmpegError, IndexError) as error:
        raise FilmError(f"{path.name} can't be decoded: {error}") from error


def _cut(source, path: Path, name: str, start: float, end: float) -> tuple[float, bytes]:  # type: ignore[no-untyped-def]
    import av

    stream = source.streams.video[0]
    stream.thread_type = "AUTO"
    rate = stream.average_rate or Fraction(25)
    half_frame = float(1 / rate) / 2
    width, height = _size(stream.width, stream.height)
    # A container may start later than 0: a moment's times count from its first frame.
    origin = float(stream.start_time * stream.time_base) if stream.start_time is not None else 0.0

    frames = 0
    poster = b""
    first = last = 0.0
    with av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"}) as target:
        encoder = target.add_stream("libx264", rate=rate, options={"crf": "23", "preset": "veryfast"})
        encoder.width, encoder.height, encoder.pix_fmt = width, height, "yuv420p"
        encoder.time_base = Fraction(1, 90_000)
        for frame, time in _frames(source, stream, origin, start - half_frame):
            if time < start - half_frame:
                continue
            if time >= end - half_frame and frames:
                break
            if time >= end + half_frame:
                break
            picture = frame.reformat(width=width, height=height, format="yuv420p")
            if not frames:
                first = time
                poster = _jpeg(picture)
            last = time
            picture.pts = round((time - first) * 90_000)
            picture.time_base = Fraction(1, 90_000)
            target.mux(encoder.encode(picture))
            frames += 1
        target.mux(encoder.encode(None))
    if not frames:
        raise FilmError(f"{name} has no frame between {start:g} s and {end:g} s")
    return last - first + float(1 / rate), poster


def _frames(source, stream, origin: float, reach: float):  # type: ignore[no-untyped-def]
    """The frames with their times (s), beginning with one no later than `reach` if the film has such a one."""
    # Containers without an index (MPEG) find a place by guessing and may land behind it: then from further before.
    for earlier in (0.0, 2.0, 20.0, None):
        target = 0.0 if earlier is None else max(0.0, reach - earlier)
        source.seek(int((target + origin) / stream.time_base), stream=stream, backward=True)
        frames = _timed(source, stream, origin, 0.0 if target == 0 else None)
        first = next(frames, None)
        if target == 0 or (first is not None and first[1] <= reach):
            break
    if first is not None:
        yield first
        yield from frames


def _timed(source, stream, origin: float, begin: float | None):  # type: ignore[no-untyped-def]
    """Decoded frames with their times; one without a time of its own (MPEG) follows the one before by a frame.

    `begin` is the first frame's time where it states none; None: frames are left out until one states its time.
    """
    step = float(1 / (stream.average_rate or Fraction(25)))
    due = begin
    for frame in source.decode(stream):
        time = due if frame.pts is None else float(frame.pts * stream.time_base) - origin
        if time is not None:
            yield frame, time
            due = time + step


def _size(width: int, height: int) -> tuple[int, int]:
    """At most 480 lines, the aspect kept, both sides even as 4:2:0 needs."""
    if height > MAX_LINES:
        width, height = round(width * MAX_LINES / height), MAX_LINES
    return max(2, width - width % 2), max(2, height - height % 2)


def _jpeg(picture) -> bytes:  # type: ignore[no-untyped-def]
    buffer = io.BytesIO()
    picture.to_image().save(buffer, "JPEG", quality=82)
    return buffer.getvalue()
