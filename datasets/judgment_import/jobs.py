"""Jobs that import judgments for a lead in the browser: the upload is stored, a worker imports it."""

import shutil
from dataclasses import asdict
from typing import Any

from celery import shared_task
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from corpus.description_formats import BadFile
from datasets.judgment_import import import_judgments as importing
from datasets.models import JudgmentImport
from foundation.counted import counted
from foundation.infra.job_progress import progress_of, tells
from foundation.infra.jobs import JobProgress, run_job
from foundation.infra.scratch import scratch_folder
from foundation.infra.storage import keep_file
from foundation.models import Membership, new_public_name
from foundation.refused import Busy
from foundation.text import UNSTORABLE


def keep_judgments(
    *, member: Membership, upload: "UploadedFile[Any]", format_name: str, split: str, ratings: str
) -> JudgmentImport:
    """Store an uploaded file and record a job to import its judgments; the caller sends the task.

    Raises: StoringError.
    """
    return JudgmentImport.objects.create(
        collection=member.collection,
        member=member,
        file_name=UNSTORABLE.sub("", upload.name or "")[-200:] or "file",
        stored_file=keep_file(f"judgments/{new_public_name()}/file", upload),
        size=upload.size or 0,
        format=format_name,
        split=split,
        ratings=ratings,
    )


@shared_task(name="datasets.tasks.import_judgments")
def import_judgments(job_id: int) -> None:
    """Celery task: run the job (`run_job`). It waits while another import or a draw is under way."""
    try:
        run_job(JudgmentImport, job_id, _import)
    except Busy:
        return  # it is in the queue again


def _import(job: JudgmentImport, progress: JobProgress) -> None:
    progress.note(done=0, step="Reading the file")
    job.problems, job.problem_count = [], 0
    try:
        # Judgments, report and end are one transaction: a worker that is killed leaves none of them.
        with transaction.atomic():
            report = _import_kept(job, progress)
            job.counts, job.said = asdict(report), " ".join(report.sentences)
            job.save(update_fields=["counts", "said", "problems", "problem_count"])
            job.end()
    except BadFile as refusal:
        job.problem_count, job.problems = refusal.total, [_shown(problem._asdict()) for problem in refusal.problems]
        job.save(update_fields=["problem_count", "problems"])
        job.end(f"Nothing was imported: {counted(refusal.total, 'problem')} in {job.file_name}.")


def _import_kept(job: JudgmentImport, progress: JobProgress) -> importing.JudgmentReport:
    with scratch_folder("judgments") as folder:
        path = folder / "judgments"
        with default_storage.open(job.stored_file, "rb") as stored, path.open("wb") as copy:
            shutil.copyfileobj(stored, copy)
        return importing.import_judgments(
            collection=job.collection,
            path=path,
            format_name=job.format,
            split=job.split,
            ratings=job.ratings,
            progress=progress.count,
            step=lambda name: progress.note(step=name[:1].upper() + name[1:]),
        )


def _shown(problem: dict[str, Any]) -> dict[str, Any]:
    return {name: problem[name] for name in ("line", "entry", "field", "found", "expected")}


@tells(JudgmentImport)
def progress_of_judgments(job: JudgmentImport) -> dict[str, Any]:
    """The job's progress, as `progress_of`; how many rows there are is known when all are read."""
    words = job.said if job.finished else f"{job.step}: {counted(job.done, 'row')} read."
    steps = {"Reading the file": 20.0, "": 95.0}
    return progress_of(job, share=steps.get(job.step, 60.0) if job.done else 5.0, words=words)
