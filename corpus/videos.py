"""Which file belongs to which video of a collection."""

from dataclasses import dataclass
from pathlib import Path

from corpus.film import FilmError, probe_duration
from corpus.models import Collection, Video


@dataclass(frozen=True, slots=True)
class VideoReport:
    """What `import_videos` found: names without the other half, durations that differ (stated, real; s)."""

    matched: int
    without_file: list[str]
    without_video: list[str]
    other_duration: list[tuple[str, float, float]]
    unreadable: list[str]


VIDEO_SUFFIXES = frozenset({".mp4", ".mkv", ".webm", ".avi", ".mov", ".m4v", ".mpg", ".mpeg", ".ts"})


def import_videos(*, collection: Collection, folder: Path) -> VideoReport:
    """Tell each video its file in `folder` (by name without suffix) and fill in durations not known.

    Raises: NotADirectoryError if there is no such folder.
    """
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")
    files = {file.stem: file for file in sorted(folder.iterdir()) if file.suffix.lower() in VIDEO_SUFFIXES}
    videos = list(collection.videos.order_by("name"))
    matched, other, unreadable = [], [], []
    for video in videos:
        file = files.get(video.name)
        if file is None:
            continue
        try:
            real = probe_duration(file)
        except FilmError as error:
            unreadable.append(str(error))
            continue
        if video.duration is None:
            video.duration = real or None  # a file cut off while it was written states 0
        elif real is not None and abs(video.duration - real) > 0.5:
            other.append((video.name, video.duration, real))
        video.path = str(file.resolve())
        matched.append(video)
    Video.objects.bulk_update(matched, ["path", "duration"], batch_size=500)
    names = {video.name for video in videos}
    return VideoReport(
        matched=len(matched),
        without_file=[video.name for video in videos if video.name not in files],
        without_video=[name for name in files if name not in names],
        other_duration=other,
        unreadable=unreadable,
    )
