"""The job that checks a submission, and accepts it whole or refuses it whole."""

from dataclasses import asdict
from typing import Any

from celery import shared_task
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext

from campaigns.models import Submission
from campaigns.scoring.score import board_of, score_submission
from campaigns.submissions.check import CheckedFile, check_run
from evaluation.moments.run import Run
from foundation.infra.job_progress import progress_of, tells
from foundation.infra.jobs import JobProgress, run_job
from foundation.infra.memory import bounded_memory
from foundation.infra.scratch import scratch_folder
from foundation.infra.storage import delete_file
from foundation.refused import Refused
from queries.runs.received_run import fetch_run, refuse_overlong


@shared_task(name="campaigns.tasks.check_submission")
def check_submission(job_id: int) -> None:
    """Celery task: run the job (`run_job`). Of a refused run nothing is kept but what was wrong with it."""
    try:
        with bounded_memory(settings.RUN_MEMORY_MB):
            run_job(Submission, job_id, _check)
    finally:
        _forget_refused(job_id)


def _forget_refused(job_id: int) -> None:
    refused = Submission.objects.filter(pk=job_id, state=Submission.State.REFUSED).exclude(stored_file="").first()
    if refused is not None:
        delete_file(refused.stored_file)
        Submission.objects.filter(pk=job_id).update(stored_file="")


def _check(submission: Submission, progress: JobProgress) -> None:
    campaign = submission.team.campaign
    progress.note(step="Reading the run.")
    with scratch_folder("submission") as folder:
        path = fetch_run(submission.stored_file, folder, sha256=submission.sha256)
        refuse_overlong(path)
        checked = check_run(
            path,
            topics=set(campaign.topics.values_list("topic_id", flat=True)),
            videos=campaign.corpus.videos,
            end_slack=campaign.corpus.end_slack,
            most_predictions=campaign.most_predictions,
        )
    if checked.read is None:
        _refuse(submission, checked)
        return
    progress.note(step="Scoring.")
    with transaction.atomic():
        note = _score(submission, checked.read)
        submission.format, submission.predictions = checked.format, checked.predictions
        submission.unanswered, submission.faults, submission.said = checked.unanswered, [], note
        submission.save(update_fields=["format", "predictions", "unanswered", "faults", "said"])
        submission.end()


def _score(submission: Submission, read: Run) -> str:
    """Score it where there is a release. A release that can't be read is no fault of the run's: it is accepted."""
    try:
        with transaction.atomic():
            board = board_of(submission.team.campaign)
            if board is None:
                return ""
            score_submission(submission, read, board)
    except Refused as refusal:
        return f"Accepted, and not scored yet: {refusal}"
    return ""


@transaction.atomic
def _refuse(submission: Submission, checked: CheckedFile) -> None:
    count = f"{'at least ' if checked.more else ''}{len(checked.faults)}"
    faults = "fault" if count == "1" else "faults"
    submission.format, submission.faults = checked.format, [asdict(fault) for fault in checked.faults]
    submission.save(update_fields=["format", "faults"])
    submission.end(f"{submission.file_name} has {count} {faults}; the first: {checked.faults[0]}.")


@tells(Submission)
def progress_of_submission(submission: Submission) -> dict[str, Any]:
    """The check's progress, as `progress_of`."""
    share = {"Reading the run.": 10, "Scoring.": 60}.get(submission.step, 0)
    words = None if submission.finished or not submission.step else gettext(submission.step)
    return progress_of(submission, share=share, words=words)
