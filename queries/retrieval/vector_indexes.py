"""Indexes of files of vectors, by which faiss finds what may be near: IVF-PQ of 4 bits, kept beside the files.

An index is of a run of files, and follows from these and from this module alone: the same files have the same index,
whoever makes it. It is trained on a sample of their rows. Where it is there it is used again; where it is missing or
damaged it is made anew.
"""

import hashlib
import json
import math
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from celery import shared_task
from django.core.files import File

from foundation.infra.advisory_lock import alone_at
from foundation.infra.parallel_tasks import spread
from foundation.infra.scratch import scratch_folder
from foundation.infra.storage import delete_file, keep_file
from queries.models import VectorIndex
from queries.retrieval.search_plan import PlannedShard
from queries.retrieval.vector_shards import FOLDER, VectorsError, local_vectors, sha256_of

FILES_A_RUN = 16
"""About a million vectors, and 100 MiB of index with MiniLM's."""
LEAST_ROWS = 65_536
"""A run of fewer vectors has no index: they are searched exactly."""
TRAINED_ON = 65_536
"""Rows of a run, drawn with SEED."""
ADDED_AT_ONCE = 16_384
MOST_LISTS = 4096
NUMBERS_A_CODE = 2
"""Of a vector are kept CODE_BITS for so many of its numbers."""
CODE_BITS = 4
"""As many as fit the processor's registers: 32 vectors are looked up at a time (faiss's fast scan)."""
ROUNDS = 10
"""Of k-means, for the lists and for the codes."""
SEED = 17
OpenFile = Callable[[], np.ndarray]


def index_runs(shards: Sequence[PlannedShard]) -> list[tuple[int, int]]:
    """The first, and the last + 1, of the files of each run."""
    return [(first, min(first + FILES_A_RUN, len(shards))) for first in range(0, len(shards), FILES_A_RUN)]


def make_indexes(shards: Sequence[PlannedShard]) -> None:
    """Have the index of every run, spread over the workers: only what isn't there is made.

    Raises: VectorsError if a file of vectors is missing or damaged.
    """
    runs = [[[shard.vectors_file, shard.sha256] for shard in shards[first:last]] for first, last in index_runs(shards)]
    spread(index_vectors, runs, progress=lambda rows: None)


@shared_task(name="queries.tasks.index_vectors", acks_late=True, reject_on_worker_lost=True)
def index_vectors(files: Sequence[tuple[str, str]]) -> int:
    """Make a run's index unless it is there, or the run is too short for one.

    Args: files: the name and the SHA-256 of each file.

    Returns: how many vectors it is of. Raises: VectorsError.
    """
    vectors = [partial(local_vectors, name, sha256) for name, sha256 in files]
    rows = sum(len(open_file()) for open_file in vectors)
    if rows < LEAST_ROWS:
        return 0
    identity = _identity([sha256 for _, sha256 in files])
    with alone_at("queries.vector-index", int(identity[:15], 16), wait=True):
        if not _is_whole(identity):
            _write(identity, [sha256 for _, sha256 in files], rows, vectors)
    return rows


def has_index(shards: Sequence[PlannedShard]) -> bool:
    """Whether a run isn't too short for an index: once they are made, it has one."""
    identity = _identity([shard.sha256 for shard in shards])
    return VectorIndex.objects.filter(identity=identity).exclude(sha256="").exists()


def open_index(shards: Sequence[PlannedShard]) -> Any:
    """The faiss index of a run's files, whose ids are the rows of these files one after the other; None where the run
    is too short for one. Raises: VectorsError."""
    import faiss

    row = VectorIndex.objects.filter(identity=_identity([shard.sha256 for shard in shards])).first()
    if row is None or not row.index_file:
        if sum(len(local_vectors(shard.vectors_file, shard.sha256)) for shard in shards) < LEAST_ROWS:
            return None
        raise VectorsError("an index of vectors has gone while it was searched: fetch candidates again")
    return faiss.deserialize_index(np.array(local_vectors(row.index_file, row.sha256)))


def _identity(files: Sequence[str]) -> str:
    parameters = [TRAINED_ON, ADDED_AT_ONCE, MOST_LISTS, NUMBERS_A_CODE, CODE_BITS, ROUNDS, SEED]
    return hashlib.sha256(json.dumps([parameters, list(files)]).encode()).hexdigest()


def _is_whole(identity: str) -> bool:
    """Whether the index is there; what is left of a half-written or damaged one is removed."""
    row = VectorIndex.objects.filter(identity=identity).first()
    if row is None:
        return False
    with suppress(VectorsError):
        if row.index_file and len(local_vectors(row.index_file, row.sha256)):
            return True
    delete_file(row.written_as)
    row.delete()
    return False


def _write(identity: str, files: Sequence[str], rows: int, vectors: Sequence[OpenFile]) -> None:
    import faiss

    name = f"{FOLDER}/indexes/{identity[:32]}-{secrets.token_hex(4)}.npy"
    row = VectorIndex.objects.create(identity=identity, shards=list(files), rows=rows, written_as=name)
    with scratch_folder("index") as folder:
        path = folder / "index.npy"
        np.save(path, faiss.serialize_index(trained_index(vectors)))
        with path.open("rb") as file:
            assert keep_file(name, File(file)) == name
        row.sha256, row.index_file = sha256_of(path), name
    row.save(update_fields=["sha256", "index_file"])


def trained_index(vectors: Sequence[OpenFile]) -> Any:
    """A faiss index of all rows of a run's files; the same each time.

    Args: vectors: open the files, float32 (rows, width) each: one at a time is mapped, so that one is in memory.
    """
    import faiss

    sizes, width = [len(open_file()) for open_file in vectors], vectors[0]().shape[1]
    rows = sum(sizes)
    lists = max(1, min(MOST_LISTS, int(2 * math.sqrt(rows)), rows // 39))
    parts = max(part for part in range(1, max(1, width // NUMBERS_A_CODE) + 1) if width % part == 0)
    coarse = faiss.IndexFlatIP(width)
    index = faiss.IndexIVFPQFastScan(coarse, width, lists, parts, CODE_BITS, faiss.METRIC_INNER_PRODUCT)
    for clustering in (index.cp, index.pq.cp):
        clustering.niter, clustering.seed = ROUNDS, SEED
        clustering.min_points_per_centroid, clustering.max_points_per_centroid = 1, 64
    drawn = np.sort(np.random.default_rng(SEED).choice(rows, min(rows, TRAINED_ON), replace=False))
    index.train(_rows(vectors, sizes, drawn))
    for open_file in vectors:
        part = open_file()
        for first in range(0, len(part), ADDED_AT_ONCE):
            index.add(np.ascontiguousarray(part[first : first + ADDED_AT_ONCE]))
    return index


def _rows(vectors: Sequence[OpenFile], sizes: Sequence[int], drawn: np.ndarray) -> np.ndarray:
    """These rows, ascending, of all files one after the other."""
    taken, first = [], 0
    for open_file, size in zip(vectors, sizes, strict=True):
        taken.append(np.asarray(open_file()[drawn[(drawn >= first) & (drawn < first + size)] - first]))
        first += size
    return np.concatenate(taken)
