"""Score a stored run with `evaluation` on the released files, and compare the board."""

import hashlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from django.conf import settings
from django.core.files.storage import default_storage
from django.db import transaction

from datasets.leaderboard.runs import delete_unused, refuse_overlong
from datasets.leaderboard.webhook_events import note_scored
from datasets.models import Board, Run, RunAnswer
from datasets.releases.archive import CHUNK, DamagedArchive
from datasets.releases.file_cache import file_on_disk
from foundation.infra.advisory_lock import alone_until_commit
from foundation.infra.jobs import JobProgress, run_job
from foundation.infra.memory import bounded_memory
from foundation.infra.scratch import scratch_folder
from foundation.refused import FileRefused
from foundation.text import UNSTORABLE
from queries.runs.untrusted_runs import LONGEST_LINE

if TYPE_CHECKING:
    from evaluation import GroundTruth, Record
    from evaluation import Run as RunRead

SHOWN = 40
"""Predictions per query that are stored for display; as deep as the deepest default measure."""
DRAWS = 10_000
SEED = 1
"""The randomisation test's draws, as in `python -m evaluation compare`, so that p-values agree."""
ROWS_AT_ONCE = 500
LONGEST_NAME = 200
"""Characters of a video's name that are stored for display."""


def score_stored_run(*, run_id: int) -> None:
    """Score a run: a job (`run_job`). Scores and end are one transaction; then the board is compared."""
    try:
        with bounded_memory(settings.RUN_MEMORY_MB):
            well = run_job(Run, run_id, _score_whole)
    finally:
        refused = Run.objects.filter(pk=run_id, state=Run.State.REFUSED).first()
        if refused is not None:
            delete_unused(refused.stored_file)
    if well:
        compare_board(board_id=Run.objects.values_list("board", flat=True).get(pk=run_id))


@transaction.atomic
def _score_whole(run: Run, progress: JobProgress) -> None:
    _score(run, progress)
    run.end()
    note_scored(run)


@dataclass(frozen=True, slots=True)
class ScoredFile:
    """A run's file against a board's ground truth; `records` are in the order of the board's measures."""

    truth: "GroundTruth"
    read: "RunRead"
    records: "list[Record]"

    @property
    def values(self) -> dict[str, float | None]:
        """measure -> mean; None where there is none."""
        return {record.measure: _number(record.value) for record in self.records}

    def of_query(self, position: int) -> list[float | None]:
        """The measures' values of one query, by its place in the ground truth."""
        columns = (record.per_query for record in self.records)
        return [None if column is None else _number(column[position]) for column in columns]


def score_file(
    board: Board, path: Path, *, file_name: str, told: Callable[[str], object] = lambda step: None
) -> ScoredFile:
    """Score a run's file on disk against the split's ground truth as released.

    Args: told: called with what is being done, a sentence.
    Raises: FileRefused.
    """
    from evaluation import EvaluationError, InputError, evaluate
    from evaluation.reading import read_run

    truth = truth_of(board)
    try:
        read = read_run(path, queries=truth.index, videos=truth.video_index)
        if not len(read.query_ids):
            raise FileRefused(f"{file_name} has no query.")
        told("Scoring.")
        records = evaluate(truth, [read], board.measures)
    except InputError as error:
        raise FileRefused(error.in_words(file_name, ".")) from error
    except EvaluationError as error:
        said = str(error).removeprefix(f"{STEM}:").strip()
        raise FileRefused(f"{file_name}: {said}{'' if said.endswith('?') else '.'}") from error
    return ScoredFile(truth, read, records)


def _score(run: Run, progress: JobProgress) -> None:
    progress.note(step="Reading the run.")
    with scratch_folder("run") as folder:
        path = fetch_run(run.stored_file, run.sha256, folder)
        found = score_file(run.board, path, file_name=run.file_name, told=lambda step: progress.note(step=step))
    RunAnswer.objects.filter(run=run).delete()
    RunAnswer.objects.bulk_create(_answers(run, found), batch_size=ROWS_AT_ONCE)
    run.values = found.values
    run.unanswered, run.unknown = found.records[0].unanswered, found.records[0].unknown
    run.predictions = len(found.read)
    run.save(update_fields=["values", "unanswered", "unknown", "predictions"])


def truth_of(board: Board) -> "GroundTruth":
    """The split's ground truth as released. Its errors say nothing to the run's owner."""
    from evaluation import EvaluationError
    from evaluation.reading import read_ground_truth

    try:
        with file_on_disk(board.release, f"{board.split}.json") as path:
            return read_ground_truth(path)
    except (DamagedArchive, EvaluationError) as error:
        raise FileRefused("The release's ground truth can't be read: tell the lead.") from error


STEM = "run"
"""The file's name while a run is read, left out of messages."""


def fetch_run(stored_file: str, sha256: str, folder: Path) -> Path:
    """Copy a run from the storage to disk, within bounds, with the ending that tells the reader whether it is gzipped.

    Raises: FileRefused if it is missing or damaged, or more than a worker may hold.
    """
    if not default_storage.exists(stored_file):
        raise FileRefused("The run's file is no longer in the storage: upload it again.")
    with default_storage.open(stored_file, "rb") as stored:
        longest = refuse_overlong(stored)
        packed = stored.read(2) == b"\x1f\x8b"
        stored.seek(0)
        path = folder / f"{STEM}.jsonl{'.gz' if packed else ''}"
        digest = hashlib.sha256()
        with path.open("wb") as target:
            while chunk := stored.read(CHUNK):
                digest.update(chunk)
                target.write(chunk)
    if digest.hexdigest() != sha256:
        default_storage.delete(stored_file)  # no other run is to find it under its hash
        raise FileRefused("The run's file in the storage is damaged: upload it again.")
    if longest > LONGEST_LINE and _has_lines(path):
        raise FileRefused(f"A line of the run has more than {LONGEST_LINE >> 20} MiB: keep fewer predictions a query.")
    return path


def _has_lines(path: Path) -> bool:
    """Whether the run's format has a query or a prediction a line; of what looks like none, its reader tells."""
    from evaluation import EvaluationError
    from evaluation.reading.runs import recognised

    try:
        return recognised(path) in ("qreels", "qvhighlights", "trec")
    except EvaluationError:
        return False


def _answers(run: Run, found: ScoredFile) -> Iterator[RunAnswer]:
    read = found.read
    row_of = {query_id: row for row, query_id in enumerate(read.query_ids)}
    pk_of = dict(run.board.queries.values_list("query_id", "pk"))
    for position, query_id in enumerate(found.truth.query_ids):
        row = row_of.get(query_id)
        first, stop = (read.offset[row], read.offset[row + 1]) if row is not None else (0, 0)
        best = [read.prediction(place) for place in range(first, min(stop, first + SHOWN))]
        yield RunAnswer(
            run=run,
            query_id=pk_of[query_id],
            predictions=[[_shown_name(p.video_name), p.start, p.end, _number(p.score)] for p in best],
            values=found.of_query(position),
        )


def _shown_name(video_name: str) -> str:
    """A run's video name, without characters that the database can't store."""
    return UNSTORABLE.sub("\ufffd", video_name[:LONGEST_NAME])


def _number(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


@transaction.atomic
def compare_board(*, board_id: int) -> None:
    """Compare every run on a board with the best one, measure by measure.

    The best is the one with the highest value, of several the first uploaded. A randomisation test over the queries;
    p-values are corrected (Holm) for the number of runs held against the best on that measure.
    """
    from evaluation.significance import holm, randomisation_test

    # One at a time: the last to come has seen all. Not the board's row, which uploads need: this takes its time.
    alone_until_commit("datasets.board", board_id, wait=True)
    board = Board.objects.get(pk=board_id)
    runs = list(standing_runs(board))
    if len(runs) < 2:
        Run.objects.filter(pk__in=[run.pk for run in runs]).update(against_best={})
        return
    values = np.stack([_values_of(run, len(board.measures)) for run in runs])  # runs x queries x measures
    found: list[dict[str, dict[str, object]]] = [{} for _ in runs]
    for place, measure in enumerate(board.measures):
        best = max(range(len(runs)), key=lambda index: (runs[index].values.get(measure) or 0.0, -index))
        others = [index for index in range(len(runs)) if index != best]
        differences = np.column_stack([values[best, :, place] - values[index, :, place] for index in others])
        raw = randomisation_test(differences, draws=DRAWS, seed=SEED)
        for index, p_value, corrected, own in zip(others, raw, holm(raw), differences.T, strict=True):
            found[index][measure] = {
                "best": runs[best].pk,
                "difference": _number(-float(np.nanmean(own))),
                "p_value": float(p_value),
                "corrected": float(corrected),
            }
    for run, against in zip(runs, found, strict=True):
        Run.objects.filter(pk=run.pk).update(against_best=against)


def standing_runs(board: Board) -> "list[Run]":
    """The runs that the board lists, in the order of their upload; without their manifests, which may be long."""
    standing = Run.objects.filter(board=board, state=Run.State.SCORED, withdrawn_at=None)
    return list(standing.order_by("pk").defer("manifest"))


def _values_of(run: Run, measures: int) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    rows = RunAnswer.objects.filter(run=run).order_by("query__position").values_list("values", flat=True)
    flat = (math.nan if value is None else value for row in rows.iterator(2000) for value in row)
    return np.fromiter(flat, dtype=np.float64).reshape(-1, measures)
