"""The candidate pool and what is asked of it, as temporary tables of this session: memory doesn't grow with them.

pool_caption   caption, moment, text, key: every caption of the pool; key is its normal form
pool_text      text_row, key, text, digest: the distinct keys in their order, numbered from 0; text is the spelling
               that stands for all captions equal to it, digest its SHA-256
pool_member    text_row, moment, caption: whom each describes
pool_training  description, text_row: the descriptions of the query kinds
pool_query     query, text_row or, where the pool doesn't have it, text
pool_missing   number, text: the texts of the pool and of queries without a vector, numbered from 0, the shortest first
pool_asked     place, text_row, text, digest: what is searched, each once, numbered from 0; those of the pool first
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import QuerySet

from queries.models import Caption, Query, VectorShard
from queries.retrieval.search_plan import PlanWriter
from queries.retrieval.vector_shards import VectorsError, local_vectors

TABLES = ("pool_missing", "pool_asked", "pool_query", "pool_training", "pool_member", "pool_text", "pool_caption")
READ_AT_ONCE = 20_000

# The order of the code points, in which Python sorts as well.
_OF_POOL = """
CREATE TEMPORARY TABLE pool_text AS
    SELECT row_number() OVER (ORDER BY key COLLATE "C") - 1 AS text_row, key, text,
           sha256(convert_to(text, 'UTF8')) AS digest
      FROM (SELECT key, min(text COLLATE "C") AS text FROM pool_caption GROUP BY key) AS spelled;
CREATE INDEX ON pool_text (text_row);
ANALYZE pool_text (text_row, digest);
CREATE TEMPORARY TABLE pool_member AS
    SELECT text_row, moment, min(caption) AS caption FROM pool_caption JOIN pool_text USING (key)
     GROUP BY text_row, moment;
ANALYZE pool_member"""
_ASKED = """
CREATE TEMPORARY TABLE pool_asked AS
    SELECT row_number() OVER (ORDER BY text_row NULLS LAST, text COLLATE "C") - 1 AS place, text_row, text, digest
      FROM (SELECT text_row, text, digest FROM pool_text
             WHERE text_row IN (SELECT text_row FROM pool_training UNION SELECT text_row FROM pool_query)
             UNION ALL
            SELECT NULL, text, sha256(convert_to(text, 'UTF8'))
              FROM (SELECT DISTINCT text FROM pool_query WHERE text_row IS NULL) AS outside) AS asked;
CREATE INDEX ON pool_asked (text_row);
ANALYZE pool_asked"""
_TEXTS = """
    (SELECT text, digest FROM pool_text UNION ALL SELECT text, digest FROM pool_asked WHERE text_row IS NULL) AS t"""


@dataclass(frozen=True, slots=True)
class PoolPiece:
    """Some of the pool's texts, from the row `first` on. Text t of them describes the moments (ids) at
    offsets[t]:offsets[t + 1], ascending."""

    first: int
    texts: list[str]
    offsets: np.ndarray
    moments: np.ndarray


class PoolTables:
    """The tables, once they are made (`pool_tables`)."""

    def __init__(self) -> None:
        self.texts = _number("SELECT count(*) FROM pool_text")

    def ask(self, training: QuerySet[Caption], queries: QuerySet[Query]) -> None:
        """Make the tables of what is asked: training captions with a text of the pool, and all these queries."""
        own = "SELECT description, text_row FROM given JOIN pool_text USING (key)"
        _make("pool_training", training.values_list("description_id", "normalised"), "description, key", own)
        any_text = "SELECT query, text_row, given.text FROM given LEFT JOIN pool_text USING (key)"
        _make("pool_query", queries.values_list("pk", "normalised", "text"), "query, key, text", any_text)
        _run(_ASKED)

    @property
    def asked(self) -> int:
        """How many texts are searched."""
        return _number("SELECT count(*) FROM pool_asked")

    @property
    def moments(self) -> int:
        """How many moments can be candidates."""
        return _number("SELECT count(DISTINCT moment) FROM pool_member")

    def look_for_vectors(self, encoder: str) -> int:
        """Make the table of texts of the pool and of queries without a vector by the encoder. Returns: how many."""
        numbered = 'row_number() OVER (ORDER BY length(text), text COLLATE "C") - 1 AS number'
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE TEMPORARY TABLE pool_missing AS SELECT {numbered}, text {_MISSING}", [encoder])
            cursor.execute("CREATE INDEX ON pool_missing (number)")
            cursor.execute("ANALYZE pool_missing")
        return _number("SELECT count(*) FROM pool_missing")

    def without_vector(self, first: int, most: int) -> list[str]:
        """So many of these, from a number on."""
        sql = "SELECT text FROM pool_missing WHERE number >= %s AND number < %s ORDER BY number"
        return [str(text) for (text,) in _rows(sql, [first, first + most])]

    def training(self) -> tuple[np.ndarray, np.ndarray]:
        """The descriptions (ids, ascending) that are searched for training, and the place of each: int64 (n,)."""
        sql = "SELECT description, place FROM pool_training JOIN pool_asked USING (text_row) ORDER BY description"
        parts = [np.array(rows, dtype=np.int64) for rows in _pieces(sql, [])]
        both = np.concatenate(parts) if parts else np.zeros((0, 2), dtype=np.int64)
        return both[:, 0].copy(), both[:, 1].copy()

    def sample(self, most: int) -> np.ndarray:
        """Places of what is searched, by lot: val and test queries for half of it at most, then others; int64 (n,)."""
        of_queries = f"SELECT place FROM ({_QUERY_PLACES}) AS places"
        drawn: list[int] = []
        for sql in (f"place IN ({of_queries})", f"place NOT IN ({of_queries})"):
            lot = f"SELECT place FROM pool_asked WHERE {sql} ORDER BY md5(place::text), place LIMIT %s"
            drawn += [place for (place,) in _rows(lot, [most // 2])]
        return np.array(drawn, dtype=np.int64)

    def places_of(self, queries: Sequence[int]) -> dict[int, int]:
        """The place of each of these queries (ids)."""
        sql = f"SELECT query, place FROM ({_QUERY_PLACES}) AS places WHERE query = ANY(%s)"
        return dict(_rows(sql, [list(queries)]))

    def spellings(self, rows: Sequence[int]) -> dict[int, str]:
        """The texts of these rows of the pool."""
        return dict(_rows("SELECT text_row, text FROM pool_text WHERE text_row = ANY(%s)", [list(rows)]))

    def spelled(self, keys: Sequence[str]) -> dict[str, str]:
        """The spelling that stands for each of these normal forms, of those that the pool has."""
        return dict(_rows("SELECT key, text FROM pool_text WHERE key = ANY(%s)", [list(keys)]))

    def moment_ids(self) -> np.ndarray:
        """All moments that can be candidates (ids, ascending): int64 (m,)."""
        parts = [np.array(rows, dtype=np.int64) for rows in _pieces("SELECT DISTINCT moment FROM pool_member", [])]
        return np.sort(np.concatenate(parts)[:, 0])

    def captions_of(self, rows: Sequence[int], moments: Sequence[int]) -> dict[tuple[int, int], int]:
        """(row of the pool, moment) -> caption (id), for such pairs."""
        sql = """
            SELECT text_row, moment, caption FROM pool_member
              JOIN unnest(%s::bigint[], %s::bigint[]) AS asked(text_row, moment) USING (text_row, moment)"""
        return {(row, moment): caption for row, moment, caption in _rows(sql, [list(rows), list(moments)])}

    def pieces(self, texts: int) -> Iterator[PoolPiece]:
        """The pool, so many texts at a time."""
        for first in range(0, self.texts, texts):
            part = [first, first + texts]
            inside = "WHERE text_row >= %s AND text_row < %s ORDER BY text_row"
            spellings = [text for (text,) in _rows(f"SELECT text FROM pool_text {inside}", part)]
            members = np.array(
                _rows(f"SELECT text_row, moment FROM pool_member {inside}, moment", part), dtype=np.int64
            )
            starts = np.searchsorted(members[:, 0], np.arange(first, first + len(spellings) + 1))
            yield PoolPiece(first, spellings, starts.astype(np.int64), members[:, 1].copy())

    def write_plan(self, plan: PlanWriter, encoder: str) -> None:
        """Write the pool's shards and the vectors that are searched into a plan. All have to lie in shards.

        Raises: VectorsError if any doesn't, because it was deleted meanwhile.
        """
        shards = VectorShard.objects.filter(encoder=encoder).in_bulk()
        written = 0
        for shard, rows in _by_shard(_MEMBERS, [encoder]):
            starts = np.flatnonzero(np.diff(rows[:, 0], prepend=-1))
            file = shards[shard]
            plan.add_shard(
                file.vectors_file,
                file.sha256,
                texts=rows[starts, 0],
                places=rows[starts, 1],
                offsets=np.append(starts, len(rows)).astype(np.int64),
                moments=rows[:, 2],
                captions=rows[:, 3],
            )
            written += len(starts)
        count, queries, filled = self.asked, None, 0
        for shard, rows in _by_shard(_ASKED_PLACES, [encoder]):
            vectors = local_vectors(shards[shard].vectors_file, shards[shard].sha256)
            if queries is None:
                queries = plan.queries(count, vectors.shape[1])
            queries[rows[:, 1]] = vectors[rows[:, 0]]
            filled += len(rows)
        if (written, filled) != (self.texts, count):
            raise VectorsError(
                f"found the vectors of {written:,} texts and {filled:,} queries in files, expected {self.texts:,} and"
                f" {count:,}: the others went meanwhile. Fetch candidates again."
            )


_QUERY_PLACES = """
SELECT query, place FROM pool_query JOIN pool_asked USING (text_row)
 UNION ALL
SELECT query, place FROM pool_query q JOIN pool_asked a ON a.text_row IS NULL AND a.text = q.text
 WHERE q.text_row IS NULL"""
_MISSING = f"""
 FROM {_TEXTS} WHERE NOT EXISTS (
    SELECT FROM queries_embedding e WHERE e.encoder = %s AND e.digest = t.digest)"""
_MEMBERS = """
SELECT shard_id, text_row, place, moment, caption
  FROM pool_text t JOIN queries_embedding e ON e.encoder = %s AND e.digest = t.digest AND e.shard_id IS NOT NULL
  JOIN pool_member USING (text_row)
 ORDER BY shard_id, text_row, moment"""
_ASKED_PLACES = """
SELECT shard_id, e.place, a.place
  FROM pool_asked a JOIN queries_embedding e ON e.encoder = %s AND e.digest = a.digest AND e.shard_id IS NOT NULL
 ORDER BY shard_id, e.place"""


@contextmanager
def pool_tables(captions: QuerySet[Caption]) -> Iterator[PoolTables]:
    """The tables of a pool of these captions; they go at the end."""
    try:
        _drop()
        fields = ("pk", "description__moment_id", "text", "normalised")
        _make("pool_caption", captions.values_list(*fields), "caption, moment, text, key", "TABLE given")
        _run(_OF_POOL)
        yield PoolTables()
    finally:
        if connection.connection is not None and not connection.needs_rollback:
            _drop()


def _make(table: str, given: Any, columns: str, select: str) -> None:
    sql, parameters = given.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TEMPORARY TABLE {table} AS WITH given({columns}) AS ({sql}) {select}", parameters)
        cursor.execute(f"ANALYZE {table}")


def _drop() -> None:
    _run(f"DROP TABLE IF EXISTS {', '.join(f'pg_temp.{table}' for table in TABLES)}")


def _run(sql: str) -> None:
    with connection.cursor() as cursor:
        for statement in sql.split(";"):
            cursor.execute(statement)


def _number(sql: str, parameters: Sequence[Any] = ()) -> int:
    return int(_rows(sql, parameters)[0][0])


def _rows(sql: str, parameters: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


def _pieces(sql: str, parameters: Sequence[Any]) -> Iterator[list[Any]]:
    """A long answer in pieces, by a cursor of the server's."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(sql, parameters)
        while rows := cursor.fetchmany(READ_AT_ONCE):
            yield rows


def _by_shard(sql: str, parameters: Sequence[Any]) -> Iterator[tuple[int, np.ndarray]]:
    """An answer ordered by its first column, a shard's id: each shard with its other columns, int64 (n, columns)."""
    held: list[np.ndarray] = []
    for rows in _pieces(sql, parameters):
        piece = np.array(rows, dtype=np.int64)
        for part in np.split(piece, np.flatnonzero(np.diff(piece[:, 0])) + 1):
            if held and held[0][0, 0] != part[0, 0]:
                yield int(held[0][0, 0]), np.concatenate(held)[:, 1:]
                held = []
            held.append(part)
    if held:
        yield int(held[0][0, 0]), np.concatenate(held)[:, 1:]
