"""What the pages of videos show: what has arrived, which names belong together, what durations say against moments."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from django.db.models import F, Q, Sum

from corpus.models import Moment, Video, VideoImport, VideoUpload, folder_of_uploads
from corpus.video_import.near_names import propose
from foundation.access.form_input import whole_number
from foundation.models import Collection
from foundation.text import is_utf8

SHOWN = 200
"""Names of a list that a page shows."""
PAST_SHOWN = 20
State = VideoUpload.State


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A file that hasn't arrived whole. `share`: in percent."""

    key: str
    name: str
    size: int
    share: int


@dataclass(frozen=True, slots=True)
class Arrivals:
    """What has been uploaded: `waiting` files are here and nobody asked for their import; of `unfinished` the first."""

    here: int
    size: int
    waiting: int
    unfinished: list[Unfinished]
    unfinished_count: int


def arrivals(collection: Collection) -> Arrivals:
    """What of a collection's uploads has arrived."""
    uploads = collection.video_uploads
    taken = uploads.filter(state=State.TAKEN, descriptions=None)
    begun = uploads.filter(state=State.ARRIVING).order_by("name")
    return Arrivals(
        here=taken.count(),
        size=int(taken.aggregate(size=Sum("size"))["size"] or 0),
        waiting=uploads.filter(state=State.ARRIVED).count(),
        unfinished=[
            Unfinished(upload.public_name, upload.name, upload.size, 100 * upload.received // max(1, upload.size))
            for upload in begun[:SHOWN]
        ],
        unfinished_count=begun.count(),
    )


@dataclass(frozen=True, slots=True)
class Proposed:
    """A file that may be a video's: ids for the form, names for people, why, and whether it is beyond doubt."""

    video: int
    name: str
    file: str
    why: str
    sure: bool


@dataclass(frozen=True, slots=True)
class NameMatches:
    """Videos without a file, files without a video (the first of each), and which may belong together."""

    videos: int
    with_file: int
    without_file: list[str]
    without_file_count: int
    strays: list[str]
    strays_count: int
    proposals: list[Proposed]


def names(collection: Collection) -> NameMatches:
    """A collection's videos without a file, files without a video, and which may belong together."""
    left = dict(collection.videos.filter(path="").order_by("name").values_list("name", "pk"))
    strays = files_without_video(collection)
    proposals = [
        Proposed(left[proposal.video], proposal.video, proposal.file, proposal.why, proposal.sure)
        for proposal in propose(left, sorted(strays))
    ]
    videos = collection.videos.count()
    return NameMatches(
        videos=videos,
        with_file=videos - len(left),
        without_file=list(left)[:SHOWN],
        without_file_count=len(left),
        strays=sorted(strays)[:SHOWN],
        strays_count=len(strays),
        proposals=proposals,
    )


def files_without_video(collection: Collection) -> dict[str, str]:
    """Files that the newest import of each source found and that are no video's: shown name -> path."""
    used = set(collection.videos.exclude(path="").values_list("path", flat=True))
    uploads = folder_of_uploads(collection)
    sent = {
        uploads / upload.name: upload.path
        for upload in collection.video_uploads.filter(state=State.TAKEN).select_related("collection")
    }
    path_of: dict[str, str] = {}
    for job in newest_imports(collection).values():
        for name in job.report.get("without_video", []):
            place = Path(job.folder) / name
            path = str(sent.get(place, place).resolve())
            if path not in used and is_utf8(Path(path)) and Path(path).exists():
                path_of[name] = path
    return path_of


def newest_imports(collection: Collection) -> Mapping[str, VideoImport]:
    """By source the newest import that went well."""
    done = collection.video_imports.filter(state=VideoImport.State.DONE, chosen={}).order_by("pk")
    return {job.source: job for job in done}


@dataclass(frozen=True, slots=True)
class Past:
    """A moment that ends after its video's file does, by more than the collection's slack: no clip can be cut of it."""

    video: int
    name: str
    start: float
    end: float
    file_ends: float


@dataclass(frozen=True, slots=True)
class PastEnds:
    """How many moments end after their video's file, and the worst of them.

    `descriptions` is the collection's size, by which the figure is kept (`foundation.infra.figure_cache`).
    """

    descriptions: int
    moments: int
    worst: list[Past]


def moments_past_end(collection: Collection) -> PastEnds:
    """Count the moments that end after their files."""
    past = Moment.objects.filter(
        Q(end__gt=F("video__file_duration") + collection.end_slack), video__collection=collection
    )
    worst = past.annotate(over=F("end") - F("video__file_duration")).order_by("-over", "pk").select_related("video")
    shown = [
        Past(moment.video_id, moment.video.name, moment.start, moment.end, moment.video.file_duration or 0.0)
        for moment in worst[:PAST_SHOWN]
    ]
    moments = past.count() if len(shown) == PAST_SHOWN else len(shown)
    return PastEnds(collection.descriptions.count(), moments, shown)


def chosen_files(collection: Collection, pairs: list[tuple[str, str]]) -> dict[str, str]:
    """Video name -> path, of (a video's id, a file's shown name) as settled; what isn't left is left out."""
    strays = files_without_video(collection)
    file_of = {number: file for number, file in pairs if whole_number(number) is not None}
    left = Video.objects.filter(collection=collection, path="", pk__in=file_of)
    return {video.name: strays[file_of[str(video.pk)]] for video in left if file_of[str(video.pk)] in strays}


def import_facts(job: VideoImport) -> dict[str, Any]:
    """An import for lists and its page."""
    return {
        "id": job.pk,
        "source": job.source,
        "settled": len(job.chosen),
        "state": job.state,
        "asked_at": job.asked_at,
        "finished_at": job.finished_at,
        "by": job.member.worker if job.member is not None else None,
        "said": job.problem or job.said,
        "matched": job.report.get("matched"),
        "counts": job.report.get("counts", {}),
    }


def names_fit_now(collection: Collection) -> list[VideoImport]:
    """Former imports whose files without a video would find one now, because descriptions have come since."""
    left = set(collection.videos.filter(path="").values_list("name", flat=True))
    fitting = []
    for job in newest_imports(collection).values() if left else ():
        files = (name.rpartition("/")[2] for name in job.report.get("without_video", []))
        if any(file in left or PurePosixPath(file).stem in left for file in files):
            fitting.append(job)
    return fitting
