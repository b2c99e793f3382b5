"""A campaign's teams and the runs that they sent, for its organiser."""

from datetime import datetime
from typing import Annotated

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from api.frame.answers import From, Out
from api.frame.calls import Call, Scope
from api.frame.endpoints import Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of, page_of_list
from api.v1.campaigns.organising import ONE, campaign_of
from campaigns.models import Submission, Team
from campaigns.organising.selectors import TeamRow, team_rows
from campaigns.submissions.decisions import exclude_submission, include_submission
from campaigns.teams.joining import make_link
from campaigns.teams.teams import (
    NewTeam,
    change_team,
    delete_team,
    disqualify_team,
    extend_team,
    make_teams,
    readmit_team,
)
from foundation.infra.times import SentTime
from queries.runs.received_run import run_attached

endpoints = Endpoints("Campaigns")
TEAM = "/teams/{int:team_id}"
RUN = "/submissions/{int:submission_id}"
Name = Annotated[Storable, Field(min_length=1, max_length=80)]
Words = Annotated[Storable, Field(max_length=200)]


class TeamIn(BaseModel):
    """A team to be."""

    name: Name = Field(examples=["kite"])
    affiliation: Words = ""
    contact: Words = Field("", description="For the organiser alone.")


class NewTeams(BaseModel):
    """Teams to be made, all or none."""

    teams: list[TeamIn] = Field(min_length=1, max_length=200)


class TeamChanges(BaseModel):
    """What is changed of a team; what isn't sent stays."""

    name: Name | None = None
    affiliation: Words | None = None
    contact: Words | None = None
    anonymous: bool | None = None


class NewDeadline(BaseModel):
    """A team's own later deadline."""

    until: SentTime | None = Field(description="Null: the campaign's again.")


class ExclusionReason(BaseModel):
    """Why something counts no longer; its team reads it."""

    reason: Storable = Field(min_length=1, max_length=1000)


class LinkOut(BaseModel):
    """A link by which one person joins a team. It is in this answer and nowhere else."""

    link: str = Field(examples=["https://SITE/teams/join/TOKEN/"])
    expires_at: datetime


class Fault(BaseModel):
    """What is wrong at a place of a run's file."""

    place: str = Field(description="Its line; empty: the whole.")
    found: str
    expected: str


class SubmissionOut(Out):
    """A run that a team sent."""

    submission: int = From("pk")
    name: str
    description: str
    priority: int
    state: str = Field(description="received, checking, accepted, refused, stopped, withdrawn or excluded.")
    words: str = Field(description="The state in words, and why it is in it.")
    faults: list[Fault] = Field(description="The first ones of a refused run.")
    format: str
    predictions: int
    unanswered: int = Field(description="Topics without a prediction.")
    sent_at: datetime = From("begun_at")
    late: bool = Field(description="After the campaign's own deadline.")
    file_name: str
    size: int
    sha256: str
    values: dict[str, float | None] | None = Field(description="By measure; null: no score yet, or none to see.")


class SubmissionOfTeam(SubmissionOut):
    """A run with its team."""

    team: int
    team_name: str


def submission_out(run: Submission, *, with_values: bool) -> SubmissionOut:
    """The answer for a run, with its values where they may be seen."""
    state, words, why = run.standing
    score = getattr(run, "score", None) if with_values else None
    return SubmissionOut.of(
        run,
        state=state,
        words=f"{words}: {why}" if why else words,
        values=score.values if score else None,
    )


def _of_team(run: Submission) -> SubmissionOfTeam:
    return SubmissionOfTeam.of(submission_out(run, with_values=True), team=run.team_id, team_name=run.team.name)


def _team(call: Call, team_id: int) -> Team:
    rows = Team.objects.filter(campaign__collection=call.collection)
    return get_object_or_404(rows.select_related("campaign__collection"), pk=team_id)


def _row(team: Team) -> TeamRow:
    return next(row for row in team_rows(team.campaign) if row.id == team.pk)


def _runs(call: Call) -> QuerySet[Submission]:
    rows = Submission.objects.filter(team__campaign__collection=call.collection)
    return rows.with_scores().select_related("team__campaign")


def _run(call: Call, submission_id: int) -> Submission:
    return get_object_or_404(_runs(call), pk=submission_id)


@endpoints.read(f"{ONE}/teams")
def list_teams(call: Call, campaign_id: Id, asked: AskedPage) -> Page[TeamRow]:
    """A campaign's teams by number, with how many runs of theirs are in which state."""
    rows = team_rows(campaign_of(call, campaign_id))
    return page_of_list(rows, asked, list, lambda row: (row.number,))


@endpoints.make(f"{ONE}/teams", scope=Scope.ADMIN)
def make_some_teams(call: Call, campaign_id: Id, new: NewTeams) -> list[TeamRow]:
    """Make teams, all or none. Make each of their people a link besides."""
    campaign = campaign_of(call, campaign_id)
    teams = [NewTeam(team.name, team.affiliation, team.contact) for team in new.teams]
    new_ids = {team.pk for team in make_teams(campaign=campaign, teams=teams)}
    return [row for row in team_rows(campaign) if row.id in new_ids]


@endpoints.change(TEAM, scope=Scope.ADMIN)
def change_a_team(call: Call, team_id: Id, new: TeamChanges) -> TeamRow:
    """Change a team's name, affiliation, contact, or whether boards call it by its number."""
    return _row(change_team(team=_team(call, team_id), **new.model_dump(exclude_unset=True)))


@endpoints.remove(TEAM, scope=Scope.ADMIN)
def delete_a_team(call: Call, team_id: Id) -> None:
    """Delete a team that has sent nothing."""
    delete_team(team=get_object_or_404(Team, campaign__collection=call.collection, pk=team_id))


@endpoints.make(f"{TEAM}/links", scope=Scope.ADMIN)
def make_team_link(call: Call, team_id: Id) -> LinkOut:
    """Make a link by which one person joins the team."""
    made = make_link(team=_team(call, team_id), by=call.account)
    address = call.request.build_absolute_uri(f"/teams/join/{made.token}/")
    return LinkOut(link=address, expires_at=made.link.expires_at)


@endpoints.act(f"{TEAM}/deadline", scope=Scope.ADMIN)
def extend_a_team(call: Call, team_id: Id, new: NewDeadline) -> TeamRow:
    """Give a team a later deadline of its own; its runs after the campaign's are marked late."""
    return _row(extend_team(team=_team(call, team_id), until=new.until))


@endpoints.act(f"{TEAM}/disqualify", scope=Scope.ADMIN)
def disqualify_a_team(call: Call, team_id: Id, new: ExclusionReason) -> TeamRow:
    """Have none of a team's runs count."""
    team = _team(call, team_id)
    disqualify_team(team=team, reason=new.reason)
    return _row(team)


@endpoints.act(f"{TEAM}/readmit", scope=Scope.ADMIN)
def readmit_a_team(call: Call, team_id: Id) -> TeamRow:
    """Have a team's runs count again."""
    team = _team(call, team_id)
    readmit_team(team=team)
    return _row(team)


@endpoints.read(f"{ONE}/submissions")
def list_submissions(call: Call, campaign_id: Id, asked: AskedPage) -> Page[SubmissionOfTeam]:
    """The runs that were sent to a campaign, in the order of their arrival."""
    return page_of(_runs(call).filter(team__campaign=campaign_of(call, campaign_id)), asked, _of_team)


@endpoints.read(RUN)
def get_submission(call: Call, submission_id: Id) -> SubmissionOfTeam:
    """One run: its check, its faults with lines, its values."""
    return _of_team(_run(call, submission_id))


@endpoints.read(f"{RUN}/file", content="application/octet-stream")
def download_submission(call: Call, submission_id: Id) -> HttpResponseBase:
    """A run's file as it was sent."""
    submission = _run(call, submission_id)
    return run_attached(submission.stored_file, submission.file_name)


@endpoints.act(f"{RUN}/exclude", scope=Scope.RELEASE)
def exclude_a_submission(call: Call, submission_id: Id, new: ExclusionReason) -> SubmissionOfTeam:
    """Have a run count nowhere; its team reads the reason."""
    exclude_submission(submission=_run(call, submission_id), reason=new.reason)
    return _of_team(_run(call, submission_id))


@endpoints.act(f"{RUN}/include", scope=Scope.RELEASE)
def include_a_submission(call: Call, submission_id: Id) -> SubmissionOfTeam:
    """Have a run count again that was excluded or withdrawn."""
    include_submission(submission=_run(call, submission_id))
    return _of_team(_run(call, submission_id))
