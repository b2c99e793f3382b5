"""Score a stored run with `evaluation` on the released files, and compare the board."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from celery import shared_task
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from datasets.leaderboard.runs import delete_unused
from datasets.leaderboard.webhook_events import note_scored
from datasets.models import Board, Run, RunAnswer
from datasets.releases.archive import DamagedArchive
from datasets.releases.file_cache import file_on_disk
from evaluation import EvaluationError, GroundTruth, Record, evaluate
from evaluation import Run as RunRead
from evaluation.reading import read_ground_truth
from evaluation.significance import holm, randomisation_test
from foundation.infra.advisory_lock import alone_until_commit
from foundation.infra.jobs import JobProgress, run_job
from foundation.infra.memory import bounded_memory
from foundation.infra.scratch import scratch_folder
from foundation.refused import FileRefused
from foundation.text import UNSTORABLE
from queries.runs.received_run import fetch_run, in_words, read_received

SHOWN = 40
"""Predictions per query that are stored for display; as deep as the deepest default measure."""
DRAWS = 10_000
SEED = 1
"""The randomisation test's draws, as in `python -m evaluation compare`, so that p-values agree."""
ROWS_AT_ONCE = 500
LONGEST_NAME = 200
"""Characters of a video's name that are stored for display."""


@shared_task(name=Run.TASK)
def score_stored_run(run_id: int) -> None:
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
class ScoredRun:
    """A run against a board's ground truth; `records` are in the order of the board's measures."""

    truth: GroundTruth
    read: RunRead
    records: list[Record]

    @property
    def values(self) -> dict[str, float | None]:
        """measure -> mean; None where there is none."""
        return {record.measure: _number(record.value) for record in self.records}

    def of_query(self, position: int) -> list[float | None]:
        """The measures' values of one query, by its place in the ground truth."""
        columns = (record.per_query for record in self.records)
        return [None if column is None else _number(column[position]) for column in columns]


def score_read(board: Board, truth: GroundTruth, read: RunRead, *, file_name: str) -> ScoredRun:
    """Score a run that was read against the split's ground truth as released. Raises: FileRefused."""
    if not len(read.query_ids):
        raise FileRefused(f"{file_name} has no query.")
    try:
        return ScoredRun(truth, read, evaluate(truth, [read], board.measures))
    except EvaluationError as error:
        raise FileRefused(in_words(error, file_name)) from error


def _score(run: Run, progress: JobProgress) -> None:
    progress.note(step="Reading the run.")
    truth = truth_of(run.board)
    with scratch_folder("run") as folder:
        path = fetch_run(run.stored_file, folder, sha256=run.sha256)
        read = read_received(path, file_name=run.file_name, queries=truth.index, videos=truth.video_index)
    progress.note(step="Scoring.")
    scored = score_read(run.board, truth, read, file_name=run.file_name)
    RunAnswer.objects.filter(run=run).delete()
    RunAnswer.objects.bulk_create(_answers(run, scored), batch_size=ROWS_AT_ONCE)
    run.values = scored.values
    run.unanswered, run.unknown = scored.records[0].unanswered, scored.records[0].unknown
    run.predictions = len(scored.read)
    run.save(update_fields=["values", "unanswered", "unknown", "predictions"])


def truth_of(board: Board) -> GroundTruth:
    """The split's ground truth as released. What is wrong with it is not for the run's owner to read."""
    try:
        with file_on_disk(board.release, f"{board.split}.json") as path:
            return read_ground_truth(path)
    except (DamagedArchive, EvaluationError) as error:
        raise FileRefused("The release's ground truth can't be read: tell the lead.") from error


def _answers(run: Run, scored: ScoredRun) -> Iterator[RunAnswer]:
    read = scored.read
    row_of = {query_id: row for row, query_id in enumerate(read.query_ids)}
    pk_of = dict(run.board.queries.values_list("query_id", "pk"))
    for position, query_id in enumerate(scored.truth.query_ids):
        row = row_of.get(query_id)
        first, stop = (read.offset[row], read.offset[row + 1]) if row is not None else (0, 0)
        best = [read.prediction(place) for place in range(first, min(stop, first + SHOWN))]
        yield RunAnswer(
            run=run,
            query_id=pk_of[query_id],
            predictions=[[_shown_name(p.video_name), p.start, p.end, _number(p.score)] for p in best],
            values=scored.of_query(position),
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
    # One at a time, so that the last has seen all runs. The board's row isn't locked: uploads need it meanwhile.
    alone_until_commit("datasets.board", board_id, wait=True)
    board = Board.objects.get(pk=board_id)
    runs = list(standing_runs(board))
    if len(runs) < 2:
        Run.objects.filter(pk__in=[run.pk for run in runs]).update(against_best={})
        return
    values = np.stack([values_of(run, len(board.measures)) for run in runs])  # runs x queries x measures
    against_best: list[dict[str, dict[str, object]]] = [{} for _ in runs]
    for place, measure in enumerate(board.measures):
        best = max(range(len(runs)), key=lambda index: (runs[index].values.get(measure) or 0.0, -index))
        others = [index for index in range(len(runs)) if index != best]
        differences = np.column_stack([values[best, :, place] - values[index, :, place] for index in others])
        raw = randomisation_test(differences, draws=DRAWS, seed=SEED)
        for index, p_value, corrected, difference in zip(others, raw, holm(raw), differences.T, strict=True):
            against_best[index][measure] = {
                "best": runs[best].pk,
                "difference": _number(-float(np.nanmean(difference))),
                "p_value": float(p_value),
                "corrected": float(corrected),
            }
    for run, against in zip(runs, against_best, strict=True):
        Run.objects.filter(pk=run.pk).update(against_best=against)


def withdraw_run(*, run: Run) -> None:
    """Take a run from its board and compare those that stay; its file and values are kept. Safe to repeat."""
    Run.objects.filter(pk=run.pk, withdrawn_at=None).update(withdrawn_at=timezone.now())
    if run.state == Run.State.SCORED:
        compare_board(board_id=run.board_id)


def standing_runs(board: Board) -> list[Run]:
    """The runs that the board lists, in the order of their upload; without their manifests, which may be long."""
    standing = Run.objects.filter(board=board, state=Run.State.SCORED, withdrawn_at=None)
    return list(standing.order_by("pk").defer("manifest"))


def values_of(run: Run, measures: int) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """A run's values on its board, shape (queries, measures); NaN where there is none."""
    rows = RunAnswer.objects.filter(run=run).order_by("query__position").values_list("values", flat=True)
    flat = (math.nan if value is None else value for row in rows.iterator(2000) for value in row)
    return np.fromiter(flat, dtype=np.float64).reshape(-1, measures)
