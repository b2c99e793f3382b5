"""Data of the video pages: coverage, list, one video's moments."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import (
    Avg,
    Count,
    Exists,
    F,
    FloatField,
    Func,
    IntegerField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Value,
)
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast, Coalesce, Greatest
from django.utils import timezone
from django.utils.translation import gettext as _

from corpus.browse.problems import CUT_SHORT, PAST_END, PROBLEMS, clip_words, problems_of_moment
from corpus.browse.search import Matches, matching_descriptions
from corpus.browse.timeline import MomentBar, bars, line_length, ticks
from corpus.clips.import_videos import TOLERANCE, durations_differ
from corpus.models import Clip, Moment, Video
from corpus.models.clips import clip_failed, clip_ready
from foundation.infra.list_pages import ListPage, Order, list_page
from foundation.lazy import LazyStr
from foundation.models import Collection, Kind
from foundation.text import composed

PAGE = 50
LONGEST_SEARCH = 200
NAMED_FAILURES = 20

_LENGTH = F("end") - F("start")
_READY, _FAILED = clip_ready("clip__"), clip_failed("clip__")
_PAST = Q(end__gt=F("video__duration") + PAST_END)
_APART = Greatest(Value(TOLERANCE), Value(2.0) / Coalesce(F("frame_rate"), Value(25.0)))
"""Seconds by which a file's duration may differ: folders of pictures are only so exact."""
_OTHER_DURATION = Q(file_duration__gt=F("duration") + _APART) | Q(file_duration__lt=F("duration") - _APART)
_SHORT = _READY & Q(clip__duration__lt=_LENGTH - CUT_SHORT)

_COUNTS = {
    "moments": Count("moments"),
    "ready": Count("moments", filter=clip_ready("moments__clip__")),
    "missing": Count("moments", filter=Q(moments__clip__isnull=True)),
    "failed": Count("moments", filter=clip_failed("moments__clip__")),
}
SORTS = {"name", "duration", "moments", "ready", "missing", "failed"}


@dataclass(frozen=True, slots=True)
class Spread:
    """Least, mean and most; None where there is nothing to measure."""

    least: float | None
    mean: float | None
    most: float | None


@dataclass(frozen=True, slots=True)
class Coverage:
    """The figures of the paper's Table 4 (durations in seconds; ratio: moment / video), clips, and what is wrong."""

    videos: int
    moments: int
    descriptions: int
    kinds: list[tuple[LazyStr, int]]
    video_seconds: Spread
    moment_seconds: Spread
    ratio: Spread
    with_file: int
    ready: int
    failed: int
    problems: dict[str, int]
    """Number of videos (no-*) or of moments (the others) by the keys of `PROBLEMS`, zeros left out."""
    failures: list[Clip]
    """The first of the clips that failed, with their reasons."""
    at: datetime = field(default_factory=timezone.now, compare=False)

    @property
    def missing(self) -> int:
        """Moments whose clip was not tried yet."""
        return self.moments - self.ready - self.failed

    @property
    def ready_share(self) -> float:
        """Percent of the moments that have a clip, 0-100."""
        return 100 * self.ready / self.moments if self.moments else 0.0


def coverage(collection: Collection) -> Coverage:
    """The collection's size and state, in five SQL queries."""
    began = timezone.now()
    videos = collection.videos.aggregate(
        count=Count("pk"),
        with_file=Count("pk", filter=~Q(path="")),
        timed=Count("duration"),
        other=Count("pk", filter=_OTHER_DURATION),
        least=Min("duration"),
        mean=Avg("duration"),
        most=Max("duration"),
        bare=Count("pk", filter=~Exists(Moment.objects.filter(video=OuterRef("pk")))),
    )
    share = Cast(_LENGTH / F("video__duration"), FloatField())
    moments = Moment.objects.filter(video__collection=collection).aggregate(
        count=Count("pk"),
        least=Min(_LENGTH),
        mean=Avg(_LENGTH),
        most=Max(_LENGTH),
        share_least=Min(share),
        share_mean=Avg(share),
        share_most=Max(share),
        ready=Count("pk", filter=_READY),
        failed=Count("pk", filter=_FAILED),
        past=Count("pk", filter=_PAST),
        short=Count("pk", filter=_SHORT),
    )
    kinds = dict(collection.descriptions.order_by().values_list("kind").annotate(Count("pk")))
    failures = Clip.objects.filter(clip_failed(), moment__video__collection=collection).select_related("moment__video")
    missing = moments["count"] - moments["ready"] - moments["failed"]
    problems = {
        "no-file": videos["count"] - videos["with_file"] if collection.has_clips else 0,
        "no-duration": videos["count"] - videos["timed"],
        "other-duration": videos["other"],
        "no-moments": videos["bare"],
        "failed": moments["failed"],
        "missing": missing if collection.has_clips else 0,
        "past-end": moments["past"],
        "short": moments["short"],
    }
    return Coverage(
        videos=videos["count"],
        moments=moments["count"],
        descriptions=sum(kinds.values()),
        kinds=[(Kind(kind).label, kinds[kind]) for kind in Kind.values if kind in kinds],
        video_seconds=Spread(videos["least"], videos["mean"], videos["most"]),
        moment_seconds=Spread(moments["least"], moments["mean"], moments["most"]),
        ratio=Spread(moments["share_least"], moments["share_mean"], moments["share_most"]),
        with_file=videos["with_file"],
        ready=moments["ready"],
        failed=moments["failed"],
        problems={key: count for key, count in problems.items() if count},
        failures=list(failures.order_by("pk")[:NAMED_FAILURES]) if moments["failed"] else [],
        at=began,
    )


@dataclass(frozen=True, slots=True)
class VideoFilter:
    """Which videos to list: words to find, a key of `PROBLEMS` or nothing, and the order."""

    text: str = ""
    problem: str = ""
    sort: str = "name"
    descending: bool = False

    @classmethod
    def read(cls, asked: Any) -> "VideoFilter":
        """Parse an address's `q`, `problem` and `sort` (`-` before it: descending); unknown values are ignored."""
        text = " ".join(composed(asked.get("q", "")).replace("\0", " ")[:LONGEST_SEARCH].split())
        problem, sort = asked.get("problem", ""), asked.get("sort", "")
        known = sort.removeprefix("-") in SORTS
        return cls(
            text=text,
            problem=problem if problem in PROBLEMS else "",
            sort=sort.removeprefix("-") if known else "name",
            descending=known and sort.startswith("-"),
        )

    @property
    def order(self) -> str:
        """The sort order as a query parameter."""
        return f"-{self.sort}" if self.descending else self.sort


@dataclass(frozen=True, slots=True)
class VideoRow:
    """A video in the list: how its clips stand, and its moments on a line."""

    video: Video
    moments: int
    ready: int
    missing: int
    failed: int
    strip: list[tuple[MomentBar, str]] = field(default_factory=list)
    """Each moment's bar, and `ready`, `missing` or `failed`."""
    lanes: int = 0
    poster: str | None = None
    """The public name of the first clip that there is."""


def video_page(
    collection: Collection, criteria: VideoFilter, sent: Mapping[str, str], matches: Matches | None = None
) -> ListPage[VideoRow]:
    """One page of `PAGE` videos, in three SQL queries.

    Args:
        sent: the address's parameters, as `list_page` reads them.
        matches: what `search` found for the wanted words, where that is known: they aren't looked for again.
    """
    videos, order = _in_order(_videos(collection, criteria, matches.videos if matches is not None else None), criteria)
    page = list_page(videos, sent, order, size=PAGE)
    by_video: dict[int, list[Moment]] = {video.pk: [] for video in page}
    shown = Moment.objects.filter(video__in=by_video).select_related("clip").order_by("start", "-end", "pk")
    for moment in shown.only("video_id", "start", "end", "clip__video_file", "clip__moment_id", "clip__public_name"):
        by_video[moment.video_id].append(moment)
    rows = [_row(video, by_video[video.pk]) for video in page]
    return ListPage(rows, page.number, page.pages, page.count, page.more, page.previous, page.next)


def all_rows(
    collection: Collection, criteria: VideoFilter
) -> Iterator[tuple[str, float | None, int, int, int, int, str]]:
    """Every video of the list as (name, duration, moments, ready, missing, failed, path), in one SQL query and bounded
    memory."""
    videos, order = _in_order(_videos(collection, criteria), criteria)
    counted = videos.order_by(*order.expressions()).annotate(
        moment_count=_COUNTS["moments"], ready=_COUNTS["ready"], missing=_COUNTS["missing"], failed=_COUNTS["failed"]
    )
    rows = counted.values_list("name", "duration", "moment_count", "ready", "missing", "failed", "path")
    yield from rows.iterator(chunk_size=2000)


def _videos(collection: Collection, criteria: VideoFilter, matching: list[int] | None = None) -> QuerySet[Video]:
    videos = Video.objects.filter(collection=collection)
    if criteria.text:
        if matching is not None:
            # One value for the statement: tens of thousands, one for each id, take a second to bind.
            by_text: Any = RawSQL("SELECT unnest(%s::bigint[])", [matching])
            videos = videos.filter(Q(name__icontains=criteria.text) | Q(pk__in=by_text))
        else:
            # Joined as one list: of two conditions, PostgreSQL goes through all that match the one for each video.
            by_text = matching_descriptions(collection, criteria.text).order_by().values("moment__video")
            by_name = videos.filter(name__icontains=criteria.text).values("pk")
            videos = videos.filter(pk__in=by_name.union(by_text))
    here = Moment.objects.filter(video=OuterRef("pk"))
    conditions = {
        "no-file": Q(path=""),
        "no-duration": Q(duration__isnull=True),
        "other-duration": _OTHER_DURATION,
        "no-moments": ~Exists(here),
        "failed": Exists(here.filter(_FAILED)),
        "missing": Exists(here.filter(clip__isnull=True)),
        "past-end": Exists(here.filter(_PAST)),
        "short": Exists(here.filter(_SHORT)),
    }
    return videos.filter(conditions[criteria.problem]) if criteria.problem else videos


def _in_order(videos: QuerySet[Video], criteria: VideoFilter) -> tuple[QuerySet[Video], Order]:
    """The videos with what they are sorted by, and their order."""
    key = criteria.sort
    count = _COUNTS.get(criteria.sort)
    if count is not None:
        # Only if it decides the order: otherwise the moments of one page are counted later.
        videos = videos.annotate(sort_key=count)
        key = "sort_key"
    first = f"-{key}" if criteria.descending else key
    return videos, Order((first,) if key == "name" else (first, "name"), frozenset({"duration"} & {key}))


def state(moment: Moment) -> str:
    """`ready`, `failed` (tried, not cut) or `missing` (not tried) for a moment read with its clip."""
    clip = getattr(moment, "clip", None)
    return "missing" if clip is None else "ready" if clip.ready else "failed"


def _row(video: Video, moments: list[Moment]) -> VideoRow:
    spans = [(moment.start, moment.end) for moment in moments]
    states = [state(moment) for moment in moments]
    placed = bars(spans, length=line_length(video.duration, spans))
    return VideoRow(
        video,
        len(moments),
        states.count("ready"),
        states.count("missing"),
        states.count("failed"),
        list(zip(placed, states, strict=True)),
        max((bar.lane + 1 for bar in placed), default=1),
        next((moment.clip_name for moment in moments if moment.clip_name), None),
    )


@dataclass(frozen=True, slots=True)
class MomentRow:
    """A moment on its video's page."""

    moment: Moment
    bar: MomentBar
    state: str
    problems: list[str]
    state_words: str


@dataclass(frozen=True, slots=True)
class VideoView:
    """A video with its moments by start, on a line of `length` seconds with ticks at (percent, seconds)."""

    video: Video
    rows: list[MomentRow]
    length: float
    lanes: int
    ticks: list[tuple[float, float]]
    end: float | None
    """Where the video ends on the line, in percent, when moments go on after it."""
    problems: list[str]
    subtitles: list[tuple[str, int, str]]
    """Language, how many cues, and the file that they came from."""


def neighbours_of(video: Video) -> dict[str, dict[str, Any]]:
    """The videos `before` and `after` this one by name, each with `pk` and `name`; none at an end. One SQL query."""
    others = Video.objects.filter(collection=video.collection_id)
    before = others.filter(name__lt=video.name).order_by("-name").annotate(side=Value("before"))
    after = others.filter(name__gt=video.name).order_by("name").annotate(side=Value("after"))
    columns = ("pk", "name", "side")
    return {one["side"]: one for one in before.values(*columns)[:1].union(after.values(*columns)[:1])}


def video_view(video: Video) -> VideoView:
    """Data of a video's page, in three SQL queries."""
    moments = list(
        video.moments.select_related("clip").prefetch_related("descriptions").order_by("start", "-end", "pk")
    )
    spans = [(moment.start, moment.end) for moment in moments]
    length = line_length(video.duration, spans)
    placed = bars(spans, length=length)
    problems = []
    if video.collection.has_clips and not video.path:
        problems.append(_("The video has no file, so its clips can't be cut."))
    if video.duration is None:
        problems.append(_("The duration is not known; the line ends with the last moment."))
    if durations_differ(video):
        values = {"file": f"{video.file_duration:.2f}", "stated": f"{video.duration:.2f}"}
        problems.append(_("The file lasts %(file)s s; the stated duration is %(stated)s s.") % values)
    cues = Func("cues", function="jsonb_array_length", output_field=IntegerField())
    subtitles = list(video.subtitles.order_by("language").values_list("language", cues, "source"))
    if video.collection.counts_subtitles and not subtitles:
        problems.append(_("The video has no subtitles, and the guideline asks for them."))
    if not moments:
        problems.append(_("No description names this video, so it has no moments."))
    return VideoView(
        video=video,
        rows=[
            MomentRow(
                moment,
                bar,
                state(moment),
                problems_of_moment(moment, video.duration),
                clip_words(state(moment), has_clips=video.collection.has_clips),
            )
            for moment, bar in zip(moments, placed, strict=True)
        ],
        length=length,
        lanes=max((bar.lane + 1 for bar in placed), default=1),
        ticks=[(100 * time / length, time) for time in ticks(length)],
        end=100 * video.duration / length if video.duration and video.duration < length else None,
        problems=problems,
        subtitles=subtitles,
    )
