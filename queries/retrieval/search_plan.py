"""What a search over the workers reads: the shards with the moments that their texts describe, and the queries.

    FOLDER/DIGEST/plan.json             the shards' files and checksums, k, how many queries
    FOLDER/DIGEST/members-NUMBER.npz    of each shard: which of its rows are searched, and whom they describe
    FOLDER/DIGEST/queries-FIRST.npy     the vectors of each block of queries
    FOLDER/DIGEST/found-SHARDS-FIRST.npz what a cell found

The digest is of all that is searched: the same search finds what a killed one has left.
"""

import contextlib
import hashlib
import io
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage

from foundation.infra.storage import path_here
from queries.retrieval.rows_on_disk import RowsOnDisk


@dataclass(frozen=True, slots=True)
class PlannedShard:
    """A file of vectors (`vector_shards`) of which `texts` rows are searched."""

    vectors_file: str
    sha256: str
    texts: int


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """A search: `queries` queries in blocks of `block`, each for its k best moments in all shards.

    Some of them may be there once more behind the others, `sample` of them: on these an approximate search is measured.
    """

    k: int
    queries: int
    block: int
    shards: Sequence[PlannedShard]
    sample: int = 0

    def blocks(self) -> list[tuple[int, int]]:
        """First and last + 1 of each block's queries."""
        return [(first, min(first + self.block, self.queries)) for first in range(0, self.queries, self.block)]

    def sample_blocks(self) -> list[tuple[int, int]]:
        """The one block of the sample."""
        return [(self.queries, self.queries + self.sample)]


class PlanWriter:
    """Writes a plan into a folder of this machine, shard by shard, and then stores it for the workers."""

    def __init__(self, folder: Path, *, k: int, block: int) -> None:
        self._folder, self._k, self._block = folder, k, block
        self._shards: list[PlannedShard] = []
        self._digest = hashlib.sha256(f"{k} {block}".encode())
        self._queries: RowsOnDisk | None = None
        self._sample = np.zeros(0, dtype=np.int64)

    def add_shard(
        self,
        vectors_file: str,
        sha256: str,
        *,
        places: np.ndarray,
        texts: np.ndarray,
        offsets: np.ndarray,
        moments: np.ndarray,
        captions: np.ndarray,
    ) -> None:
        """One more shard. places: int64 (t,), the rows that are searched; the others as in `running_best.Piece`."""
        arrays = {"places": places, "texts": texts, "offsets": offsets, "moments": moments, "captions": captions}
        np.savez(self._folder / f"members-{len(self._shards)}.npz", **arrays)  # type: ignore[arg-type]
        self._digest.update(sha256.encode())
        for array in arrays.values():
            self._digest.update(np.ascontiguousarray(array).tobytes())
        self._shards.append(PlannedShard(vectors_file, sha256, len(places)))

    def queries(self, count: int, width: int) -> RowsOnDisk:
        """The queries' vectors, float32 (count, width), to be filled."""
        self._queries = RowsOnDisk(self._folder / "queries", dtype="<f4", shape=(count, width))
        return self._queries

    def sample(self, places: np.ndarray) -> None:
        """Have these queries searched for once more: int64 (n,)."""
        self._sample = places

    def store(self, folder: str) -> str:
        """Store it below a folder, unless it is there. Returns: where, for `read_plan`."""
        assert self._queries is not None
        plan = SearchPlan(self._k, len(self._queries), self._block, self._shards, len(self._sample))
        for first, last in plan.blocks():
            vectors = self._queries[first:last]
            np.save(self._folder / f"queries-{first}.npy", vectors)
            self._digest.update(vectors.tobytes())
        if plan.sample:
            np.save(self._folder / f"queries-{plan.queries}.npy", self._queries[self._sample])
            self._digest.update(self._sample.tobytes())
        job = f"{folder}/{self._digest.hexdigest()[:32]}"
        if not default_storage.exists(f"{job}/plan.json"):
            for path in sorted([*self._folder.glob("members-*.npz"), *self._folder.glob("queries-*.npy")]):
                store_whole(f"{job}/{path.name}", path)
            (self._folder / "plan.json").write_text(json.dumps(asdict(plan)))
            store_whole(f"{job}/plan.json", self._folder / "plan.json")
        return job


def read_plan(job: str) -> SearchPlan:
    """Raises: FileNotFoundError."""
    with default_storage.open(f"{job}/plan.json") as file:
        fields: dict[str, Any] = json.loads(file.read())
    return SearchPlan(**{**fields, "shards": [PlannedShard(**shard) for shard in fields["shards"]]})


def read_queries(job: str, first: int) -> np.ndarray:
    """A block's vectors, float32 (q, d). Raises: FileNotFoundError."""
    with default_storage.open(f"{job}/queries-{first}.npy") as file:
        vectors: np.ndarray = np.load(io.BytesIO(file.read()), allow_pickle=False)
    return vectors


def forget(folder: str) -> None:
    """Remove all searches' files below a folder, finished or not."""
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
    buffer.seek(0)
    _store(name, buffer)


def store_whole(name: str, path: Path) -> None:
    """Store a file of this machine under a name, as `save_arrays` does."""
    with path.open("rb") as file:
        _store(name, file)


def _store(name: str, source: Any) -> None:
    path = path_here(name)
    if path is None:
        # An object store shows an object once it is whole, and the one before until then.
        with default_storage.open(name, "wb") as file:
            shutil.copyfileobj(source, file, 1 << 20)
        return
    content = ContentFile(source.getvalue()) if isinstance(source, io.BytesIO) else File(source)
    written = default_storage.save(f"{name}.part", content)
    path.with_name(Path(written).name).replace(path)


def load_arrays(name: str) -> Mapping[str, np.ndarray]:
    """Load arrays stored by `save_arrays`. Raises: FileNotFoundError."""
    with default_storage.open(name) as file:
        arrays = np.load(io.BytesIO(file.read()))
        return {key: arrays[key] for key in arrays.files}
