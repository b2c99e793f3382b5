"""What a file is that stands for a query: a picture, a clip or a sound that browsers show, told by its content."""

import hashlib
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from corpus.clips.video_reader import FilmError, main_track, open_media
from corpus.description_formats import BadRow

LARGEST = 50 << 20
"""Bytes of a file."""
MOST_PIXELS = 64_000_000
PICTURES = {"JPEG": "jpg", "PNG": "png", "GIF": "gif", "WEBP": "webp"}
"""Formats of pictures, as Pillow calls them, with the suffix under which they are served."""
CONTAINERS = {"mov": "mp4", "matroska": "webm", "mp3": "mp3", "wav": "wav", "ogg": "ogg", "flac": "flac"}
"""Formats of clips and sounds: the first of FFmpeg's names for each, with its suffix."""
CODECS = {
    "clip": ("H.264, VP8, VP9 or AV1", {"h264", "vp8", "vp9", "av1"}),
    "sound": ("AAC, MP3, Opus, Vorbis, FLAC or PCM", {"aac", "mp3", "opus", "vorbis", "flac", "pcm_s16le"}),
}
"""By kind: what browsers play, in words and as FFmpeg calls it."""
TYPES = {
    **{"jpg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp"},
    **{"mp4": "video/mp4", "webm": "video/webm", "m4a": "audio/mp4", "mp3": "audio/mpeg", "wav": "audio/wav"},
    **{"ogg": "audio/ogg", "flac": "audio/flac"},
}
"""By suffix: the content type."""
_EXPECTED = "a JPEG, PNG, GIF or WebP picture, an MP4 or WebM clip, or an MP3, M4A, WAV, Ogg or FLAC sound"


class MediumFile(NamedTuple):
    """A file that can stand for a query."""

    path: Path
    kind: str
    suffix: str
    size: int
    sha256: str


def read_medium(path: Path) -> MediumFile:
    """Open a file and decode its first picture or sound. Raises: BadRow, of the field "file"."""
    size = path.stat().st_size
    if not 0 < size <= LARGEST:
        raise BadRow.saying("file", f"{size:,} bytes", f"1 to {LARGEST:,}")
    kind, suffix = _picture(path) or _clip_or_sound(path)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    return MediumFile(path, kind, suffix, size, digest.hexdigest())


def _picture(path: Path) -> tuple[str, str] | None:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path, formats=list(PICTURES)) as image:
            width, height = image.size
            if width * height > MOST_PIXELS:
                raise BadRow.saying("file", f"{width:,} x {height:,} pixels", f"at most {MOST_PIXELS:,}")
            image.load()
            return "picture", PICTURES[str(image.format)]
    except UnidentifiedImageError:
        return None
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise BadRow.saying("file", f"a picture that can't be decoded ({error})", _EXPECTED) from error


def _clip_or_sound(path: Path) -> tuple[str, str]:
    import av

    try:
        with closing(open_media(path, frozenset(CONTAINERS))) as container:
            track: Any = main_track(container.streams.video) or main_track(container.streams.audio)
            if track is None or next(iter(container.decode(track)), None) is None:
                raise BadRow.saying("file", "nothing to see or hear", _EXPECTED)
            kind, suffix = "clip" if track.type == "video" else "sound", CONTAINERS[container.format.name.split(",")[0]]
            codec = track.codec_context.codec.canonical_name
    except (FilmError, av.FFmpegError) as error:
        raise BadRow.saying("file", "a file of another kind, or a damaged one", _EXPECTED) from error
    expected, played = CODECS[kind]
    if codec not in played:
        raise BadRow.saying("file", f"a {kind} in {codec}", expected)
    return kind, "m4a" if (kind, suffix) == ("sound", "mp4") else suffix
