"""Fetch candidates: the pool of moments ranked for every query (rule 4)."""

import zipfile
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.db.models import PROTECT, Exists, OuterRef, Q, QuerySet

from corpus.models import Clip, clip_failed
from foundation.infra.advisory_lock import alone_at
from foundation.infra.scratch import scratch_folder
from foundation.infra.set_based_sql import copy_rows
from foundation.models import Collection
from foundation.refused import Refused
from queries.models import Candidate, CandidateSearch, Caption, Query, QueryPool, SimilarityRanking
from queries.pooling.pool_tables import PoolTables, pool_tables
from queries.pooling.query_selection import query_captions
from queries.pooling.run_plans import run_plan
from queries.retrieval import distributed_search, vector_shards
from queries.retrieval.approximate_search import SAMPLE, queries_a_block, search_approximately
from queries.retrieval.distributed_search import NearestMoments, search_in_cells
from queries.retrieval.embedding_cache import encode_unknown
from queries.retrieval.encoder import load_encoder
from queries.retrieval.search_plan import PlanWriter, forget, store_whole
from queries.retrieval.vector_shards import reading_vectors

Progress = Callable[[int], None]
ROWS_AT_ONCE = 200
TRAINING_ROWS_AT_ONCE = 10_000

_Ranked = tuple[int, int, int, str, float]
"""A moment of one query: rank, moment, caption, caption's text, similarity."""


def pool_captions(collection: Collection) -> QuerySet[Caption]:
    """The captions that make the candidate pool: accepted ones of a pool kind.

    In a collection with clips, moments whose clip couldn't be cut are left out: nobody could judge them.
    """
    captions = Caption.objects.filter(
        description__collection=collection,
        description__kind__in=collection.pool_kinds,
        status=Caption.Status.ACCEPTED,
    )
    if collection.has_clips:
        # By the clip's moment alone: through the moments, a count of all reads two tables more than it needs.
        captions = captions.exclude(Exists(Clip.objects.filter(clip_failed(), moment=OuterRef("description__moment"))))
    return captions


@dataclass(frozen=True, slots=True)
class Fetched:
    """Counts of what was fetched."""

    queries: int
    """Val and test queries that had no candidates and got them now."""
    reranked: int
    """Those not judged yet whose candidates were replaced, because the ranking is another by now."""
    kept: int
    """Those with an opened batch: they keep the candidates that are judged."""
    outdated: int
    """Those among the kept that would be ranked otherwise today."""
    training: int
    captions: int
    moments: int
    encoder: str
    search: CandidateSearch | None = None
    """The approximate search that found them, with its recall; None: they are exact."""


def fetch_candidates(
    *,
    collection: Collection,
    encoding: Progress = lambda texts: None,
    ranking: Progress = lambda queries: None,
    cells_done: Callable[[int, int], None] = lambda done, cells: None,
) -> Fetched:
    """Rank the pool for every val and test query, and for all descriptions of the query kinds.

    A query with a candidate that is judged, or open for judging, keeps all its candidates and their ranks. Every other
    query gets today's ranking; rows that are right already stay. So repeating it changes nothing, and new moments,
    captions or encoders count from the next call on.

    Where a recipe of runs chooses the candidates, the ranking is stored beside them for it.

    Where the collection has `least_recall`, indexes are searched; the search is stored with its measured recall, and
    queries refer to it. A pool that is too small for an index is searched exactly.

    Args:
        encoding, ranking: called with the number of texts encoded, or queries ranked, since the last call.
        cells_done: called with how many parts of the search are done, and how many there are.

    Raises: Refused if no query was drawn, no moment can be a candidate, another process is at it, a file of
        vectors is missing or damaged, or an approximate search finds less than `least_recall`.
    """
    with alone_at("queries.candidates", collection.pk, wait=False) as ours:
        if not ours:
            raise Refused(f"the candidates of {collection.name} are being fetched by another process right now")
        return _fetch(collection, encoding, ranking, cells_done)


def _fetch(
    collection: Collection, encoding: Progress, ranking: Progress, cells_done: Callable[[int, int], None]
) -> Fetched:
    if not collection.queries.exists():
        raise Refused("no queries are drawn yet: draw queries or add topics first")
    # A label isn't compared with captions: what has no words gets its candidates from runs.
    worded = collection.queries.exclude(medium__alone=True)
    if not worded.exists():
        raise Refused("no topic has words, and captions are found by words alone: add runs and a recipe instead")
    with pool_tables(pool_captions(collection)) as pool, reading_vectors(), scratch_folder("candidates") as folder:
        if not pool.texts:
            reason = "an accepted caption and a clip" if collection.has_clips else "an accepted caption"
            raise Refused(f"no moment has {reason}, so there is nothing to rank")
        encoder = load_encoder().identity
        # Equal captions have equal candidates: each distinct one is searched once. A query takes the pool's vector for
        # its caption, so that its own moment is at 1.0 exactly; only captions of no pool kind bring their own.
        pool.ask(query_captions(collection), worded)
        _encode(pool, encoder, encoding)
        exact = collection.least_recall is None
        block = distributed_search.QUERIES_A_BLOCK if exact else queries_a_block(pool.asked)
        plan = PlanWriter(folder, k=collection.depth, block=block)
        pool.write_plan(plan, encoder)
        if not exact:
            plan.sample(pool.sample(SAMPLE))
        searched = f"candidates/{collection.name}-search"
        callbacks = {"progress": ranking, "cells_done": cells_done}
        nearest, search = _search(collection, plan.store(searched), folder, encoder, callbacks)
        stored = _Stored(encoder, search)
        keep = _store_rows if run_plan(collection) is None else _keep_rankings
        queries = list(worded.order_by("split", "position").values_list("pk", flat=True))
        for first in range(0, len(queries), ROWS_AT_ONCE):
            keep(_ranked(queries[first : first + ROWS_AT_ONCE], nearest, pool), stored)
        training = _store_training(collection, pool, nearest, stored, folder)
        mark_pool(collection, "SELECT caption FROM pool_caption")
        forget(searched)
        return Fetched(
            *(stored.new, stored.reranked, stored.kept, stored.outdated, training, pool.texts, pool.moments),
            *(encoder, search),
        )


def _search(
    collection: Collection, job: str, folder: Path, encoder: str, callbacks: dict[str, Any]
) -> tuple[NearestMoments, CandidateSearch | None]:
    """What was found, and the row of the search if it is approximate. Raises: Refused, VectorsError."""
    least = collection.least_recall
    if least is None:
        return search_in_cells(job, folder, **callbacks), None
    nearest, how = search_approximately(job, folder, least_recall=least, **callbacks)
    if not how.texts:
        return nearest, None
    search, _ = CandidateSearch.objects.update_or_create(
        collection=collection,
        plan=Path(job).name,
        least_recall=least,
        defaults={"encoder": encoder, "depth": nearest.moments.shape[1], **asdict(how)},
    )
    return nearest, search


def _encode(pool: PoolTables, encoder: str, encoding: Progress) -> None:
    """Have the vectors of all texts in shards: those that aren't known are encoded a shard's worth at a time."""
    left = pool.look_for_vectors(encoder)
    encoding(pool.texts - min(left, pool.texts))
    for first in range(0, left, vector_shards.SHARD_ROWS):
        encode_unknown(pool.without_vector(first, vector_shards.SHARD_ROWS), progress=encoding)
        vector_shards.pack(encoder=encoder, all_of_it=False)
    vector_shards.pack(encoder=encoder)


@dataclass(slots=True)
class _Stored:
    encoder: str
    search: CandidateSearch | None
    new: int = 0
    reranked: int = 0
    kept: int = 0
    outdated: int = 0

    @property
    def by(self) -> dict[str, Any]:
        """What queries say of their ranking."""
        return {"ranked_by": self.encoder, "search": self.search}


def in_use(candidates: QuerySet[Candidate]) -> QuerySet[Candidate]:
    """Candidates that later rooms refer to (as pairs do), which can't be deleted."""
    used = Q(pk__in=[])
    for relation in Candidate._meta.related_objects:
        if relation.on_delete is PROTECT:
            rows = relation.related_model._default_manager.filter(**{relation.field.name: OuterRef("pk")})
            used |= Q(Exists(rows))
    return candidates.filter(used)


@transaction.atomic
def _store_rows(rankings: dict[int, list[_Ranked]], stored: _Stored) -> None:
    # Opening a batch takes the same lock: a query is either judged by these candidates or replaced, never both.
    queries = list(Query.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=rankings).order_by("pk"))
    judged = set(in_use(Candidate.objects.filter(query__in=queries)).values_list("query_id", flat=True))
    standing: dict[int, list[tuple[int, int, int, str, float | None]]] = defaultdict(list)
    for row in (
        Candidate.objects.filter(query__in=queries)
        .order_by("query_id", "rank")
        .values_list("query_id", "rank", "moment_id", "caption_id", "caption_text", "similarity")
    ):
        standing[row[0]].append(row[1:])
    replaced: list[int] = []
    fresh: list[Candidate] = []
    for query in queries:
        ranked = rankings[query.pk]
        same = standing[query.pk] == ranked and query.ranked_by in ("", stored.encoder)
        if query.pk in judged:
            stored.kept += 1
            stored.outdated += not same
            continue
        if standing[query.pk] == ranked:
            if (query.ranked_by, query.search_id) != (stored.encoder, stored.search and stored.search.pk):
                replaced.append(query.pk)
            continue
        stored.new += not standing[query.pk]
        stored.reranked += bool(standing[query.pk])
        replaced.append(query.pk)
        fresh += [
            Candidate(
                query=query, rank=rank, moment_id=moment, caption_id=caption, caption_text=text, similarity=similarity
            )
            for rank, moment, caption, text, similarity in ranked
        ]
    Candidate.objects.filter(query__in={candidate.query_id for candidate in fresh}).delete()
    copy_rows(fresh)
    Query.objects.filter(pk__in=replaced).update(**stored.by)


@transaction.atomic
def _keep_rankings(rankings: dict[int, list[_Ranked]], stored: _Stored) -> None:
    for query, ranked in sorted(rankings.items()):
        values = {
            "ranked_by": stored.encoder,
            "moments": [moment for _, moment, *_ in ranked],
            "captions": [caption for _, _, caption, *_ in ranked],
            "similarities": [similarity for *_, similarity in ranked],
        }
        standing = SimilarityRanking.objects.filter(query=query)
        if standing.filter(**values).exists():
            continue
        stored.reranked += standing.exists()
        stored.new += not standing.exists()
        SimilarityRanking.objects.update_or_create(query_id=query, defaults=values)
        QueryPool.objects.filter(query=query).update(stale=True)
    Query.objects.filter(pk__in=rankings).update(**stored.by)


def _ranked(queries: list[int], nearest: NearestMoments, pool: PoolTables) -> dict[int, list[_Ranked]]:
    places = pool.places_of(queries)
    rows = np.array(list(places.values()), dtype=np.int64)
    columns = [column[rows] for column in (nearest.moments, nearest.captions, nearest.texts, nearest.similarities)]
    texts = pool.spellings(np.unique(columns[2]).tolist())
    ranked = {}
    for query, *moments in zip(places, *(column.tolist() for column in columns), strict=True):
        ranked[query] = [
            (rank, moment, caption, texts[text], similarity)
            for rank, (moment, caption, text, similarity) in enumerate(zip(*moments, strict=True), start=1)
            if moment >= 0
        ]
    return ranked


def mark_pool(collection: Collection, fetched: str) -> None:
    """Mark the captions that candidates were fetched with. Marks that are right already aren't written again.

    Args: fetched: their ids as a SELECT of a column `caption`.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            UPDATE queries_caption c SET in_pool = changed.now
              FROM (SELECT k.id, p.caption IS NOT NULL AS now
                      FROM queries_caption k
                      JOIN corpus_description d ON d.id = k.description_id AND d.collection_id = %s
                      LEFT JOIN ({fetched}) p ON p.caption = k.id
                     WHERE k.in_pool <> (p.caption IS NOT NULL)) changed
             WHERE c.id = changed.id""",
            [collection.pk],
        )


def training_file(collection: Collection) -> str:
    return f"candidates/{collection.name}.npz"


def _store_training(
    collection: Collection, pool: PoolTables, nearest: NearestMoments, stored: _Stored, folder: Path
) -> int:
    """The pseudo-training queries' top moments as arrays, all of n rows; unused places hold moment -1.

    descriptions (n,), moments (n, k), captions (n, k): ids; similarities (n, k): float32; encoder: name@fingerprint of
    what ranked them; search: id of the `CandidateSearch` that found them, 0 if they are exact.

    Returns: of how many descriptions.
    """
    descriptions, places = pool.training()
    shape = (len(places), nearest.moments.shape[1])
    kinds = {"moments": np.int64, "captions": np.int64, "similarities": np.float32}
    with zipfile.ZipFile(folder / "training", "w") as packed:
        origin = {"encoder": stored.encoder, "search": stored.search.pk if stored.search else 0}
        for name, array in {"descriptions": descriptions, **origin}.items():
            with packed.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, np.asarray(array), allow_pickle=False)
        for name, kind in kinds.items():
            header = {"descr": np.lib.format.dtype_to_descr(np.dtype(kind)), "fortran_order": False, "shape": shape}
            with packed.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array_header_1_0(file, header)
                for first in range(0, len(places), TRAINING_ROWS_AT_ONCE):
                    rows = getattr(nearest, name)[places[first : first + TRAINING_ROWS_AT_ONCE]]
                    file.write(rows.astype(kind).tobytes())
    store_whole(training_file(collection), folder / "training")
    return len(places)
