"""Give a collection's videos their subtitles: from files called as they are, or from tracks in their own files."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from corpus.clips.import_videos import files_below
from corpus.clips.moment_hooks import moments_of
from corpus.clips.video_reader import FilmError
from corpus.models import Subtitles, Video
from corpus.subtitles.embedded import embedded_subtitles
from corpus.subtitles.reading import holds_subtitles, read_file, video_and_language
from evaluation.errors import InputError
from evaluation.reading.subtitles import SubtitleLine
from foundation.counted import counted
from foundation.models import Collection
from foundation.text import UNSTORABLE, composed, is_utf8

AT_ONCE = 200
Told = Callable[[int, int], None]


@dataclass(slots=True)
class SubtitleReport:
    """What came of an import of subtitles."""

    videos: int = 0
    """How often a video was given subtitles of a language."""
    cues: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    """Cues that were left out, by why."""
    without_video: list[str] = field(default_factory=list)
    """Files, or names in a file, of no video of the collection."""
    kept: list[str] = field(default_factory=list)
    """Videos that keep what they have, since judgments were given by it."""
    problems: list[str] = field(default_factory=list)
    """Sentences, each about a file of which nothing was taken: file, line, found, expected."""

    def in_words(self) -> str:
        """In a sentence.

        >>> SubtitleReport(videos=1, cues=12, problems=["..."]).in_words()
        '1 video has subtitles from here; 1 file is not taken'
        """
        parts = [f"{counted(self.videos, 'video has', 'videos have')} subtitles from here"]
        parts += [f"{counted(len(self.kept), 'keeps its', 'keep their')} judged ones"] if self.kept else []
        parts += [f"{counted(len(self.problems), 'file is', 'files are')} not taken"] if self.problems else []
        return "; ".join(parts)


def subtitle_files(path: Path, within: Path | None = None) -> dict[Path, str]:
    """The files of subtitles at a path or below it, each with the path by which it is known."""
    if not path.is_dir():
        return {path: path.name}
    found = (file for file, is_folder in files_below(path, within) if not is_folder and is_utf8(file))
    return {file: str(file.relative_to(path)) for file in sorted(found) if holds_subtitles(file, file.name)}


def import_subtitles(
    *,
    collection: Collection,
    files: Mapping[Path, str],
    charset: str = "",
    language: str = "",
    judged_too: bool = False,
    progress: Told = lambda done, total: None,
) -> SubtitleReport:
    """Give videos the subtitles in these files; those that a video has of the same language are replaced.

    A file is taken whole or not at all, and one that can't be read stops no other.

    Args:
        files: each with the path by which it is known.
        charset: as `CHARSETS`, "" to detect each file's; language: of files whose names state none.
        judged_too: replace also what annotators have judged by.
        progress: called with how many files are read, and how many there are; what it raises ends the import.
    """
    report = SubtitleReport()
    store = _Store(collection, report, judged_too)

    def leave(file: str, place: str, why: str) -> None:
        report.left_out[why] += 1

    for done, (path, name) in enumerate(sorted(files.items()), start=1):
        try:
            with transaction.atomic():
                store.keep(_named(path, name, charset, language, store, leave), source=name)
        except InputError as error:
            report.problems.append(str(error))
        progress(done, len(files))
    return report


def read_embedded(
    *, collection: Collection, again: bool = False, progress: Told = lambda done, total: None
) -> SubtitleReport:
    """Give videos what the text tracks of their own files say, where no file of subtitles has said it.

    Args: again: also of files that were read before; progress: as in `import_subtitles`.
    """
    report = SubtitleReport()
    store = _Store(collection, report, judged_too=False)
    videos = collection.videos.exclude(path="").filter(frame_rate=None)
    if not again:
        videos = videos.exclude(subtitles__track_of=F("fingerprint"))
    left = list(videos.order_by("pk"))
    for done, video in enumerate(left, start=1):
        try:
            tracks = embedded_subtitles(Path(video.path))
            told = set(video.subtitles.filter(track_of="").values_list("language", flat=True))
            said = ((video.name, language, lines) for language, lines in tracks.items() if language not in told)
            with transaction.atomic():
                store.keep(said, source=Path(video.path).name, track_of=video.fingerprint)
        except (FilmError, InputError) as error:
            report.problems.append(str(error))
        progress(done, len(left))
    return report


Said = tuple[str, str, list[SubtitleLine]]
"""A video's name, a language, and what is said."""


class _Store:
    """Keeps subtitles of a collection's videos, and counts in a report."""

    def __init__(self, collection: Collection, report: SubtitleReport, judged_too: bool) -> None:
        self.report = report
        self.videos = dict(collection.videos.values_list("name", "pk"))
        self._taken: dict[tuple[int, str], str] = {}
        self._held: set[int] = set()
        if collection.counts_subtitles and not judged_too:
            self._held = set(moments_of("judged", collection).values_list("video", flat=True))

    def keep(self, said: Iterable[Said], *, source: str, track_of: str = "") -> None:
        """Keep it in place of what these videos have of these languages. The caller's transaction makes it one."""
        before = len(self.report.kept), len(self.report.without_video), self.report.videos, self.report.cues
        try:
            left = iter(said)
            while some := list(islice(left, AT_ONCE)):
                rows = [row for one in some if (row := self._row(*one, source)) is not None]
                for row in rows:
                    row.track_of, row.imported_at = track_of, timezone.now()
                Subtitles.objects.bulk_create(
                    rows,
                    update_conflicts=True,
                    unique_fields=["video", "language"],
                    update_fields=["source", "track_of", "cues", "imported_at"],
                )
        except BaseException:
            del self.report.kept[before[0] :], self.report.without_video[before[1] :]
            self.report.videos, self.report.cues = before[2:]
            raise

    def _row(self, video: str, language: str, lines: list[SubtitleLine], source: str) -> Subtitles | None:
        key = self.videos.get(video)
        if key is None:
            self.report.without_video.append(video)
            return None
        lines = sorted(lines, key=lambda line: (line.start, line.end))
        cues = [[line.start, line.end, UNSTORABLE.sub("\ufffd", composed(line.text))] for line in lines]
        if key in self._held:
            if not Subtitles.objects.filter(video=key, language=language, cues=cues).exists():
                self.report.kept.append(video)
            return None
        first = self._taken.setdefault((key, language.lower()), source)
        if first != source:
            found = f"subtitles of {video} once more, after those of {first}"
            raise InputError(source, "", found=found, expected="one file a video and language")
        self.report.videos += 1
        self.report.cues += len(lines)
        return Subtitles(video_id=key, language=language, source=source[:700], cues=cues)


def _named(
    path: Path, name: str, charset: str, language: str, store: _Store, leave: Callable[[str, str, str], None]
) -> Iterator[Said]:
    for video, lines in read_file(path, name, charset, leave):
        if video:
            yield video, language, lines
            continue
        whose = video_and_language(name, store.videos)
        if whose is None:
            store.report.without_video.append(name)
        else:
            yield whose[0], whose[1] or language, lines


def cues_of_moment(video: Video, language: str) -> list[list[float | str]]:
    """The cues of the language that annotators read: all judges of a moment read the same.

    That is the collection's, or else one of no stated language, or else the first by its tag.
    """
    tags = Subtitles.objects.filter(video=video).values_list("language", flat=True)
    wanted = language.partition("-")[0].lower()
    best = min(
        tags,
        key=lambda tag: (tag.lower() != language.lower(), tag.partition("-")[0].lower() != wanted, tag != "", tag),
        default=None,
    )
    return [] if best is None else Subtitles.objects.get(video=video, language=best).cues


def asked_for(collection: Collection) -> bool:
    """Whether annotators of the collection, or of a study of it, are given subtitles."""
    here = Collection.objects.filter(Q(pk=collection.pk) | Q(study_of=collection.pk))
    return here.filter(evidence__contains=["subtitles"]).exists()
