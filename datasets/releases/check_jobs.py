"""Jobs that check a release for a lead in the browser."""

from typing import Any

from datasets.models import Release, ReleaseCheck
from datasets.releases.make_release import write_release
from evaluation.releases import check_release as validation
from foundation.infra.job_progress import progress_of
from foundation.infra.jobs import JobProgress, job_task
from foundation.infra.scratch import scratch_folder
from foundation.models import Membership


def ask_for_check(*, member: Membership, release: Release) -> ReleaseCheck:
    """Record a job to check a release, or return the one that waits or runs; the caller sends the task."""
    unfinished = ReleaseCheck.to_do().filter(release=release).order_by("pk").first()
    return unfinished or ReleaseCheck.objects.create(release=release, member=member)


@job_task(ReleaseCheck)
def check_release(job: ReleaseCheck, progress: JobProgress) -> None:
    """Write the release's files, and check them."""
    with scratch_folder("check") as scratch:
        folder = scratch / job.release.name
        write_release(release=job.release, folder=folder, stage=progress.stage)
        found = validation.verify_release(folder, progress.stage)
    job.problems, job.claims = found.problems(), [claim.as_data() for claim in found]
    job.said = validation.verdict(f"Release {job.release.name}", job.problems)
    job.save(update_fields=["problems", "claims", "said"])


def check_of(release: Release) -> dict[str, Any] | None:
    """The newest check of a release for its page: {"asked_at", "finished_at", "problems", "claims", **`progress_of`};
    None if nobody has checked it."""
    job = release.checks.order_by("-pk").first()
    if job is None:
        return None
    when = {"asked_at": job.asked_at, "finished_at": job.finished_at}
    return {**when, "problems": job.problems, "claims": job.claims, **progress_of(job)}
