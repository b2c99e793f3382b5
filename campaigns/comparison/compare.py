"""The job that compares a campaign's scored runs: intervals, groups and pairs on every measure of its board."""

import math
from collections.abc import Sequence
from dataclasses import asdict, astuple
from typing import TYPE_CHECKING, Any

from celery import shared_task
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from campaigns.models import Campaign, CampaignComparison, SubmissionScore
from campaigns.results.board import standing_scores
from foundation.counted import counted
from foundation.infra.jobs import JobProgress, run_job
from foundation.infra.memory import bounded_memory
from foundation.models import Membership
from foundation.refused import Refused

if TYPE_CHECKING:
    import numpy as np

DRAWS = 10_000
SEED = 0
"""Both as `python -m evaluation significance` has them, so that its figures are the same."""
DIGITS = 6
"""Of what is kept of pairs, which are thousands."""


def _runs_of(scores: Sequence[SubmissionScore]) -> list[list[Any]]:
    """`CampaignComparison.runs` of these scores."""
    return [[score.submission_id, score.scored_at.isoformat()] for score in scores]


def comparison_of(campaign: Campaign, scores: Sequence[SubmissionScore]) -> CampaignComparison | None:
    """The newest that is done, without its pairs, which are long; None where it isn't of just these scores."""
    done = campaign.campaigncomparisons.filter(state=CampaignComparison.State.DONE)
    newest = done.defer("pairs").order_by("-pk").first()
    return newest if newest is not None and newest.runs == _runs_of(scores) else None


@transaction.atomic
def ask_for_comparison(*, campaign: Campaign, member: Membership | None = None) -> tuple[CampaignComparison, bool]:
    """Record a job to compare the runs of now; the caller sends the task.

    Returns: the newest comparison, and whether it is to be sent: not where one waits, runs, or is of these runs.
    Raises: Refused if no run has a score.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    runs = _runs_of(standing_scores(campaign, with_queries=False))
    if not runs:
        raise Refused(_("No run has a score yet: score the runs first."))
    newest = campaign.campaigncomparisons.defer("pairs").order_by("-pk").first()
    if newest is not None and (not newest.finished or (newest.standings and newest.runs == runs)):
        return newest, False
    return CampaignComparison.objects.create(campaign=campaign, member=member, runs=runs), True


@shared_task(name="campaigns.tasks.compare_campaign")
def compare_campaign(job_id: int) -> None:
    """Celery task: run the job (`run_job`). What it finds rests on the scores alone: broken off, it begins anew."""
    with bounded_memory(settings.RUN_MEMORY_MB):
        run_job(CampaignComparison, job_id, compare)


def compare(job: CampaignComparison, progress: JobProgress) -> None:
    """Compare the runs that have a score now, measure by measure. Raises: Refused."""
    from evaluation import EvaluationError
    from evaluation.arrays import json_ready
    from evaluation.significance import stand

    scores = standing_scores(job.campaign)
    if not scores:
        raise Refused("No run has a score yet: score the runs first.")
    measures = scores[0].board.measures
    progress.note(done=0, total=len(measures))
    names = [str(score.submission_id) for score in scores]
    table = value_table(scores, len(measures))
    job.standings, job.pairs = {}, {}
    for place, measure in enumerate(measures):
        try:
            differences = stand(table[:, :, place].T, names, draws=DRAWS, seed=SEED)
        except EvaluationError:
            continue  # no query has a value for all runs
        systems = [{**asdict(row), "system": int(row.system), "letters": row.letters} for row in differences.systems]
        job.standings[measure] = json_ready({"queries": differences.queries, "systems": systems})
        job.pairs[measure] = json_ready([_rounded(astuple(pair)) for pair in differences.pairs])
        progress.count(1)
    if not job.standings:
        raise Refused("No query has a value for every run.")
    job.runs = _runs_of(scores)
    job.said = f"Compared {counted(len(scores), 'run')} on {counted(len(job.standings), 'measure')}."
    job.save(update_fields=["runs", "standings", "pairs", "said"])


def _rounded(pair: tuple[Any, ...]) -> list[Any]:
    first, second, *numbers = pair
    return [
        int(first),
        int(second),
        *(round(number, DIGITS) if math.isfinite(number) else number for number in numbers),
    ]


def value_table(scores: Sequence[SubmissionScore], measures: int) -> "np.ndarray[tuple[int, int, int], Any]":
    """Every value: runs x queries x measures, in the order given; NaN where there is none."""
    import numpy as np

    table = np.array(
        [[[math.nan if value is None else value for value in row] for row in score.per_query] for score in scores],
        dtype=np.float64,
    )
    return table.reshape(len(scores), -1, measures)
