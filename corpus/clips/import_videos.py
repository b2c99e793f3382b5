"""Match files, or folders of pictures, to a collection's videos."""

import hashlib
import math
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from django.db import transaction

from corpus.clips.probe import VideoFacts, probe
from corpus.clips.video_reader import FilmError, is_frame
from corpus.models import Clip, ProbedFile, Video, clip_ready
from foundation.counted import counted
from foundation.models import Collection
from foundation.refused import Refused
from foundation.text import UNSTORABLE, composed, is_utf8, legible

VIDEO_SUFFIXES = frozenset(
    ".mp4 .m4v .mkv .webm .avi .mov .mpg .mpeg .ts .m2ts .mts .vob .ogv .flv .wmv .asf .3gp .3g2 .mxf .y4m".split()
)
"""Suffixes of video files. Other files count if they have a video's name and can be opened."""
SOUND_SUFFIXES = frozenset(".mp3 .wav .m4a .ogg .oga .opus .flac".split())
"""Suffixes of files of sound alone. One beside a video of its name is not looked at."""
KEPT_AT_ONCE = 100
"""Results stored at a time: at most so many files are opened again after a kill."""
TOLERANCE = 0.5
"""Seconds that a real duration may differ from the stated one without being reported."""
NOT_UTF8 = "its name isn't UTF-8, so rename it"


@dataclass(frozen=True, slots=True)
class VideoReport:
    """What `import_videos` found, by video name."""

    matched: int
    without_file: list[str] = field(default_factory=list)
    without_video: list[str] = field(default_factory=list)
    """Files and folders, relative to the imported one."""
    ambiguous: list[str] = field(default_factory=list)
    """Names with several matching files, which were all skipped."""
    unreadable: list[str] = field(default_factory=list)
    """Sentences, each about a file: those that can't be decoded, and those whose name isn't UTF-8."""
    other_duration: list[tuple[str, float, float]] = field(default_factory=list)
    """(name, stated, real), in seconds."""
    changed: list[str] = field(default_factory=list)
    """Videos whose file is another than at the last import."""
    old_clips: int = 0
    """Clips of these that show the earlier file, as they always will under their addresses."""
    unheard: int = 0
    """Videos that are files of sound, where the guideline asks for none."""

    @property
    def unheard_in_words(self) -> str:
        """What is to be done about those; "" where there are none."""
        if not self.unheard:
            return ""
        videos = counted(self.unheard, "video is a file of sound", "videos are files of sound")
        return f"{videos}, which annotators don't hear unless evidence has sound (settings)"


def import_videos(
    *,
    collection: Collection,
    folder: Path,
    frame_rate: float | None = None,
    within: Path | None = None,
    named: Mapping[Path, str] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> VideoReport:
    """Assign each video its file, found by name in `folder` and below, and fill in unknown durations.

    A video called NAME is the file NAME or NAME.suffix, or the folder NAME of numbered JPEG or PNG pictures, of which
    `frame_rate` are shown a second. Repeating it changes nothing; a changed file is taken and reported, and clips cut
    from the earlier one stay.

    Args:
        within: a folder that links mustn't lead out of: what they lead to outside isn't seen. None: they may.
        named: the files that are looked at, each with the path by which it is known. None: all of the folder.
        progress: called with how many of the found files have been opened, and how many there are; what it raises
            ends the import, and nothing was changed.

    Raises: NotADirectoryError if there is no such folder. Refused if it has folders of pictures and no rate
    is given, or a rate that is none.
    """
    if not folder.is_dir():
        raise NotADirectoryError(f"{legible(folder)} is not a folder")
    if not is_utf8(folder.resolve()):
        raise Refused(f"{legible(folder.resolve())} can't be imported: {NOT_UTF8}")
    refuse_rate(frame_rate)
    videos = {video.name: video for video in collection.videos.order_by("name")}
    if named is None:
        places = {path: (str(path.relative_to(folder)), is_folder) for path, is_folder in files_below(folder, within)}
    else:
        places = {path: (name, False) for path, name in named.items()}
    files_by_name, strays, unnamed = _find(places, set(videos))
    pictures = [paths[0] for paths in files_by_name.values() if paths[0].is_dir()]
    if pictures and frame_rate is None:
        raise Refused(
            f"{counted(len(pictures), 'video is a folder', 'videos are folders')} of pictures, "
            f"e.g. {pictures[0].name}: say how many pictures make a second, e.g. --fps 3"
        )
    single = {name: paths[0] for name, paths in files_by_name.items() if len(paths) == 1}
    facts = _probe_all(collection, single, frame_rate, progress)
    shown = {path: name for path, (name, _) in places.items()}
    report = _record(collection, videos, shown, files_by_name, strays, facts, frame_rate)
    report.unreadable.extend(f"{legible(Path(shown[path]))} is left out: {NOT_UTF8}" for path in unnamed)
    return report


def assign_files(
    *,
    collection: Collection,
    chosen: Mapping[str, Path],
    frame_rate: float | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> VideoReport:
    """Assign videos (by name) the files that a person chose for them, whatever these are called.

    Names that the collection doesn't have are left out. As `import_videos`, which leaves such a choice alone.
    """
    refuse_rate(frame_rate)
    videos = {video.name: video for video in collection.videos.filter(name__in=chosen).order_by("name")}
    files = {name: Path(chosen[name]) for name in videos}
    facts = _probe_all(collection, files, frame_rate, progress)
    return _record(collection, videos, {}, {name: [path] for name, path in files.items()}, [], facts, frame_rate)


def refuse_rate(frame_rate: float | None) -> None:
    """Raises: Refused for a number of pictures a second that is none."""
    if frame_rate is not None and not (math.isfinite(frame_rate) and 0 < frame_rate <= 1000):
        raise Refused(f"{frame_rate:g} pictures a second: expected more than 0 and at most 1000")


def _record(
    collection: Collection,
    videos: dict[str, Video],
    shown: Mapping[Path, str],
    files_by_name: dict[str, list[Path]],
    strays: list[Path],
    facts: dict[str, VideoFacts | FilmError],
    frame_rate: float | None,
) -> VideoReport:
    matched, other, unreadable, changed = [], [], [], []
    for name, fact in facts.items():
        video, path = videos[name], files_by_name[name][0]
        if isinstance(fact, FilmError):
            unreadable.append(str(fact))
            continue
        rate = frame_rate if path.is_dir() else None
        if video.fingerprint and video.fingerprint != fact.fingerprint:
            changed.append(name)
        video.path, video.fingerprint, video.frame_rate = str(path.resolve()), fact.fingerprint, rate
        video.file_duration = fact.duration
        if video.duration is None:
            video.duration = fact.duration
        elif fact.duration is not None and durations_differ(video):
            other.append((name, video.duration, fact.duration))
        matched.append(video)
    with transaction.atomic():
        Video.objects.bulk_update(
            matched, ["path", "duration", "file_duration", "fingerprint", "frame_rate"], batch_size=500
        )
        ProbedFile.objects.filter(collection=collection).delete()
    old = Clip.objects.filter(moment__video__collection=collection, moment__video__name__in=changed)
    return VideoReport(
        matched=len(matched),
        without_file=[name for name in videos if name not in files_by_name],
        without_video=[shown[path] for path in strays],
        ambiguous=[
            f"{name} ({', '.join(shown[path] for path in paths)})"
            for name, paths in files_by_name.items()
            if len(paths) > 1
        ],
        unreadable=unreadable,
        other_duration=other,
        changed=changed,
        old_clips=old.filter(clip_ready()).count(),
        unheard=0 if collection.counts_sound else sum(_is_sound(files_by_name[one.name][0], shown) for one in matched),
    )


def _is_sound(path: Path, shown: Mapping[Path, str]) -> bool:
    return PurePath(shown.get(path, path.name)).suffix.lower() in SOUND_SUFFIXES


def durations_differ(video: Video) -> bool:
    """Whether a video's file lasts longer or shorter than stated; folders of pictures are only so exact.

    The same rule lists these videos in the browser: `corpus.browse.selectors._OTHER_DURATION`.
    """
    if video.duration is None or video.file_duration is None:
        return False
    return abs(video.duration - video.file_duration) > max(TOLERANCE, 2 / (video.frame_rate or 25))


def _find(
    places: Mapping[Path, tuple[str, bool]], names: set[str]
) -> tuple[dict[str, list[Path]], list[Path], list[Path]]:
    """Each video's files or folders of pictures, sorted, those of no video, and those whose names aren't UTF-8.

    Args: places: the path by which each is known, and whether it is a folder of pictures.
    """
    files_by_name: dict[str, list[Path]] = defaultdict(list)
    unlikely: dict[str, list[Path]] = defaultdict(list)
    strays, unnamed = [], []
    for path, (shown, is_folder) in sorted(places.items()):
        known = PurePath(shown)
        whole, stem, is_video = composed(known.name), composed(known.stem), known.suffix.lower() in VIDEO_SUFFIXES
        name = whole if whole in names else stem
        if not is_utf8(path):
            if is_folder or name in names or is_video:
                unnamed.append(path)
        elif name not in names or (is_folder and name != whole):
            if is_folder or is_video or known.suffix.lower() in SOUND_SUFFIXES:
                strays.append(path)
        elif is_folder or is_video:
            files_by_name[name].append(path)
        else:
            unlikely[name].append(path)
    for name, paths in unlikely.items():
        if name not in files_by_name and (films := [path for path in paths if _opens(path)]):
            files_by_name[name] = films
    return dict(sorted(files_by_name.items())), strays, unnamed


def files_below(folder: Path, within: Path | None = None) -> Iterator[tuple[Path, bool]]:
    """All files below, and folders that have pictures and no videos: (path, whether it is a folder).

    Args: within: as in `import_videos`.
    """
    seen = set()
    for place, folders, files in os.walk(folder, followlinks=True):
        where = Path(place)
        status = where.stat()
        # A link back up, or out.
        if (status.st_dev, status.st_ino) in seen or not _inside(where, within):
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        shown = [name for name in files if not name.startswith(".")]
        pictures = [name for name in shown if is_frame(name)]
        if pictures and where != folder and not any(Path(name).suffix.lower() in VIDEO_SUFFIXES for name in shown):
            yield where, True
        for name in set(shown).difference(pictures):
            if not (where / name).is_symlink() or _inside(where / name, within):
                yield where / name, False


def _inside(path: Path, within: Path | None) -> bool:
    return within is None or path.resolve().is_relative_to(within)


def _opens(path: Path) -> bool:
    try:
        probe(path)
    except FilmError:
        return False
    return True


def _probe_all(
    collection: Collection,
    files: dict[str, Path],
    frame_rate: float | None,
    progress: Callable[[int, int], None],
) -> dict[str, VideoFacts | FilmError]:
    """Open every file, except unchanged ones that an interrupted import has opened already."""
    known: dict[str, VideoFacts | FilmError] = {
        row.key: FilmError(row.problem) if row.problem else VideoFacts(row.duration, row.fingerprint)
        for row in ProbedFile.objects.filter(collection=collection)
    }
    keys = {name: _key_of(path, frame_rate) for name, path in files.items()}
    facts = {name: known[key] for name, key in keys.items() if key in known}
    left = {name: path for name, path in files.items() if name not in facts}
    if facts:
        progress(len(facts), len(files))

    def look(path: Path) -> VideoFacts | FilmError | OSError:
        try:
            if not is_utf8(path.resolve()):
                raise FilmError(f"{path.name} leads to {legible(path.resolve())}: {NOT_UTF8}")
            return probe(path, frame_rate=frame_rate if path.is_dir() else None)
        except (FilmError, OSError) as error:
            return error

    opened: list[ProbedFile] = []
    pool = ThreadPoolExecutor(8)  # it waits for disks more than it computes
    try:
        for name, fact in zip(left, pool.map(look, left.values()), strict=True):
            if isinstance(fact, OSError):
                facts[name] = FilmError(f"{left[name].name} can't be read: {fact}")  # next time it may be readable
            else:
                facts[name] = fact
                opened.append(_probed(collection, keys[name], fact))
            if len(opened) == KEPT_AT_ONCE:
                _keep(opened)
            progress(len(facts), len(files))
    finally:
        pool.shutdown(cancel_futures=True)
        _keep(opened)
    return {name: facts[name] for name in files}


def _key_of(path: Path, frame_rate: float | None) -> str:
    """Identifies a file without opening it; "" if it is gone. For a folder, the rate is part of it."""
    try:
        status = path.stat()
    except OSError:
        return ""
    rate = frame_rate if path.is_dir() else None
    identity = (os.fspath(path), status.st_size, status.st_mtime_ns, status.st_ino, rate)
    return hashlib.sha256(repr(identity).encode(errors="surrogateescape")).hexdigest()


def _probed(collection: Collection, key: str, fact: VideoFacts | FilmError) -> ProbedFile:
    if isinstance(fact, FilmError):
        return ProbedFile(collection=collection, key=key, problem=UNSTORABLE.sub("\ufffd", str(fact)))
    return ProbedFile(collection=collection, key=key, duration=fact.duration, fingerprint=fact.fingerprint)


def _keep(opened: list[ProbedFile]) -> None:
    ProbedFile.objects.bulk_create((row for row in opened if row.key), ignore_conflicts=True)
    opened.clear()
