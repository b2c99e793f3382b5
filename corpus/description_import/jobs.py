"""Import jobs started in the browser: the upload is stored, a worker imports it, the row holds its progress."""

import json
import tempfile
from collections.abc import Iterable
from typing import IO, Any, BinaryIO, Protocol, TypeVar, cast

from celery import shared_task
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy
from django.utils.translation import ngettext

from corpus.description_formats import DETECTED, BadFile, BadRow, FileChoices, Problem
from corpus.description_import.change_hooks import tell_imported
from corpus.description_import.import_descriptions import ImportReport, import_stream
from corpus.description_import.removing import take_back
from corpus.models import Import
from corpus.models.material import DescriptionUpload
from foundation.infra.advisory_lock import hold_descriptions, somebody_is_at
from foundation.infra.job_progress import pace_of, progress_of, tells
from foundation.infra.jobs import JobProgress, run_job
from foundation.infra.storage import delete_file, keep_file
from foundation.lazy import LazyStr
from foundation.models import Membership, new_public_name
from foundation.refused import Busy, FileRefused, Refused
from foundation.text import UNSTORABLE

WAITS_FOR_ANOTHER = lazy("Waits until another import into this collection has ended, then starts by itself.")
Row = TypeVar("Row", bound=Model)
COUNTS = ("added", "changed", "unchanged", "rejected", "moments", "videos", "moments_removed", "retimed", "named")


def keep_upload(
    *,
    member: Membership,
    upload: "UploadedFile[Any]",
    choices: FileChoices = DETECTED,
    skip_bad: bool = False,
) -> Import:
    """Store an uploaded file and record an import job for it; the caller sends the task. Raises: StoringError."""
    return Import.objects.create(
        collection=member.collection, member=member, **upload_values(upload, choices, skip_bad=skip_bad)
    )


def upload_values(upload: "UploadedFile[Any]", choices: FileChoices, *, skip_bad: bool) -> dict[str, Any]:
    """Store an uploaded file. Returns: the fields of its row. Raises: StoringError."""
    return {
        **stored_upload("imports", upload),
        "size": upload.size or 0,
        "format": choices.format,
        "charset": choices.charset,
        "separator": choices.separator,
        "columns": dict(choices.columns),
        "skip_bad": skip_bad,
    }


def choices_of(row: DescriptionUpload) -> FileChoices:
    """What was chosen about a row's file."""
    return FileChoices(row.format, row.charset, row.separator, row.columns)


def stored_upload(folder: str, upload: "UploadedFile[Any]") -> dict[str, str]:
    """Store an uploaded file. Returns: `file_name` and `stored_file` of its row. Raises: StoringError."""
    # A name of our own: the lead's says nothing to the storage, and nobody can guess it.
    stored = keep_file(f"{folder}/{new_public_name()}/file", upload)
    return {"file_name": name_of(upload), "stored_file": stored}


def keep_for_one_job(
    standing: QuerySet[Row], folder: str, upload: "UploadedFile[Any]", *, another: LazyStr, **values: Any
) -> Row:
    """Store an uploaded file and record a job with it, unless another of `standing` waits or runs.

    Args: another: why it is refused then. values: the job's fields besides `stored_upload`'s.
    Raises: StoringError, Refused.
    """
    if standing.exists():
        raise Refused(another)
    about = stored_upload(folder, upload)
    job, ours = standing.get_or_create(defaults={**values, **about})
    if not ours:  # somebody else's came between
        delete_file(about["stored_file"])
        raise Refused(another)
    return job


def refuse_larger(size: int, largest: int) -> None:
    """Raises: FileRefused for a file of more bytes than are read."""
    if size > largest:
        sizes = {"found": f"{size:,}", "most": f"{largest:,}"}
        raise FileRefused(_("Found %(found)s bytes, expected at most %(most)s.") % sizes)


def name_of(upload: "UploadedFile[Any]") -> str:
    """What an uploaded file is called, as it can be stored and shown."""
    return UNSTORABLE.sub("", upload.name or "")[-200:] or "file"


class StoredUpload(Protocol):
    """A row of an uploaded file."""

    file_name: str
    stored_file: str


def kept_file(row: StoredUpload) -> BinaryIO:
    """The uploaded file of a row. Raises: BadFile if the storage hasn't got it any more."""
    try:
        return cast(BinaryIO, default_storage.open(row.stored_file))
    except FileNotFoundError as gone:
        problem = BadRow.saying("file", "nothing in the storage", "the uploaded file").at(row.file_name, 1)
        raise BadFile([problem], 1) from gone


@shared_task(name=Import.TASK, throws=(Busy,))
def run_import(import_id: int) -> None:
    """Import the kept file: a job (`run_job`).

    Descriptions and the row's end are one transaction: a worker that is killed leaves nothing half imported.

    Raises: Busy while another import into the collection is under way: it is to be tried again.
    """
    run_job(Import, import_id, _import)
    job = Import.objects.select_related("collection").filter(pk=import_id, state=Import.State.DONE).first()
    if job is not None:
        tell_imported(job.collection)


def _import(job: Import, progress: JobProgress) -> None:
    if job.taking_back:
        take_back(job=job)
        return
    progress.note(done=0, bytes_done=0)
    try:
        with transaction.atomic():
            hold_descriptions(job.collection)
            _import_kept(job, progress)
            job.end()
    except BadFile as refusal:
        job.problem_count, job.problems = refusal.total, shown_problems(refusal.problems)
        job.save(update_fields=["problem_count", "problems"])
        job.end(f"{refusal.total:,} problem{'' if refusal.total == 1 else 's'} in the file.")


def _import_kept(job: Import, progress: JobProgress) -> None:
    with kept_file(job) as file, tempfile.TemporaryFile("w+", encoding="utf-8") as rows:
        report = import_stream(
            collection=job.collection,
            file=file,
            name=job.file_name,
            choices=choices_of(job),
            rejected=rows if job.skip_bad else None,
            progress=lambda step: progress.count(step, bytes_done=file.tell()),
        )
        if report.rejected:
            job.rejected_file = _keep_rejected(job, rows)
    record = ContentFile(json.dumps(report.record).encode())
    job.record_file = keep_file(job.stored_file.removesuffix("file") + "record.json", record)
    job.remarks = report.remarks
    job.format, job.guessed, job.done = report.format, report.guessed, progress.done
    job.counts = {name: getattr(report, name) for name in COUNTS}
    job.problem_count, job.problems = report.rejected, shown_problems(report.problems)
    job.save(
        update_fields=[
            *("format", "guessed", "done", "counts", "remarks", "rejected_file", "record_file"),
            *("problem_count", "problems"),
        ]
    )


def shown_problems(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Problems as a row keeps them."""
    return [{key: value for key, value in problem._asdict().items() if key != "file"} for problem in problems]


def _keep_rejected(job: Import, rows: IO[str]) -> str:
    rows.flush()
    buffer = cast(Any, rows).buffer
    buffer.seek(0)
    return keep_file(job.stored_file.removesuffix("file") + "rejected.jsonl", File(buffer))


@tells(Import)
def progress_of_import(job: Import) -> dict[str, Any]:
    """How far it is: as `progress_of`, and "rows"."""
    share = 100 * job.bytes_done / max(1, job.size)
    facts = {**progress_of(job, share=share, words=_in_words(job, share)), "rows": job.done}
    if job.state == Import.State.QUEUED and somebody_is_at("corpus.descriptions", job.collection_id):
        facts |= {"words": str(WAITS_FOR_ANOTHER), "silent": False}
    return facts


def _in_words(job: Import, share: float) -> str:
    read = rows_read(job.done)
    if job.taking_back:
        return _("It is being taken back.")
    if job.finished:
        return f"{read}."
    if share >= 100:
        return _("%(rows)s; checking and storing them.") % {"rows": read}
    return f"{read}{pace_of(job, share / 100, count=job.done)}."


def rows_read(number: int) -> str:
    """How many rows are read, in words."""
    return ngettext("%(count)s row read", "%(count)s rows read", number) % {"count": f"{number:,}"}


def report_of(job: Import) -> ImportReport | None:
    """The report of a finished import; None if nothing was imported."""
    return ImportReport(**job.counts, format=job.format, guessed=job.guessed) if job.counts else None
