"""Embeddings known by model and text: new ones lie in the database, then in shards (`vector_shards`)."""

import hashlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from celery import shared_task

from foundation.infra.parallel_tasks import spread
from queries.models import Embedding
from queries.retrieval.encoder import load_encoder
from queries.retrieval.vector_shards import open_shard, reading_vectors

CHUNK = 1024
BLOCK = 512
"""Texts that a worker encodes at a time: some seconds of work, so that little is lost with it."""


def embed(texts: Sequence[str]) -> np.ndarray:
    """Unit vectors of distinct texts: cached ones from the database, others encoded and stored (`encode_unknown`).

    Returns: float32 array (n, d) in the order of `texts`. A text's vector is the same to the last bit each time.
    """
    if not texts:
        return np.zeros((0, 0), dtype=np.float32)
    encode_unknown(texts)
    with reading_vectors():
        return _read(texts)


def encode_unknown(texts: Sequence[str], *, progress: Callable[[int], object] = lambda texts: None) -> None:
    """Encode and store the distinct texts that aren't cached: in blocks by the workers, or here where none answers.

    Each block is kept when it is done: after a crash only what is missing is encoded.

    Args: progress: called with the number of texts done since the last call.
    """
    missing = unknown(texts)
    progress(len(texts) - len(missing))
    # Sentences of like length share a batch, and a block.
    missing.sort(key=lambda text: (len(text), text))
    blocks = [missing[first : first + BLOCK] for first in range(0, len(missing), BLOCK)]
    if len(blocks) == 1:
        progress(encode_block(blocks[0]))
    elif blocks:
        spread(encode_block, blocks, progress=progress)
    # A worker may have been told of another encoder: its vectors are kept under that one's name, ours are made here.
    encode_block(unknown(texts))


def unknown(texts: Sequence[str]) -> list[str]:
    """The texts without a cached embedding by the configured encoder, in their order."""
    encoder = load_encoder().identity
    left: list[str] = []
    for chunk in _chunks(texts):
        rows = Embedding.objects.filter(encoder=encoder, digest__in=list(chunk))
        known = {bytes(digest) for digest in rows.values_list("digest", flat=True)}
        left += [text for digest, text in chunk.items() if digest not in known]
    return left


@shared_task(name="queries.tasks.encode_block", acks_late=True, reject_on_worker_lost=True)
def encode_block(texts: Sequence[str]) -> int:
    """Encode and store the texts that aren't cached yet. Returns how many texts it was given."""
    missing = unknown(texts)
    if missing:
        keep(missing, load_encoder().encode(missing))
    return len(texts)


def keep(texts: Sequence[str], vectors: np.ndarray) -> None:
    """Store the configured encoder's vectors, float32 (n, d), of n texts. Cached ones stay as they are."""
    encoder = load_encoder().identity
    rows = {_digest(text): np.asarray(vector, dtype="<f4") for text, vector in zip(texts, vectors, strict=True)}
    Embedding.objects.bulk_create(
        # In one order everywhere: two workers with the same texts wait for each other, and never in a circle.
        (Embedding(encoder=encoder, digest=digest, vector=rows[digest].tobytes()) for digest in sorted(rows)),
        ignore_conflicts=True,
    )


def _read(texts: Sequence[str]) -> np.ndarray:
    encoder = load_encoder().identity
    vectors: list[np.ndarray] = []
    for chunk in _chunks(texts):
        rows = Embedding.objects.filter(encoder=encoder, digest__in=list(chunk))
        known: dict[bytes, np.ndarray] = {}
        for digest, vector, shard, place in rows.values_list("digest", "vector", "shard_id", "place"):
            known[bytes(digest)] = np.frombuffer(vector, dtype="<f4") if shard is None else open_shard(shard)[place]
        vectors.append(np.stack([known[digest] for digest in chunk]))
    return np.concatenate(vectors)


def _chunks(texts: Sequence[str]) -> Iterator[dict[bytes, str]]:
    for first in range(0, len(texts), CHUNK):
        yield {_digest(text): text for text in texts[first : first + CHUNK]}


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
