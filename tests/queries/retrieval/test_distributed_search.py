"""The search for candidates spread over a real worker, which dies in the middle of it."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from config.celery import app
from queries.retrieval import distributed_search
from queries.retrieval.distributed_search import search_in_blocks
from queries.retrieval.exact_search import Targets, search
from tests.workers import kill_group, one_worker

pytestmark = pytest.mark.django_db(transaction=True)

K, QUERIES, TEXTS, WIDTH, A_BLOCK = 5, 1200, 500, 64, 2


@pytest.fixture
def empty_queue() -> Iterator[None]:
    app.control.purge()
    yield
    app.control.purge()


def unit_vectors(count: int, seed: int) -> np.ndarray:
    vectors = np.random.default_rng(seed).standard_normal((count, WIDTH)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_a_worker_that_dies_in_the_search_costs_its_block_alone(
    empty_queue: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distributed_search, "QUERIES_A_BLOCK", A_BLOCK)
    monkeypatch.setattr("corpus.infra.parallel_tasks.SILENCE_SECONDS", 0.5)
    folder = f"candidates/search-{os.getpid()}"
    queries = unit_vectors(QUERIES, 1)
    targets = Targets.of(unit_vectors(TEXTS, 2), [[number] for number in range(TEXTS)])
    done: list[int] = []
    stored_when_killed: list[Path] = []
    with one_worker(tmp_path / "worker.log") as worker:

        def kill_at_the_first_block(count: int) -> None:
            done.append(count)
            if worker.poll() is None:
                kill_group(worker)
                place = Path(distributed_search.default_storage.path(folder))
                stored_when_killed.extend(place.rglob("found-*.npz"))

        found = search_in_blocks(queries, targets, k=K, folder=folder, progress=kill_at_the_first_block)
        assert worker.returncode == -signal.SIGKILL
    assert sum(done) == QUERIES
    assert 1 <= len(stored_when_killed) < QUERIES / A_BLOCK, "it died before or after the search"
    whole = search(queries, targets, k=K, memory_mb=16)
    for name in ("moments", "entries", "texts", "similarities"):
        assert np.array_equal(getattr(found, name), getattr(whole, name)), name
    assert not Path(distributed_search.default_storage.path(folder)).exists()
