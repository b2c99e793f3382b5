"""Data of teams' pages: what is their own, and nothing of another team."""

from datetime import datetime
from typing import Any

from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _

from campaigns.models import Campaign, Submission, SubmissionScore, Team, TeamMember
from campaigns.planning.phases import Phase, phase_of
from campaigns.results.board import may_see_own_scores
from campaigns.submissions.receive import counted, utc
from campaigns.topics.files import FILES
from foundation.access.arrival_time import database_now


def team_facts(team: Team, runs: list[Submission], now: datetime) -> dict[str, Any]:
    """What a team may do at a moment, and should do next. Args: runs: all of the team, newest first."""
    campaign = team.campaign
    in_all, of_day = counted(runs, now)
    why = why_nothing_is_taken(team, now)
    return {
        "opened": phase_of(campaign, now) != Phase.ANNOUNCED,
        "takes_runs": not why,
        "next": next_step(team, runs, why),
        "left": max(0, campaign.most_submissions - in_all),
        "left_today": max(0, min(campaign.most_a_day - of_day, campaign.most_submissions - in_all)),
    }


def home_facts(place: TeamMember) -> dict[str, Any]:
    """A team's page: what to do next, its limits, its runs, its people and open links."""
    team, now = place.team, database_now()
    runs = list(team.submissions.with_scores().order_by("-pk"))
    for run in runs:
        run.team = team
    scores = [own_score(run) for run in runs]
    return {
        "team": team,
        "closes_at": team.campaign.closes_for(team),
        **team_facts(team, runs, now),
        "measure": next((score.board.measures[0] for score in scores if score is not None), ""),
        "runs": [
            (run, score and score.values.get(score.board.measures[0])) for run, score in zip(runs, scores, strict=True)
        ],
        "members": list(team.members.order_by("pk").values_list("account__username", flat=True)),
        "links": team.links.filter(used_at=None, withdrawn_at=None, expires_at__gt=now).order_by("-pk"),
    }


def file_attached(campaign: Campaign, name: str) -> HttpResponse:
    """A file of `FILES` as an attachment. Raises: Http404 for any other, and before the campaign opens."""
    kind = FILES.get(name)
    if kind is None or phase_of(campaign, database_now()) == Phase.ANNOUNCED:
        raise Http404("no such file (yet)")
    attached = {"Content-Disposition": f'attachment; filename="{campaign.name}-{name}"'}
    return HttpResponse(kind.text(campaign), content_type="application/octet-stream", headers=attached)


def own_score(run: Submission) -> SubmissionScore | None:
    """A run's score, where the campaign shows it to its team."""
    return getattr(run, "score", None) if may_see_own_scores(run.team.campaign) else None


def why_nothing_is_taken(team: Team, now: datetime) -> str:
    """Why the team can't send a run at a moment, in a sentence; "" if it can."""
    campaign = team.campaign
    if campaign.collection.archived_at is not None:
        return _("The campaign is over: its collection is archived.")
    if campaign.results_opened_at is not None:
        return _("The results are open.")
    if now < campaign.opens_at:
        return _("The campaign opens at %(at)s.") % {"at": utc(campaign.opens_at)}
    if now > campaign.closes_for(team):
        return _("Submissions closed at %(at)s.") % {"at": utc(campaign.closes_for(team))}
    if team.disqualified_at is not None:
        return _("Your team was disqualified.")
    return ""


def next_step(team: Team, runs: list[Submission], why: str) -> str:
    """What the team should do next, in a sentence. Args: why: as `why_nothing_is_taken`."""
    campaign: Campaign = team.campaign
    if why:
        if campaign.results_opened_at is not None or team.disqualified_at is not None:
            return why
        return _("%(why)s Results are announced for %(at)s.") % {"why": why, "at": utc(campaign.results_at)}
    refused = next((run for run in runs if run.state == Submission.State.REFUSED), None)
    standing = [run for run in runs if run.state == Submission.State.ACCEPTED and run.withdrawn_at is None]
    if refused is not None and refused is runs[0]:
        return _("Your run %(run)s was refused: mend the lines that its page lists, and send it again.") % {
            "run": refused.name
        }
    if not runs:
        return _("Download the topics, and send your first run. A refused one doesn't count against your limits.")
    if len(standing) > campaign.most_pooled:
        return _("Of your %(count)s runs the first %(most)s by priority count: check their order.") % {
            "count": len(standing),
            "most": campaign.most_pooled,
        }
    return _("You can send runs until %(at)s.") % {"at": utc(campaign.closes_for(team))}
