"""Exact search in cells on the workers: a run of shards by a block of queries; results are stored by cell.

A cell's best moments are merged exactly with those of the others, so that the result is that of one search, whoever
did which cell. A crash loses only the cells under way.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypedDict, TypeVar

import numpy as np
import psutil
from celery import Task, shared_task
from django.conf import settings
from django.core.files.storage import default_storage

from foundation.infra.parallel_tasks import spread
from queries.retrieval.rows_on_disk import RowsOnDisk
from queries.retrieval.running_best import Best, TextPiece
from queries.retrieval.search_plan import PlannedShard, SearchPlan, load_arrays, read_plan, read_queries, save_arrays
from queries.retrieval.side_by_side import take
from queries.retrieval.vector_shards import local_vectors

QUERIES_A_BLOCK = 8192
CELLS = 64
"""About so many cells a search: enough for a few workers, each long enough to be worth its files."""
LEAST_ROWS = 1024
"""Texts searched at a time, whatever the memory."""


@dataclass(frozen=True, slots=True)
class NearestMoments:
    """Queries' moments, best first, in files of this machine; all (q, k), moments of unused places are -1.

    moments, texts (numbers among all), captions: int64. similarities: float64.
    """

    moments: RowsOnDisk
    texts: RowsOnDisk
    captions: RowsOnDisk
    similarities: RowsOnDisk


class Cell(TypedDict):
    """What a worker searches at a time: shards (the first, and the last + 1) of a stored plan for a block of queries.

    job: the plan's place in the storage. first, last: the block's first query, and its last + 1.
    """

    job: str
    shards: list[int]
    first: int
    last: int


AnyCell = TypeVar("AnyCell", bound=Cell)


def search_in_cells(
    job: str,
    folder: Path,
    *,
    sample: bool = False,
    progress: Callable[[int], None] = lambda queries: None,
    cells_done: Callable[[int, int], None] = lambda done, cells: None,
) -> NearestMoments:
    """Search a stored plan, spread over the workers; a second call goes on where a killed one stopped.

    Args:
        job: what `PlanWriter.store` returned.
        folder: of this machine, for the result.
        sample: whether to search for the plan's sample of queries alone.
        progress: called with the number of queries done since the last call.
        cells_done: called with how many cells are done, and how many there are.

    Raises: VectorsError if a file of vectors is missing or damaged.
    """
    plan = read_plan(job)
    blocks = plan.sample_blocks() if sample else plan.blocks()
    runs = _runs(len(plan.shards), len(blocks))
    cells = [Cell(job=job, shards=list(run), first=first, last=last) for run in runs for first, last in blocks]
    spread_cells(search_block, cells, shards=len(plan.shards), progress=progress, cells_done=cells_done)
    return gather(folder, plan.k, {block: [_cell_name(job, run, block[0]) for run in runs] for block in blocks})


def spread_cells(
    task: "Task[[AnyCell], int]",
    cells: Sequence[AnyCell],
    *,
    shards: int,
    progress: Callable[[int], None],
    cells_done: Callable[[int, int], None],
) -> None:
    """Have a task store all cells; it returns the number of queries times that of shards. The others are as above."""
    counter = _Counter(progress, shards, cells_done, len(cells))
    if len(cells) == 1:
        counter.count(task(cells[0]))
    else:
        spread(task, cells, progress=counter.count)


def gather(folder: Path, k: int, cells: Mapping[tuple[int, int], Sequence[str]]) -> NearestMoments:
    """Merge what cells found into files of this machine.

    Args: cells: each block, first and last + 1 of its queries, with the names of its cells. The blocks follow each
        other.
    """
    start, end = min(cells)[0], max(cells)[1]
    kinds = {"moments": np.int64, "texts": np.int64, "captions": np.int64, "similarities": np.float64}
    shape = (end - start, k)
    files = {name: RowsOnDisk(folder / f"{name}.npy", dtype=kind, shape=shape) for name, kind in kinds.items()}
    for (first, last), names in cells.items():
        best = Best.none_yet(last - first, k)
        for cell in names:
            best.merge(read_best(cell))
        for name, file in files.items():
            file[first - start : last - start] = best.similarities() if name == "similarities" else getattr(best, name)
    return NearestMoments(**files)


@shared_task(name="queries.tasks.search_block", acks_late=True, reject_on_worker_lost=True)
def search_block(cell: Cell) -> int:
    """Search one cell and store what it finds, unless it is stored.

    Returns: the number of queries, times that of shards; 0 where the search has ended, so that nobody waits for it.
    """
    job, shards = cell["job"], cell["shards"]
    if not default_storage.exists(f"{job}/plan.json"):
        return 0
    name = _cell_name(job, shards, cell["first"])
    if not default_storage.exists(name):
        plan, queries = planned(job), read_queries(job, cell["first"])
        best = Best.none_yet(len(queries), plan.k)
        search_shards(best, queries, job, plan, shards)
        save_best(name, best)
    return (cell["last"] - cell["first"]) * (shards[1] - shards[0])


def search_shards(best: Best, queries: np.ndarray, job: str, plan: SearchPlan, shards: Sequence[int]) -> None:
    """Search these shards of a plan exactly: the first, and the last + 1."""
    rows, memory_mb = limits(queries.shape[1], len(queries), plan.k)
    for number in range(*shards):
        for piece in _pieces(plan.shards[number], members_name(job, number), rows):
            best.search(queries, piece, memory_mb=memory_mb)


def limits(width: int, queries: int, k: int) -> tuple[int, int]:
    """How many texts to search at a time, and the MiB that the search may hold besides, so that all that the process
    holds stays below SEARCH_MEMORY_MB."""
    held = psutil.Process().memory_info().rss
    left = (settings.SEARCH_MEMORY_MB << 20) - held - queries * (4 * width + 8 * 12 * k)
    memory_mb = max(16, min(settings.RANKING_MEMORY_MB, left // 3 >> 20))
    # The file as it is mapped, its rows put in order, the same rounded to bfloat16; and whom each describes.
    return max(LEAST_ROWS, (left - (memory_mb << 20)) // (width * 10 + 200)), memory_mb


def _pieces(shard: PlannedShard, members: str, rows: int) -> Iterator[TextPiece]:
    vectors = local_vectors(shard.vectors_file, shard.sha256)
    arrays = load_arrays(members)
    for first in range(0, shard.texts, rows):
        part = slice(first, first + rows)
        offsets = arrays["offsets"][first : first + rows + 1]
        inside = slice(int(offsets[0]), int(offsets[-1]))
        yield TextPiece(
            vectors=take(vectors, arrays["places"][part]).astype(np.float32, copy=False),
            texts=arrays["texts"][part],
            offsets=offsets - offsets[0],
            moments=arrays["moments"][inside],
            captions=arrays["captions"][inside],
        )


def _runs(shards: int, blocks: int) -> list[tuple[int, int]]:
    """The first, and the last + 1, of each run of shards, so that there are about CELLS cells."""
    runs = min(shards, max(1, math.ceil(CELLS / blocks)))
    edges = [shards * place // runs for place in range(runs + 1)]
    return list(itertools.pairwise(edges))


class _Counter:
    """Counts whole queries out of what cells did (a query is done when all shards are), and cells."""

    def __init__(
        self, progress: Callable[[int], None], shards: int, cells_done: Callable[[int, int], None], cells: int
    ) -> None:
        self._progress, self._shards, self._done, self._queries = progress, shards, 0, 0
        self._cells_done, self._cells, self._finished = cells_done, cells, 0
        cells_done(0, cells)

    def count(self, done: int) -> None:
        self._finished += 1
        self._cells_done(self._finished, self._cells)
        self._done += done
        more = self._done // self._shards - self._queries
        self._queries += more
        self._progress(more)


@lru_cache(maxsize=1)
def planned(job: str) -> SearchPlan:
    """The plan that a worker is at."""
    return read_plan(job)


def members_name(job: str, number: int) -> str:
    """Where a shard's members lie (`PlanWriter.add_shard`)."""
    return f"{job}/members-{number}.npz"


def save_best(name: str, best: Best) -> None:
    """Store what a cell found."""
    units = best.units.astype(np.int32)
    save_arrays(name, moments=best.moments, texts=best.texts, captions=best.captions, units=units)


def read_best(name: str) -> Best:
    """What `save_best` stored. Raises: FileNotFoundError."""
    arrays = load_arrays(name)
    return Best(arrays["moments"], arrays["texts"], arrays["captions"], arrays["units"].astype(np.int64))


def _cell_name(job: str, shards: Sequence[int], first: int) -> str:
    return f"{job}/found-{shards[0]}-{shards[1]}-{first}.npz"
