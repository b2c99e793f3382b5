"""Approximate search: indexes make each query's shortlist, which is scored exactly; recall is measured at each use.

Cells are shared by the workers as those of the exact search are: a run of files with one index by a block of queries.
The effort follows from the recall that is asked for: a sample of the queries is searched exactly; one half of it
chooses the least effort that finds enough, and the other measures what that effort finds.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from celery import shared_task
from django.core.files.storage import default_storage

from foundation.refused import Refused
from queries.retrieval.distributed_search import (
    QUERIES_A_BLOCK,
    Cell,
    NearestMoments,
    gather,
    limits,
    members_name,
    planned,
    save_best,
    search_in_cells,
    search_shards,
    spread_cells,
)
from queries.retrieval.running_best import Best, TextPiece
from queries.retrieval.search_plan import PlannedShard, load_arrays, read_plan, read_queries
from queries.retrieval.side_by_side import take
from queries.retrieval.vector_indexes import has_index, index_runs, make_indexes, open_index
from queries.retrieval.vector_shards import local_vectors

SAMPLE = 400
"""Queries that are searched exactly as well, at most."""
LEAST_SAMPLE = 20
"""With fewer, both halves are the whole."""
QUERIES_AT_ONCE = 1024
LARGEST_BLOCK = 32_768


@dataclass(frozen=True, slots=True)
class Effort:
    """For a query in each index: how many lists are searched, and how many texts are scored exactly, as multiples of
    k."""

    probes: int
    shortlist: int


EFFORTS = (
    *(Effort(8, 4), Effort(16, 4), Effort(32, 4), Effort(64, 4), Effort(128, 4), Effort(256, 4)),
    *(Effort(256, 16), Effort(512, 32)),
)
"""Ascending; beyond the last one the exact search costs hardly more."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What an approximate search found, and how.

    recall: the mean share of the exact search's moments, of `sample` queries. probes, shortlist: of each index, as
    numbers of lists and of texts. texts: how many were searched by an index; 0: all were searched exactly.
    """

    recall: float
    sample: int
    probes: int
    shortlist: int
    texts: int


class IndexedCell(Cell):
    """A cell that is searched by an index; `shortlist`: texts a query."""

    probes: int
    shortlist: int


def search_approximately(
    job: str,
    folder: Path,
    *,
    least_recall: float,
    progress: Callable[[int], None] = lambda queries: None,
    cells_done: Callable[[int, int], None] = lambda done, cells: None,
) -> tuple[NearestMoments, Measured]:
    """Search a stored plan that has a sample (`search_in_cells` has the rest); safe to repeat and to break off.

    Args: least_recall: above 0, below 1.

    Raises: Refused if no effort finds as much; VectorsError.
    """
    plan = read_plan(job)
    make_indexes(plan.shards)
    by_index = sum(
        sum(shard.texts for shard in plan.shards[first:last])
        for first, last in index_runs(plan.shards)
        if has_index(plan.shards[first:last])
    )
    if not by_index:
        nearest = search_in_cells(job, folder, progress=progress, cells_done=cells_done)
        return nearest, Measured(1.0, plan.sample, 0, 0, 0)
    inner = folder / "sample"
    inner.mkdir(exist_ok=True)
    exact = search_in_cells(job, inner, sample=True).moments[:]
    halves = (slice(0, None, 2), slice(1, None, 2)) if plan.sample >= LEAST_SAMPLE else (slice(None), slice(None))
    best = 0.0
    for effort in EFFORTS:
        near = _search(job, inner, effort, plan.sample_blocks()).moments[:]
        first, second = (recall(exact[half], near[half]) for half in halves)
        best = max(best, min(first, second))
        if min(first, second) >= least_recall:
            break
    else:
        raise Refused(
            f"the approximate search finds {100 * best:.1f} % of what the exact search finds, of {len(exact):,} queries"
            f" at its greatest effort, and {100 * least_recall:g} % are expected: lower least_recall in the settings,"
            " or empty it, and candidates are searched for exactly"
        )
    measured = Measured(second, len(exact[halves[1]]), effort.probes, effort.shortlist * plan.k, by_index)
    return _search(job, folder, effort, plan.blocks(), progress, cells_done), measured


def queries_a_block(queries: int) -> int:
    """How many queries make a cell with an index, of so many.

    Each cell opens its index and gathers the vectors of all shortlists, which are nearly all vectors long before the
    largest block: fewer cells are cheaper, and a quarter of the queries leaves each of a few workers one.
    """
    return min(LARGEST_BLOCK, max(QUERIES_A_BLOCK, -(-queries // 4)))


def recall(exact: np.ndarray, near: np.ndarray) -> float:
    """The mean share of each query's exact moments that were found too; both (q, k), -1 is none."""
    shares = [
        len(set(theirs[theirs >= 0].tolist()).intersection(ours.tolist())) / max(1, int((theirs >= 0).sum()))
        for theirs, ours in zip(exact, near, strict=True)
    ]
    return float(np.mean(shares))


def _search(
    job: str,
    folder: Path,
    effort: Effort,
    blocks: Sequence[tuple[int, int]],
    progress: Callable[[int], None] = lambda queries: None,
    cells_done: Callable[[int, int], None] = lambda done, cells: None,
) -> NearestMoments:
    plan = read_plan(job)
    runs = index_runs(plan.shards)
    how = {"probes": effort.probes, "shortlist": effort.shortlist * plan.k}
    cells = [
        IndexedCell(job=job, shards=list(run), first=first, last=last, probes=how["probes"], shortlist=how["shortlist"])
        for run in runs
        for first, last in blocks
    ]
    spread_cells(search_run, cells, shards=len(plan.shards), progress=progress, cells_done=cells_done)
    return gather(folder, plan.k, {block: [_cell_name(job, run, block[0], **how) for run in runs] for block in blocks})


@shared_task(name="queries.tasks.search_run", acks_late=True, reject_on_worker_lost=True)
def search_run(cell: IndexedCell) -> int:
    """Search one cell by its index, or exactly where it has none, and store what is found, unless it is stored.

    Returns: as `search_block`.
    """
    job, shards, probes, shortlist = cell["job"], cell["shards"], cell["probes"], cell["shortlist"]
    if not default_storage.exists(f"{job}/plan.json"):
        return 0
    name = _cell_name(job, shards, cell["first"], probes=probes, shortlist=shortlist)
    if not default_storage.exists(name):
        plan, queries = planned(job), read_queries(job, cell["first"])
        best = Best.none_yet(len(queries), plan.k)
        files = plan.shards[slice(*shards)]
        index = open_index(files)
        if index is None:
            search_shards(best, queries, job, plan, shards)
        else:
            IndexedRun(job, shards[0], files, index).search(best, queries, probes, shortlist)
        save_best(name, best)
    return (cell["last"] - cell["first"]) * (shards[1] - shards[0])


class IndexedRun:
    """A run's files with their index, and what of them is searched in a plan: its shards from a number on."""

    def __init__(self, job: str, number: int, files: Sequence[PlannedShard], index: Any) -> None:
        self._job, self._number, self._files, self._index = job, number, files, index
        self._text_at = []
        """For each file, the text of each of its rows, counted among those that are searched there; -1: none."""
        for place, file in enumerate(files):
            places = load_arrays(members_name(job, number + place))["places"]
            text_at = np.full(len(local_vectors(file.vectors_file, file.sha256)), -1, dtype=np.int32)
            text_at[places] = np.arange(len(places), dtype=np.int32)
            self._text_at.append(text_at)

    def search(self, best: Best, queries: np.ndarray, probes: int, shortlist: int) -> None:
        """Take into `best` what is better here."""
        near = self._near(queries, probes, shortlist)
        rows, _ = limits(queries.shape[1], len(queries), best.moments.shape[1])
        base = 0
        for place, text_at in enumerate(self._text_at):
            query, column = np.nonzero((near >= base) & (near < base + len(text_at)))
            texts = text_at[near[query, column] - base]
            base += len(text_at)
            # Ascending for each query. The queries are already, so that one sort of both leaves them where they are.
            starts = query * len(text_at)
            texts = np.sort(starts + texts) - starts
            listed = np.zeros(len(text_at), dtype=bool)
            listed[texts] = True
            place_of = np.cumsum(listed)
            for part, piece in self._pieces(place, np.flatnonzero(listed), rows):
                chosen = (texts >= part[0]) & (texts <= part[-1])
                columns = place_of[texts[chosen]] - place_of[part[0]]
                best.score(queries, piece, *_as_lists(query[chosen], columns, len(queries)))

    def _near(self, queries: np.ndarray, probes: int, shortlist: int) -> np.ndarray:
        """The rows of the run on each query's shortlist: int32 (q, shortlist), -1 is none."""
        import faiss

        parameters: Any = faiss.SearchParametersIVF
        how = {"nprobe": min(probes, self._index.nlist)}
        searched = np.concatenate(self._text_at) >= 0
        if not searched.all():
            bits = np.packbits(searched, bitorder="little")
            how["sel"] = faiss.IDSelectorBitmap(len(bits), faiss.swig_ptr(bits))
        limited = parameters(**how)
        near = np.empty((len(queries), shortlist), dtype=np.int32)
        for first in range(0, len(queries), QUERIES_AT_ONCE):
            part = slice(first, first + QUERIES_AT_ONCE)
            near[part] = self._index.search(np.ascontiguousarray(queries[part]), shortlist, params=limited)[1]
        return near

    def _pieces(self, place: int, texts: np.ndarray, rows: int) -> Iterator[tuple[np.ndarray, TextPiece]]:
        """These texts of one file, ascending, so many at a time, with what is needed to score them."""
        file, arrays = self._files[place], load_arrays(members_name(self._job, self._number + place))
        vectors = local_vectors(file.vectors_file, file.sha256)
        for first in range(0, len(texts), rows):
            part = texts[first : first + rows]
            starts, sizes = arrays["offsets"][part], np.diff(arrays["offsets"])[part]
            offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
            entries = np.repeat(starts - offsets[:-1], sizes) + np.arange(offsets[-1])
            yield (
                part,
                TextPiece(
                    vectors=take(vectors, arrays["places"][part]).astype(np.float32, copy=False),
                    texts=arrays["texts"][part],
                    offsets=offsets,
                    moments=arrays["moments"][entries],
                    captions=arrays["captions"][entries],
                ),
            )


def _as_lists(query: np.ndarray, texts: np.ndarray, queries: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of query and text, ascending by both, as a list of texts for each query: int32 (queries, n), and their
    lengths."""
    sizes = np.bincount(query, minlength=queries).astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    lists = np.zeros((queries, max(1, int(sizes.max(initial=0)))), dtype=np.int32)
    lists[query, np.arange(len(query)) - starts[query]] = texts
    return lists, sizes


def _cell_name(job: str, shards: Sequence[int], first: int, *, probes: int, shortlist: int) -> str:
    return f"{job}/near-{probes}-{shortlist}-{shards[0]}-{shards[1]}-{first}.npz"
