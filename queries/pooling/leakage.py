"""How near pseudo-training captions come to the val and test queries.

A caption equal to a query is no pseudo-training query (`query_selection`). One that says nearly the same may be, and a
system that is trained on it has nearly seen the query.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection

from foundation.infra.progress import Advance
from foundation.models import Collection
from queries.pooling.candidates import pool_captions
from queries.retrieval.embedding_cache import encode_unknown
from queries.retrieval.nearest_captions import Comparison
from queries.retrieval.vector_shards import SHARD_ROWS, open_shard

CAPTIONS_AT_ONCE = 8192

# Equal captions have one vector: that of the pool's first spelling, which ranks candidates too (`pool_tables`).
_SPELLED = """
WITH asked(key, text, id) AS ({asked}), pool(key, text) AS ({pool}),
keys AS (SELECT key, min(text COLLATE "C") AS own, array_agg(id ORDER BY id) AS ids FROM asked GROUP BY key),
pooled AS (SELECT key, min(text COLLATE "C") AS text FROM pool GROUP BY key),
spelled AS (SELECT key, coalesce(pooled.text, own) AS text, ids FROM keys LEFT JOIN pooled USING (key))
"""
_VECTORS = """
SELECT ids, shard_id, place, vector FROM spelled
  LEFT JOIN queries_embedding e ON e.encoder = %s AND e.digest = sha256(convert_to(text, 'UTF8'))
 ORDER BY key COLLATE "C" """
_TRAINING = """
SELECT c.normalised, c.text, c.description_id FROM queries_caption c
  JOIN unnest(%s::bigint[]) AS given(description) ON given.description = c.description_id"""
_QUERIES = "SELECT normalised, text, id FROM queries_query WHERE collection_id = %s AND split <> ''"


@dataclass(frozen=True, slots=True)
class Leakage:
    """What was found for q val and test queries and n pseudo-training queries.

    encoder: by whose vectors. queries: int64 (q,), ids. nearest: int64 (q,), the description (id) of each one's most
    similar caption, of equal ones the first; cosines: float64 (q,), with it; -1 and NaN where there is none or either
    has no vector.
    training: int64 (n,), descriptions (ids), rising. to_queries: float64 (n,), the cosine of each one's caption with
    the query that is most similar to it; NaN where there is none or either has no vector.
    below: pseudo-training queries that reach it are left out, and are nobody's nearest; None: none are.
    """

    encoder: str
    queries: np.ndarray
    nearest: np.ndarray
    cosines: np.ndarray
    training: np.ndarray
    to_queries: np.ndarray
    below: float | None

    @property
    def left_out(self) -> np.ndarray:
        """Which of the pseudo-training queries are left out: bool (n,)."""
        return self.to_queries >= (np.inf if self.below is None else self.below)

    def is_whole(self, collection: Collection) -> bool:
        """Whether every query and every pseudo-training query was compared."""
        asked = collection.queries.exclude(split="").count()
        return len(self.queries) == asked and not np.isnan(self.to_queries).any()


def encode_for_leakage(collection: Collection, training: np.ndarray, *, progress: Advance) -> None:
    """Have the configured encoder's vectors of all that `measure_leakage` compares; known ones aren't made again.

    Args: progress: called with the number of texts encoded since the last call.
    """
    for asked in _asked(collection, training):
        missing: list[str] = []
        for (text,) in _rows(collection, asked, "SELECT text FROM spelled"):
            missing.append(text)
            if len(missing) == SHARD_ROWS:
                encode_unknown(missing, progress=progress)
                missing = []
        encode_unknown(missing, progress=progress)


def measure_leakage(
    collection: Collection,
    training: np.ndarray,
    *,
    encoder: str,
    below: float | None = None,
    progress: Advance = lambda captions: None,
) -> Leakage:
    """Compare every val and test query with every pseudo-training caption, exactly.

    Memory grows with the queries, not with the captions. Hold `reading_vectors` meanwhile.

    Args:
        training: the descriptions (ids, rising) that are pseudo-training queries.
        encoder: its identity; a text without its vector is compared with nothing.
        below: as in `Leakage`.
        progress: called with the number of captions compared since the last call.

    Raises: VectorsError if a file of vectors is missing or damaged.
    """
    of_queries, of_training = _asked(collection, training)
    known = list(_blocks(collection, of_queries, encoder))
    queries = np.array([ids[0] for owners, _ in known for ids in owners], dtype=np.int64)
    vectors = np.concatenate([part for _, part in known]) if known else np.zeros((0, 0), dtype=np.float32)
    comparison = Comparison(vectors, below=below)
    to_queries = np.full(len(training), np.nan)
    for owners, captions in _blocks(collection, of_training, encoder) if len(queries) else ():
        nearest = comparison.take(np.array([ids[0] for ids in owners], dtype=np.int64), captions)
        sizes = [len(ids) for ids in owners]
        to_queries[np.searchsorted(training, np.concatenate(owners))] = np.repeat(nearest, sizes)
        progress(len(owners))
    return Leakage(encoder, queries, comparison.nearest, comparison.cosines, training, to_queries, below)


_Asked = tuple[str, list[Any]]
"""A SELECT of normal form, text and id, and its parameters."""


def _asked(collection: Collection, training: np.ndarray) -> tuple[_Asked, _Asked]:
    """Of the queries, and of the pseudo-training queries."""
    return (_QUERIES, [collection.pk]), (_TRAINING, [training.tolist()])


def _blocks(collection: Collection, asked: _Asked, encoder: str) -> Iterator[tuple[list[list[int]], np.ndarray]]:
    """The distinct texts that have a vector, by normal form: whose they are (ids, ascending), and float32 (t, d)."""
    rows = _rows(collection, asked, _VECTORS, encoder)
    held: list[tuple[list[int], int | None, int, bytes]] = []
    for row in rows:
        if row[1] is not None or row[3] is not None:
            held.append(row)
        if len(held) == CAPTIONS_AT_ONCE:
            yield _with_vectors(held)
            held = []
    if held:
        yield _with_vectors(held)


def _with_vectors(rows: list[tuple[list[int], int | None, int, bytes]]) -> tuple[list[list[int]], np.ndarray]:
    owners, shards, places, stored = zip(*rows, strict=True)
    vectors: np.ndarray | None = None
    for shard in dict.fromkeys(shards):
        here = [row for row, other in enumerate(shards) if other == shard]
        if shard is None:
            part = np.stack([np.frombuffer(stored[row], dtype="<f4") for row in here])
        else:
            part = open_shard(shard)[[places[row] for row in here]]
        if vectors is None:
            vectors = np.empty((len(rows), part.shape[1]), dtype=np.float32)
        vectors[here] = part
    assert vectors is not None
    return list(owners), vectors


def _rows(collection: Collection, asked: _Asked, select: str, *more: str) -> Iterator[Any]:
    of_pool, given = pool_captions(collection).order_by().values_list("normalised", "text").query.sql_with_params()
    with connection.chunked_cursor() as cursor:
        cursor.execute(_SPELLED.format(asked=asked[0], pool=of_pool) + select, [*asked[1], *given, *more])
        while rows := cursor.fetchmany(CAPTIONS_AT_ONCE):
            yield from rows
