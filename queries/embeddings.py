"""Texts to vectors through the database: what an encoder has once read it never reads again."""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from queries.encoder import load_encoder
from queries.models import Embedding

CHUNK = 1024


def encoder_name() -> str:
    """The name under which vectors of the configured encoder are kept."""
    return load_encoder().model_name


def embed(texts: Sequence[str], *, progress: Callable[[int], None] = lambda texts: None) -> np.ndarray:
    """Unit vectors of distinct texts, from the database where they are known, encoded and kept where not.

    Args:
        texts: distinct texts.
        progress: called with the number of texts done since the last call.

    Returns: float32 array (n, d) in the order of `texts`. A text's vector is the same to the last bit each time.
    """
    encoder = load_encoder()
    digests = [hashlib.sha256(text.encode()).digest() for text in texts]
    vectors: dict[bytes, np.ndarray] = {}
    for first in range(0, len(texts), CHUNK):
        chunk = dict(zip(digests[first : first + CHUNK], texts[first : first + CHUNK], strict=True))
        vectors |= _known(encoder.model_name, chunk)
        missing = {digest: text for digest, text in chunk.items() if digest not in vectors}
        if missing:
            fresh = np.asarray(encoder.encode(list(missing.values())), dtype="<f4")
            Embedding.objects.bulk_create(
                (
                    Embedding(encoder=encoder.model_name, digest=digest, vector=vector.tobytes())
                    for digest, vector in zip(missing, fresh, strict=True)
                ),
                ignore_conflicts=True,
            )
            # Read back: if another worker encoded the same text first, its vector is the one that counts.
            vectors |= _known(encoder.model_name, missing)
        progress(len(chunk))
    return (
        np.stack([vectors[digest] for digest in digests]) if digests else np.zeros((0, 0), dtype=np.float32)
    )


def _known(encoder: str, chunk: dict[bytes, str]) -> dict[bytes, np.ndarray]:
    rows = Embedding.objects.filter(encoder=encoder, digest__in=list(chunk)).values_list("digest", "vector")
    return {bytes(digest): np.frombuffer(vector, dtype="<f4") for digest, vector in rows}
