"""Runs of a leaderboard: stored by hash, named, versioned."""

import gzip
import hashlib
import re
import zlib
from datetime import timedelta
from typing import IO, Any

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from corpus.importers.rows import UNSTORABLE
from corpus.models import Membership
from datasets.content.splits import SPLITS
from datasets.models import Board, BoardQuery, Release, Run
from datasets.releases.archive import CHUNK
from datasets.releases.file_cache import file_on_disk
from datasets.validation.untrusted_files import read_records

MAX_BYTES = 1 << 29
"""Of an uploaded file: 512 MiB."""
MAX_UNPACKED = 1 << 30
"""Of what is in it: 1 GiB, some 14 million predictions, which is what bounds a worker's memory."""
SILENT = timedelta(minutes=2)
"""A run that nobody has touched for so long may be queued again."""
SAME_NAME = ("", "replace", "version")
_NAME = re.compile(r"[^\x00-\x1f/\\]{1,80}\Z")


class RunRefused(Exception):
    """The run can't be taken; the message says why. Nothing was changed."""


class NameTaken(RunRefused):
    """Another run has this name: the caller says whether to replace it or to keep both."""


def open_board(*, release: Release, split: str) -> Board:
    """The board of a released split, made with its queries if there is none yet.

    Raises: RunRefused for an unknown split or one without queries; archives.DamagedArchive.
    """
    if split not in SPLITS:
        raise RunRefused(f"There is no split {split!r}: val and test have boards.")
    board = Board.objects.filter(release=release, split=split).first()
    if board is not None:
        return board
    with file_on_disk(release, f"{split}.json") as path:
        records = list(read_records(path))
    if not records:
        raise RunRefused(f"Release {release.name} has no judged {split} query, so there is nothing to score against.")
    try:
        with transaction.atomic():
            board = Board.objects.create(release=release, split=split, measures=_measures(records))
            BoardQuery.objects.bulk_create(
                (
                    BoardQuery(
                        board=board,
                        position=position,
                        query_id=str(record["query_id"]),
                        text=record["query"],
                        moments=record["relevant_moment"],
                    )
                    for position, record in enumerate(records)
                ),
                batch_size=500,
            )
    except IntegrityError:  # somebody else opened it meanwhile
        board = Board.objects.get(release=release, split=split)
    return board


def _measures(records: list[dict[str, Any]]) -> list[str]:
    from evaluation.commands.inputs import GRADED, SINGLE

    single = all(
        len(record["relevant_moment"]) == 1 and record["relevant_moment"][0]["relevance"] == 1 for record in records
    )
    return SINGLE if single else GRADED


def name_from_file(file_name: str) -> str:
    """A run's name where none is given: its file's without folder and ending.

    >>> name_from_file("runs/2D-TAN.jsonl.gz")
    '2D-TAN'
    """
    last = re.split(r"[/\\]", UNSTORABLE.sub("", file_name))[-1]
    return re.sub(r"(\.jsonl|\.json)?(\.gz)?\Z", "", last)[:80].strip()


def add_run(
    *, board: Board, member: Membership | None, file: IO[bytes], file_name: str, name: str = "", same_name: str = ""
) -> Run:
    """Keep a run's file and note that it is to be scored; the caller queues it.

    The same file under the same name is the run that is there already.

    Args:
        same_name: what to do where another file has the name: "" refuses, "replace" takes the other from the board,
            "version" keeps both.

    Raises: NameTaken; RunRefused if name or size won't do.
    """
    name = (name or name_from_file(file_name)).strip()
    if not _NAME.match(name):
        raise RunRefused(f"Found {name!r} as the run's name, expected 1 to 80 characters without slashes.")
    if same_name not in SAME_NAME:
        raise RunRefused(f"Found {same_name!r}, expected replace or version.")
    sha256, size = _measure(file)
    stored = _keep(file, sha256, size)
    with transaction.atomic():
        # One at a time on a board: names and versions are given in order.
        Board.objects.select_for_update(no_key=True).get(pk=board.pk)
        others = Run.objects.filter(board=board, name=name)
        there = others.filter(withdrawn_at=None).order_by("-version")
        # A run that was refused holds no place: its mended file comes under the same name, or the same file again
        # where it wasn't the file's fault.
        there.filter(state=Run.State.REFUSED).update(withdrawn_at=timezone.now())
        same = there.filter(sha256=sha256).first()
        if same is not None:
            return same
        if there.exists():
            if not same_name:
                raise NameTaken(f"There is a run {name} with other predictions: replace it, or keep both as versions.")
            if same_name == "replace":
                if member is not None and not member.leads and there.exclude(member=member).exists():
                    raise RunRefused(f"The run {name} is somebody else's: choose another name.")
                there.update(withdrawn_at=timezone.now())
        last = others.aggregate(last=Max("version"))["last"] or 0
        return Run.objects.create(
            board=board,
            member=member,
            name=name,
            version=last + 1,
            file_name=UNSTORABLE.sub("", re.split(r"[/\\]", file_name)[-1])[-200:] or "run",
            stored_file=stored,
            sha256=sha256,
            size=size,
        )


def _measure(file: IO[bytes]) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    file.seek(0)
    while chunk := file.read(CHUNK):
        digest.update(chunk)
        size += len(chunk)
        if size > MAX_BYTES:
            raise RunRefused(f"The file is larger than {MAX_BYTES >> 20} MiB: compress it, or keep fewer predictions.")
    if not size:
        raise RunRefused("The file is empty.")
    return digest.hexdigest(), size


def _keep(file: IO[bytes], sha256: str, size: int) -> str:
    name = f"runs/{sha256[:2]}/{sha256}"
    # One that is shorter is being written this moment, or its writing was broken off: this one lies beside it.
    if default_storage.exists(name) and default_storage.size(name) == size:
        return name
    file.seek(0)
    kept: str = default_storage.save(name, File(file))
    return kept


def refuse_overlong(file: IO[bytes]) -> None:
    """Raises: RunRefused if what is packed in a file is more than a worker may hold."""
    file.seek(0)
    packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    size = 0
    source: Any = gzip.GzipFile(fileobj=file) if packed else file
    try:
        while chunk := source.read(CHUNK):
            size += len(chunk)
            if size > MAX_UNPACKED:
                raise RunRefused(f"The run is larger than {MAX_UNPACKED >> 30} GiB unpacked: keep fewer predictions.")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise RunRefused(f"The file begins like gzip and can't be unpacked: {error}.") from error
    file.seek(0)


def withdraw_run(*, run: Run) -> None:
    """Take a run from the board; its file and scores stay. Repeating it changes nothing."""
    Run.objects.filter(pk=run.pk, withdrawn_at=None).update(withdrawn_at=timezone.now())


def unfinished_runs() -> list[int]:
    """The ids of runs that wait, or whose worker may have died: safe to queue again, whatever they do."""
    waiting = Run.objects.filter(state__in=[Run.State.QUEUED, Run.State.SCORING], withdrawn_at=None)
    return list(waiting.order_by("pk").values_list("pk", flat=True))


def progress_of_run(run: Run) -> dict[str, Any]:
    """How far it is: {"state", "finished", "share" (0-100), "words", "silent"}."""
    silent = not run.finished and timezone.now() - (run.touched_at or run.uploaded_at) > SILENT
    words = run.problem if run.state == Run.State.REFUSED else run.step or "Waits for a worker."
    steps = {"Reading the run.": 10, "Scoring.": 40, "Comparing the board.": 80}
    share = 100 if run.finished else steps.get(run.step, 0)
    return {"state": run.state, "finished": run.finished, "share": share, "words": words, "silent": silent}
