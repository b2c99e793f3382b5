"""Campaigns made, changed, scored and opened by their organiser."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from api.frame.calls import Call, Scope
from api.frame.endpoints import Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of_all
from api.frame.problems import Problem
from api.v1.jobs import JobOut
from campaigns.models import Campaign
from campaigns.planning.campaign_json import campaigns_json
from campaigns.planning.campaigns import (
    LONGEST_RULES,
    change_campaign,
    choose_release,
    delete_campaign,
    make_campaign,
    take_topics_anew,
)
from campaigns.results.opening import close_results, open_results, why_not_open_each
from campaigns.scoring.score import ask_for_scores
from datasets.models import Release
from foundation.infra.times import SentTime

endpoints = Endpoints("Campaigns")
ONE = "/campaigns/{int:campaign_id}"
Limit = Annotated[int, Field(ge=1, le=1000)]


class CampaignOut(BaseModel):
    """A shared task on a collection's topics."""

    campaign: int
    name: str = Field(description="In its address.")
    title: str
    rules: str = Field(description="Markdown: what teams read.")
    contact: str
    split: str
    release: int | None = Field(description="Against which runs are scored; null: not judged yet.")
    judged_later: bool = Field(description="The pool is made from the teams' runs.")
    phase: str = Field(description="announced, open, closed or results.")
    opens_at: datetime
    closes_at: datetime
    results_at: datetime
    results_opened_at: datetime | None
    not_open: str = Field(description="Why the results can't be opened yet; empty: they can, or are.")
    audience: str = Field(description="Who sees results once they are open: public, teams or leads.")
    own_scores: bool = Field(description="A team sees the scores of its own runs before.")
    most_submissions: int
    most_a_day: int
    most_pooled: int = Field(description="Of a team's runs, by its priorities, so many count.")
    most_predictions: int = Field(description="For one topic, in one run.")
    topics: int
    teams: int


class CampaignChanges(BaseModel):
    """What can be changed at any time; what isn't sent stays."""

    title: Storable | None = Field(None, min_length=1, max_length=200)
    rules: Storable | None = Field(None, max_length=LONGEST_RULES)
    contact: Storable | None = Field(None, max_length=200)
    opens_at: SentTime | None = None
    closes_at: SentTime | None = None
    results_at: SentTime | None = None
    audience: Literal["public", "teams", "leads"] | None = None
    own_scores: bool | None = None
    most_submissions: Limit | None = None
    most_a_day: Limit | None = None
    most_pooled: Limit | None = None
    most_predictions: int | None = Field(None, ge=1, le=100_000)


class NewCampaign(CampaignChanges):
    """A campaign to be."""

    name: str = Field(pattern="^[a-z0-9][a-z0-9-]{0,59}$", examples=["boats-2026"])
    title: Storable = Field(min_length=1, max_length=200, examples=["Boats 2026"])
    split: Literal["val", "test"] = "test"
    release: int | None = Field(
        None, ge=1, le=2**63 - 1, description="Null: the topics are judged later, from the teams' runs."
    )
    opens_at: SentTime
    closes_at: SentTime
    results_at: SentTime


class ChosenRelease(BaseModel):
    """The release of a campaign that was judged later."""

    release: int = Field(ge=1, le=2**63 - 1)


def campaign_out(campaign: Campaign) -> CampaignOut:
    """The answer for a campaign, to its organiser."""
    return _campaigns_out([campaign])[0]


def _campaigns_out(campaigns: Sequence[Campaign]) -> list[CampaignOut]:
    closed = why_not_open_each([campaign for campaign in campaigns if campaign.results_opened_at is None])
    return [
        CampaignOut(
            **{key: facts[key] for key in CampaignOut.model_fields if key in facts and key != "release"},
            campaign=campaign.pk,
            release=campaign.release_id,
            rules=campaign.rules,
            contact=campaign.contact,
            not_open=closed.get(campaign.pk, ""),
        )
        for campaign, facts in zip(campaigns, campaigns_json(campaigns), strict=True)
    ]


def campaigns_of(call: Call) -> QuerySet[Campaign]:
    """The collection's campaigns."""
    return Campaign.objects.filter(collection=call.collection).select_related("collection", "release")


def campaign_of(call: Call, campaign_id: int) -> Campaign:
    """One of them. Raises: Http404."""
    return get_object_or_404(campaigns_of(call), pk=campaign_id)


def _release_of(call: Call, release_id: int | None) -> Release | None:
    if release_id is None:
        return None
    release = Release.objects.filter(pk=release_id, collection=call.collection).first()
    if release is None:
        raise Problem(422, "Found no release of this number in the collection.", field="body.release")
    return release


@endpoints.read("/campaigns")
def list_campaigns(call: Call, asked: AskedPage) -> Page[CampaignOut]:
    """A collection's campaigns, the newest first."""
    return page_of_all(campaigns_of(call), asked, _campaigns_out, newest_first=True)


@endpoints.read(ONE)
def get_campaign(call: Call, campaign_id: Id) -> CampaignOut:
    """One campaign."""
    return campaign_out(campaign_of(call, campaign_id))


@endpoints.make("/campaigns", scope=Scope.RELEASE)
def make_a_campaign(call: Call, new: NewCampaign) -> CampaignOut:
    """Make a campaign over a release's split, or over topics that are judged later; topics and videos are frozen."""
    fields = new.model_dump(exclude_none=True, exclude={"release"})
    release = _release_of(call, new.release)
    campaign = make_campaign(member=call.member, release=release, judged_later=release is None, **fields)
    return campaign_out(campaign_of(call, campaign.pk))


@endpoints.change(ONE, scope=Scope.RELEASE)
def change_a_campaign(call: Call, campaign_id: Id, new: CampaignChanges) -> CampaignOut:
    """Change deadlines, limits, rules and who sees results."""
    change_campaign(campaign=campaign_of(call, campaign_id), **new.model_dump(exclude_none=True))
    return campaign_out(campaign_of(call, campaign_id))


@endpoints.remove(ONE, scope=Scope.RELEASE)
def delete_a_campaign(call: Call, campaign_id: Id) -> None:
    """Delete a campaign to which no run was sent."""
    delete_campaign(campaign=campaign_of(call, campaign_id))


@endpoints.act(f"{ONE}/topics/take-anew", scope=Scope.RELEASE)
def take_campaign_topics_anew(call: Call, campaign_id: Id) -> CampaignOut:
    """Freeze topics and videos once more, before a run was sent."""
    take_topics_anew(campaign=campaign_of(call, campaign_id))
    return campaign_out(campaign_of(call, campaign_id))


@endpoints.act(f"{ONE}/release", scope=Scope.RELEASE)
def choose_campaign_release(call: Call, campaign_id: Id, new: ChosenRelease) -> CampaignOut:
    """Name the release that a campaign judged later is scored against. Scores against another one go."""
    campaign = campaign_of(call, campaign_id)
    release = _release_of(call, new.release)
    if release is None:
        raise Http404("no release")
    choose_release(campaign=campaign, release=release)
    return campaign_out(campaign_of(call, campaign_id))


@endpoints.make(f"{ONE}/score", scope=Scope.RELEASE, status=202)
def score_campaign_runs(call: Call, campaign_id: Id) -> JobOut:
    """Have a worker score the runs that have no score. While one does, that job is the answer."""
    return JobOut.begun(ask_for_scores(campaign=campaign_of(call, campaign_id), member=call.member))


@endpoints.act(f"{ONE}/results/open", scope=Scope.RELEASE)
def open_campaign_results(call: Call, campaign_id: Id) -> CampaignOut:
    """Open the results to the campaign's audience; teams are told by mail."""
    open_results(campaign=campaign_of(call, campaign_id))
    return campaign_out(campaign_of(call, campaign_id))


@endpoints.act(f"{ONE}/results/hide", scope=Scope.RELEASE)
def hide_campaign_results(call: Call, campaign_id: Id) -> CampaignOut:
    """Hide the results again."""
    close_results(campaign=campaign_of(call, campaign_id))
    return campaign_out(campaign_of(call, campaign_id))
