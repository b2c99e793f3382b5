"""Jobs that import videos: what was uploaded, a folder of the server, or a prefix of S3."""

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from corpus.clips.import_videos import VideoReport, assign_files, import_videos, refuse_rate
from corpus.clips.probe import probe
from corpus.clips.video_reader import FilmError
from corpus.models import VideoImport, VideoUpload, folder_of_uploads
from corpus.subtitles.import_subtitles import import_subtitles, read_embedded, subtitle_files
from corpus.subtitles.reading import holds_subtitles, read_file
from corpus.video_import.fetch_s3 import fetch, folder_of
from corpus.video_import.selectors import chosen_files, names_fit_now, newest_imports
from corpus.video_import.sources import S3Source, open_source
from corpus.video_import.uploads import keep_arrived, refuse_arrived
from evaluation.errors import InputError
from foundation.infra.advisory_lock import alone_at
from foundation.infra.jobs import JobProgress, ask, job_task
from foundation.models import Collection, Membership
from foundation.refused import Busy, Refused

SLICE = 20 * 60
"""Seconds that a job works before it lets others have the worker for a moment."""
LISTED = 5000
"""Names that are kept of each list of a report."""
State = VideoUpload.State


def ask_for_import(
    *,
    collection: Collection,
    member: Membership | None,
    source: str = "",
    frame_rate: float | None = None,
    chosen: Mapping[str, str] | None = None,
) -> VideoImport:
    """Record an import; the caller sends it (`ask`). If one waits for the same already, that is returned.

    Args:
        source: a folder or s3://BUCKET/PREFIX that the installation allows; "" for what was uploaded.
        frame_rate: pictures a second, for folders of pictures.
        chosen: the file of each of these videos, as a lead has settled it; nothing else is imported then.

    Raises: Refused.
    """
    refuse_rate(frame_rate)
    fields = {"source": open_source(source).address if source else "", "frame_rate": frame_rate, "chosen": chosen or {}}
    waiting = collection.video_imports.filter(state=VideoImport.State.QUEUED, **fields).first()
    return waiting or VideoImport.objects.create(collection=collection, member=member, **fields)


def ask_to_settle(*, member: Membership, pairs: list[tuple[str, str]]) -> VideoImport | None:
    """Record an import that gives videos the files that a lead has settled, (a video's id, a file's shown name) each;
    the caller sends it. None if none of them lacks the other any more."""
    collection = member.collection
    chosen = chosen_files(collection, pairs)
    if not chosen:
        return None
    # What was said of folders of pictures when they were found.
    rates = [job.frame_rate for job in newest_imports(collection).values() if job.frame_rate]
    return ask_for_import(collection=collection, member=member, frame_rate=rates[-1] if rates else None, chosen=chosen)


def import_what_fits_now(collection: Collection) -> None:
    """Import again where files without a video find one, because descriptions have come since."""
    for job in names_fit_now(collection):
        with suppress(Refused):  # the installation doesn't allow it any more
            ask(ask_for_import(collection=collection, member=None, source=job.source, frame_rate=job.frame_rate))


@job_task(VideoImport)
def run_video_import(job: VideoImport, progress: JobProgress) -> float | None:
    """Import what the job asks for. It waits while another import of videos into the collection is under way."""
    with alone_at("corpus.video_import", job.collection_id, wait=False) as ours:
        if not ours:
            raise Busy("another import of videos into this collection is under way")
        return _import_alone(job, progress)


def _import_alone(job: VideoImport, progress: JobProgress) -> float | None:
    if job.chosen:
        chosen = {name: Path(path) for name, path in job.chosen.items()}
        opening = _opening(progress)
        report = assign_files(collection=job.collection, chosen=chosen, frame_rate=job.frame_rate, progress=opening)
        _keep_report(job, report, Path("/"), [])
        return None
    source = open_source(job.source) if job.source else None
    refused: list[tuple[str, str]] | None = []
    if isinstance(source, S3Source):
        refused = fetch(job, source, progress, until=time.monotonic() + SLICE)
        if refused is None:
            return 0
        folder, within = folder_of(job, source), None
    elif source is not None:
        folder, within = source.path, source.within
    else:
        folder, within = folder_of_uploads(job.collection), None
    assert refused is not None
    named = None
    if within is None:
        refused += look_into_arrived(job.collection, progress)
        uploads = folder_of_uploads(job.collection)
        uploads.mkdir(parents=True, exist_ok=True)
        below = f"{folder.relative_to(uploads)}/".removeprefix("./")
        taken = job.collection.video_uploads.filter(state=State.TAKEN, descriptions=None, name__startswith=below)
        named = {upload.path: upload.name.removeprefix(below) for upload in taken.select_related("collection")}
        named = {path: name for path, name in named.items() if path.exists()}
    report = import_videos(
        collection=job.collection,
        folder=folder if named is None else folder_of_uploads(job.collection),
        frame_rate=job.frame_rate,
        within=within,
        named=named,
        progress=_opening(progress),
    )
    _keep_report(job, report, folder, refused)
    _import_subtitles(job, {} if named is None else named, folder, within, progress)
    return None


def _import_subtitles(
    job: VideoImport, named: Mapping[Path, str], folder: Path, within: Path | None, progress: JobProgress
) -> None:
    """Read the files of subtitles among the videos, and where annotators read subtitles, videos' own tracks."""
    if within is None:
        files = {path: name for path, name in named.items() if holds_subtitles(path, name)}
    else:
        files = subtitle_files(folder, within)
    read = [import_subtitles(collection=job.collection, files=files, progress=_reading(progress))] if files else []
    if job.collection.counts_subtitles:
        read.append(read_embedded(collection=job.collection, progress=_reading(progress)))
    told = [report for report in read if report.videos or report.kept or report.problems]
    if told:
        job.report["unreadable"] += [problem for report in told for problem in report.problems][:LISTED]
        job.said = "; ".join([job.said, *(report.in_words() for report in told)])
        job.save(update_fields=["report", "said"])


def _reading(progress: JobProgress) -> Any:
    progress.done = 0
    progress.note(done=0, total=0, step="Reading subtitles")
    return lambda done, total: progress.count(done - progress.done, total=total)


def _opening(progress: JobProgress) -> Any:
    progress.done = 0
    progress.note(done=0, total=0, step="Opening the videos")
    return lambda done, total: progress.count(done - progress.done, total=total)


def look_into_arrived(collection: Collection, progress: JobProgress) -> list[tuple[str, str]]:
    """Open every file that has arrived: it goes to its place, or is refused. Returns: (file, reason) of the refused."""
    refused = []
    arrived = list(collection.video_uploads.filter(state=State.ARRIVED).order_by("pk"))
    progress.done = 0
    progress.note(done=0, total=len(arrived), step="Looking into what has arrived")
    for upload in arrived:
        problem = _why_no_film(upload)
        if problem:
            refuse_arrived(upload=upload, problem=problem)
            refused.append((upload.name, problem))
        else:
            keep_arrived(upload=upload)
        progress.count(1)
    return refused


def _why_no_film(upload: VideoUpload) -> str:
    if not upload.part.exists():
        return "" if upload.path.exists() else "Its file is gone from the server's disk. Choose it again."
    name = upload.name.rpartition("/")[2]
    try:
        if holds_subtitles(upload.part, name):
            list(read_file(upload.part, name, "", lambda file, place, why: None))
            return ""
        probe(upload.part)
    except InputError as error:
        return f"{error}."
    except FilmError as error:
        reason = str(error).replace(upload.public_name, name)
        return f"It isn't a video that can be read: {reason}."
    return ""


def _keep_report(job: VideoImport, report: VideoReport, folder: Path, refused: list[tuple[str, str]]) -> None:
    facts = {name: value for name, value in asdict(report).items() if name != "unheard"}
    lists = {name: value[:LISTED] if isinstance(value, list) else value for name, value in facts.items()}
    counts = {name: len(value) for name, value in facts.items() if isinstance(value, list)}
    job.report = {**lists, "refused": refused[:LISTED], "counts": {**counts, "refused": len(refused)}}
    job.folder, job.said = str(folder), "; ".join(filter(None, [in_words(job.report), report.unheard_in_words]))
    job.save(update_fields=["report", "folder", "said"])


def in_words(report: Mapping[str, Any]) -> str:
    """A report in a sentence.

    >>> in_words({"matched": 2, "counts": {"without_file": 1, "without_video": 0, "unreadable": 0, "refused": 3}})
    '2 videos have their file; 1 has none; 3 files are not taken'
    """
    counts = report["counts"]
    missing, strays = counts.get("without_file", 0), counts.get("without_video", 0)
    bad = counts.get("unreadable", 0) + counts.get("refused", 0)
    parts = [f"{report['matched']:,} {'video has its' if report['matched'] == 1 else 'videos have their'} file"]
    parts += [f"{missing:,} {'has' if missing == 1 else 'have'} none"] if missing else []
    parts += [f"{strays:,} {'file belongs' if strays == 1 else 'files belong'} to no video"] if strays else []
    parts += [f"{bad:,} {'file is' if bad == 1 else 'files are'} not taken"] if bad else []
    return "; ".join(parts)
