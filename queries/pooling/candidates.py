"""Fetch candidates: the pool of moments ranked for every query (rule 4)."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.db import connection, transaction
from django.db.models import PROTECT, Exists, OuterRef, Q, QuerySet

from corpus.infra.advisory_lock import alone_at
from corpus.models import Clip, Collection, clip_failed
from queries.models import Candidate, Caption, Query, QueryPool, SimilarityRanking
from queries.pooling.query_selection import query_captions
from queries.pooling.run_plans import run_plan
from queries.retrieval.distributed_search import load_arrays, save_arrays, search_in_blocks
from queries.retrieval.embedding_cache import embed
from queries.retrieval.encoder import load_encoder
from queries.retrieval.exact_search import Ranking, Targets

Progress = Callable[[int], None]
ROWS_AT_ONCE = 200


class CandidatesError(Exception):
    """Candidates can't be fetched yet; the message says what has to be done first."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The distinct captions of the pool kinds, one row each, and the moments that each describes."""

    texts: list[str]
    """The spelling that stands for all captions equal to it."""
    row_of_key: dict[str, int]
    moments_of_text: list[list[int]]
    caption_of: dict[tuple[int, int], int]
    """(row, moment id) -> caption id."""
    captions: list[int]
    """The ids of all captions in it, also of those that equal another of their moment."""


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


def build_pool(collection: Collection) -> Pool:
    """The candidate pool: moments that have one of its captions."""
    captions = pool_captions(collection)
    every: list[int] = []
    spelling: dict[str, str] = {}
    members: dict[str, dict[int, int]] = defaultdict(dict)
    for pk, moment, text, key in captions.order_by("pk").values_list(
        "pk", "description__moment_id", "text", "normalised"
    ):
        spelling[key] = min(text, spelling.get(key, text))
        members[key].setdefault(moment, pk)
        every.append(pk)
    keys = sorted(spelling)
    return Pool(
        texts=[spelling[key] for key in keys],
        row_of_key={key: row for row, key in enumerate(keys)},
        moments_of_text=[sorted(members[key]) for key in keys],
        caption_of={(row, moment): pk for row, key in enumerate(keys) for moment, pk in members[key].items()},
        captions=every,
    )


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


def fetch_candidates(
    *,
    collection: Collection,
    encoding: Progress = lambda texts: None,
    ranking: Progress = lambda queries: None,
) -> Fetched:
    """Rank the pool for every val and test query, and for all descriptions of the query kinds.

    A query of which a candidate is judged, or given out to be judged, keeps all its candidates: judging goes on with
    the ranks that it began with. Every other query has the ranking of today; where that is what it has already, its
    rows stay as they are. So repeating it changes nothing, and moments, captions or an encoder that are new count
    from the next call on.

    Where a recipe of runs chooses the candidates, the ranking is kept for it apart, and no candidate is touched.

    Raises: CandidatesError if no query was drawn, no moment can be a candidate, or another process is at it.
    """
    with alone_at("queries.candidates", collection.pk, wait=False) as ours:
        if not ours:
            raise CandidatesError(f"the candidates of {collection.name} are being fetched by another process right now")
        return _fetch(collection, encoding, ranking)


def _fetch(collection: Collection, encoding: Progress, ranking: Progress) -> Fetched:
    if not collection.queries.exists():
        raise CandidatesError("no queries are drawn yet: draw queries or add topics first")
    pool = build_pool(collection)
    if not pool.texts:
        reason = "an accepted caption and a clip" if collection.has_clips else "an accepted caption"
        raise CandidatesError(f"no moment has {reason}, so there is nothing to rank")
    encoder = load_encoder().identity
    queries = list(collection.queries.order_by("split", "position"))
    training = _training_rows(collection, pool)
    vectors = embed(pool.texts, progress=encoding)
    # Equal captions have equal candidates: each distinct one is searched once. A query takes the pool's vector for
    # its caption, so that its own moment is at 1.0 exactly; only captions of no pool kind bring their own.
    outside = sorted({query.text for query in queries if query.normalised not in pool.row_of_key})
    inside = {pool.row_of_key[query.normalised] for query in queries if query.normalised in pool.row_of_key}
    rows = np.array(sorted(inside | {row for _, row in training}), dtype=np.int64)
    searched = vectors[rows] if not outside else np.concatenate([vectors[rows], embed(outside)])
    found = search_in_blocks(
        searched,
        Targets.of(vectors, pool.moments_of_text),
        k=collection.depth,
        folder=f"candidates/{collection.name}-search",
        progress=ranking,
    )
    place_of_row = {row: place for place, row in enumerate(rows.tolist())}
    place_of_text = {text: len(rows) + place for place, text in enumerate(outside)}
    stored = _Stored()
    keep = _store_rows if run_plan(collection) is None else _keep_rankings
    for part in _parts(queries):
        places = {
            query.pk: place_of_text[query.text]
            if query.normalised not in pool.row_of_key
            else place_of_row[pool.row_of_key[query.normalised]]
            for query in part
        }
        keep(places, found, pool, encoder, stored)
    _store_training(collection, training, place_of_row, found, pool, encoder)
    mark_pool(collection, pool.captions)
    moments = len({moment for members in pool.moments_of_text for moment in members})
    return Fetched(
        stored.new, stored.reranked, stored.kept, stored.outdated, len(training), len(pool.texts), moments, encoder
    )


def _parts(queries: list[Query]) -> Iterator[list[Query]]:
    for first in range(0, len(queries), ROWS_AT_ONCE):
        yield queries[first : first + ROWS_AT_ONCE]


@dataclass(slots=True)
class _Stored:
    new: int = 0
    reranked: int = 0
    kept: int = 0
    outdated: int = 0


def in_use(candidates: QuerySet[Candidate]) -> QuerySet[Candidate]:
    """Candidates that later rooms refer to (as pairs do), which can't be deleted."""
    used = Q(pk__in=[])
    for relation in Candidate._meta.related_objects:
        if relation.on_delete is PROTECT:
            rows = relation.related_model._default_manager.filter(**{relation.field.name: OuterRef("pk")})
            used |= Q(Exists(rows))
    return candidates.filter(used)


@transaction.atomic
def _store_rows(places: dict[int, int], found: Ranking, pool: Pool, encoder: str, stored: _Stored) -> None:
    # Opening a batch takes the same lock: a query is either judged by these candidates or replaced, never both.
    queries = list(Query.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=places).order_by("pk"))
    judged = set(in_use(Candidate.objects.filter(query__in=queries)).values_list("query_id", flat=True))
    standing: dict[int, list[tuple[object, ...]]] = defaultdict(list)
    for row in (
        Candidate.objects.filter(query__in=queries)
        .order_by("query_id", "rank")
        .values_list("query_id", "rank", "moment_id", "caption_id", "caption_text", "similarity")
    ):
        standing[row[0]].append(row[1:])
    replaced: list[int] = []
    fresh: list[Candidate] = []
    for query in queries:
        ranked = _ranked(places[query.pk], found, pool)
        same = standing[query.pk] == ranked and query.ranked_by in ("", encoder)
        if query.pk in judged:
            stored.kept += 1
            stored.outdated += not same
            continue
        if standing[query.pk] == ranked:
            if query.ranked_by != encoder:
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
    Candidate.objects.bulk_create(fresh, batch_size=2000)
    Query.objects.filter(pk__in=replaced).update(ranked_by=encoder)


@transaction.atomic
def _keep_rankings(places: dict[int, int], found: Ranking, pool: Pool, encoder: str, stored: _Stored) -> None:
    for query, place in sorted(places.items()):
        ranked = _ranked(place, found, pool)
        values = {
            "ranked_by": encoder,
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
    Query.objects.filter(pk__in=places).update(ranked_by=encoder)


def _ranked(place: int, found: Ranking, pool: Pool) -> list[tuple[int, int, int, str, float]]:
    """One query's (rank, moment, caption, caption's text, similarity), best first."""
    rows = zip(
        found.moments[place].tolist(), found.texts[place].tolist(), found.similarities[place].tolist(), strict=True
    )
    return [
        (rank, moment, pool.caption_of[text, moment], pool.texts[text], similarity)
        for rank, (moment, text, similarity) in enumerate(rows, start=1)
        if text >= 0
    ]


def mark_pool(collection: Collection, captions: Sequence[int]) -> None:
    """Mark the captions that candidates were fetched with. Marks that are right already aren't written again."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            UPDATE queries_caption c SET in_pool = changed.now
              FROM (SELECT k.id, p.id IS NOT NULL AS now
                      FROM queries_caption k
                      JOIN corpus_description d ON d.id = k.description_id AND d.collection_id = %s
                      LEFT JOIN unnest(%s::bigint[]) p(id) ON p.id = k.id
                     WHERE k.in_pool <> (p.id IS NOT NULL)) changed
             WHERE c.id = changed.id""",
            [collection.pk, list(captions)],
        )


@dataclass(frozen=True, slots=True)
class TrainingCandidates:
    """The pseudo-training queries' top moments as arrays, all of n rows; unused places hold moment -1.

    descriptions (n,), moments (n, k), captions (n, k): ids; similarities (n, k): float32; encoder: name@fingerprint of
    what ranked them, "" in arrays of before.
    """

    descriptions: np.ndarray
    moments: np.ndarray
    captions: np.ndarray
    similarities: np.ndarray
    encoder: str = ""


def training_file(collection: Collection) -> str:
    return f"candidates/{collection.name}.npz"


def _training_rows(collection: Collection, pool: Pool) -> list[tuple[int, int]]:
    """(description id, row of its caption in the pool) of all descriptions of the query kinds, by id."""
    captions = query_captions(collection).order_by("description_id").values_list("description_id", "normalised")
    return [(description, pool.row_of_key[key]) for description, key in captions if key in pool.row_of_key]


def _store_training(
    collection: Collection,
    training: list[tuple[int, int]],
    place_of_row: dict[int, int],
    found: Ranking,
    pool: Pool,
    encoder: str,
) -> None:
    captions = np.array(
        [pool.caption_of[row, moment] for row, members in enumerate(pool.moments_of_text) for moment in members],
        dtype=np.int64,
    )
    places = np.array([place_of_row[row] for _, row in training], dtype=np.int64)
    entries = found.entries[places]
    save_arrays(
        training_file(collection),
        descriptions=np.array([description for description, _ in training], dtype=np.int64),
        moments=found.moments[places],
        captions=np.where(entries >= 0, captions[entries], -1),
        similarities=found.similarities[places].astype(np.float32),
        encoder=np.array(encoder),
    )


def load_training(collection: Collection) -> TrainingCandidates:
    """The arrays that `fetch_candidates` left. Raises: CandidatesError if it hasn't run."""
    try:
        arrays = load_arrays(training_file(collection))
    except FileNotFoundError as error:
        raise CandidatesError("no candidates are fetched yet: fetch candidates first") from error
    return TrainingCandidates(
        arrays["descriptions"],
        arrays["moments"],
        arrays["captions"],
        arrays["similarities"],
        str(arrays.get("encoder", "")),
    )
