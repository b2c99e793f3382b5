"""Jobs that look at a file of captions, import it and take it back, for a lead in the browser or a program."""

from dataclasses import asdict
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils.translation import gettext as _

from corpus.description_formats import BadRow
from corpus.description_import.jobs import keep_for_one_job, kept_file, refuse_larger, shown_problems
from corpus.description_import.row_files import RowChoices
from foundation.infra.jobs import JobProgress, job_task
from foundation.infra.storage import delete_file
from foundation.models import Membership
from foundation.refused import Refused
from queries.caption_import.caption_rows import read_maker
from queries.caption_import.import_captions import bring_captions, read_captions
from queries.caption_import.taking_back import refuse_beside_another, take_back
from queries.models import CaptionImport

LARGEST = 200 << 20
"""Bytes of a file: 200 MiB, more than a million captions."""
ROWS = 10
"""Rows that a look shows."""


def maker_typed(typed: str) -> str:
    """Who or what made the captions, as typed. Raises: Refused."""
    try:
        return read_maker(typed)
    except BadRow as bad:
        raise bad.refusal() from bad


def keep_captions(
    *, member: Membership, upload: "UploadedFile[Any]", choices: RowChoices, made_by: str, doing: str
) -> CaptionImport:
    """Keep an uploaded file and record a job that looks at it or imports it; the caller sends the task.

    Args: made_by: who or what made the captions that don't say it.
    Raises: StoringError; Refused for a file too large, a maker that won't do, or while another file waits or runs.
    """
    refuse_larger(upload.size or 0, LARGEST)
    return keep_for_one_job(
        CaptionImport.to_do().filter(collection=member.collection),
        "captions",
        upload,
        another=_("Another file of captions waits or is under way. Send this one when that has ended."),
        collection=member.collection,
        member=member,
        made_by=maker_typed(made_by),
        doing=doing,
        **asdict(choices),
    )


@transaction.atomic
def import_looked_at(*, job: CaptionImport) -> None:
    """Have a worker import a file that was looked at; the caller sends it. Raises: Refused."""
    _looked_at(job).turn_to(CaptionImport.Doing.IMPORT)
    job.refresh_from_db()


@transaction.atomic
def discard(*, job: CaptionImport) -> None:
    """Remove a file that isn't to be imported. Raises: Refused."""
    looked_at = _looked_at(job)
    looked_at.delete()
    transaction.on_commit(lambda: delete_file(looked_at.stored_file))


def _looked_at(job: CaptionImport) -> CaptionImport:
    row = CaptionImport.objects.select_for_update(no_key=True).filter(pk=job.pk).first()
    if row is None or not row.looked_at:
        raise Refused(_("This file was imported or discarded meanwhile, or a worker is at it."))
    refuse_beside_another(row)
    return row


@job_task(CaptionImport)
def import_captions(job: CaptionImport, progress: JobProgress) -> None:
    """Do with the file what the row says. It waits while descriptions are imported."""
    if job.doing == CaptionImport.Doing.BACK:
        take_back(job=job)
        return
    choices = RowChoices(job.format, job.charset, job.separator)
    count = progress.stage("Reading the file", None, "rows")
    with kept_file(job) as file:
        read, standing = read_captions(
            collection=job.collection,
            file=file,
            name=job.file_name,
            choices=choices,
            made_by=job.made_by,
            progress=count,
        )
    fresh = {} if read.rejections.total else standing.fresh(read.rows)
    job.found = {
        "rows": [row._asdict() for row in read.rows[:ROWS]],
        "counts": {
            "read": len(read.rows),
            "new": len(fresh),
            "replaced": 0 if read.rejections.total else standing.replaced(read.rows),
        },
        "problem_count": read.rejections.total,
        "problems": shown_problems(read.rejections.first),
        "remarks": read.remarks,
    }
    job.save(update_fields=["found"])
    if job.doing == CaptionImport.Doing.IMPORT:
        count = progress.stage("Checking captions", len(fresh), "captions")
        report = bring_captions(job=job, read=read, standing=standing, progress=count)
        job.said = " ".join([report.in_words(), *(f"{remark}." for remark in read.remarks)])
        job.save(update_fields=["said"])
