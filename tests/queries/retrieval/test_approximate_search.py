"""The approximate search on real workers: what it finds is measured, the same each time, and the same after a kill."""

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
from foundation.refused import Refused
from queries.models import VectorIndex
from queries.retrieval import approximate_search, vector_indexes, vector_shards
from queries.retrieval.approximate_search import Effort, Measured, recall, search_approximately
from queries.retrieval.distributed_search import NearestMoments
from queries.retrieval.exact_search import DECIMALS, Targets, search
from queries.retrieval.search_kernels import similarity_units
from queries.retrieval.search_plan import PlanWriter, forget, read_plan
from queries.retrieval.vector_indexes import has_index, index_vectors, open_index
from queries.retrieval.vector_shards import VectorsError
from tests.workers import kill_group, one_worker, wait_until

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

K, QUERIES, TEXTS, WIDTH, A_BLOCK, A_SHARD = 5, 60, 2000, 32, 20, 400


@pytest.fixture(autouse=True)
def small_indexes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two files a run, the last one with too few vectors for an index."""
    monkeypatch.setattr(vector_indexes, "FILES_A_RUN", 2)
    monkeypatch.setattr(vector_indexes, "LEAST_ROWS", 500)
    monkeypatch.setattr("foundation.infra.parallel_tasks.SILENCE_SECONDS", 0.5)
    app.control.purge()
    yield
    app.control.purge()


def unit_vectors(count: int, seed: int) -> np.ndarray:
    """In clusters, so that neighbours are worth looking for."""
    middle = np.random.default_rng(1).standard_normal((60, WIDTH))
    chance = np.random.default_rng(seed)
    vectors = (middle[chance.integers(0, 60, count)] + 0.4 * chance.standard_normal((count, WIDTH))).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


TEXT_VECTORS, QUERY_VECTORS = unit_vectors(TEXTS, 2), unit_vectors(QUERIES, 3)
MOMENTS = np.random.default_rng(4).permutation(TEXTS) // 2 + 10
SKIPPED = 7
"""Every so many rows of a file are those of another collection."""


def planned(tmp_path: Path, folder: str, *, sample: int = 40) -> str:
    (tmp_path / "plan").mkdir(exist_ok=True)
    plan = PlanWriter(tmp_path / "plan", k=K, block=A_BLOCK)
    for first in range(0, TEXTS, A_SHARD):
        np.save(tmp_path / "rows.npy", TEXT_VECTORS[first : first + A_SHARD])
        content = (tmp_path / "rows.npy").read_bytes()
        sha256 = hashlib.sha256(content).hexdigest()
        name = f"vectors/of-the-test/{sha256}.npy"
        if not default_storage.exists(name):
            default_storage.save(name, ContentFile(content))
        places = np.array([place for place in range(A_SHARD) if place % SKIPPED])[::-1].copy()
        texts = np.arange(first, first + len(places))
        offsets = np.arange(len(places) + 1)
        members = {"moments": MOMENTS[first + places], "captions": 1000 + first + places}
        plan.add_shard(name, sha256, places=places, texts=texts, offsets=offsets, **members)
    plan.queries(QUERIES, WIDTH)[:] = QUERY_VECTORS
    plan.sample(np.arange(sample))
    return plan.store(folder)


def exact() -> np.ndarray:
    rows = np.array([row for row in range(TEXTS) if row % A_SHARD % SKIPPED])
    targets = Targets.of(TEXT_VECTORS[rows], [[moment] for moment in MOMENTS[rows].tolist()])
    return search(QUERY_VECTORS, targets, k=K).moments


def as_arrays(nearest: NearestMoments) -> list[np.ndarray]:
    return [getattr(nearest, name)[:] for name in ("moments", "texts", "captions", "similarities")]


def sought(tmp_path: Path, folder: str, least_recall: float = 0.5, **more: Any) -> tuple[list[np.ndarray], Measured]:
    nearest, measured = search_approximately(planned(tmp_path, folder), tmp_path, least_recall=least_recall, **more)
    return as_arrays(nearest), measured


def test_what_is_found_is_scored_exactly_and_its_recall_is_that_of_the_exact_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(approximate_search, "EFFORTS", (Effort(1, 1), Effort(2, 2), Effort(8, 4), Effort(64, 64)))
    (moments, _, captions, similarities), measured = sought(tmp_path, "candidates/near", 0.6)
    for query, (row, sizes) in enumerate(zip(captions - 1000, similarities, strict=True)):
        units = [similarity_units(QUERY_VECTORS[query], TEXT_VECTORS[text]) for text in row]
        assert np.array_equal(np.round(np.array(units) / 10**DECIMALS, DECIMALS), sizes)
        assert MOMENTS[row].tolist() == moments[query].tolist() and len(set(moments[query].tolist())) == K
        assert [*zip(-sizes, moments[query], strict=True)] == sorted(zip(-sizes, moments[query], strict=True))
        assert not np.any(row % A_SHARD % SKIPPED == 0), "a text of another collection was found"
    measuring = np.arange(40)[1::2]
    assert measured.recall == recall(exact()[measuring], moments[measuring]) and measured.sample == 20
    assert 0.6 <= measured.recall < 1 and measured.probes < 64
    assert VectorIndex.objects.count() == 2 and measured.texts == sum(1 for row in range(1600) if row % A_SHARD % 7)

    # More is looked for as more is expected; the same is found again, by indexes made anew as well.
    times = set(VectorIndex.objects.values_list("made_at", flat=True))
    (best, *_), harder = sought(tmp_path, "candidates/near", 0.99)
    assert harder.recall >= 0.99 and harder.probes > measured.probes and recall(exact(), best) >= 0.99
    assert set(VectorIndex.objects.values_list("made_at", flat=True)) == times
    forget("candidates/near")
    damaged, gone = VectorIndex.objects.order_by("pk")
    checksums = {damaged.sha256, gone.sha256}
    gone.delete()
    file = Path(default_storage.path(damaged.index_file))
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    vector_shards._verified.clear()
    again, measured_again = sought(tmp_path, "candidates/near", 0.6)
    assert measured_again == measured and np.array_equal(again[0], moments)
    assert set(VectorIndex.objects.values_list("sha256", flat=True)) == checksums and not file.exists()
    forget("candidates/near")


def test_an_index_that_is_half_written_or_cut_short_is_never_used_and_made_anew(tmp_path: Path) -> None:
    job = planned(tmp_path, "candidates/near")
    files = read_plan(job).shards[:2]
    named = [(shard.vectors_file, shard.sha256) for shard in files]
    assert index_vectors(named) == 2 * A_SHARD
    whole = VectorIndex.objects.get()
    content = Path(default_storage.path(whole.index_file)).read_bytes()

    # Cut short in the storage.
    Path(default_storage.path(whole.index_file)).write_bytes(content[: len(content) // 2])
    vector_shards._verified.clear()
    with pytest.raises(VectorsError, match="in the storage is damaged"):
        open_index(files)
    assert index_vectors(named) == 2 * A_SHARD
    again = VectorIndex.objects.get()
    assert again.sha256 == whole.sha256 and not default_storage.exists(whole.index_file)

    # As a process leaves it that is killed while it writes: a row without its file's name, and half of the file.
    part = Path(default_storage.path(again.index_file))
    part.write_bytes(content[: len(content) // 2])
    VectorIndex.objects.update(sha256="", index_file="")
    assert not has_index(files)
    with pytest.raises(VectorsError, match="has gone while it was searched"):
        open_index(files)
    assert index_vectors(named) == 2 * A_SHARD
    last = VectorIndex.objects.get()
    assert last.sha256 == whole.sha256 and not part.exists() and open_index(files).ntotal == 2 * A_SHARD
    forget("candidates/near")


def test_a_worker_killed_while_it_makes_an_index_leaves_it_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()  # the worker has indexes of the real size
    rows = 70_000
    np.save(tmp_path / "rows.npy", np.random.default_rng(5).standard_normal((rows, WIDTH)).astype(np.float32))
    content = (tmp_path / "rows.npy").read_bytes()
    file = (f"vectors/of-the-test/{hashlib.sha256(content).hexdigest()}.npy", hashlib.sha256(content).hexdigest())
    default_storage.save(file[0], ContentFile(content))
    with ExitStack() as stack:
        worker = stack.enter_context(one_worker(tmp_path / "worker.log", named="making"))
        index_vectors.delay([file])
        wait_until(lambda: VectorIndex.objects.filter(sha256="").exists())
        kill_group(worker)
        assert worker.returncode == -signal.SIGKILL
    begun = VectorIndex.objects.get()
    assert (begun.sha256, begun.index_file) == ("", ""), "it was done before it was killed"
    app.control.purge()
    assert index_vectors([file]) == rows
    index = VectorIndex.objects.get()
    assert index.pk != begun.pk and index.rows == rows and not default_storage.exists(begun.written_as)

    # As one that nobody interrupted.
    index.delete()
    default_storage.delete(index.index_file)
    assert index_vectors([file]) == rows and VectorIndex.objects.get().sha256 == index.sha256


def test_machines_take_indexes_from_s3_and_make_anew_what_is_damaged_there(
    s3: Any, tmp_path: Path, settings: Any
) -> None:
    whole, measured = sought(tmp_path, "candidates/over-s3")
    forget("candidates/over-s3")
    indexes = {index.index_file: index.sha256 for index in VectorIndex.objects.all()}
    keys = {entry.key.removeprefix("qreels/") for entry in s3.objects.filter(Prefix="qreels/vectors/indexes/")}
    assert len(indexes) == 2 and keys == set(indexes)

    def on_another_machine(name: str) -> set[str]:
        """The same search where nothing lies so far. Returns: which indexes are there afterwards, by checksum."""
        settings.VAR = tmp_path / name
        settings.VAR.mkdir()
        vector_shards._verified.clear()
        nearest, again = sought(tmp_path, "candidates/over-s3")
        assert again == measured and all(map(np.array_equal, nearest, whole))
        forget("candidates/over-s3")
        return {path.stem for path in (settings.VAR / "vector-copies").glob("*.npy")} & set(indexes.values())

    assert on_another_machine("there") == set(indexes.values())
    assert {index.index_file for index in VectorIndex.objects.all()} == set(indexes)
    damaged = s3.Object(f"qreels/{min(indexes)}")
    content = damaged.get()["Body"].read()
    damaged.put(Body=content[: len(content) // 2])
    assert on_another_machine("elsewhere") == set(indexes.values())
    now = {index.index_file: index.sha256 for index in VectorIndex.objects.all()}
    assert set(now.values()) == set(indexes.values()) and set(now) & set(indexes) == {max(indexes)}
    assert {entry.key.removeprefix("qreels/") for entry in s3.objects.filter(Prefix="qreels/vectors/indexes/")} == set(
        now
    )


def test_too_little_recall_is_refused_and_too_few_vectors_are_searched_exactly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(approximate_search, "EFFORTS", (Effort(1, 1),))
    with pytest.raises(Refused, match=r"finds \d\d?\.\d % of .* 40 queries .* and 99.9 % are expected: lower"):
        sought(tmp_path, "candidates/near", 0.999)
    monkeypatch.setattr(vector_indexes, "LEAST_ROWS", 1000)
    VectorIndex.objects.all().delete()
    (moments, *_), measured = sought(tmp_path, "candidates/near", 0.999)
    assert (measured.texts, measured.recall) == (0, 1.0) and np.array_equal(moments, exact())
    forget("candidates/near")


def test_a_worker_that_dies_costs_its_cell_alone(tmp_path: Path) -> None:
    folder = f"candidates/near-{os.getpid()}"
    whole, measured = sought(tmp_path, folder)
    forget(folder)
    done: list[int] = []
    with ExitStack() as stack:
        # The worker has indexes of its own size, and takes what is there by name.
        worker = stack.enter_context(one_worker(tmp_path / "worker.log", named="near"))

        def kill_at_the_first_cell(count: int) -> None:
            done.append(count)
            if worker.poll() is None:
                kill_group(worker)

        nearest, again = sought(tmp_path, folder, progress=kill_at_the_first_cell)
        assert worker.returncode == -signal.SIGKILL
    assert sum(done) == QUERIES
    assert again == measured and all(map(np.array_equal, nearest, whole))
    forget(folder)
