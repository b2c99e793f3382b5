"""Orders: what to cut from a video, one per moment, and how the outcome is stored or its failure recorded."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import transaction

from corpus.clips.cut import Cut, CutSpan
from corpus.models import Clip, ContextClip, FormerClip, Moment, UnfinishedFile, Video
from foundation.infra.storage import StoringError, delete_file, store_file
from foundation.models import new_public_name


@dataclass(frozen=True, slots=True)
class Order(ABC):
    """What to cut, and for which moment. `keep` stores before it commits, so a row never points at a missing file."""

    video: Video
    moment: Moment
    stretch: CutSpan

    @abstractmethod
    def keep(self, cut: Cut) -> None:
        """Store the clip and make it available."""

    @abstractmethod
    def fail(self, problem: str) -> None:
        """Record why there is none."""


class ClipOrder(Order):
    """The moment's clip: its first, a retry, or a replacement."""

    def keep(self, cut: Cut) -> None:
        clip = _clip_of(self.moment)
        name = new_public_name() if clip.ready else clip.public_name
        video, poster, gif = (_place(name, suffix) for suffix in ("mp4", "jpg", "gif"))
        files = {video: cut.mp4, poster: cut.poster} | ({gif: cut.gif} if cut.gif else {})
        try:
            with _stored(self.video, files):
                if clip.ready:
                    _retire(clip)
                clip.public_name = name
                clip.video_file, clip.poster_file, clip.gif_file = video, poster, gif if cut.gif else ""
                clip.duration, clip.cut_from, clip.problem = cut.seconds, self.video.fingerprint, ""
                clip.save()
        except StoringError as error:
            self.fail(str(error))

    def fail(self, problem: str) -> None:
        clip = _clip_of(self.moment)
        clip.problem = problem
        if not clip.ready:
            clip.cut_from = self.video.fingerprint
        clip.save()


class GifOrder(Order):
    """A GIF of an existing clip. A failure is recorded with the clip, which stays."""

    def keep(self, cut: Cut) -> None:
        clip = self.moment.clip
        name = _place(clip.public_name, "gif")
        try:
            with _stored(self.video, {name: cut.gif}):
                Clip.objects.filter(pk=clip.pk).update(gif_file=name, problem="")
        except StoringError as error:
            self.fail(str(error))

    def fail(self, problem: str) -> None:
        Clip.objects.filter(pk=self.moment.clip.pk).update(problem=problem)


@dataclass(frozen=True, slots=True)
class ContextOrder(Order):
    """The moment with `seconds` before and after it; replaces one of another length."""

    seconds: float

    def keep(self, cut: Cut) -> None:
        row = _context_of(self.moment)
        old = row.video_file
        name = new_public_name()
        file = _place(name, "mp4")
        try:
            with _stored(self.video, {file: cut.mp4}):
                row.public_name, row.video_file = name, file
                row.seconds, row.before = self.seconds, max(0.0, self.moment.start - cut.begin)
                row.duration, row.cut_from, row.problem = cut.seconds, self.video.fingerprint, ""
                row.save()
                if old:
                    # No longer anybody's: removed as what a killed writer leaves is, now or by the next run.
                    UnfinishedFile.objects.create(video=self.video, name=old)
        except StoringError as error:
            self.fail(str(error))
            return
        if old:
            remove_leftovers(self.video)

    def fail(self, problem: str) -> None:
        row = _context_of(self.moment)
        row.problem = problem
        row.seconds, row.cut_from = self.seconds, self.video.fingerprint
        row.save()


def remove_leftovers(video: Video) -> None:
    """Remove files left in the storage by a killed writer. The caller must hold the video's lock."""
    for left in video.unfinished_files.all():
        try:
            delete_file(left.name)
        except StoringError:
            continue  # the next run tries again
        left.delete()


@contextmanager
def _stored(video: Video, files: dict[str, bytes]) -> Iterator[None]:
    """Write files, then run the block in a transaction at whose end they count as finished.

    Their names are on record before the first byte: whatever interrupts this, the next run can remove them.

    Raises: StoringError if one can't be written; then none is kept.
    """
    UnfinishedFile.objects.bulk_create(UnfinishedFile(video=video, name=name) for name in files)
    try:
        for name, content in files.items():
            if store_file(name, content) != name:
                raise StoringError(f"{name} can't be stored: something of that name is there already")
    except StoringError:
        remove_leftovers(video)
        raise
    with transaction.atomic():
        yield
        UnfinishedFile.objects.filter(video=video, name__in=files).delete()


def _place(public_name: str, suffix: str) -> str:
    """A file's path in the storage, made of nothing but the public name."""
    return f"clips/{public_name[:2]}/{public_name}.{suffix}"


def _clip_of(moment: Moment) -> Clip:
    return Clip.objects.filter(moment=moment).first() or Clip(moment=moment)


def _context_of(moment: Moment) -> ContextClip:
    return ContextClip.objects.filter(moment=moment).first() or ContextClip(moment=moment)


def _retire(clip: Clip) -> None:
    same = ("moment_id", "public_name", "video_file", "poster_file", "gif_file", "duration", "cut_from", "made_at")
    FormerClip.objects.create(**{name: getattr(clip, name) for name in same})
