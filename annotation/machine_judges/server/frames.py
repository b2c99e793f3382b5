"""Pictures of a clip for a model: which moments of it are shown, and the pictures as JPEG."""

import hashlib
import tempfile
from collections.abc import Sequence
from pathlib import Path

from django.core.files.storage import default_storage

from corpus.clips.encode import encode_poster
from corpus.clips.video_reader import FilmError, open_film
from foundation.infra.storage import StoringError

MILLISECONDS = 3
"""Digits of a time: times are part of what an answer is kept under, and floats must not tell two apart."""


def frame_times(duration: float, count: int) -> tuple[float, ...]:
    """The centres of `count` equal parts of a clip, in seconds from its beginning.

    >>> frame_times(8.0, 4)
    (1.0, 3.0, 5.0, 7.0)
    """
    return tuple(round(duration * (place + 0.5) / count, MILLISECONDS) for place in range(count))


def digest_of(file: str) -> str | None:
    """SHA-256 of a file of the storage, in hexadecimal digits; None where it is lost. Raises: StoringError."""
    try:
        return hashlib.sha256(content_of(file)).hexdigest()
    except FilmError:
        return None


def digest_of_text(text: str) -> str:
    """SHA-256 of a text, in hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def content_of(file: str) -> bytes:
    """A file of the storage. Raises: FilmError where it is lost; StoringError where the storage can't be read now."""
    try:
        with default_storage.open(file) as stored:
            return bytes(stored.read())
    except FileNotFoundError as error:
        raise FilmError(f"{file} is lost from the storage") from error
    except Exception as error:  # disks and clouds each have their own errors, and no common one
        raise StoringError(f"{file} can't be read from the storage: {error}") from error


def pictures_at(clip: bytes, times: Sequence[float], pixels: int) -> list[bytes]:
    """What a clip shows at these times, as JPEG whose longer side has at most `pixels` pixels.

    Args: clip: an mp4; times: ascending, in seconds from its beginning. After its end it shows its last picture.
    Raises: FilmError for a clip that can't be decoded.
    """
    with tempfile.NamedTemporaryFile(suffix=".mp4") as file:
        file.write(clip)
        file.flush()
        return _decoded(Path(file.name), times, pixels)


def _decoded(path: Path, times: Sequence[float], pixels: int) -> list[bytes]:
    shown: list[bytes] = []
    last = None
    with open_film(path, threads=1) as film:
        for picture in film.pictures(0.0):
            while len(shown) < len(times) and times[len(shown)] < picture.time + picture.length:
                shown.append(encode_poster(picture.frame, pixels))
            if len(shown) == len(times):
                return shown
            last = picture
    if last is not None:
        shown += [encode_poster(last.frame, pixels)] * (len(times) - len(shown))
    return shown
