"""Results as pages: the organiser's, the public one and the teams', and their files."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from campaigns.comparison.compare import ask_for_comparison
from campaigns.comparison.tables import (
    PAIR_COLUMNS,
    RESULT_COLUMNS,
    TOPIC_COLUMNS,
    Results,
    names_of,
    pair_lines,
    result_lines,
    results_of,
    topic_lines,
    topics_against,
)
from campaigns.models import Campaign, Submission, TeamMember
from campaigns.organising.views import campaign_of
from campaigns.portal.guard import campaign_seen, team_required
from campaigns.results.board import may_see_board
from datasets.templatetags.measures import as_measure
from foundation.access.guards import lead_required
from foundation.access.pages import PageFacts, lead_page, refusal_told
from foundation.infra.csv_download import csv_download
from foundation.infra.csv_escape import safe_row
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_told
from foundation.infra.list_pages import numbered_page
from foundation.models import Membership

FILES = ("results", "topics", "pairs")
TOPICS = 200
"""On a page; the CSV has all of them."""


def _facts(results: Results | None) -> PageFacts:
    heads = [(measure, as_measure(measure)) for measure in results.measures] if results else []
    return {"found": results, "heads": heads, "head": as_measure(results.measure) if results else ""}


@lead_page("campaigns/standings.html")
def standings(request: HttpRequest, member: Membership, campaign_id: int) -> PageFacts:
    """Runs in order with intervals and groups, the best of each team, every topic; owners and leads only."""
    campaign = campaign_of(member, campaign_id)
    results = results_of(campaign, measure=request.GET.get("sort", ""), to_organiser=True)
    job = campaign.campaigncomparisons.defer("pairs").order_by("-pk").first()
    topics = topics_against(campaign, measure=results.measure) if results else []
    return {
        **_facts(results),
        "campaign": campaign,
        "job": job and progress_told(job),
        "files": FILES,
        "page": numbered_page(topics, request.GET, size=TOPICS),
    }


@require_POST
@lead_required
def compare(request: HttpRequest, member: Membership, campaign_id: int) -> HttpResponse:
    """Have a worker compare the runs of now; owners and leads only."""
    campaign = campaign_of(member, campaign_id)
    with refusal_told(request):
        job, is_new = ask_for_comparison(campaign=campaign, member=member)
        if is_new:
            ask_on_page(request, job)
        else:
            messages.info(request, _("The comparison is of these runs already, or is under way."))
    return redirect("campaign-standings", member.collection.name, campaign.pk)


@require_safe
@lead_required
def download(request: HttpRequest, member: Membership, campaign_id: int, file: str) -> HttpResponseBase:
    """results.csv, topics.csv or pairs.csv with the teams' names; owners and leads only."""
    return _file(campaign_of(member, campaign_id), file, to_organiser=True)


def _file(campaign: Campaign, file: str, *, to_organiser: bool) -> HttpResponseBase:
    if file not in FILES:
        raise Http404("no such file")
    names = {team.pk: names_of(team, to_organiser=to_organiser) for team in campaign.teams.all()}
    columns, lines = {
        "results": (RESULT_COLUMNS, result_lines(campaign, to_organiser=to_organiser)),
        "topics": (TOPIC_COLUMNS, topic_lines(campaign, names=names)),
        "pairs": (PAIR_COLUMNS, pair_lines(campaign, names=names)),
    }[file]
    return csv_download(f"{campaign.name}-{file}", columns, map(safe_row, lines), streamed=True)


def _seen(request: HttpRequest, name: str) -> tuple[Campaign, TeamMember | None]:
    """A campaign whose results whoever asks may see. Raises: Http404."""
    campaign, place = campaign_seen(request, name)
    if not may_see_board(campaign, team=place.team if place else None):
        raise Http404("no results for you (yet)")
    return campaign, place


@require_safe
def public_standings(request: HttpRequest, campaign: str) -> HttpResponse:
    """The results as the campaign's audience sees them: everybody where it is public, its teams where it is theirs."""
    seen, place = _seen(request, campaign)
    results = results_of(seen, measure=request.GET.get("sort", ""), to_organiser=False)
    own = place.team.number if place else 0
    context = {**_facts(results), "campaign": seen, "place": place, "files": FILES, "own": own}
    return render(request, "campaigns/public_standings.html", context)


@require_safe
def public_file(request: HttpRequest, campaign: str, file: str) -> HttpResponseBase:
    """results.csv, topics.csv or pairs.csv as the campaign's audience sees them."""
    seen, _place = _seen(request, campaign)
    return _file(seen, file, to_organiser=False)


@team_required
def own_topics(request: HttpRequest, place: TeamMember) -> HttpResponseBase:
    """A team's runs topic by topic, beside the best, the median and the worst of all runs, as TREC tells its teams."""
    campaign = place.team.campaign
    if not may_see_board(campaign, team=place.team):
        raise Http404("no results for you (yet)")
    results = results_of(campaign, measure=request.GET.get("sort", ""), to_organiser=False)
    runs = Submission.objects.filter(team=place.team).order_by("priority", "pk")
    names = dict(runs.values_list("pk", "name"))
    rows = topics_against(campaign, measure=results.measure, own=names) if results else []
    own = [pk for pk in names if rows and pk in rows[0].own]
    if request.GET.get("format") == "csv" and results is not None:
        lines = (
            [row.topic_id, row.text, row.best, row.median, row.worst, *(row.own[pk] for pk in own)] for row in rows
        )
        heads = ["query_id", "query", "best", "median", "worst", *(names[pk] for pk in own)]
        return csv_download(f"{campaign.name}-own-topics", safe_row(heads), map(safe_row, lines))
    page = numbered_page(rows, request.GET, size=TOPICS)
    context = {
        "campaign": campaign,
        "place": place,
        "page": page,
        **_facts(results),
        "runs": [names[pk] for pk in own],
        "rows": [(row, [row.own[pk] for pk in own]) for row in page],
    }
    return render(request, "campaigns/own_topics.html", context)
