"""Release jobs started in the browser: request and progress."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from datasets.content.split_counts import undecided_pairs
from datasets.formats import FORMATS
from datasets.formats.about import about_of
from datasets.models import Release, ReleaseJob
from datasets.releases.asked import refuse_bad_cosine, refuse_unknown_judges
from datasets.releases.make_release import create_release
from foundation.infra.job_progress import pace_of, progress_of, tells
from foundation.infra.jobs import JobProgress, as_sentence, job_task
from foundation.models import Membership
from foundation.refused import Refused
from queries.pooling.query_selection import training_descriptions


def ask_for_release(
    *,
    member: Membership,
    name: str,
    formats: list[str],
    adjudicated: bool = False,
    train_below: float | None = None,
    posteriors: bool = False,
    provenance: bool = False,
    machine_judges: Sequence[str] = (),
    about: Mapping[str, str] = MappingProxyType({}),
    without_undecided: bool = False,
) -> ReleaseJob:
    """Record a job to make a release, or return the one that waits under this name; the caller sends the task.

    Args: without_undecided: that it may leave out pairs which aren't decided yet.
    Raises: Refused if the name won't do or has a release, a format is unknown or missing, `train_below` is no cosine of
        near captions, a machine judge is unknown, or pairs are undecided.
    """
    if name:
        try:
            Release._meta.get_field("name").run_validators(name)
        except ValidationError as error:
            raise Refused(as_sentence(" ".join(error.messages)), field="name") from error
    if not without_undecided and undecided_pairs(member.collection):
        raise Refused(
            gettext("Some pairs aren't decided yet, and a release can't be changed: confirm that it leaves them out."),
            field="without_undecided",
        )
    refuse_bad_cosine(train_below)
    refuse_unknown_judges(member.collection, machine_judges)
    about = about_of(about)
    unknown = sorted(set(formats) - set(FORMATS))
    if unknown:
        raise Refused(gettext("There is no format %(name)s.") % {"name": repr(unknown[0])}, field="format")
    if not formats:
        raise Refused(gettext("Choose at least one format for the release."), field="format")
    if name and member.collection.releases.filter(name=name).exists():
        raise Refused(
            gettext("There is a release %(name)s already, and it never changes: choose another name.") % {"name": name},
            field="name",
        )
    waiting = ReleaseJob.objects.filter(collection=member.collection, name=name, finished_at=None).first()
    return waiting or ReleaseJob.objects.create(
        collection=member.collection,
        member=member,
        name=name[:60],
        formats=sorted(set(formats)),
        adjudicated=adjudicated,
        train_below=train_below,
        posteriors=posteriors,
        provenance=provenance,
        machine_judges=sorted(set(machine_judges)),
        about=about,
    )


@job_task(ReleaseJob)
def make_asked_release(job: ReleaseJob, progress: JobProgress) -> None:
    """Make the release that is asked for."""
    total = job.collection.queries.count() + training_descriptions(job.collection).count()
    progress.note(done=0, total=total)
    job.release = create_release(
        collection=job.collection,
        name=job.name,
        formats=job.formats,
        adjudicated=job.adjudicated,
        train_below=job.train_below,
        posteriors=job.posteriors,
        provenance=job.provenance,
        machine_judges=job.machine_judges,
        about=job.about,
        progress=progress.count,
    )
    job.save(update_fields=["release"])


@tells(ReleaseJob)
def progress_of_release(job: ReleaseJob) -> dict[str, Any]:
    """The job's progress, as `progress_of`."""
    if job.finished:
        words = "Made."
    elif job.done >= job.total:
        words = "All queries written; packing the files."
    else:
        pace = pace_of(job, job.done / max(1, job.total), count=job.done)
        words = f"{job.done:,} of {job.total:,} queries written{pace}."
    return progress_of(job, words=words)
