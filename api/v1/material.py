"""Videos and their imports, moments, descriptions, clips."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from django.conf import settings
from django.db.models import Prefetch, QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query
from pydantic import BaseModel, Field

from api.frame.answers import From, Out
from api.frame.calls import Call, Scope
from api.frame.endpoints import STORABLE, Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of
from api.frame.problems import Problem
from api.v1.jobs import JobOut
from corpus.clips.clip_figures import Failure, clip_figures
from corpus.clips.cut_clips import CuttingPlan
from corpus.clips.cutting_jobs import ask_for_cutting
from corpus.clips.lost_files import ClipSample, lost_in_sample
from corpus.clips.moment_hooks import moments_of
from corpus.description_import.removing import remove_description, remove_video
from corpus.models import Moment, Subtitles, Video, VideoImport
from corpus.video_import.jobs import ask_for_import, ask_to_settle
from corpus.video_import.selectors import Past, moments_past_end, names
from corpus.video_import.sources import open_source
from foundation.infra.figure_cache import figure_name, kept
from foundation.refused import Refused
from foundation.text import composed
from foundation.uploads.pieces import free_space

endpoints = Endpoints("Material")


class VideoOut(Out):
    """A video."""

    video: int = From("pk")
    name: str
    duration: float | None = Field(description="Seconds, as its source states.")
    file_duration: float | None = Field(description="Seconds, as its file says.")
    has_file: bool = Field(description="Whether there is a file that clips can be cut from.")
    subtitles: list[str] = Field(
        [], exclude_if=lambda tags: not tags, description="Their languages, empty where unstated; absent: none."
    )
    content: list[str] = Field(
        [], exclude_if=lambda kinds: not kinds, description="What somebody may not want to see; absent: nothing."
    )
    minimum_age: int = Field(
        0, exclude_if=lambda years: not years, description="Years of age; absent: whatever people are."
    )


class MomentOut(Out):
    """A stretch of a video, in seconds."""

    moment: int = From("pk")
    video: int = From("video_id")
    video_name: str = From("video.name")
    start: float
    end: float
    clip: str | None = Field(description="Its clip's address; null: it has none.")


class DescriptionOut(Out):
    """A precise sentence about a moment."""

    description: int = From("pk")
    source_id: str = Field(description="Its id in the file that it came from.")
    moment: int = From("moment_id")
    text: str
    kind: str = Field(description="v: about the video, t: the subtitles, vt: both.")
    language: str = Field(description="BCP 47; empty: not stated.")


class NewVideoImport(BaseModel):
    """Where videos are to be imported from."""

    source: Storable = Field(
        "",
        max_length=700,
        description="One of the installation's places, or below one; empty: what was uploaded.",
    )
    frame_rate: float | None = Field(None, gt=0, le=1000, description="Pictures a second, of folders of pictures.")


class VideoImportOut(JobOut):
    """An import of videos, and once it is done what it found."""

    source: str
    report: dict[str, Any] = Field(description="By kind: names, reasons, counts.")


class VideoPlace(Out):
    """What lies in a place that videos can be imported from."""

    address: str
    root: str = Field(description="The place of the installation that it lies in.")
    above: str = Field(description="The place that it lies in; empty for a root.")
    videos: int
    picture_folders: int
    size: int = Field(description="Bytes of the videos.")
    names: list[str] = Field(description="The first of them.")
    below: list[str] = Field(description="Places in it.")
    more: bool = Field(description="There is more than was looked at.")
    left_out: list[str] = Field(description="The first files that can't be imported: no UTF-8 in their names.")


class VideoSources(BaseModel):
    """Where the installation lets leads import videos from (QREELS_VIDEO_SOURCES)."""

    sources: list[str]
    free_bytes: int = Field(description="That uploads may take.")
    longest_video: int = Field(description="Bytes.")
    place: VideoPlace | None = Field(description="What lies in the place that was asked about.")


class ProposedFile(BaseModel):
    """A file that may be a video's."""

    video: int
    name: str
    file: str
    why: str
    sure: bool = Field(description="Beyond doubt.")


class VideoNames(BaseModel):
    """Videos without a file, files without a video (the first of each), and which may belong together."""

    videos: int
    with_file: int
    without_file: list[str]
    without_file_count: int
    strays: list[str]
    strays_count: int
    proposals: list[ProposedFile]
    past_end: int = Field(description="Moments that end after their file.")
    worst_past_end: list[Past]


class VideoFile(BaseModel):
    """A file that is a video's."""

    video: int = Field(ge=1, le=2**63 - 1)
    file: Storable = Field(min_length=1, max_length=700, description="One of `strays`.")


class Settled(BaseModel):
    """Which files are which videos'."""

    pairs: list[VideoFile] = Field(min_length=1, max_length=1000)


class NewCutting(BaseModel):
    """Which clips are to be cut."""

    retry: bool = Field(False, description="Also what failed before.")
    candidates: bool = Field(False, description="Only moments that are a candidate of a query.")
    sound: bool = False
    gif: bool = Field(False, description="Also a GIF of 3 pictures a second, for leads.")
    context: float | None = Field(
        None, gt=0, le=600, description="Seconds before and after the moment, for its context clip."
    )


class Clips(BaseModel):
    """How a collection's clips stand."""

    moments: int
    ready: int
    failed: int
    waiting: int
    without_file: int = Field(description="Videos that have moments and no file.")
    former: int = Field(description="Videos whose clips show an earlier file.")
    failures: list[Failure] = Field(description="The first.")
    lost: ClipSample = Field(description="Clips looked for in the storage, and those of them that are gone.")
    at: datetime = Field(description="As of when.")


def _video(video: Video) -> VideoOut:
    tags = sorted(subtitles.language for subtitles in video.subtitles.all())
    return VideoOut.of(video, has_file=bool(video.path), subtitles=tags)


def _moment(moment: Moment) -> MomentOut:
    clip = f"/clips/{moment.clip_name}.mp4" if moment.clip_name else None
    return MomentOut.of(moment, clip=clip)


def _moments(call: Call) -> QuerySet[Moment]:
    return Moment.objects.filter(video__collection=call.collection).select_related("video", "clip")


def _video_imports(call: Call) -> QuerySet[VideoImport]:
    return call.collection.video_imports.select_related("member", "collection")


@endpoints.read("/videos")
def list_videos(call: Call, asked: AskedPage, video_name: str = "") -> Page[VideoOut]:
    """A collection's videos. `video_name`: the one of this name."""
    tags = Prefetch("subtitles", Subtitles.objects.only("video", "language"))
    rows = call.collection.videos.prefetch_related(tags)
    return page_of(rows.filter(name=composed(video_name.replace("\0", ""))) if video_name else rows, asked, _video)


@endpoints.read("/videos/{int:video_id}")
def get_video(call: Call, video_id: Id) -> VideoOut:
    """One video."""
    return _video(get_object_or_404(call.collection.videos, pk=video_id))


@endpoints.remove("/videos/{int:video_id}", scope=Scope.PREPARE)
def remove_a_video(call: Call, video_id: Id) -> None:
    """Remove a video with its moments, clips and descriptions, as long as nothing depends on them. Its file stays."""
    remove_video(video=get_object_or_404(call.collection.videos, pk=video_id))


@endpoints.read("/videos/{int:video_id}/moments")
def list_moments_of_video(call: Call, asked: AskedPage, video_id: Id) -> Page[MomentOut]:
    """A video's moments."""
    video = get_object_or_404(call.collection.videos, pk=video_id)
    return page_of(video.moments.select_related("video", "clip"), asked, _moment)


@endpoints.read("/moments")
def list_moments(call: Call, asked: AskedPage) -> Page[MomentOut]:
    """A collection's moments."""
    return page_of(_moments(call), asked, _moment)


@endpoints.read("/moments/{int:moment_id}")
def get_moment(call: Call, moment_id: Id) -> MomentOut:
    """One moment."""
    return _moment(get_object_or_404(_moments(call), pk=moment_id))


@endpoints.read("/descriptions")
def list_descriptions(call: Call, asked: AskedPage) -> Page[DescriptionOut]:
    """A collection's descriptions."""
    return page_of(call.collection.descriptions.all(), asked, DescriptionOut.of)


@endpoints.read("/descriptions/{int:description_id}")
def get_description(call: Call, description_id: Id) -> DescriptionOut:
    """One description."""
    return DescriptionOut.of(get_object_or_404(call.collection.descriptions, pk=description_id))


@endpoints.remove("/descriptions/{int:description_id}", scope=Scope.PREPARE)
def remove_a_description(call: Call, description_id: Id) -> None:
    """Remove a description with its caption, as long as no query or candidate is made of it."""
    remove_description(description=get_object_or_404(call.collection.descriptions, pk=description_id))


@endpoints.read("/video-imports")
def list_video_imports(call: Call, asked: AskedPage) -> Page[VideoImportOut]:
    """Imports of videos, the newest first."""
    return page_of(_video_imports(call), asked, VideoImportOut.of_job, newest_first=True)


@endpoints.read("/video-imports/{int:video_import_id}")
def get_video_import(call: Call, video_import_id: Id) -> VideoImportOut:
    """An import of videos: how far it is, or what came of it."""
    return VideoImportOut.of_job(get_object_or_404(_video_imports(call), pk=video_import_id))


@endpoints.make("/video-imports", scope=Scope.PREPARE, status=202)
def import_videos(call: Call, new: NewVideoImport) -> VideoImportOut:
    """Have a worker import what was uploaded, or what lies in a place of the installation."""
    job = ask_for_import(collection=call.collection, member=call.member, source=new.source, frame_rate=new.frame_rate)
    return VideoImportOut.begun(job)


@endpoints.read("/video-sources")
def list_video_sources(
    call: Call,
    place: Annotated[str, Query(pattern=STORABLE, max_length=700, description="One of them, or below one.")] = "",
) -> VideoSources:
    """Where videos can be imported from, and what lies in one place. 422 for a place that isn't allowed."""
    try:
        survey = open_source(place).survey() if place else None
    except Refused as refusal:
        raise Problem(422, str(refusal), field="query.place") from refusal
    return VideoSources(
        sources=list(settings.VIDEO_SOURCES),
        free_bytes=max(0, free_space()),
        longest_video=settings.LONGEST_VIDEO,
        place=VideoPlace.of(survey) if survey else None,
    )


@endpoints.read("/video-names")
def get_video_names(call: Call) -> VideoNames:
    """Which videos lack a file, which files a video, and which may belong together."""
    here = call.collection
    past = kept(figure_name("past-end", here.video_imports), here, moments_past_end)
    return VideoNames(**asdict(names(here)), past_end=past.moments, worst_past_end=past.worst)


@endpoints.make("/video-names/settle", scope=Scope.PREPARE, status=202)
def settle_video_names(call: Call, new: Settled) -> VideoImportOut:
    """Have a worker give videos these files. 409 where none of them lacks the other any more."""
    job = ask_to_settle(member=call.member, pairs=[(str(pair.video), pair.file) for pair in new.pairs])
    if job is None:
        raise Problem(409, "None of these videos lacks a file and of these files a video.")
    return VideoImportOut.begun(job)


@endpoints.read("/clips")
def get_clips(call: Call) -> Clips:
    """How many clips there are, and how many failed."""
    here = call.collection
    return Clips(**asdict(kept("clips", here, clip_figures)), lost=lost_in_sample(here))


@endpoints.make("/clips/cut", scope=Scope.PREPARE, status=202)
def cut_clips(call: Call, new: NewCutting) -> JobOut:
    """Have workers cut the clips that are lacking. While they do, that job is the answer."""
    here = call.collection
    plan = CuttingPlan(
        retry_before=timezone.now().isoformat() if new.retry else "",
        candidates=new.candidates and moments_of("candidates", here).exists(),
        sound=new.sound,
        gif=new.gif,
        context=new.context,
    )
    job = ask_for_cutting(collection=here, member=call.member, plan=plan)
    return JobOut.begun(job) if job.begun == 0 and job.touched_at is None else JobOut.of_job(job)
