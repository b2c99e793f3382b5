"""Release jobs started in the browser: request and progress."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from corpus.infra.jobs import Progress, progress_of, run_job
from corpus.models import Membership
from datasets.formats import FORMATS
from datasets.formats.about import about_of
from datasets.models import ReleaseJob
from datasets.releases.make_release import ReleaseError, create_release
from queries.pooling.query_selection import training_descriptions


def ask_for_release(
    *,
    member: Membership,
    name: str,
    formats: list[str],
    adjudicated: bool = False,
    about: Mapping[str, str] = MappingProxyType({}),
) -> ReleaseJob:
    """Record a job to make a release, or return the one that waits under this name; the caller sends the task.

    Raises: ReleaseError if there is a release of the name, or a format is unknown or missing.
    """
    try:
        said = about_of(about)
    except ValueError as error:
        raise ReleaseError(f"{str(error)[0].upper()}{str(error)[1:]}.") from error
    unknown = sorted(set(formats) - set(FORMATS))
    if unknown or not formats:
        raise ReleaseError(
            f"There is no format {unknown[0]!r}." if unknown else "Choose at least one format for the release."
        )
    if name and member.collection.releases.filter(name=name).exists():
        raise ReleaseError(f"There is a release {name} already, and it never changes: choose another name.")
    waiting = ReleaseJob.objects.filter(collection=member.collection, name=name, finished_at=None).first()
    return waiting or ReleaseJob.objects.create(
        collection=member.collection,
        member=member,
        name=name[:60],
        formats=sorted(set(formats)),
        adjudicated=adjudicated,
        about=said,
    )


def make_asked_release(*, job_id: int) -> None:
    """Run the job (`run_job`)."""
    run_job(ReleaseJob, job_id, _make, refusals=(ReleaseError,))


def _make(job: ReleaseJob, progress: Progress) -> None:
    total = job.collection.queries.count() + training_descriptions(job.collection).count()
    progress.note(done=0, total=total)
    job.release = create_release(
        collection=job.collection,
        name=job.name,
        formats=job.formats,
        adjudicated=job.adjudicated,
        about=job.about,
        progress=progress.count,
    )
    job.save(update_fields=["release"])


def progress_of_release(job: ReleaseJob) -> dict[str, Any]:
    """The job's progress, as `progress_of`."""
    if job.finished:
        words = "Made."
    elif job.done >= job.total:
        words = "All queries written; packing the files."
    else:
        words = f"{job.done:,} of {job.total:,} queries written{_rate(job)}."
    return progress_of(job, share=100 * job.done / max(1, job.total), words=words)


def _rate(job: ReleaseJob) -> str:
    if job.started_at is None or job.touched_at is None or not job.done:
        return ""
    seconds = (job.touched_at - job.started_at).total_seconds()
    if seconds < 1:
        return ""
    left = seconds * (job.total - job.done) / job.done
    return f", {job.done / seconds:,.0f} a second, about {max(1, round(left)):,} s left"
