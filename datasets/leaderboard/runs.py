"""Runs of a leaderboard: stored by hash, named, versioned."""

import re
from typing import IO, Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop, ngettext

from datasets.content.splits import SPLITS
from datasets.leaderboard.run_manifests import LONGEST, read_manifest
from datasets.models import Board, BoardQuery, Release, Run
from datasets.releases.file_cache import file_on_disk
from evaluation.measures.usual import GRADED, SINGLE
from evaluation.releases.untrusted_files import read_records
from foundation.infra.job_progress import progress_of, tells
from foundation.infra.storage import keep_file
from foundation.models import Membership
from foundation.refused import FileRefused, Refused
from foundation.text import UNSTORABLE
from queries.runs.received_run import clean_file_name, clean_run_name, run_with_videos, sha256_and_size

SAME_NAME = ("", "replace", "version")


class RunNameTaken(Refused):
    """Another run has this name; the caller chooses whether to replace it or keep both."""

    field = "same_name"


def open_board(*, release: Release, split: str) -> Board:
    """The board of a released split, created with its queries at first use.

    Raises: FileRefused for an unknown split or one without queries; archive.DamagedArchive.
    """
    if split not in SPLITS:
        raise FileRefused(gettext("There is no split %(split)s: val and test have boards.") % {"split": repr(split)})
    board = Board.objects.filter(release=release, split=split).first()
    if board is not None:
        return board
    with file_on_disk(release, f"{split}.json") as path:
        records = list(read_records(path))
    if not records:
        raise FileRefused(
            gettext("Release %(name)s has no judged %(split)s query, so there is nothing to score against.")
            % {"name": release.name, "split": split}
        )
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
    single = all(
        len(record["relevant_moment"]) == 1 and record["relevant_moment"][0]["relevance"] == 1 for record in records
    )
    return SINGLE if single else GRADED


def name_from_file(file_name: str) -> str:
    """A run's default name: its file's, without folder and ending.

    >>> name_from_file("runs/2D-TAN.jsonl.gz")
    '2D-TAN'
    """
    return re.sub(r"(\.jsonl|\.json)?(\.gz)?\Z", "", clean_file_name(file_name))[:80].strip()


def add_run(
    *,
    board: Board,
    member: Membership | None,
    file: IO[bytes],
    file_name: str,
    name: str = "",
    same_name: str = "",
    manifest: IO[bytes] | None = None,
    videos: IO[bytes] | None = None,
    family: str = "",
) -> Run:
    """Store a run's file and record a job to score it; the caller sends the task.

    The same file under the same name is the run that is there already; it takes manifest and family where it had none.

    Args:
        manifest: the file that says what made the run (`run_manifests.py`), if there is one.
        videos: the file of its videos' indices, where it names them so.
        family: what it shares with machine judges, e.g. CLIP; kept in the manifest, over what that says.
        same_name: what to do where another file has the name: "" refuses, "replace" takes the other from the board,
            "version" keeps both.

    Raises: RunNameTaken; FileRefused if name or size won't do, or the member has as many as are kept; StoringError.
    """
    name = clean_run_name(name or name_from_file(file_name))
    if same_name not in SAME_NAME:
        raise FileRefused(
            gettext("Found %(same_name)s, expected replace or version.") % {"same_name": repr(same_name)},
            field="same_name",
        )
    made_by = {} if manifest is None else read_manifest(manifest, split=board.split)
    if family := " ".join(UNSTORABLE.sub("", family).split())[:LONGEST]:
        made_by["family"] = family
    with run_with_videos(file, videos) as whole:
        sha256, size = sha256_and_size(whole)
        _refuse_too_many(board, member, size)
        stored = _keep(whole, sha256, size)
    try:
        return _add(board, member, name, same_name, file_name, stored, sha256, size, made_by)
    except Refused:
        delete_unused(stored)
        raise


def _refuse_too_many(board: Board, member: Membership | None, size: int) -> None:
    """Refuse a member's run past the limits on number and size. Leads have no limit."""
    if member is None or member.leads:
        return
    runs = Run.objects.filter(member=member, board__release__collection=board.release.collection_id)
    runs = runs.exclude(state=Run.State.REFUSED)
    if runs.count() >= settings.RUNS_PER_MEMBER:
        raise FileRefused(
            ngettext(
                "You have %(shown)s run here, and no more are kept for one member. A lead can upload this one.",
                "You have %(shown)s runs here, and no more are kept for one member. A lead can upload this one.",
                runs.count(),
            )
            % {"shown": f"{runs.count():,}"}
        )
    # Files that were withdrawn or replaced are kept as well.
    held = sum(dict(runs.values_list("stored_file", "size")).values())
    if held + size > settings.RUN_MB_PER_MEMBER << 20:
        raise FileRefused(
            gettext(
                "Your runs here would take more than the %(value)s MiB that are kept for one member. "
                "A lead can upload this one."
            )
            % {"value": f"{settings.RUN_MB_PER_MEMBER:,}"}
        )


def delete_unused(stored_file: str) -> None:
    """Remove a run's file from the storage unless a run that wasn't refused needs it."""
    if not Run.objects.filter(stored_file=stored_file).exclude(state=Run.State.REFUSED).exists():
        default_storage.delete(stored_file)


def _add(
    board: Board,
    member: Membership | None,
    name: str,
    same_name: str,
    file_name: str,
    stored: str,
    sha256: str,
    size: int,
    manifest: dict[str, Any],
) -> Run:
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
            if manifest and {"family"} >= min(same.manifest.keys(), manifest.keys(), key=len):
                same.manifest = manifest | same.manifest
                same.save(update_fields=["manifest"])
            return same
        if there.exists():
            if not same_name:
                raise RunNameTaken(
                    gettext("There is a run %(name)s with other predictions: replace it, or keep both as versions.")
                    % {"name": name}
                )
            if same_name == "replace":
                if member is not None and not member.leads and there.exclude(member=member).exists():
                    raise FileRefused(
                        gettext("The run %(name)s is somebody else's: choose another name.") % {"name": name},
                        field="run_name",
                    )
                there.update(withdrawn_at=timezone.now())
        last = others.aggregate(last=Max("version"))["last"] or 0
        return Run.objects.create(
            board=board,
            member=member,
            name=name,
            version=last + 1,
            file_name=clean_file_name(file_name),
            stored_file=stored,
            sha256=sha256,
            size=size,
            manifest=manifest,
        )


def _keep(file: IO[bytes], sha256: str, size: int) -> str:
    name = f"runs/{sha256[:2]}/{sha256}"
    # A shorter one is still being written, or its upload broke off: this one is stored beside it.
    if default_storage.exists(name) and default_storage.size(name) == size:
        return name
    return keep_file(name, File(file))


@tells(Run)
def progress_of_run(run: Run) -> dict[str, Any]:
    """The scoring's progress, as `progress_of`."""
    steps = {gettext_noop("Reading the run."): 10, gettext_noop("Scoring."): 40}
    words = None if run.finished or not run.step else gettext(run.step)
    return progress_of(run, share=steps.get(run.step, 0), words=words)
