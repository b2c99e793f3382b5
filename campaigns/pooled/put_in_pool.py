"""The job that puts chosen runs of teams into the collection's pool and makes it, so that they can be judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from celery import shared_task
from django.conf import settings
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.batches.pools import make_pool, queries_to_pool
from campaigns.models import Campaign, CampaignPooling, Submission, Team
from campaigns.submissions.receive import standing
from foundation.counted import counted
from foundation.infra.jobs import JobProgress, run_job
from foundation.infra.memory import bounded_memory
from foundation.infra.scratch import scratch_folder
from foundation.models import Membership
from foundation.refused import Refused
from queries.models import PoolRun
from queries.runs.add_run import add_run
from queries.runs.plans import checked, current_plan, set_plan
from queries.runs.received_run import fetch_run

RECIPE = "depth@10"
"""What is offered where the collection has no recipe of runs yet."""


@dataclass(frozen=True, slots=True)
class Offered:
    """A run that could go into the pool. Attributes: proposed: whether it counts, by its team's priorities and the
    campaign's limit. pooled: what the pool calls it; empty: it isn't there."""

    submission: int
    team: str
    team_number: int
    run: str
    priority: int
    late: bool
    predictions: int
    sent_at: datetime
    proposed: bool
    pooled: str


def team_in_pool(team: Team) -> str:
    """What the pool and a release's files call a team: its number, since a release may be read before the results."""
    return f"{team.campaign.name} {team.number}"


def system_in_pool(submission: Submission) -> str:
    """What the pool calls a run: by its number, for the same reason."""
    return f"run {submission.pk}"


def offered_runs(campaign: Campaign) -> list[Offered]:
    """Every run that counts, with what the organiser needs to choose."""
    pooled = PoolRun.objects.filter(collection=campaign.collection_id).values_list("sha256", "team", "system")
    there = {sha256: f"{team} {system}" for sha256, team, system in pooled}
    counted = {run.pk for run in standing(campaign)}
    return [
        Offered(
            run.pk,
            run.team.name,
            run.team.number,
            run.name,
            run.priority,
            run.late,
            run.predictions,
            run.begun_at,
            run.pk in counted,
            there.get(run.sha256, ""),
        )
        for run in Submission.objects.that_stand(campaign)
    ]


def proposed_recipe(campaign: Campaign) -> str:
    """The recipe of runs that holds in the collection, or the one that is offered first."""
    plan = current_plan(campaign.collection)
    return plan.recipe if plan is not None and plan.recipe != "paper" else RECIPE


@transaction.atomic
def ask_for_pooling(
    *, campaign: Campaign, member: Membership | None, submissions: Sequence[int], recipe: str
) -> CampaignPooling:
    """Record a job to put these runs into the pool and make it by a recipe, or return the one that waits or runs; the
    caller sends the task.

    Raises: Refused for a run that doesn't count, none at all, or a recipe that doesn't do.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    unfinished = campaign.campaignpoolings.filter(state__in=CampaignPooling.TURN).first()
    if unfinished is not None:
        return unfinished
    chosen = Submission.objects.that_stand(campaign).filter(pk__in=submissions)
    if not submissions:
        raise Refused(_("Choose at least one run."), field="submissions")
    if len(chosen) < len(set(submissions)):
        raise Refused(
            _("Found a run that doesn't count (any longer), expected accepted ones: choose again."), field="submissions"
        )
    try:
        plan = checked(campaign.collection, recipe=recipe)
    except Refused as refusal:
        raise Refused(str(refusal), field="recipe") from refusal
    if plan.recipe == "paper":
        raise Refused(
            _("The recipe paper asks for no runs: take one of runs, such as depth@10 or paper+depth@10."),
            field="recipe",
        )
    # The best of every team first, so that where room is short no team has it alone.
    order: dict[int, int] = {}
    ranked = []
    for run in chosen:
        order[run.team_id] = order.get(run.team_id, 0) + 1
        ranked.append((order[run.team_id], run.team.number, run.pk))
    return CampaignPooling.objects.create(
        campaign=campaign, member=member, recipe=plan.recipe, submissions=[pk for *_place, pk in sorted(ranked)]
    )


@shared_task(name="campaigns.tasks.pool_campaign")
def pool_campaign(job_id: int) -> None:
    """Celery task: run the job (`run_job`). Broken off, it goes on with the runs and queries that are left."""
    with bounded_memory(settings.RUN_MEMORY_MB):
        run_job(CampaignPooling, job_id, _pool)


def _pool(job: CampaignPooling, progress: JobProgress) -> None:
    collection = job.campaign.collection
    runs = Submission.objects.select_related("team__campaign").in_bulk(job.submissions)
    progress.note(done=0, total=len(job.submissions), step="Adding the runs")
    added = same = 0
    for pk in job.submissions:
        run = runs.get(pk)
        if run is None or not run.stands:
            raise Refused(f"The run {run or pk} doesn't count any longer: choose the runs again.")
        if PoolRun.objects.filter(collection=collection, sha256=run.sha256).exists():
            same += 1  # added before the job was broken off, by hand, or the same file of another team
        else:
            _add(job, run)
            added += 1
        progress.count(1)
    plan = current_plan(collection)
    if plan is None or plan.recipe != job.recipe:
        set_plan(collection=collection, recipe=job.recipe, member=job.member)
    progress.done = 0
    progress.note(done=0, total=queries_to_pool(collection).count(), step="Choosing what is judged")
    pool = make_pool(collection=collection, progress=progress.count)
    before = f" {counted(same, 'of them was', 'of them were')} in the pool before." if same else ""
    job.said = f"{counted(len(job.submissions), 'run is', 'runs are')} in the pool.{before} {pool.in_words()}"
    job.save(update_fields=["said"])


def _add(job: CampaignPooling, run: Submission) -> None:
    if not run.stored_file or not default_storage.exists(run.stored_file):
        raise Refused(f"The file of the run {run} of {run.team} is no longer in the storage.")
    with scratch_folder("campaign-pool") as folder:
        add_run(
            collection=job.campaign.collection,
            path=fetch_run(run.stored_file, folder, sha256=run.sha256),
            team=team_in_pool(run.team),
            system=system_in_pool(run),
            file_name=f"{system_in_pool(run)}.jsonl",
            member=job.member,
        )
