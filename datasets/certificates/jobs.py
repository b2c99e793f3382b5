"""Jobs that compute a release's certificate."""

from dataclasses import asdict
from typing import Any

from django.db import transaction

from annotation.scale import scale_of_release
from datasets.certificates.systems import enough, read_systems, systems_of
from datasets.models import Certificate, Release
from datasets.releases.file_cache import NoSuchFile, file_on_disk
from evaluation import EvaluationError
from evaluation.arrays import json_ready
from evaluation.measures.usual import usual_measure
from evaluation.pooling.certificate import certify as compute_certificate
from evaluation.reading import read_ground_truth
from foundation.infra.jobs import JobProgress, ask, job_task
from foundation.refused import Refused

SEED = 0
DRAWS = 1000
"""Of queries, for the intervals; both as in `python -m evaluation certificate`."""


@transaction.atomic
def record_certificate(release: Release, *, anew: bool = True) -> tuple[Certificate | None, bool]:
    """Record a job to compute the certificate of a release over the runs that there are now; the caller sends it.

    Args: anew: also where there is a certificate already, if the runs are others or it wasn't computed.
    Returns: the newest, and whether it is to be sent. None where no split has two systems.
    """
    Release.objects.select_for_update(no_key=True).get(pk=release.pk)
    systems, newest = systems_of(release), newest_of(release)
    if not enough(systems):
        return newest, False
    if newest is not None and (not anew or not newest.finished or (newest.results and newest.systems == systems)):
        return newest, False
    return Certificate.objects.create(release=release, systems=systems), True


def certificate_or_ask(release: Release) -> Certificate | None:
    """The newest certificate; the first one is asked for once there are systems to compare."""
    newest = newest_of(release)
    if newest is not None or release.collection.archived_at is not None or not enough(systems_of(release)):
        return newest
    certificate, is_new = record_certificate(release, anew=False)
    if certificate is not None and is_new:
        ask(certificate)
    return certificate


def newest_of(release: Release) -> Certificate | None:
    """The release's newest certificate, whatever its state."""
    return release.certificates.order_by("-pk").first()


def newest_done(release: Release) -> Certificate | None:
    """The release's newest certificate that is computed."""
    return release.certificates.filter(state=Certificate.State.DONE).order_by("-pk").first()


@job_task(Certificate, bounded=True)
def certify_release(job: Certificate, progress: JobProgress) -> None:
    """Compute a certificate of each split that has systems to compare, and keep them on the job's row.

    What it finds rests on the release and the runs alone: begun again it finds the same. Raises: Refused.
    """
    splits = enough(job.systems)
    try:
        job.results = {split: _of_split(job, split, progress) for split in splits}
    except NoSuchFile as refusal:
        raise Refused(f"{refusal}: a certificate is computed from this file of the format tvr-ranking") from refusal
    except EvaluationError as refusal:
        raise Refused(str(refusal)) from refusal
    count = len({system["sha256"] for systems in splits.values() for system in systems})
    job.said = f"Certified over {count} systems."
    job.save(update_fields=["results", "said"])


def _of_split(job: Certificate, split: str, progress: JobProgress) -> dict[str, Any]:
    progress.note(done=0, total=0, step=f"Reading the runs of {split}.")
    with file_on_disk(job.release, f"{split}.json") as path:
        truth = read_ground_truth(path)
    systems = job.systems[split]
    certified = compute_certificate(
        truth,
        list(read_systems(job.release, split, systems, truth)),
        measure=usual_measure(truth),
        teams={system["name"]: system["team"] for system in systems},
        draws=DRAWS,
        seed=SEED,
        scale=scale_of_release(job.release.manifest).numbers,
        progress=lambda done, of: progress.note(done=done, total=of, step=f"Leaving systems of {split} out:"),
        trying=lambda done, of: progress.note(done=done, total=of, step=f"Trying other grades of {split}:"),
    )
    figures: dict[str, Any] = json_ready(asdict(certified))
    return {**figures, "ground_truth": f"{job.release.name} {split}"}
