"""Jobs that import a file of topics for a lead in the browser."""

from dataclasses import asdict
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from corpus.description_import.jobs import kept_file, refuse_larger, stored_upload
from foundation.infra.jobs import JobProgress, job_task
from foundation.models import Membership
from foundation.refused import Refused
from queries.models import TopicImport
from queries.topics.import_topics import import_stream
from queries.topics.readers import TopicFileChoices

LARGEST = 100 << 20
"""Bytes of a file: 100 MiB, more than 100,000 topics with long narratives."""


def ask_for_topic_import(
    *, member: Membership, upload: "UploadedFile[Any]", choices: TopicFileChoices, another: bool = True
) -> TopicImport:
    """Keep an uploaded file and record a job to import it, or return the one that waits or runs; the caller sends the
    task.

    Args: another: whether one that stands is an answer.
    Raises: StoringError, Refused; Refused where one stands that is none.
    """
    refuse_larger(upload.size or 0, LARGEST)
    standing = TopicImport.to_do().filter(collection=member.collection)
    job = standing.first()
    if job is not None and not another:
        raise Refused("Another file of topics waits or is being imported. Send this one when that has ended.")
    if job is not None:
        return job
    about = stored_upload("topics", upload)
    return standing.get_or_create(
        collection=member.collection, defaults={"member": member, **about, **asdict(choices)}
    )[0]


@job_task(TopicImport)
def import_asked_topics(job: TopicImport, progress: JobProgress) -> None:
    """Import the kept file. It waits while descriptions are imported, or queries are drawn."""
    progress.note(done=0)
    choices = TopicFileChoices(job.format, job.charset, job.separator, job.split)
    with kept_file(job) as file, transaction.atomic():
        report = import_stream(
            collection=job.collection, file=file, name=job.file_name, choices=choices, progress=progress.count
        )
        job.said = " ".join([report.in_words(), *(f"{remark}." for remark in report.remarks)])
        job.save(update_fields=["said"])
        job.end()
