"""Jobs that import judgments for a lead in the browser: the upload is stored, a worker imports it."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from zipfile import ZipFile

from django.core.files import File
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone

from annotation.scale import scale_of
from corpus.description_formats import BadFile
from corpus.description_formats.rows import Problem
from corpus.description_import.jobs import name_of
from datasets.judgment_import import import_judgments as importing
from datasets.judgment_import.repeated_ids import REFUSE
from datasets.models import JudgmentImport
from evaluation.errors import InputError
from evaluation.reading.grade_scale import table_in
from foundation.counted import counted
from foundation.infra.job_progress import progress_of, tells
from foundation.infra.jobs import JobProgress, as_sentence, job_task
from foundation.infra.scratch import scratch_folder
from foundation.infra.storage import StoringError, delete_file, keep_file
from foundation.models import Collection, Membership, new_public_name
from foundation.refused import Refused
from foundation.text import UNSTORABLE

COPY = "judgments"
"""How the file is called while it is imported."""
LONGEST_MAP = 50_000
"""Characters of a table of grades that is typed or sent."""


def keep_judgments(
    *,
    member: Membership,
    upload: "UploadedFile[Any]",
    format_name: str,
    split: str,
    ratings: str,
    map_grades: str = "",
    repeated_ids: str = REFUSE,
    pairs: Sequence["UploadedFile[Any]"] = (),
) -> JudgmentImport:
    """Store an uploaded file, and those of its pairs, and record a job to import its judgments; the caller sends the
    task.

    Raises: Refused for a table of grades that is none; StoringError.
    """
    try:
        grade_table = table_in(map_grades, scale_of(member.collection).numbers) if map_grades.strip() else None
    except InputError as fault:
        raise Refused(as_sentence(str(fault)), "map_grades") from fault
    folder = f"judgments/{new_public_name()}"
    pairs_file = _keep_packed(f"{folder}/pairs", pairs) if pairs else ""
    try:
        stored_file = keep_file(f"{folder}/file", upload)
    except StoringError:
        if pairs_file:
            delete_file(pairs_file)
        raise
    return JudgmentImport.objects.create(
        collection=member.collection,
        member=member,
        file_name=name_of(upload),
        stored_file=stored_file,
        pairs_file=pairs_file,
        size=upload.size or 0,
        format=format_name,
        split=split,
        ratings=ratings,
        grade_table=grade_table,
        repeated_ids=repeated_ids,
    )


def _keep_packed(name: str, uploads: Sequence["UploadedFile[Any]"]) -> str:
    with TemporaryFile() as packed:
        with ZipFile(packed, "w") as archive:
            for number, upload in enumerate(uploads):
                with archive.open(f"{number}/{name_of(upload)[-100:]}", "w", force_zip64=True) as file:
                    shutil.copyfileobj(upload, file)
        packed.seek(0)
        return keep_file(name, File(packed))


def note_import(
    collection: Collection,
    path: Path,
    report: importing.JudgmentReport,
    *,
    format_name: str,
    split: str,
    ratings: str,
    repeated_ids: str,
    grade_table: Mapping[str, int] | None = None,
) -> None:
    """Record an import that a command made, beside those that leads uploaded."""
    JudgmentImport.objects.create(
        collection=collection,
        file_name=UNSTORABLE.sub("", path.name)[-200:],
        size=path.stat().st_size,
        format=format_name,
        split=split,
        ratings=ratings,
        grade_table=grade_table,
        repeated_ids=repeated_ids,
        counts=asdict(report),
        said=" ".join(report.sentences),
        state=JudgmentImport.State.DONE,
        finished_at=timezone.now(),
    )


@job_task(JudgmentImport)
def import_judgments(job: JudgmentImport, progress: JobProgress) -> None:
    """Import the kept file. It waits while another import or a draw is under way."""
    progress.note(done=0, step="Reading the file")
    job.problems, job.problem_count = [], 0
    try:
        # Judgments, report and end are one transaction: a worker that is killed leaves none of them.
        with transaction.atomic():
            report = _import_kept(job, progress)
            job.counts, job.said = asdict(report), " ".join(report.sentences)
            job.save(update_fields=["counts", "said", "problems", "problem_count"])
            job.end()
    except BadFile as refusal:
        job.problem_count, job.problems = refusal.total, [_shown(problem) for problem in refusal.problems]
        job.save(update_fields=["problem_count", "problems"])
        files = dict.fromkeys(job.file_name if one.file == COPY else one.file for one in refusal.problems)
        job.end(f"Nothing was imported: {counted(refusal.total, 'problem')} in {', '.join(files)}.")


def _import_kept(job: JudgmentImport, progress: JobProgress) -> importing.JudgmentReport:
    with scratch_folder("judgments") as folder:
        path = folder / COPY
        with default_storage.open(job.stored_file, "rb") as stored, path.open("wb") as copy:
            shutil.copyfileobj(stored, copy)
        pairs: list[Path] = []
        if job.pairs_file:
            with default_storage.open(job.pairs_file, "rb") as stored, ZipFile(stored) as archive:
                pairs = [Path(archive.extract(name, folder / "pairs")) for name in archive.namelist()]
        return importing.import_judgments(
            collection=job.collection,
            path=path,
            format_name=job.format,
            split=job.split,
            ratings=job.ratings,
            grade_table=job.grade_table,
            pairs=pairs,
            repeated_ids=job.repeated_ids,
            progress=progress.count,
            step=lambda name: progress.note(step=name[:1].upper() + name[1:]),
        )


def _shown(problem: Problem) -> dict[str, Any]:
    # The file of judgments is a copy here, and named above its problems; one of pairs is named beside them.
    entry = ", ".join(filter(None, ("" if problem.file == COPY else problem.file, problem.entry)))
    return {name: getattr(problem, name) for name in ("line", "field", "found", "expected")} | {"entry": entry}


@tells(JudgmentImport)
def progress_of_judgments(job: JudgmentImport) -> dict[str, Any]:
    """The job's progress, as `progress_of`; how many rows there are is known when all are read."""
    words = job.said if job.finished else f"{job.step}: {counted(job.done, 'row')} read."
    steps = {"Reading the file": 20.0, "": 95.0}
    return progress_of(job, share=steps.get(job.step, 60.0) if job.done else 5.0, words=words)
