"""The search for candidates in cells on real workers: one dies in the middle, others have folders of their own."""

import hashlib
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from config.celery import app
from queries.retrieval.distributed_search import NearestMoments, search_in_cells
from queries.retrieval.exact_search import Targets, search
from queries.retrieval.search_plan import PlanWriter, forget
from queries.retrieval.vector_shards import VectorsError
from tests.workers import kill_group, one_worker

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

K, QUERIES, TEXTS, WIDTH, A_BLOCK, A_SHARD = 5, 500, 500, 64, 5, 150
QUEUED = 20
"""Cells: while nobody listens, workers can't do all 100."""


@pytest.fixture(autouse=True)
def quick_empty_queue(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("foundation.infra.parallel_tasks.SILENCE_SECONDS", 0.5)
    monkeypatch.setattr("foundation.infra.parallel_tasks.QUEUED", QUEUED)
    app.control.purge()
    yield
    app.control.purge()


def unit_vectors(count: int, seed: int) -> np.ndarray:
    vectors = np.random.default_rng(seed).standard_normal((count, WIDTH)).astype(np.float32)
    # Few distinct ones, so that ties are decided in every cell.
    vectors[count // 2 :] = vectors[: count - count // 2]
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


QUERY_VECTORS, TEXT_VECTORS = unit_vectors(QUERIES, 1), unit_vectors(TEXTS, 2)
MOMENTS = np.random.default_rng(3).permutation(TEXTS) // 2 + 10


def planned(tmp_path: Path, folder: str) -> str:
    """The search stored for workers, with shards whose rows lie in another order than their texts."""
    (tmp_path / "plan").mkdir(exist_ok=True)
    plan = PlanWriter(tmp_path / "plan", k=K, block=A_BLOCK)
    for first in range(0, TEXTS, A_SHARD):
        texts = np.arange(first, min(first + A_SHARD, TEXTS))
        places = np.random.default_rng(first).permutation(len(texts))
        rows = np.zeros((len(texts), WIDTH), dtype=np.float32)
        rows[places] = TEXT_VECTORS[texts]
        np.save(tmp_path / "rows.npy", rows)
        content = (tmp_path / "rows.npy").read_bytes()
        sha256 = hashlib.sha256(content).hexdigest()
        name = f"vectors/of-the-test/{sha256}.npy"
        if not default_storage.exists(name):
            default_storage.save(name, ContentFile(content))
        offsets = np.arange(len(texts) + 1)
        plan.add_shard(
            name,
            sha256,
            places=places,
            texts=texts,
            offsets=offsets,
            moments=MOMENTS[texts],
            captions=1000 + texts,
        )
    plan.queries(QUERIES, WIDTH)[:] = QUERY_VECTORS
    return plan.store(folder)


def is_that_of_one_search(nearest: NearestMoments) -> bool:
    whole = search(QUERY_VECTORS, Targets.of(TEXT_VECTORS, [[moment] for moment in MOMENTS.tolist()]), k=K)
    names = ("moments", "texts", "similarities")
    same = [np.array_equal(getattr(nearest, name)[:], getattr(whole, name)) for name in names]
    return all(same) and np.array_equal(nearest.captions[:], whole.texts + 1000)


def cells_of(job: str) -> list[Path]:
    return list(Path(default_storage.path(job)).glob("found-*.npz"))


@pytest.mark.parametrize("workers", [1, 3])
def test_a_worker_that_dies_in_the_search_costs_its_cell_alone(workers: int, tmp_path: Path) -> None:
    folder = f"candidates/search-{os.getpid()}"
    job = planned(tmp_path, folder)
    done: list[int] = []
    stored_when_killed: list[Path] = []
    with ExitStack() as stack:
        logs = [tmp_path / f"worker-{number}.log" for number in range(workers)]
        first, *_ = [stack.enter_context(one_worker(log, named=log.stem)) for log in logs]

        def kill_at_the_first_cell(count: int) -> None:
            done.append(count)
            if first.poll() is None:
                kill_group(first)
                stored_when_killed.extend(cells_of(job))

        nearest = search_in_cells(job, tmp_path, progress=kill_at_the_first_cell)
        assert first.returncode == -signal.SIGKILL
    assert sum(done) == QUERIES
    assert 1 <= len(stored_when_killed) < QUERIES / A_BLOCK, "it died before or after the search"
    assert is_that_of_one_search(nearest)

    # Found again, nothing is searched again.
    times = {path: path.stat().st_mtime_ns for path in cells_of(job)}
    assert len(times) == QUERIES / A_BLOCK
    assert planned(tmp_path, folder) == job
    assert is_that_of_one_search(search_in_cells(job, tmp_path))
    assert {path: path.stat().st_mtime_ns for path in cells_of(job)} == times
    forget(folder)
    assert not Path(default_storage.path(folder)).exists()


def test_machines_with_folders_of_their_own_share_the_work_by_s3(
    s3: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.A_BLOCK", 50)
    job = planned(tmp_path, "candidates/over-s3")
    machines = [tmp_path / "here", tmp_path / "there"]
    with ExitStack() as stack:
        for machine in machines:
            machine.mkdir()
            log = machine / "worker.log"
            stack.enter_context(one_worker(log, named=machine.name, QREELS_VAR=str(machine)))
        nearest = search_in_cells(job, tmp_path)
    assert is_that_of_one_search(nearest)
    for machine in machines:
        copies = [path.stem for path in (machine / "vector-copies").glob("*.npy")]
        assert len(copies) == 4, f"{machine.name} searched nothing"
    forget("candidates/over-s3")
    assert [entry.key for entry in s3.objects.filter(Prefix="qreels/candidates/over-s3")] == []


def test_little_memory_changes_nothing_but_how_many_texts_are_searched_at_a_time(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.A_BLOCK", QUERIES)
    monkeypatch.setattr("queries.retrieval.distributed_search.LEAST_ROWS", 7)
    settings.SEARCH_MEMORY_MB = 1
    assert is_that_of_one_search(search_in_cells(planned(tmp_path, "candidates/little"), tmp_path))
    forget("candidates/little")


def test_damaged_vectors_are_never_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.A_BLOCK", QUERIES)
    monkeypatch.setattr("queries.retrieval.vector_shards._verified", set())
    job = planned(tmp_path, "candidates/damaged")
    file = next(Path(default_storage.path("vectors/of-the-test")).glob("*.npy"))
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    try:
        with pytest.raises(VectorsError, match=r"is damaged: found the SHA-256 .*, expected .*pack_vectors --check"):
            search_in_cells(job, tmp_path)
        file.unlink()
        with pytest.raises(VectorsError, match="is missing"):
            search_in_cells(job, tmp_path)
    finally:
        file.write_bytes(whole)
        forget("candidates/damaged")
