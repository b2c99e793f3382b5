"""What a team does in its campaigns: topics, runs, results. A team is in no collection."""

import base64
import binascii
import io
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from ninja import Path
from pydantic import BaseModel, Field

from api.frame.answers import Out
from api.frame.calls import Call, Scope, Who, found_or_404, not_bound
from api.frame.endpoints import Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of, page_of_all
from api.frame.problems import Problem
from api.v1.campaigns.outcomes import Measure, StandingsOut, results_or_404
from api.v1.campaigns.teams import SubmissionOut, submission_out
from api.v1.uploads import LONGEST_RUN
from campaigns.comparison.tables import TopicRow, topics_against
from campaigns.models import Submission, TeamMember, Topic
from campaigns.planning.campaign_json import number_of
from campaigns.planning.phases import phase_of
from campaigns.portal.guard import ARCHIVED, CONFLICT, place_of
from campaigns.portal.selectors import file_attached, team_facts
from campaigns.results.board import may_see_board, may_see_own_scores
from campaigns.submissions.decisions import set_priority, withdraw_submission
from campaigns.submissions.receive import LONGEST_DESCRIPTION, receive
from campaigns.teams.joining import has_conflict
from campaigns.topics.files import FILES
from foundation.access.arrival_time import began_at, database_now
from foundation.infra.jobs import ask
from queries.runs.received_run import run_attached

endpoints = Endpoints("Own campaigns")
ONE = "/campaigns/{slug:campaign}"
Campaign = Annotated[str, Path(pattern="^[-a-zA-Z0-9_]{1,60}$", examples=["boats-2026"])]


class OwnCampaign(Out):
    """A campaign as one of its teams sees it."""

    name: str
    title: str
    rules: str
    contact: str
    phase: str = Field(description="announced, open, closed or results.")
    opens_at: datetime
    closes_at: datetime = Field(description="For this team.")
    results_at: datetime
    results_open: bool
    team: str
    shown_as: str = Field(description="What boards call the team.")
    takes_runs: bool
    next: str = Field(description="What to do next, in a sentence.")
    left: int = Field(description="How many runs the team may send yet.")
    left_today: int = Field(description="Of these today (UTC).")
    most_pooled: int = Field(description="Of the team's runs, by its priorities, so many count.")
    most_predictions: int = Field(description="For one topic, in one run.")
    topics: int
    files: list[str] = Field(description="Topics and videos, from the opening on.")


class NewSubmission(BaseModel):
    """A run of one's team: its file as text, or gzipped and in base 64."""

    name: Storable = Field(min_length=1, max_length=80, examples=["captions, fine-tuned"])
    content: Storable = Field("", max_length=LONGEST_RUN, description="As docs/evaluation.md has runs.")
    gzip: str = Field(
        "",
        pattern="^[A-Za-z0-9+/=]*$",
        max_length=LONGEST_RUN,
        description="In the place of content: the file gzipped, in base 64, for longer ones.",
    )
    description: Storable = Field("", max_length=LONGEST_DESCRIPTION)
    priority: int = Field(1, ge=1, le=99, description="1 comes first where not all runs of a team count.")
    replace: bool = Field(False, description="Take the place of the team's run of this name.")


class Priority(BaseModel):
    """Which of a team's runs comes first."""

    priority: int = Field(ge=1, le=99)


class OwnTopics(BaseModel):
    """A team's runs topic by topic, beside the best, the median and the worst of all runs that count."""

    measure: str
    runs: dict[int, str] = Field(description="The team's runs that count: number and name.")
    topics: list[TopicRow]


def _place(call: Call, campaign: str, *, changes: bool = False) -> TeamMember:
    """The caller's place in the campaign. Raises: Http404 for strangers, PermissionDenied."""
    not_bound(call)
    place = found_or_404(place_of(call.account.pk, campaign))
    if has_conflict(place.team.campaign, place.account):
        raise PermissionDenied(str(CONFLICT))
    if changes and place.team.campaign.collection.archived_at is not None:
        raise PermissionDenied(str(ARCHIVED))
    return place


def _own(places: Sequence[TeamMember]) -> list[OwnCampaign]:
    """Places as their holder sees them. Three SQL queries, however many they are."""
    now, topics = database_now(), number_of(Topic, [place.team.campaign for place in places])
    prefetch_related_objects(places, Prefetch("team__submissions", Submission.objects.order_by("-pk")))
    return [_own_campaign(place, now, topics) for place in places]


def _own_campaign(place: TeamMember, now: datetime, topics: Mapping[int, int]) -> OwnCampaign:
    campaign, facts = place.team.campaign, team_facts(place.team, list(place.team.submissions.all()), now)
    return OwnCampaign.of(
        campaign,
        phase=str(phase_of(campaign, now)),
        closes_at=campaign.closes_for(place.team),
        results_open=may_see_board(campaign, team=place.team),
        team=place.team.name,
        shown_as=place.team.shown_name,
        **{name: facts[name] for name in ("takes_runs", "next", "left", "left_today")},
        topics=topics.get(campaign.pk, 0),
        files=list(FILES) if facts["opened"] else [],
    )


def _runs(place: TeamMember) -> QuerySet[Submission]:
    return Submission.objects.filter(team=place.team).with_scores().select_related("team__campaign__collection")


def _run(place: TeamMember, submission_id: int) -> Submission:
    return get_object_or_404(_runs(place), pk=submission_id)


def _run_out(run: Submission) -> SubmissionOut:
    return submission_out(run, with_values=may_see_own_scores(run.team.campaign))


@endpoints.read("/campaigns", who=Who.ACCOUNT)
def list_own_campaigns(call: Call, asked: AskedPage) -> Page[OwnCampaign]:
    """The campaigns in which the caller is in a team."""
    not_bound(call)
    places = TeamMember.objects.filter(account=call.account).exclude(
        campaign__collection__memberships__account=call.account
    )
    return page_of_all(places.select_related("team__campaign__collection", "account"), asked, _own)


@endpoints.read(ONE, who=Who.ACCOUNT)
def get_own_campaign(call: Call, campaign: Campaign) -> OwnCampaign:
    """A campaign as its team sees it: what to do next, limits, deadline. 404 to whoever is in no team of it."""
    return _own([_place(call, campaign)])[0]


@endpoints.read(f"{ONE}/files/{{slug:file}}", who=Who.ACCOUNT, content="application/octet-stream")
def download_campaign_file(
    call: Call, campaign: Campaign, file: Annotated[str, Path(pattern="^[-a-z_]{1,40}$", examples=["topics-jsonl"])]
) -> HttpResponseBase:
    """Topics or videos, from the opening on: a file of `files` with a hyphen in the place of its dot."""
    named = next((name for name in FILES if name.replace(".", "-") == file), "")
    return file_attached(_place(call, campaign).team.campaign, named)


@endpoints.read(f"{ONE}/runs", who=Who.ACCOUNT)
def list_own_runs(call: Call, campaign: Campaign, asked: AskedPage) -> Page[SubmissionOut]:
    """The runs that the caller's team has sent."""
    return page_of(_runs(_place(call, campaign)), asked, _run_out)


@endpoints.make(f"{ONE}/runs", who=Who.ACCOUNT, scope=Scope.RELEASE, status=202)
def send_own_run(call: Call, campaign: Campaign, new: NewSubmission) -> SubmissionOut:
    """Send a run; a worker checks it whole. What is wrong in it, the run says, with lines.

    The same file under the same name again is the run that is there. Files of more than a megabyte go by the team's
    page.
    """
    place = _place(call, campaign, changes=True)
    submission = receive(
        team=place.team,
        account=call.account,
        file=io.BytesIO(_content(new)),
        file_name=f"{new.name}.jsonl{'.gz' if new.gzip else ''}",
        name=new.name,
        description=new.description,
        priority=new.priority,
        replace=new.replace,
        begun_at=began_at(),
    )
    if not submission.finished:
        transaction.on_commit(lambda: ask(submission))
    return _run_out(_run(place, submission.pk))


def _content(new: NewSubmission) -> bytes:
    if bool(new.content) == bool(new.gzip):
        sent = "both" if new.content else "neither"
        raise Problem(422, f"Found {sent} of content and gzip, expected one of them.", field="body.content")
    if new.content:
        return new.content.encode()
    try:
        return base64.b64decode(new.gzip, validate=True)
    except binascii.Error as fault:
        raise Problem(422, f"Found no base 64 ({fault}), expected a gzipped file in it.", field="body.gzip") from fault


@endpoints.read(f"{ONE}/runs/{{int:submission_id}}", who=Who.ACCOUNT)
def get_own_run(call: Call, campaign: Campaign, submission_id: Id) -> SubmissionOut:
    """One of the team's runs: its check, its faults with lines, its values once the campaign shows them."""
    return _run_out(_run(_place(call, campaign), submission_id))


@endpoints.read(f"{ONE}/runs/{{int:submission_id}}/file", who=Who.ACCOUNT, content="application/octet-stream")
def download_own_run(call: Call, campaign: Campaign, submission_id: Id) -> HttpResponseBase:
    """A run's file as it was sent."""
    submission = _run(_place(call, campaign), submission_id)
    return run_attached(submission.stored_file, submission.file_name)


@endpoints.act(f"{ONE}/runs/{{int:submission_id}}/priority", who=Who.ACCOUNT, scope=Scope.RELEASE)
def set_own_priority(call: Call, campaign: Campaign, submission_id: Id, new: Priority) -> SubmissionOut:
    """Say which of the team's runs comes first, until submissions close."""
    place = _place(call, campaign, changes=True)
    set_priority(submission=_run(place, submission_id), priority=new.priority)
    return _run_out(_run(place, submission_id))


@endpoints.act(f"{ONE}/runs/{{int:submission_id}}/withdraw", who=Who.ACCOUNT, scope=Scope.RELEASE)
def withdraw_own_run(call: Call, campaign: Campaign, submission_id: Id) -> SubmissionOut:
    """Withdraw a run, until submissions close: it counts nowhere, and still against the limits."""
    place = _place(call, campaign, changes=True)
    withdraw_submission(submission=_run(place, submission_id))
    return _run_out(_run(place, submission_id))


@endpoints.read(f"{ONE}/standings", who=Who.ACCOUNT)
def get_own_standings(call: Call, campaign: Campaign, measure: Measure = "") -> StandingsOut:
    """All runs in order, once results are open to teams; teams that stay anonymous by their number."""
    return StandingsOut.of(results_or_404(_seen(call, campaign).team.campaign, measure, to_organiser=False))


@endpoints.read(f"{ONE}/topics", who=Who.ACCOUNT)
def get_own_topics(call: Call, campaign: Campaign, measure: Measure = "") -> OwnTopics:
    """The team's runs topic by topic beside the best, the median and the worst of all, once results are open to it."""
    place = _seen(call, campaign)
    results = results_or_404(place.team.campaign, measure, to_organiser=False)
    names = dict(_runs(place).values_list("pk", "name"))
    rows = topics_against(place.team.campaign, measure=results.measure, own=names)
    runs = {pk: names[pk] for pk in (rows[0].own if rows else ())}
    return OwnTopics(measure=results.measure, runs=runs, topics=rows)


def _seen(call: Call, campaign: str) -> TeamMember:
    place = _place(call, campaign)
    if not may_see_board(place.team.campaign, team=place.team):
        raise Http404("no results for you (yet)")
    return place
