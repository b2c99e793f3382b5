"""What a video's file says of itself: how long it is, and whether it is the one that it was."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from corpus.clips.sound_film import sound_facts
from corpus.clips.video_reader import FrameFolder, OnlySound, list_frames, open_film, refuse_no_file


@dataclass(frozen=True, slots=True)
class VideoFacts:
    """A video file's own facts: its duration (s; None if not stated) and a fingerprint of its content."""

    duration: float | None
    fingerprint: str


def probe(path: Path, *, frame_rate: float | None = None) -> VideoFacts:
    """Read what a video states and its first picture, or what a file of sound states and its first sound.

    Raises: FilmError if it is no video that can be opened and decoded.
    """
    try:
        with open_film(path, frame_rate=frame_rate, threads=1) as film:
            if isinstance(film, FrameFolder):
                next(film.pictures(0.0))
            duration = film.duration
    except OnlySound:
        duration = sound_facts(path).seconds
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
    refuse_no_file(path)
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        mark.update(str(size).encode())
        for place in (0, max(0, size // 2 - BLOCK // 2), max(0, size - BLOCK)):
            file.seek(place)
            mark.update(file.read(BLOCK))
    return mark.hexdigest()
