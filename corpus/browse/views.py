"""The lead's video pages: list with search, one video, CSV."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_lazy as _

from corpus.browse.problems import PROBLEMS, problem_counted
from corpus.browse.search import search
from corpus.browse.selectors import VideoFilter, all_rows, coverage, neighbours_of, video_page, video_view
from corpus.clips.lost_files import lost_in_sample
from corpus.content.hiding import typed
from corpus.models import Video
from foundation.access.pages import PageFacts, lead_get, lead_page, render_facts
from foundation.infra.csv_download import csv_download
from foundation.infra.csv_escape import safe_cell
from foundation.infra.figure_cache import kept
from foundation.models import Membership

COLUMNS = (
    ("name", _("Video"), ""),
    ("duration", _("Seconds"), "number"),
    ("moments", _("Moments"), "number"),
    ("ready", _("Clips"), "number"),
    ("missing", _("Missing"), "number"),
    ("failed", _("Failed"), "number"),
)


@lead_page("corpus/videos.html")
def videos(request: HttpRequest, member: Membership) -> PageFacts | HttpResponse:
    """Figures, search and the list of videos; with `part=list` the list alone, as the page asks while one types."""
    collection, criteria = member.collection, VideoFilter.read(request.GET)
    matches = search(collection, criteria.text) if criteria.text else None
    facts = {
        "wanted": criteria,
        "pager_query": _without_part(request.GET),
        "page": video_page(collection, criteria, request.GET, matches),
        "matches": matches,
        "problem": PROBLEMS.get(criteria.problem, ""),
        "columns": COLUMNS,
    }
    if request.GET.get("part") == "list":
        return render_facts(request, member, "corpus/videos_list.html", facts)
    figures = kept("coverage", collection, coverage)
    problems = [(key, problem_counted(key, figures.problems[key])) for key in PROBLEMS if key in figures.problems]
    return facts | {"figures": figures, "problems": problems, "lost": lost_in_sample(collection)}


def _without_part(sent: QueryDict) -> QueryDict:
    """What links of the list have, which stand in the whole page wherever the list was asked for."""
    whole = sent.copy()
    whole.pop("part", None)
    return whole


@lead_get
def videos_csv(request: HttpRequest, member: Membership) -> HttpResponseBase:
    """The whole list as CSV, filtered and sorted as shown."""
    headings = ("video", "duration", "moments", "clips_ready", "clips_missing", "clips_failed", "has_file")
    rows = (
        (safe_cell(name), "" if duration is None else f"{duration:g}", *clips, "yes" if path else "no")
        for name, duration, *clips, path in all_rows(member.collection, VideoFilter.read(request.GET))
    )
    return csv_download(f"{member.collection.name}-videos", headings, rows, streamed=True)


@lead_page("corpus/videos_one.html")
def video(request: HttpRequest, member: Membership, video_id: int) -> PageFacts:
    """One video's line with its moments; a video of another collection is a 404."""
    video = get_object_or_404(Video.objects.select_related("collection"), pk=video_id, collection=member.collection)
    return {"view": video_view(video), "hidden": typed(video), **neighbours_of(video)}
