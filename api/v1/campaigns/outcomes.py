"""What comes of a campaign, for its organiser: its runs' pool, their comparison, the archive."""

from datetime import datetime
from typing import Annotated

from django.http import Http404
from django.http.response import HttpResponseBase
from pydantic import BaseModel, Field

from api.frame.answers import From, Out
from api.frame.calls import Call, Scope
from api.frame.endpoints import Endpoints, Id, Storable
from api.v1.campaigns.organising import ONE, campaign_of
from api.v1.jobs import JobOut
from campaigns.archive.jobs import archive_attached, archive_name, ask_for_export, newest_export
from campaigns.comparison.compare import ask_for_comparison
from campaigns.comparison.tables import ResultRow, Results, TopicRow, results_of, topics_against
from campaigns.models import Campaign
from campaigns.pooled.put_in_pool import Offered, ask_for_pooling, offered_runs, proposed_recipe

endpoints = Endpoints("Campaigns")
Measure = Annotated[str, Field(max_length=60, description="By which runs are ordered; empty: the primary one.")]


class PoolOut(BaseModel):
    """The runs that may go into the collection's pool."""

    recipe: str = Field(description="What is proposed: the recipe of runs that holds, or depth@10.")
    runs: list[Offered]


class NewPool(BaseModel):
    """Which runs go into the pool, and by which recipe it is made."""

    submissions: list[Annotated[int, Field(ge=1, le=2**63 - 1)]] = Field(min_length=1, max_length=5000)
    recipe: Storable = Field(max_length=200, examples=["depth@10"])


class StandingsOut(Out):
    """A campaign's runs in the order of one measure, with intervals and groups once they were compared."""

    measure: str
    measures: list[str]
    queries: int
    compared: bool = Field(description="Intervals and groups are of just these runs and scores.")
    rows: list[ResultRow]


class OrganiserStandings(StandingsOut):
    """The same with each topic's best, median and worst value of the measure."""

    topics: list[TopicRow]


class ArchiveOut(Out):
    """The newest archive of a campaign."""

    name: str
    size: int = Field(description="Bytes.")
    sha256: str
    made_at: datetime | None = From("finished_at")


def results_or_404(campaign: Campaign, measure: str, *, to_organiser: bool) -> Results:
    """A campaign's results. Raises: Http404 where no run has a score."""
    results = results_of(campaign, measure=measure, to_organiser=to_organiser)
    if results is None:
        raise Http404("no run has a score")
    return results


@endpoints.read(f"{ONE}/pool")
def get_campaign_pool(call: Call, campaign_id: Id) -> PoolOut:
    """Accepted runs, team by team, and which of them are in the pool already."""
    campaign = campaign_of(call, campaign_id)
    return PoolOut(recipe=proposed_recipe(campaign), runs=offered_runs(campaign))


@endpoints.make(f"{ONE}/pool", scope=Scope.PREPARE, status=202)
def pool_campaign_runs(call: Call, campaign_id: Id, new: NewPool) -> JobOut:
    """Have a worker put runs into the collection's pool and make it. Then open the judging as always."""
    campaign = campaign_of(call, campaign_id)
    return JobOut.begun(
        ask_for_pooling(campaign=campaign, member=call.member, submissions=new.submissions, recipe=new.recipe)
    )


@endpoints.make(f"{ONE}/comparison", scope=Scope.RELEASE, status=202)
def compare_campaign_runs(call: Call, campaign_id: Id) -> JobOut:
    """Have a worker say which runs differ. Where that is known of these runs, its job is the answer."""
    job, is_new = ask_for_comparison(campaign=campaign_of(call, campaign_id), member=call.member)
    return JobOut.begun(job) if is_new else JobOut.of_job(job)


@endpoints.read(f"{ONE}/standings")
def get_campaign_standings(call: Call, campaign_id: Id, measure: Measure = "") -> OrganiserStandings:
    """Runs in order under their teams' names. 404 where no run has a score."""
    campaign = campaign_of(call, campaign_id)
    results = results_or_404(campaign, measure, to_organiser=True)
    topics = topics_against(campaign, measure=results.measure)
    return OrganiserStandings.of(results, topics=topics)


@endpoints.make(f"{ONE}/export", scope=Scope.RELEASE, status=202)
def export_a_campaign(call: Call, campaign_id: Id) -> JobOut:
    """Have a worker pack the whole campaign. While one does, that job is the answer."""
    return JobOut.begun(ask_for_export(campaign=campaign_of(call, campaign_id), member=call.member))


@endpoints.read(f"{ONE}/archive")
def get_campaign_archive(call: Call, campaign_id: Id) -> ArchiveOut:
    """The newest archive of a campaign. 404 before one was made."""
    campaign = campaign_of(call, campaign_id)
    export = newest_export(campaign)
    if export is None:
        raise Http404("no archive yet")
    return ArchiveOut.of(export, name=archive_name(campaign))


@endpoints.read(f"{ONE}/archive/file", content="application/gzip")
def download_campaign_archive(call: Call, campaign_id: Id) -> HttpResponseBase:
    """The newest archive itself."""
    return archive_attached(campaign_of(call, campaign_id))
