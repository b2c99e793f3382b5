"""Accepted runs scored against the campaign's release, by the code that boards use."""

from celery import shared_task
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from campaigns.models import Campaign, CampaignScoring, Submission, SubmissionScore
from datasets.leaderboard.runs import open_board
from datasets.leaderboard.scoring import score_read, truth_of
from datasets.models import Board
from evaluation.moments.run import Run
from foundation.infra.jobs import JobProgress, run_job
from foundation.infra.memory import bounded_memory
from foundation.infra.scratch import scratch_folder
from foundation.models import Membership
from foundation.refused import Refused
from queries.runs.received_run import fetch_run, read_received


def board_of(campaign: Campaign) -> Board | None:
    """The board whose ground truth and measures the campaign's runs are scored by; None: there is no release yet.

    Raises: Refused if the release can't be read or has no judged query in the split.
    """
    if campaign.release is None:
        return None
    return open_board(release=campaign.release, split=campaign.split)


def score_submission(submission: Submission, read: Run, board: Board) -> SubmissionScore:
    """Score a run that was read, and store the result in place of an earlier one.

    Raises: Refused.
    """
    scored = score_read(board, truth_of(board), read, file_name=submission.file_name)
    score, _made = SubmissionScore.objects.update_or_create(
        submission=submission,
        defaults={
            "board": board,
            "values": scored.values,
            "per_query": [scored.of_query(position) for position in range(len(scored.truth.query_ids))],
            "unanswered": scored.records[0].unanswered,
            "unknown": scored.records[0].unknown,
        },
    )
    return score


def unscored(*campaigns: Campaign) -> "QuerySet[Submission]":
    """Accepted runs of campaigns, not withdrawn, that have no score against the campaign's release."""
    rows = Submission.objects.filter(team__campaign__in=campaigns, state=Submission.State.ACCEPTED, withdrawn_at=None)
    known = Q(score__board__release=F("team__campaign__release"), score__board__split=F("team__campaign__split"))
    return rows.exclude(pk__in=rows.filter(known).values("pk")).order_by("pk")


@transaction.atomic
def ask_for_scores(*, campaign: Campaign, member: Membership | None) -> CampaignScoring:
    """Record a job that scores what has no score yet; the caller sends it. One under way is that one.

    Raises: Refused where there is no release.
    """
    if campaign.release_id is None:
        raise Refused(_("Choose the release that the runs are scored against first."))
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    unfinished = campaign.scorings.filter(state__in=CampaignScoring.TURN).first()
    return unfinished or CampaignScoring.objects.create(campaign=campaign, member=member)


@shared_task(name="campaigns.tasks.score_campaign")
def score_campaign(job_id: int) -> None:
    """Celery task: run the job (`run_job`)."""
    with bounded_memory(settings.RUN_MEMORY_MB):
        run_job(CampaignScoring, job_id, _score_all)


def _score_all(job: CampaignScoring, progress: JobProgress) -> None:
    board = board_of(job.campaign)
    if board is None:
        raise Refused("The campaign has no release to score against.")
    rows = list(unscored(job.campaign))
    progress.stage("Scoring", len(rows), "runs scored")
    problems = []
    # As the check reads runs: ids of TREC's form are told by what the campaign has.
    ids, videos = set(job.campaign.topics.values_list("topic_id", flat=True)), job.campaign.corpus.videos
    for row in rows:
        try:
            with scratch_folder("submission") as folder:
                path = fetch_run(row.stored_file, folder, sha256=row.sha256)
                read = read_received(path, file_name=row.file_name, queries=ids, videos=videos)
            score_submission(row, read, board)
        except Refused as error:
            problems.append(f"{row.team} {row.name}: {error}")
            progress.say(problems[-1])
        progress.count(1)
    job.said = f"Runs scored: {len(rows) - len(problems)} of {len(rows)}. {' '.join(problems)[:2000]}".strip()
    job.save(update_fields=["said"])
