"""Ask for a collection's deletion, and carry it out."""

import shutil
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from foundation.deletion.hooks import files_of, losses_of, obstacles_of, warnings_of
from foundation.deletion.rows import delete_rows, tables
from foundation.infra.advisory_lock import somebody_is_at
from foundation.infra.job_control import stop_job
from foundation.infra.jobs import JobProgress, job_task
from foundation.infra.storage import delete_file
from foundation.jobs.selectors import kinds
from foundation.models import Collection, CollectionDeletion, Job, Membership
from foundation.refused import Busy, Refused


@transaction.atomic
def ask_for_deletion(*, member: Membership, typed: str, agreed: bool) -> CollectionDeletion:
    """Record that a collection is to be deleted, and archive it with its studies; the caller sends the task.

    Asked again, it is the one that is there; one that ended otherwise waits for a worker again.

    Args: typed: the collection's name as its owner typed it; agreed: to the warnings.
    Raises: Refused for who isn't an owner, a study, another name, an obstacle, or warnings not agreed to.
    """
    collection = Collection.objects.select_for_update(no_key=True).get(pk=member.collection_id)
    if Membership.objects.get(pk=member.pk).role != Membership.Role.OWNER:
        raise Refused(_("Only an owner can delete a collection."))
    if collection.is_study:
        raise Refused(_("A study is deleted with its collection."))
    standing = CollectionDeletion.objects.filter(number=collection.pk).first()
    if standing is not None and not standing.finished:
        return standing
    if typed.strip() != collection.name:
        raise Refused(
            _("Found “%(found)s”, expected the name %(name)s.")
            % {"found": typed.strip()[:60], "name": collection.name},
            "typed",
        )
    for obstacle in obstacles_of(collection):
        raise Refused(obstacle)
    if warnings_of(collection) and not agreed:
        raise Refused(_("Tick this box as well."), "agreed")
    now = timezone.now()
    Collection.objects.filter(pk=collection.pk, archived_at=None).update(archived_at=now)
    collection.studies.filter(archived_at=None).update(archived_at=now)
    with override("en"):  # stored
        lost = ", ".join(loss.words for loss in losses_of(collection))
    about = {"name": collection.name, "title": collection.title, "account": member.account, "said": lost}
    waiting = {"state": CollectionDeletion.State.QUEUED, "problem": "", "finished_at": None, "due_at": None, "begun": 0}
    return CollectionDeletion.objects.update_or_create(number=collection.pk, defaults={**about, **waiting})[0]


@job_task(CollectionDeletion)
def delete_collection(job: CollectionDeletion, progress: JobProgress) -> None:
    """Delete rows, then files. It waits for work in the collection to end."""
    collection = Collection.objects.filter(pk=job.number).first()
    if not job.rows_gone and collection is not None:
        _end_work_in(collection)
        progress.stage("Deleting rows", len(tables()), "tables")
        moved = _put_aside(collection)
        try:
            with transaction.atomic():
                numbers = [collection.pk, *collection.studies.values_list("pk", flat=True)]
                job.files = delete_rows(numbers, progress.count)
                job.rows_gone = True
                job.save(update_fields=["files", "rows_gone"])
        except IntegrityError as error:
            for there, aside in moved:
                aside.rename(there)
            raise Busy("somebody added something to the collection meanwhile") from error
    advance = progress.stage("Removing files", len(job.files), "files")
    for name in job.files:
        delete_file(name)
        advance(1)
    shutil.rmtree(_aside(job.number), ignore_errors=True)
    count = len(job.files)
    job.said = f"{job.title} is deleted: {job.said or 'it was empty'}. Files removed from the storage: {count:,}."
    job.files = []
    job.save(update_fields=["said", "files"])


def _aside(number: int) -> Path:
    """Where the uploads of a collection with this number lie while it is deleted."""
    return Path(settings.VIDEO_FOLDER) / f".deleted-{number}"


def _put_aside(collection: Collection) -> list[tuple[Path, Path]]:
    """Move its uploaded videos, and what has arrived of others, to where no collection looks.

    Before the rows go: whatever is left by a worker that is killed, another collection may be founded under the name as
    soon as they are gone, and would find these videos as its own.

    Returns: from where each was moved, and to where.
    """
    aside = _aside(collection.pk)
    files = {file.part.name: file.part for file in collection.sent_files.all()} | files_of(collection)
    moved = [(there, aside / name) for name, there in files.items()]
    moved = [(there, target) for there, target in moved if there.exists() and not target.exists()]
    for there, target in moved:
        target.parent.mkdir(parents=True, exist_ok=True)
        there.rename(target)
    return moved


def _end_work_in(collection: Collection) -> None:
    """Stop the collection's jobs. Raises: Busy while a worker is at one."""
    busy = False
    for model in kinds().values():
        for job in _unfinished(model, collection):
            stop_job(job)
        busy = busy or any(somebody_is_at(*job.lock) for job in _lately(model, collection))
    if busy:
        raise Busy("a job of the collection is ending")


def _unfinished(model: type[Job], collection: Collection) -> Any:
    own = {model.COLLECTION: collection}
    return model._default_manager.filter(**own, state__in=model.TURN)


def _lately(model: type[Job], collection: Collection) -> Any:
    """The stopped ones of the last hours, of which a worker may still be at one."""
    own = {model.COLLECTION: collection}
    return model._default_manager.filter(**own, state=model.STOPPED).order_by("-finished_at")[:20]
