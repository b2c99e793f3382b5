"""The job that audits a file of judgments that somebody uploaded."""

import gzip
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from celery import shared_task
from django.conf import settings
from django.core.files.storage import default_storage
from django.utils.translation import gettext, gettext_noop

from datasets.judgment_audits.services import forget_files
from datasets.models import JudgmentAudit
from evaluation.errors import EvaluationError, InputError
from evaluation.judgments.audit import audit
from evaluation.reading.judgments import read_judgments
from evaluation.reading.pairs import read_pairs
from foundation.infra.job_progress import progress_of, tells
from foundation.infra.jobs import JobProgress, run_job
from foundation.infra.memory import bounded_memory
from foundation.infra.scratch import scratch_folder
from foundation.refused import FileRefused
from foundation.uploads.pieces import in_bytes

MOST_OPEN = 1_000
"""Open pairs that an audit names."""
CHUNK = 1 << 20
READING = gettext_noop("Reading the file")
STEPS = {
    "rule": gettext_noop("Applying the rule"),
    "agreement": gettext_noop("Comparing judgments"),
    "workers": gettext_noop("Agreement of each worker"),
    "two workers": gettext_noop("Agreement of each two workers"),
}
SHARES = dict(zip((READING, *STEPS.values()), (5.0, 30.0, 40.0, 50.0, 70.0), strict=True))


@shared_task(name="datasets.tasks.audit_judgments")
def audit_judgments(job_id: int) -> None:
    """Celery task: run the job (`run_job`). What was uploaded goes when it is done or refused."""
    try:
        with bounded_memory(settings.RUN_MEMORY_MB):
            run_job(JudgmentAudit, job_id, _audit)
    finally:
        ended = JudgmentAudit.objects.filter(pk=job_id, state__in=[JudgmentAudit.DONE, JudgmentAudit.REFUSED])
        for row in ended.defer("result"):
            forget_files(row)


def _audit(job: JudgmentAudit, progress: JobProgress) -> None:
    step = ""

    def told(name: str, done: int, total: int) -> None:
        nonlocal step
        if name != step:
            step = name
            progress.stage(STEPS[name], total, "")
        progress.done = done
        progress.count()

    progress.stage(READING, 0, "")
    names = {"file": job.file_name, "pairs": job.pairs_name}
    with scratch_folder("judgment-audit") as folder:
        try:
            judgments = read_judgments(_fetched(job.stored_file, folder / "file"), ratings=job.ratings)
            moments = read_pairs([_fetched(job.pairs_file, folder / "pairs")]) if job.pairs_file else None
            judgments = replace(judgments, name=job.file_name)
            found = audit(judgments, moments=moments, moments_of=job.pairs_name, most_open=MOST_OPEN, progress=told)
        except InputError as fault:
            raise FileRefused(fault.in_words(names[fault.path.name], ".")) from fault
        except EvaluationError as fault:
            raise FileRefused(str(fault)) from fault
    job.said = f"Audited {found['judgments']:,} judgments of {found['pairs']:,} pairs."
    # An audit that was deleted meanwhile stays so.
    JudgmentAudit.objects.filter(pk=job.pk).update(result=found, said=job.said)


def _fetched(stored: str, path: Path) -> Path:
    """Copy a file from the storage to this place, unpacked. Raises: FileRefused."""
    if not stored or not default_storage.exists(stored):
        raise FileRefused("The file is no longer in the storage: upload it again.")
    most = settings.LONGEST_UPLOAD
    with default_storage.open(stored, "rb") as opened, path.open("wb") as copy:
        packed = opened.read(2) == b"\x1f\x8b"
        opened.seek(0)
        source: Any = gzip.GzipFile(fileobj=opened) if packed else opened
        try:
            while chunk := source.read(CHUNK):
                copy.write(chunk)
                if copy.tell() > most:
                    raise FileRefused(f"It is too large unpacked: expected at most {in_bytes(most)}.")
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise FileRefused(f"The file begins like gzip and can't be unpacked: {error}.") from error
    return path


@tells(JudgmentAudit)
def progress_of_audit(job: JudgmentAudit) -> dict[str, Any]:
    """The job's progress, as `progress_of`."""
    share = SHARES.get(job.step, 0.0) + (20.0 * job.done / job.total if job.total else 0.0)
    step = gettext(job.step) if job.step and not job.finished else ""
    return progress_of(job, share=share, words=f"{step}." if step else None)
