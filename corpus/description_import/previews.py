"""Previews of imports: an uploaded file is read and compared, and shown to the lead before anything is imported."""

from collections.abc import Container, Mapping
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils.translation import gettext as _

from corpus.description_formats import CHARSETS, DETECTED, FORMATS, SEPARATORS, BadFile, FileChoices
from corpus.description_formats.charsets import in_utf8
from corpus.description_formats.csv_dialects import FIELDS, headers_of
from corpus.description_import.import_descriptions import Compared, no_row, read_and_compare
from corpus.description_import.jobs import choices_of, kept_file, rows_read, shown_problems, upload_values
from corpus.models import Import, ImportPreview, VideoUpload
from foundation.infra.job_progress import pace_of, progress_of, tells
from foundation.infra.jobs import JobProgress, job_task
from foundation.infra.storage import delete_file
from foundation.models import Membership
from foundation.refused import Refused

ROWS = 10
"""Rows that a preview shows."""


def keep_for_preview(
    *, member: Membership, upload: "UploadedFile[Any]", choices: FileChoices = DETECTED, skip_bad: bool = False
) -> ImportPreview:
    """Store an uploaded file that a worker is to read; the caller sends the task. Raises: StoringError."""
    return ImportPreview.objects.create(
        collection=member.collection, member=member, **upload_values(upload, choices, skip_bad=skip_bad)
    )


@transaction.atomic
def read_anew(*, preview_id: int, member: Membership, choices: FileChoices, skip_bad: bool) -> ImportPreview:
    """Have a preview's file read in another way; the caller sends the task. Raises: Refused."""
    preview = _waiting(preview_id, member)
    preview.format, preview.charset, preview.separator = choices.format, choices.charset, choices.separator
    preview.columns, preview.skip_bad = dict(choices.columns), skip_bad
    preview.state, preview.found, preview.done, preview.bytes_done = ImportPreview.State.QUEUED, {}, 0, 0
    preview.problem, preview.started_at, preview.finished_at, preview.touched_at = "", None, None, None
    preview.save()
    return preview


@transaction.atomic
def import_previewed(*, preview_id: int, member: Membership, skip_bad: bool) -> Import:
    """An import of a preview's file as it was read, in the preview's place; the caller sends the task.

    Raises: Refused.
    """
    preview = _waiting(preview_id, member)
    job = Import.objects.create(
        collection=member.collection,
        member=member,
        skip_bad=skip_bad,
        **{
            name: getattr(preview, name)
            for name in ("file_name", "stored_file", "size", "format", "charset", "separator", "columns")
        },
    )
    VideoUpload.objects.filter(preview=preview).update(preview=None, descriptions=job)
    preview.delete()
    return job


@transaction.atomic
def discard_preview(*, preview_id: int, member: Membership) -> None:
    """Remove an uploaded file that isn't to be imported. Repeating it changes nothing. Raises: Refused."""
    preview = _waiting(preview_id, member)
    preview.delete()
    transaction.on_commit(lambda: delete_file(preview.stored_file))


def _waiting(preview_id: int, member: Membership) -> ImportPreview:
    preview = member.collection.import_previews.select_for_update(no_key=True).filter(pk=preview_id).first()
    if preview is None:
        raise Refused(_("This file was imported or discarded meanwhile."))
    if not preview.finished:
        raise Refused(_("A worker is still reading this file. Wait for the preview."))
    return preview


@job_task(ImportPreview)
def run_preview(job: ImportPreview, progress: JobProgress) -> None:
    """Read the kept file and note what was understood. Nothing is imported."""
    progress.note(done=0, bytes_done=0)
    choices = choices_of(job)
    try:
        # What is staged goes with the transaction; nobody else's import has to wait for it.
        with transaction.atomic(), kept_file(job) as file:
            read = read_and_compare(
                collection=job.collection,
                file=file,
                name=job.file_name,
                choices=choices,
                progress=lambda step: progress.count(step, bytes_done=file.tell()),
            )
            job.found = _found(read, choices)
    except BadFile as refusal:
        job.found = _not_understood(job, choices, refusal)
    job.done = progress.done
    job.save(update_fields=["found", "done"])


def _found(read: Compared, choices: FileChoices) -> dict[str, Any]:
    counts = read.staging.counts()
    rows, total = counts.pop("rows"), read.rejections.total
    problems = read.rejections.first
    if not rows and not total:
        problems, total = [no_row(read.rejections.file_name)], 1
    unchanged = rows - counts["added"] - counts["changed"] + read.repeated
    dialect = read.understood.dialect
    return {
        "format": read.understood.format.name,
        "charset": read.understood.charset,
        "separator": dialect.separator if dialect else "",
        "headers": list(dialect.headers) if dialect else [],
        "columns": {field: dialect.headers[place] for field, place in dialect.columns.items()} if dialect else {},
        "ignored": dialect.ignored if dialect else [],
        "remarks": read.understood.remarks,
        "rows": read.staging.first_rows(ROWS),
        "counts": {
            **counts,
            "unchanged": unchanged,
            "rejected": read.rejections.total,
            "moments_removed": read.staging.moments_to_leave(),
            "retimed": read.staging.videos_to_retime(),
            "named": read.staging.moments_to_name(),
        },
        "problem_count": total,
        "problems": shown_problems(problems),
    }


def _not_understood(job: ImportPreview, choices: FileChoices, refusal: BadFile) -> dict[str, Any]:
    """What is shown of a file that can't be read: the problems, and the header's columns to choose from."""
    headers: list[str] = []
    if any(problem.choice in ("columns", "separator") for problem in refusal.problems):
        with kept_file(job) as file:
            headers = list(headers_of(in_utf8(file, choices.charset or "utf-8"), separator=choices.separator))
    return {
        "format": choices.format or ("csv" if headers else ""),
        "headers": [header for header in headers if header],
        "problem_count": refusal.total,
        "problems": shown_problems(refusal.problems),
    }


@tells(ImportPreview)
def progress_of_preview(job: ImportPreview) -> dict[str, Any]:
    """How far it is: as `progress_of`."""
    share = 100 * job.bytes_done / max(1, job.size)
    words = f"{rows_read(job.done)}{pace_of(job, share / 100, count=job.done)}."
    return progress_of(job, share=share, words=words)


def choices_from(form: Mapping[str, str]) -> FileChoices:
    """The choices of a form, `column-FIELD` each for a column. Raises: ValueError for one that isn't offered."""
    offered: dict[str, Container[str]] = {"format": FORMATS, "charset": CHARSETS, "separator": SEPARATORS}
    values = {name: form.get(name, "").strip() for name in offered}
    for name, value in values.items():
        if value and value not in offered[name]:
            raise ValueError(_("Found “%(found)s”, expected one of the offered choices.") % {"found": value[:40]})
    columns = {field: form.get(f"column-{field}", "").strip()[:200] for field in FIELDS}
    return FileChoices(**values, columns={field: header for field, header in columns.items() if header})
