"""Vectors moved from the database to files of a fixed number of rows in the storage, and read from there.

A new vector lies in its row of `Embedding`. `pack` moves such rows into shards, one transaction and one file at a time:
killed at any moment, it goes on with what is left. A shard never changes; what a short last one has, or one that lost
texts with their collection, is written into a new one, and the former goes when nobody reads any more.
"""

import hashlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

import numpy as np
from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.db.models import Count, F, Q

from foundation.infra.advisory_lock import alone_at, beside_others_at
from foundation.infra.scratch import scratch_folder
from foundation.infra.storage import delete_file, keep_file, path_here
from foundation.refused import Refused
from queries.models import Embedding, VectorIndex, VectorShard

FOLDER = "vectors"
SHARD_ROWS = 65_536
"""96 MiB of MiniLM's vectors."""
READ_AT_ONCE = 2000

_verified: set[str] = set()
"""Checksums of the files that this process has compared with what they are."""


class VectorsError(Refused):
    """A file of vectors is missing or damaged; the message says which, and what to do."""


@contextmanager
def reading_vectors() -> Iterator[None]:
    """While it is held, no file of vectors goes."""
    with beside_others_at("queries.vectors-read", 0):
        yield


def pack(*, encoder: str, all_of_it: bool = True, progress: Callable[[int], None] = lambda vectors: None) -> int:
    """Move an encoder's vectors from the database into shards; one process at a time. Safe to repeat and to break off.

    Args:
        all_of_it: also what makes no full shard, together with the last short one.
        progress: called with the number of vectors moved since the last call.

    Returns: how many vectors were written.
    """
    moved = 0
    with alone_at("queries.vectors", 0, wait=True):
        waiting = Embedding.objects.filter(encoder=encoder, shard=None)
        while waiting.count() >= SHARD_ROWS:
            moved += _write_next(encoder, Q(shard=None), progress)
        former = _worn(encoder)
        if all_of_it and (waiting.exists() or any(former.values()) or len(former) > 1):
            sources = Q(shard=None) | Q(shard__in=list(former))
            while written := _write_next(encoder, sources, progress):
                moved += written
        remove_unused()
    return moved


def clean_up() -> None:
    """Write shards anew that lost texts, and remove those that lost all."""
    shards = VectorShard.objects.annotate(live=Count("embeddings")).filter(live__gt=0, live__lt=F("rows"))
    for encoder in sorted(set(shards.values_list("encoder", flat=True))):
        pack(encoder=encoder)
    remove_unused()


def encoders_to_pack() -> list[str]:
    """The encoders with vectors outside of shards."""
    return sorted(Embedding.objects.filter(shard=None).values_list("encoder", flat=True).distinct())


def _worn(encoder: str) -> dict[int, bool]:
    """The shards (ids) that are short, or have rows without a text; whether they have such rows."""
    shards = VectorShard.objects.filter(encoder=encoder).annotate(live=Count("embeddings"))
    worn = shards.filter(Q(rows__lt=SHARD_ROWS) | Q(live__lt=F("rows")), live__gt=0)
    return {shard.pk: shard.live < shard.rows for shard in worn}


def _write_next(encoder: str, sources: Q, progress: Callable[[int], None]) -> int:
    """One shard of the first such rows. Returns: how many rows it has; 0: there are none."""
    rows = Embedding.objects.filter(sources, encoder=encoder).order_by("pk")
    batch = list(rows.values_list("pk", "digest", "shard_id", "place")[:SHARD_ROWS])
    if not batch:
        return 0
    texts = hashlib.sha256(b"".join(bytes(digest) for _, digest, *_ in batch)).hexdigest()
    name = f"{FOLDER}/{hashlib.sha256(encoder.encode()).hexdigest()[:16]}/{texts[:32]}-{secrets.token_hex(4)}.npy"
    shard = VectorShard.objects.create(encoder=encoder, rows=len(batch), texts_sha256=texts, written_as=name)
    with scratch_folder("vectors") as folder:
        path = folder / "vectors.npy"
        _write_vectors(path, encoder, batch)
        with path.open("rb") as file:
            assert keep_file(name, File(file)) == name
        shard.sha256, shard.vectors_file = sha256_of(path), name
    with transaction.atomic(), connection.cursor() as cursor:
        shard.save(update_fields=["sha256", "vectors_file"])
        # A text that went meanwhile, with its collection, leaves its place empty.
        cursor.execute(
            """
            UPDATE queries_embedding e SET shard_id = %s, place = moved.place - 1, vector = NULL
              FROM unnest(%s::bigint[]) WITH ORDINALITY AS moved(id, place) WHERE e.id = moved.id""",
            [shard.pk, [row[0] for row in batch]],
        )
    progress(len(batch))
    return len(batch)


def _write_vectors(path: Path, encoder: str, batch: Sequence[tuple[int, object, int | None, int | None]]) -> None:
    """Raises: VectorsError if they aren't all as wide."""
    target = None
    for first in range(0, len(batch), READ_AT_ONCE):
        part = batch[first : first + READ_AT_ONCE]
        inside = [pk for pk, _, shard, _ in part if shard is None]
        vectors = dict(Embedding.objects.filter(pk__in=inside).values_list("pk", "vector"))
        former = {shard: open_shard(shard) for shard in {row[2] for row in part if row[2] is not None}}
        for at, (pk, _, shard, place) in enumerate(part, start=first):
            if shard is not None:
                vector = former[shard][place]
            elif (stored := vectors.get(pk)) is not None:
                vector = np.frombuffer(stored, dtype="<f4")
            else:
                continue
            if target is None:
                target = np.lib.format.open_memmap(path, "w+", dtype="<f4", shape=(len(batch), len(vector)))
            if len(vector) != target.shape[1]:
                raise VectorsError(
                    f"found vectors of {len(vector)} and of {target.shape[1]} numbers by {encoder}, expected one width"
                )
            target[at] = vector
    if target is None:
        target = np.lib.format.open_memmap(path, "w+", dtype="<f4", shape=(len(batch), 1))
    target.flush()


def remove_unused() -> None:
    """Remove the shards that no text refers to, unless somebody is writing or reading any: then the next call does."""
    with alone_at("queries.vectors", 0, wait=False) as nobody_writes:
        if not nobody_writes:
            return
        with alone_at("queries.vectors-read", 0, wait=False) as nobody_reads:
            for shard in VectorShard.objects.filter(embeddings=None) if nobody_reads else ():
                _remove(shard)
            if nobody_reads:
                _remove_indexes()


def _remove_indexes() -> None:
    """Remove the indexes of which a file is gone."""
    there = set(VectorShard.objects.values_list("sha256", flat=True))
    for index in VectorIndex.objects.all():
        if not there.issuperset(index.shards):
            index.delete()
            delete_file(index.written_as)


def _remove(shard: VectorShard) -> None:
    with transaction.atomic():
        Embedding.objects.filter(shard=shard).delete()
        shard.delete()
        transaction.on_commit(lambda: delete_file(shard.written_as))


def forget_damaged() -> list[str]:
    """Read all shards, and forget those that are missing or damaged, so that their texts are encoded again.

    Returns: what was wrong with each, in a sentence.
    """
    wrong = []
    for shard in VectorShard.objects.exclude(vectors_file="").order_by("pk"):
        _verified.discard(shard.sha256)
        try:
            local_vectors(shard.vectors_file, shard.sha256)
        except VectorsError as error:
            wrong.append(str(error))
            _remove(shard)
    return wrong


@lru_cache(maxsize=8)
def open_shard(shard: int) -> np.ndarray:
    """A shard's vectors by its id, mapped into memory: float32 (rows, width). Raises: VectorsError."""
    row = VectorShard.objects.get(pk=shard)
    return local_vectors(row.vectors_file, row.sha256)


def local_vectors(name: str, sha256: str) -> np.ndarray:
    """A shard's vectors by its name in the storage, mapped into memory: float32 (rows, width).

    Out of another storage than a folder it is copied to this machine, where copies stay while the disk has room. Its
    checksum is compared once a process.

    Raises: VectorsError.
    """
    path = _local_path(name, sha256)
    if sha256 not in _verified:
        actual = sha256_of(path) if path.exists() else ""
        if actual != sha256:
            state = f"damaged: found the SHA-256 {actual}, expected {sha256}" if actual else "missing"
            if path.is_relative_to(_copies()):
                path.unlink(missing_ok=True)
            raise VectorsError(
                f"{name} in the storage is {state}. manage.py pack_vectors --check forgets it, so that its texts are"
                " encoded again."
            )
        _verified.add(sha256)
    with suppress(FileNotFoundError):
        vectors: np.ndarray = np.load(path, mmap_mode="r", allow_pickle=False)
        return vectors
    _verified.discard(sha256)
    return local_vectors(name, sha256)


def _local_path(name: str, sha256: str) -> Path:
    here = path_here(name)
    if here is not None:
        return here
    copy = _copies() / f"{sha256}.npy"
    if copy.exists():
        with suppress(FileNotFoundError):
            os.utime(copy)  # the oldest go first
            return copy
    copy.parent.mkdir(parents=True, exist_ok=True)
    part = copy.with_name(f".{copy.stem}-{os.getpid()}.part")
    try:
        with default_storage.open(name) as source, part.open("wb") as target:
            _make_room(source.size)
            shutil.copyfileobj(source, target, 1 << 20)
        part.replace(copy)
    except FileNotFoundError:
        pass  # told by who looks for the copy
    finally:
        part.unlink(missing_ok=True)
    return copy


def _make_room(size: int) -> None:
    """Remove the oldest copies until the disk has this many bytes beside those that have to stay free."""
    copies = sorted(_copies().glob("*.npy"), key=lambda copy: copy.stat().st_mtime)
    for copy in copies:
        if shutil.disk_usage(copy.parent).free >= size + settings.FREE_SPACE:
            return
        copy.unlink(missing_ok=True)


def _copies() -> Path:
    return Path(settings.VAR) / "vector-copies"


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file of this machine."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
