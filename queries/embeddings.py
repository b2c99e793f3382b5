"""Texts to vectors through the database: what an encoder has once read it never reads again."""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from queries.encoder import load_encoder
from queries.models import Embedding

CHUNK = 1024


def embed(texts: Sequence[str], *, progress: Callable[[int], None] = lambda texts: None) -> np.ndarray:
    """Unit vectors of distinct texts, from the database where they are known, encoded and kept where not.

    Args:
        texts: distinct texts.
        progress: called with the number of texts done since the last call.

    Returns: float32 array (n, d) in the order of `texts`. A text's vector is the same to the last bit each time.
    """
    encoder = load_encoder()
    digests = [_digest(text) for text in texts]
    vectors: dict[bytes, np.ndarray] = {}
    for first in range(0, len(texts), CHUNK):
        chunk = dict(zip(digests[first : first + CHUNK], texts[first : first + CHUNK], strict=True))
        vectors |= _known(encoder.model_name, chunk)
        missing = {digest: text for digest, text in chunk.items() if digest not in vectors}
        if missing:
            keep(list(missing.values()), encoder.encode(list(missing.values())))
            # Read back: if another worker encoded the same text first, its vector is the one that counts.
            vectors |= _known(encoder.model_name, missing)
        progress(len(chunk))
    return np.stack([vectors[digest] for digest in digests]) if digests else np.zeros((0, 0), dtype=np.float32)


def keep(texts: Sequence[str], vectors: np.ndarray) -> None:
    """Remember the configured encoder's vectors, float32 (n, d), of n texts. What is known already stays as it is."""
    encoder = load_encoder().model_name
    rows = {_digest(text): np.asarray(vector, dtype="<f4") for text, vector in zip(texts, vectors, strict=True)}
    Embedding.objects.bulk_create(
        # In one order everywhere: two workers with the same texts wait for each other, and never in a circle.
        (Embedding(encoder=encoder, digest=digest, vector=rows[digest].tobytes()) for digest in sorted(rows)),
        ignore_conflicts=True,
    )


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _known(encoder: str, chunk: dict[bytes, str]) -> dict[bytes, np.ndarray]:
    rows = Embedding.objects.filter(encoder=encoder, digest__in=list(chunk)).values_list("digest", "vector")
    return {bytes(digest): np.frombuffer(vector, dtype="<f4") for digest, vector in rows}
