"""Search in blocks on the workers; results are stored per block, so that a crash loses only one."""

import contextlib
import hashlib
import io
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np
from celery import shared_task
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, default_storage

from corpus.infra.parallel_tasks import spread
from queries.retrieval.exact_search import Ranking, Targets, search

pass

QUERIES_A_BLOCK = 8192


def search_in_blocks(
    queries: np.ndarray, targets: Targets, *, k: int, folder: str, progress: Callable[[int], None]
) -> Ranking:
    """`queries.retrieval.exact_search.search`, spread over the workers in blocks of queries.

    The vectors and each block's result lie in storage under `folder` until all is done; a second call with the same
    input goes on where a killed one stopped.
    """
    if len(queries) <= QUERIES_A_BLOCK:
        return search(queries, targets, k=k, memory_mb=settings.RANKING_MEMORY_MB, progress=progress)
    job = f"{folder}/{_digest(queries, targets, k)}"
    given = f"{job}/vectors.npz"
    if not default_storage.exists(given):
        save_arrays(given, queries=queries, vectors=targets.vectors, offsets=targets.offsets, moments=targets.moments)
    pieces = [
        {"job": job, "first": first, "last": min(first + QUERIES_A_BLOCK, len(queries)), "k": k}
        for first in range(0, len(queries), QUERIES_A_BLOCK)
    ]
    spread(search_block, pieces, progress=progress)
    parts = [load_arrays(_part(job, int(str(piece["first"])))) for piece in pieces]
    found = Ranking(
        **{name: np.concatenate([part[name] for part in parts]) for name in ("moments", "entries", "texts")},
        similarities=np.concatenate([part["similarities"] for part in parts]),
    )
    forget(folder)
    return found


def search_part(*, job: str, first: int, last: int, k: int) -> int:
    """Search one block of a job's queries and store the result, unless it is stored. Returns how many queries."""
    name = _part(job, first)
    if not default_storage.exists(name):
        queries, targets = _given(job)
        found = search(queries[first:last], targets, k=k, memory_mb=settings.RANKING_MEMORY_MB)
        save_arrays(
            name, moments=found.moments, entries=found.entries, texts=found.texts, similarities=found.similarities
        )
    return last - first


def forget(folder: str) -> None:
    """Remove all searches' files under a folder, finished or not."""
    _given.cache_clear()
    with contextlib.suppress(FileNotFoundError):
        jobs, _ = default_storage.listdir(folder)
        for job in jobs:
            for name in default_storage.listdir(f"{folder}/{job}")[1]:
                default_storage.delete(f"{folder}/{job}/{name}")
            default_storage.delete(f"{folder}/{job}")
        default_storage.delete(folder)


def save_arrays(name: str, **arrays: np.ndarray) -> None:
    """Store arrays under a name atomically: a reader finds the former ones or these."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    if not _has_paths(default_storage):
        # An object store shows an object once it is whole, and the one before until then.
        with default_storage.open(name, "wb") as file:
            file.write(buffer.getvalue())
        return
    written = default_storage.save(f"{name}.part", ContentFile(buffer.getvalue()))
    Path(default_storage.path(written)).replace(default_storage.path(name))


def _has_paths(storage: Storage) -> bool:
    try:
        storage.path("")
    except NotImplementedError:
        return False
    return True


def load_arrays(name: str) -> dict[str, np.ndarray]:
    """Load arrays stored by `save_arrays`. Raises: FileNotFoundError."""
    with default_storage.open(name) as file:
        arrays = np.load(io.BytesIO(file.read()))
        return {key: arrays[key] for key in arrays.files}


@lru_cache(maxsize=1)
def _given(job: str) -> tuple[np.ndarray, Targets]:
    arrays = load_arrays(f"{job}/vectors.npz")
    return arrays["queries"], Targets(arrays["vectors"], arrays["offsets"], arrays["moments"])


def _part(job: str, first: int) -> str:
    return f"{job}/found-{first}.npz"


def _digest(queries: np.ndarray, targets: Targets, k: int) -> str:
    digest = hashlib.sha256(f"{k} {queries.shape} {targets.vectors.shape}".encode())
    for array in (queries, targets.vectors, targets.offsets, targets.moments):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]


@shared_task(name="queries.tasks.search_block", acks_late=True, reject_on_worker_lost=True)
def search_block(block: dict[str, object]) -> int:
    """Search one block: {"job": folder in storage, "first", "last": queries, "k"}. Returns how many queries."""
    return search_part(**block)  # type: ignore[arg-type]
