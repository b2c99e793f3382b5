"""What a file may be by its name: a video, descriptions, or nothing that is taken. Pure."""

import re
from collections.abc import Set
from pathlib import PurePosixPath

from corpus.clips.import_videos import SOUND_SUFFIXES, VIDEO_SUFFIXES
from corpus.clips.video_reader import FRAME_SUFFIXES
from evaluation.reading.subtitles import ENDINGS

DESCRIPTION_SUFFIXES = frozenset({".csv", ".tsv", ".json", ".jsonl", ".txt"})
LONGEST_NAME = 700
LONGEST_PART = 255
"""Bytes of a file's or a folder's name: no file system takes more."""
_CONTROLS = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


def why_no_name(name: str) -> str:
    """Why a file can't be kept under this path, as a sentence; "" if it can."""
    parts = name.split("/")
    if not name or any(part in ("", ".", "..") for part in parts) or _CONTROLS.search(name):
        return "Its name can't be kept: expected a path of folders and a file, without control characters."
    if len(name) > LONGEST_NAME or any(len(part.encode()) > LONGEST_PART for part in parts):
        return f"Its name is too long: expected at most {LONGEST_PART} bytes, and {LONGEST_NAME} with its folders."
    if any(part.startswith(".") for part in parts):
        return "Hidden files, whose names begin with a dot, are left out."
    return ""


def is_description_file(name: str) -> bool:
    """Whether a file of this name holds descriptions rather than a video."""
    return PurePosixPath(name).suffix.lower() in DESCRIPTION_SUFFIXES


def why_no_video(name: str, video_names: Set[str]) -> str:
    """Why a file of this name is no video, as a sentence; "" if it may be one, or a video's subtitles.

    Args: video_names: the collection's videos; a file with such a name is one whatever its suffix.
    """
    file = PurePosixPath(name)
    suffix = file.suffix.lower()
    if suffix in VIDEO_SUFFIXES | SOUND_SUFFIXES or suffix in ENDINGS:
        return ""
    if suffix in FRAME_SUFFIXES:
        return (
            "Pictures aren't taken one by one. Put the folders of pictures on the server, in a place that "
            "QREELS_VIDEO_SOURCES names, and import them from there."
        )
    if file.name in video_names or file.stem in video_names:
        return ""
    kind = f"a file {suffix}" if suffix else "a file without a suffix"
    return f"It doesn't look like a video: found {kind}, expected .mp4, .mkv, .webm, .mov, .avi or the like."
