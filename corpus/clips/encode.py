"""Encode a clip as H.264 mp4 that starts at once and carries no metadata."""

import io
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

from corpus.clips.video_reader import main_track, open_media, packets_of

MAX_LINES = 480
GIF_RATE = 3
"""Pictures a second of the GIFs that the paper's annotators saw."""
ENCODING = {"crf": "24", "preset": "veryfast", "x264-params": "mbtree=0"}
"""Without x264's macroblock tree, which now and then gives other bytes for the same pictures, also with one thread. By
PSNR (the mean of five films), CRF 24 is 0.2 dB better than CRF 23 with the tree, in an eighth more bytes."""
CLOCK = 90_000
"""Ticks a second of a clip's times."""
SOUND_RATE = 48_000


class Mp4:
    """An mp4 being written in memory: H.264, yuv420p, index at the front, no tags."""

    def __init__(self, width: int, height: int, rate: Fraction, *, colours: dict[str, int]) -> None:
        import av

        # The index moves to the front in a second pass that opens the file by its name. A file in memory
        # has one, and is gone with the process, even one that is killed.
        self._memory = os.memfd_create("clip")
        try:
            # bitexact: no word about the encoder's version either.
            options = {"movflags": "+faststart", "fflags": "+bitexact"}
            self._target = av.open(f"/proc/self/fd/{self._memory}", "w", format="mp4", options=options)
        except BaseException:
            os.close(self._memory)
            raise
        self._encoder = self._target.add_stream("libx264", rate=rate, options=ENCODING)
        self._encoder.width, self._encoder.height, self._encoder.pix_fmt = width, height, "yuv420p"
        context = self._encoder.codec_context
        context.time_base = Fraction(1, CLOCK)
        context.thread_count = 1  # several give other bytes, and how many there are depends on what else is cut
        for name, value in colours.items():
            setattr(context, name, value)
        self._packets: list[Any] = []
        self._lengths: dict[int, int] = {}
        self._last = -1

    def show(self, picture: Any, time: float, length: float) -> None:
        """Add a yuv420p frame of the clip's size, shown from `time` (s from the clip's beginning) for `length`."""
        pts = max(round(time * CLOCK), self._last + 1)
        self._last = pts
        self._lengths[pts] = max(1, round((time + length) * CLOCK) - pts)
        picture.pts, picture.time_base, picture.pict_type = pts, Fraction(1, CLOCK), 0
        self._packets += self._encoder.encode(picture)

    def finish(self, sound: Any = None) -> bytes:
        """The file. `sound`: float32 samples of shape (2, n) at 48 kHz that begin with the first picture, or None."""
        self._packets += self._encoder.encode(None)
        for packet in self._packets:
            packet.duration = self._lengths.get(packet.pts, 0)
        if sound is not None and sound.shape[1]:
            self._packets += self._encode_sound(sound)
            self._packets.sort(key=lambda packet: packet.dts * packet.time_base)
        self._target.mux(self._packets)
        self._target.close()
        size = os.lseek(self._memory, 0, os.SEEK_END)
        return os.pread(self._memory, size, 0)

    def _encode_sound(self, sound: Any) -> list[Any]:
        import av
        import numpy as np

        voice = self._target.add_stream("aac", rate=SOUND_RATE, layout="stereo")
        packets = []
        for begin in range(0, sound.shape[1], 1024):
            part = np.ascontiguousarray(sound[:, begin : begin + 1024])
            heard = av.AudioFrame.from_ndarray(part, format="fltp", layout="stereo")
            heard.sample_rate, heard.pts, heard.time_base = SOUND_RATE, begin, Fraction(1, SOUND_RATE)
            packets += voice.encode(heard)
        return packets + list(voice.encode(None))

    def close(self) -> None:
        """Free the memory; safe to repeat."""
        if self._memory >= 0:
            self._target.close()
            os.close(self._memory)
            self._memory = -1


class Studio:
    """Prepares pictures for clips: upright, square pixels, at most 480 lines, yuv420p, all of the first one's size.

    A later picture of another shape (the film's size changes) is shown whole, between black bars.
    """

    def __init__(self, frame: Any, pixel_aspect: Fraction) -> None:
        from av.video.reformatter import Colorspace, VideoReformatter

        self._pixel_aspect = pixel_aspect
        self._turns = _turns(frame)
        self._lies = bool(self._turns) and self._turns[0].startswith("transpose")
        self.width, self.height = clip_size(*self._upright(frame))
        self._reformatter = VideoReformatter()
        self._sd = Colorspace.ITU601
        self._graphs: dict[tuple[int, int], Any] = {}
        self.colours = _colours(frame)
        self.kind = self.width, self.height, tuple(self._turns), tuple(self.colours.items())
        """What of the first picture makes a studio another than that of other clips."""

    def _upright(self, frame: Any) -> tuple[int, int]:
        width, height = round(frame.width * self._pixel_aspect), frame.height
        return (height, width) if self._lies else (width, height)

    def prepare(self, frame: Any) -> Any:
        """The frame as the clip shows it."""
        width, height = self._fitting(*self._upright(frame))
        rgb = frame.format.is_rgb
        picture = self._reformatter.reformat(
            frame,
            width=height if self._lies else width,
            height=width if self._lies else height,
            format="yuv420p",
            interpolation="BICUBIC",
            src_color_range=frame.color_range or None,
            dst_color_range="MPEG",
            dst_colorspace=self._sd if rgb else None,
            threads=1,
        )
        return self._finish(picture) if self._turns or (width, height) != (self.width, self.height) else picture

    def _fitting(self, width: int, height: int) -> tuple[int, int]:
        """The largest size of this shape that fits into the clip."""
        if clip_size(width, height) == (self.width, self.height):
            return self.width, self.height
        share = min(Fraction(self.width, width), Fraction(self.height, height))
        return clip_size(round(width * share), round(height * share))

    def _finish(self, picture: Any) -> Any:
        """Turn a picture and put it in the middle of the clip's."""
        import av

        graph = self._graphs.get((picture.width, picture.height))
        if graph is None:
            graph = self._graphs[picture.width, picture.height] = av.filter.Graph()
            ends = [
                graph.add_buffer(
                    width=picture.width,
                    height=picture.height,
                    format=picture.format,
                    name="in",
                    time_base=Fraction(1, CLOCK),
                )
            ]
            for step in (*self._turns, f"pad={self.width}:{self.height}:-1:-1"):
                name, _, arguments = step.partition("=")
                ends.append(graph.add(name, arguments or None))
            ends.append(graph.add("buffersink"))
            graph.link_nodes(*ends)
            graph.configure()
        picture.pts, picture.time_base = 0, Fraction(1, CLOCK)
        graph.push(picture)
        return graph.pull()


def clip_size(width: int, height: int) -> tuple[int, int]:
    """A clip's width and height: at most 480 lines, aspect kept, both even as 4:2:0 needs."""
    if height > MAX_LINES:
        width, height = round(width * MAX_LINES / height), MAX_LINES
    return max(2, width - width % 2), max(2, height - height % 2)


def _turns(frame: Any) -> list[str]:
    """The filters that show a frame as its display matrix wants it: what phones write instead of turning pictures."""
    matrix = next((side for side in frame.side_data if side.type.name == "DISPLAYMATRIX"), None)
    if matrix is None:
        return []
    values = memoryview(bytes(matrix)).cast("i")
    clockwise = -frame.rotation % 360
    if abs(clockwise - 90) < 1:
        return ["transpose=cclock_flip" if values[3] > 0 else "transpose=clock"]
    if abs(clockwise - 270) < 1:
        return ["transpose=clock_flip" if values[3] < 0 else "transpose=cclock"]
    if abs(clockwise - 180) < 1:
        return [turn for turn, applies in (("hflip", values[0] < 0), ("vflip", values[4] < 0)) if applies]
    return ["vflip"] if values[4] < 0 else []


HD_LINES = 720
UNSPECIFIED = 2
BT709 = 1


def _colours(frame: Any) -> dict[str, int]:
    """The colour tags of a clip: the film's own, or those that players guess for a film of its size.

    Players guess again by the clip's size, which is smaller: untagged, a film's colours would shift.
    """
    if frame.format.is_rgb:
        return {}
    named = {
        "colorspace": int(frame.colorspace),
        "color_primaries": int(frame.color_primaries),
        "color_trc": int(frame.color_trc),
    }
    if named["colorspace"] == UNSPECIFIED and frame.height >= HD_LINES:
        return dict.fromkeys(named, BT709)
    return {name: value for name, value in named.items() if value not in (0, UNSPECIFIED)}


def encode_poster(picture: Any, pixels: int | None = None) -> bytes:
    """A frame as JPEG. Args: pixels: that its longer side has at most; None: as many as the frame's."""
    image, buffer = picture.to_image(), io.BytesIO()
    if pixels is not None:
        image.thumbnail((pixels, pixels))
    image.save(buffer, "JPEG", quality=82)
    return buffer.getvalue()


class Gif:
    """The paper's form of a clip: three pictures a second, as large as a clip is, in a loop."""

    def __init__(self) -> None:
        self._images: list[Any] = []

    def show(self, picture: Any, time: float, length: float) -> None:
        """See the frame shown from `time` (s from the clip's beginning) for `length`: kept when its turn comes."""
        while (due := len(self._images) / GIF_RATE) < time + length - 1e-6:
            if due < time - 1e-6:
                break
            # One byte a pixel from here on: a GIF of minutes stays within some hundred MB.
            self._images.append(picture.to_image().quantize(256))

    def finish(self) -> bytes:
        """The file."""
        # Hundredths of a second are the finest that GIF knows: 33, 33, 34 make three a second.
        lengths = [340 if number % GIF_RATE == GIF_RATE - 1 else 330 for number in range(len(self._images))]
        buffer = io.BytesIO()
        first, *others = self._images
        first.save(
            buffer, "GIF", save_all=True, append_images=others, duration=lengths[: len(others) + 1], loop=0, disposal=1
        )
        return buffer.getvalue()


def read_sound(path: Path, *, begin: float, end: float, origin: float) -> Any:
    """A video file's sound from `begin` to `end` (s from the first picture, which `origin` says the time of).

    Returns: float32 samples of shape (2, n) at 48 kHz, silent where there is no sound; None if it has no sound track.
    """
    import av
    import numpy as np

    with open_media(path) as container:
        stream = main_track(container.streams.audio)
        if stream is None:
            return None
        samples = np.zeros((2, max(0, round((end - begin) * SOUND_RATE))), np.float32)
        resampler = av.AudioResampler(format="fltp", layout="stereo", rate=SOUND_RATE)
        container.seek(int(max(0.0, begin + origin - 0.5) / stream.time_base), stream=stream, backward=True)
        for frame in (frame for packet in packets_of(stream) for frame in packet.decode()):
            for heard in resampler.resample(frame):
                if heard.pts is None:
                    continue
                place = round((float(heard.pts * (heard.time_base or 0)) - origin - begin) * SOUND_RATE)
                _lay(samples, heard.to_ndarray(), place)
            if frame.pts is not None and float(frame.pts * (stream.time_base or 0)) - origin > end:
                break
        return samples


def _lay(samples: Any, heard: Any, place: int) -> None:
    """Copy decoded samples to their place in the clip's sound; what lies outside is dropped."""
    first, last = max(0, place), min(samples.shape[1], place + heard.shape[1])
    if first < last:
        samples[:, first:last] = heard[:, first - place : last - place]
