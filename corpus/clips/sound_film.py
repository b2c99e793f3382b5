"""Media of sound alone: a clip of it is a film of its waveform, over which the time runs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from corpus.clips.encode import Gif, Mp4, Studio, encode_poster, read_sound
from corpus.clips.video_reader import FilmError, main_track, open_media, packets_of

RATE = Fraction(12)
"""Pictures a second: often enough for a line that moves."""
WIDTH, HEIGHT = 640, 240
GROUND, AHEAD, PLAYED, NOW = (24, 26, 29), (108, 122, 130), (112, 200, 184), (250, 250, 248)
"""Colours (red, green, blue): behind the waveform, what is to come, what has been, and the line that runs."""
FIRST = 32
"""Packets of which half have to be decoded: in noise that is called .mp3, now and then one is."""
QUIET = 0.01
"""What is no louder is drawn as it is; anything else as high as it fits, so that speech is seen beside bangs."""


@dataclass(frozen=True, slots=True)
class SoundFacts:
    """Of a file's sound: the time of its first sample, and how long it lasts (s; None: not known)."""

    origin: float
    seconds: float | None


def sound_facts(path: Path) -> SoundFacts:
    """Read what a file states of its sound, and decode its beginning. Raises: FilmError if it can't be."""
    import av

    with open_media(path) as container:
        track = main_track(container.streams.audio)
        try:
            packets: Iterable[Any] = () if track is None else islice(packets_of(track), FIRST)
            tried = [_decodes(packet) for packet in packets if packet.size]
            if not any(tried) or 2 * sum(tried) < len(tried):
                raise FilmError(f"{path.name} can't be decoded: it has no sound")
            origin = float((track.start_time or 0) * track.time_base)
            if container.format.name != "mp3":
                stated = track.duration and float(track.duration * track.time_base)
                return SoundFacts(origin, stated or (container.duration or 0) / 1_000_000 or None)
            # An MP3 states no length, or a wrong one where its rate varies.
            ends = [packet.pts + packet.duration for packet in packets_of(track) if packet.pts is not None]
            return SoundFacts(origin, float(max(ends) * track.time_base) - origin if ends else None)
        except av.FFmpegError as error:
            raise FilmError(f"{path.name} can't be decoded: {error.strerror}") from error


def _decodes(packet: Any) -> bool:
    import av

    try:
        return bool(packet.decode())
    except av.FFmpegError:
        return False


def film_of_sound(samples: Any, seconds: float, *, mp4: bool, gif: bool) -> tuple[bytes, bytes, bytes]:
    """A clip of a sound: the mp4 with it, its poster, and a GIF; what isn't asked for is empty.

    Args: samples: float32 of shape (2, n) at 48 kHz, which last `seconds`.
    """
    poster, film, moving = b"", None, Gif() if gif else None
    try:
        for frame, time, length in _pictures(samples, seconds):
            if film is None:
                studio = Studio(frame, Fraction(1))
                film = Mp4(studio.width, studio.height, RATE, colours=studio.colours)
                poster = encode_poster(studio.prepare(frame))
            picture = studio.prepare(frame)
            if mp4:
                film.show(picture, time, length)
            if moving is not None:
                moving.show(picture, time, length)
        assert film is not None
        return film.finish(samples) if mp4 else b"", poster, b"" if moving is None else moving.finish()
    finally:
        if film is not None:
            film.close()


def _pictures(samples: Any, seconds: float) -> Iterator[tuple[Any, float, float]]:
    """Frames with the time from which, and how long, each is shown."""
    import av
    import numpy as np

    ahead, played = _waveform(samples)
    shown = ahead.copy()
    count = max(1, round(seconds * RATE))
    for number in range(count):
        begin, end = number / float(RATE), (number + 1) / float(RATE) if number + 1 < count else seconds
        place = min(WIDTH - 2, round(begin / seconds * WIDTH))
        shown[:, :place], shown[:, place:] = played[:, :place], ahead[:, place:]
        shown[:, place : place + 2] = NOW
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(shown), format="rgb24")
        yield frame, begin, end - begin


def _waveform(samples: Any) -> tuple[Any, Any]:
    """Two pictures of how loud it is over time, as what is to come and as what has been."""
    import numpy as np

    loud = np.abs(samples).max(axis=0) if samples.shape[1] else np.zeros(1, np.float32)
    edges = np.linspace(0, len(loud), WIDTH + 1).astype(int)
    peaks = np.array([loud[a : max(a + 1, b)].max(initial=0.0) for a, b in pairwise(edges)])
    heights = np.maximum(1, peaks / max(QUIET, float(peaks.max())) * (HEIGHT / 2 - 8))
    bars = np.abs(np.arange(HEIGHT)[:, None] - (HEIGHT - 1) / 2) <= heights[None, :]
    ahead, played = (
        np.where(bars[:, :, None], np.array(colour, np.uint8), np.array(GROUND, np.uint8)) for colour in (AHEAD, PLAYED)
    )
    return ahead, played


def sound_of_stretch(path: Path, facts: SoundFacts, start: float, end: float) -> tuple[Any, float]:
    """The samples of a stretch as far as the sound goes, and how many seconds they last. Raises: FilmError."""
    import av

    last = end if facts.seconds is None else min(end, facts.seconds)
    if last <= start:
        raise FilmError(f"{path.name} has no sound between {start:g} s and {end:g} s")
    try:
        return read_sound(path, begin=start, end=last, origin=facts.origin), last - start
    except (av.FFmpegError, OSError) as error:
        raise FilmError(f"{path.name} can't be decoded: {error}") from error
