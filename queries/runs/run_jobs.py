"""Jobs that add a run for a lead in the browser: the upload is stored, a worker reads it."""

from typing import IO, Any

from celery import shared_task
from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile

from foundation.infra.jobs import JobProgress, run_job
from foundation.infra.memory import bounded_memory
from foundation.infra.scratch import scratch_folder
from foundation.infra.storage import keep_file
from foundation.models import Membership, new_public_name
from queries.models import PoolRunAddition
from queries.runs.add_run import AddedRun, add_run, names_of
from queries.runs.received_run import clean_file_name, fetch_run, run_with_videos, sha256_and_size


def keep_run(
    *, member: Membership, upload: "UploadedFile[Any]", team: str, system: str, videos: IO[bytes] | None = None
) -> PoolRunAddition:
    """Store an uploaded run and record a job to add it; the caller sends the task.

    Args: videos: the file of its videos' indices, where it names them so.
    Raises: FileRefused, StoringError.
    """
    team, system = names_of(team, system)
    with run_with_videos(upload, videos) as file:
        _, size = sha256_and_size(file)
        stored_file = keep_file(f"pool-runs/{new_public_name()}/file", File(file))
    return PoolRunAddition.objects.create(
        collection=member.collection,
        member=member,
        team=team,
        system=system,
        file_name=clean_file_name(upload.name or ""),
        stored_file=stored_file,
        size=size,
    )


@shared_task(name="queries.tasks.add_pool_run")
def add_pool_run(job_id: int) -> None:
    """Celery task: run the job (`run_job`). Once it has ended, however it did, the upload isn't kept."""
    try:
        with bounded_memory(settings.RUN_MEMORY_MB):
            run_job(PoolRunAddition, job_id, _add)
    finally:
        _forget_upload(job_id)


def _add(job: PoolRunAddition, progress: JobProgress) -> None:
    progress.note(done=0, step="Reading the run")
    added = _add_stored(job, progress)
    job.said, job.run = added.in_words(), added.run
    job.save(update_fields=["said", "run"])


def _add_stored(job: PoolRunAddition, progress: JobProgress) -> AddedRun:
    with scratch_folder("pool-run") as folder:
        return add_run(
            collection=job.collection,
            path=fetch_run(job.stored_file, folder),
            team=job.team,
            system=job.system,
            file_name=job.file_name,
            member=job.member,
            progress=progress.count,
        )


def _forget_upload(job_id: int) -> None:
    job = PoolRunAddition.objects.filter(pk=job_id).exclude(state__in=[*PoolRunAddition.TURN, "stopped"]).first()
    if job is not None and job.stored_file:
        default_storage.delete(job.stored_file)
        PoolRunAddition.objects.filter(pk=job_id).update(stored_file="")
