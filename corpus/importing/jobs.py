"""Import jobs started in the browser: the file is kept, a worker imports it, the row holds its progress."""

import tempfile
import time
from datetime import timedelta
from typing import IO, Any, cast

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import connection, transaction
from django.utils import timezone

from corpus.importers import BadFile, BadRow, Problem
from corpus.importers.rows import UNSTORABLE
from corpus.importing.import_descriptions import ImportReport, import_stream
from corpus.infra.advisory_lock import alone_until_commit, hold_descriptions, somebody_is_at
from corpus.models import Import, Membership, new_public_name

TOLD_EVERY = 0.5
"""Seconds between two notes of how far an import is."""
SILENT = timedelta(seconds=30)
"""An import that nobody has touched for so long may be started again."""
COUNTS = ("added", "changed", "unchanged", "rejected", "moments", "videos", "moments_removed", "retimed")


def keep_upload(*, member: Membership, upload: UploadedFile, format_name: str, skip_bad: bool) -> Import:
    """Put the file into the storage and note that it is to be imported. The caller queues it."""
    return Import.objects.create(
        collection=member.collection,
        member=member,
        file_name=UNSTORABLE.sub("", upload.name or "")[-200:] or "file",
        # A name of our own: the lead's says nothing to the storage, and nobody can guess it.
        stored_file=default_storage.save(f"imports/{new_public_name()}/file", upload),
        size=upload.size or 0,
        format=format_name,
        skip_bad=skip_bad,
    )


def run_import(*, import_id: int) -> None:
    """Import the kept file. Safe to repeat and to run twice at once: one does it, and what is finished stays so.

    Descriptions and the row's end are one transaction: a worker that is killed leaves nothing half imported.

    Raises: DescriptionsBusy while another import into the collection is under way: it is to be tried again.
    """
    job = Import.objects.select_related("collection").filter(pk=import_id).first()
    if job is None or job.finished:
        return
    try:
        with transaction.atomic():
            # Falls with the transaction, so also with the connection of a worker that has died.
            if (
                not alone_until_commit("corpus.import", import_id, wait=False)
                or Import.objects.get(pk=import_id).finished
            ):
                return
            hold_descriptions(job.collection)
            _import(job)
    except BadFile as refusal:
        _finish(job, Import.State.REFUSED, refusal.problems, refusal.total)


def _import(job: Import) -> None:
    try:
        file = default_storage.open(job.stored_file)
    except FileNotFoundError as gone:
        problem = BadRow.saying("file", "nothing in the storage", "the uploaded file").at(job.file_name, 1)
        raise BadFile([problem], 1) from gone
    with file, _Teller(job, file) as teller, tempfile.TemporaryFile("w+", encoding="utf-8") as rows:
        report = import_stream(
            collection=job.collection,
            file=cast(Any, file),
            name=job.file_name,
            format_name=job.format or None,
            rejected=rows if job.skip_bad else None,
            progress=teller.tell,
        )
        if report.rejected:
            job.rejected_file = _keep_rejected(job, rows)
    job.format, job.guessed, job.rows_done = report.format, report.guessed, teller.rows
    job.counts = {name: getattr(report, name) for name in COUNTS}
    job.save(update_fields=["format", "guessed", "rows_done", "counts", "rejected_file"])
    _finish(job, Import.State.DONE, list(report.problems), report.rejected)


def _keep_rejected(job: Import, rows: IO[str]) -> str:
    rows.flush()
    buffer = cast(Any, rows).buffer
    buffer.seek(0)
    return default_storage.save(job.stored_file.removesuffix("file") + "rejected.jsonl", File(buffer))


def _finish(job: Import, state: str, problems: list[Problem], total: int) -> None:
    job.state, job.problem_count = state, total
    job.problems = [{key: value for key, value in problem._asdict().items() if key != "file"} for problem in problems]
    job.finished_at = timezone.now()
    job.save(update_fields=["state", "problem_count", "problems", "finished_at"])


class _Teller:
    """Notes how far an import is, over a connection of its own: the import's own transaction shows nothing yet."""

    def __init__(self, job: Import, file: File) -> None:
        self.rows = 0
        self._job, self._file = job, file
        self._told = 0.0

    def __enter__(self) -> "_Teller":
        self._connection = connection.copy()
        self._write("state = 'running', started_at = now(), touched_at = now(), rows_done = 0, bytes_done = 0", [])
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def tell(self, rows: int) -> None:
        self.rows += rows
        if time.monotonic() - self._told > TOLD_EVERY:
            self._told = time.monotonic()
            self._write(
                "touched_at = now(), rows_done = %s, bytes_done = %s", [self.rows, cast(Any, self._file).tell()]
            )

    def _write(self, values: str, parameters: list[int]) -> None:
        with self._connection.cursor() as cursor:
            cursor.execute(f"UPDATE corpus_import SET {values} WHERE id = %s", [*parameters, self._job.pk])


def unfinished_imports() -> list[int]:
    """The ids of imports that wait, or whose worker may have died: safe to queue again, whatever they do."""
    waiting = Import.objects.exclude(state__in=[Import.State.DONE, Import.State.REFUSED])
    return list(waiting.order_by("pk").values_list("pk", flat=True))


def is_silent(job: Import) -> bool:
    """Whether nobody has touched an unfinished import for a while."""
    silent = not job.finished and timezone.now() - (job.touched_at or job.uploaded_at) > SILENT
    return silent and not _waits_for_another(job)


def _waits_for_another(job: Import) -> bool:
    return job.state == Import.State.QUEUED and somebody_is_at("corpus.descriptions", job.collection_id)


def progress_of(job: Import) -> dict[str, Any]:
    """How far it is: {"state", "finished", "rows", "share" (0-100), "words", "silent"}."""
    share = 100.0 if job.finished else min(100.0, 100 * job.bytes_done / max(1, job.size))
    return {
        "state": job.state,
        "finished": job.finished,
        "rows": job.rows_done,
        "share": round(share, 1),
        "words": _in_words(job, share),
        "silent": is_silent(job),
    }


def _in_words(job: Import, share: float) -> str:
    if _waits_for_another(job):
        return "Waits until another import into this collection has finished, and then goes on by itself."
    if job.state == Import.State.QUEUED:
        return "Waits for a worker."
    if job.finished or job.started_at is None or job.touched_at is None:
        return f"{job.rows_done:,} rows read."
    if share >= 100:
        return f"{job.rows_done:,} rows read; checking and storing them."
    seconds = (job.touched_at - job.started_at).total_seconds()
    if seconds < 1 or not job.bytes_done:
        return f"{job.rows_done:,} rows read."
    left = seconds * (100 - share) / max(share, 0.1)
    return f"{job.rows_done:,} rows read, {job.rows_done / seconds:,.0f} a second, about {_duration(left)} left."


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def report_of(job: Import) -> ImportReport | None:
    """What a finished import did, None where nothing was imported."""
    return ImportReport(**job.counts, format=job.format, guessed=job.guessed) if job.counts else None
