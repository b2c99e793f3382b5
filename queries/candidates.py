"""Fetching candidates: the pool of moments, the val and test queries' rows, the pseudo-training arrays (rule 4)."""

import io
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Q

from corpus.models import Collection
from queries.embeddings import embed
from queries.models import Candidate, Caption, Query
from queries.ranking import Ranked, rank_moments
from queries.selection import query_captions

Progress = Callable[[int], None]
ROWS_AT_ONCE = 200


class CandidatesError(Exception):
    """Candidates can't be fetched yet; the message says what comes first."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Every distinct caption of the pool kinds as a row, and whom each describes."""

    texts: list[str]
    """The spelling that stands for all captions equal to it."""
    row_of_key: dict[str, int]
    moments_of_text: list[list[int]]
    caption_of: dict[tuple[int, int], int]
    """(row, moment id) -> caption id."""


def build_pool(collection: Collection) -> Pool:
    """The candidate pool: moments with an accepted caption of a pool kind.

    In a collection with clips, moments whose clip couldn't be cut are left out: nobody could judge them.
    """
    captions = Caption.objects.filter(
        description__collection=collection,
        description__kind__in=collection.pool_kinds,
        status=Caption.Status.ACCEPTED,
    )
    if collection.has_clips:
        captions = captions.exclude(
            Q(description__moment__clip__isnull=False) & Q(description__moment__clip__video_file="")
        )
    spelling: dict[str, str] = {}
    members: dict[str, dict[int, int]] = defaultdict(dict)
    for pk, moment, text, key in captions.order_by("pk").values_list(
        "pk", "description__moment_id", "text", "normalised"
    ):
        spelling[key] = min(text, spelling.get(key, text))
        members[key].setdefault(moment, pk)
    keys = sorted(spelling)
    return Pool(
        texts=[spelling[key] for key in keys],
        row_of_key={key: row for row, key in enumerate(keys)},
        moments_of_text=[sorted(members[key]) for key in keys],
        caption_of={(row, moment): pk for row, key in enumerate(keys) for moment, pk in members[key].items()},
    )


@dataclass(frozen=True, slots=True)
class Fetched:
    """What was fetched: val and test queries that got candidates now, and pseudo-training queries ranked."""

    queries: int
    training: int
    captions: int
    moments: int


def fetch_candidates(
    *,
    collection: Collection,
    encoding: Progress = lambda texts: None,
    ranking: Progress = lambda queries: None,
) -> Fetched:
    """Rank the pool for every val and test query that has no candidates, and for all descriptions of query kinds.

    Repeating it changes nothing for queries that have their candidates: they may be judged already.

    Raises: CandidatesError if no query was drawn.
    """
    if not collection.queries.exists():
        raise CandidatesError("no queries are drawn yet: select_queries comes first")
    pool = build_pool(collection)
    if not pool.texts:
        reason = "an accepted caption and a clip" if collection.has_clips else "an accepted caption"
        raise CandidatesError(f"no moment has {reason}, so there is nothing to rank")
    vectors = embed(pool.texts, progress=encoding)
    pending = list(collection.queries.filter(candidates__isnull=True).order_by("split", "position"))
    for part in _parts(pending):
        ranked = rank_moments(_query_vectors(part, pool, vectors), vectors, pool.moments_of_text, k=collection.depth)
        _store_rows(part, list(ranked), pool)
        ranking(len(part))
    training = _rank_training(collection, pool, vectors, ranking)
    moments = len({moment for moments in pool.moments_of_text for moment in moments})
    return Fetched(len(pending), training, len(pool.texts), moments)


def _parts(queries: list[Query]) -> Iterator[list[Query]]:
    for first in range(0, len(queries), ROWS_AT_ONCE):
        yield queries[first : first + ROWS_AT_ONCE]


def _query_vectors(queries: Sequence[Query], pool: Pool, vectors: np.ndarray) -> np.ndarray:
    # A query is a caption: it takes the pool's vector for that caption, so that its own moment is at 1.0 exactly.
    rows = [pool.row_of_key.get(query.normalised) for query in queries]
    outside = [query.text for query, row in zip(queries, rows, strict=True) if row is None]
    extra = dict(zip(outside, embed(list(dict.fromkeys(outside))), strict=False)) if outside else {}
    return np.stack(
        [extra[query.text] if row is None else vectors[row] for query, row in zip(queries, rows, strict=True)]
    )


@transaction.atomic
def _store_rows(queries: list[Query], ranked: list[Ranked], pool: Pool) -> None:
    Candidate.objects.bulk_create(
        (
            Candidate(
                query=query,
                moment_id=int(moment),
                caption_id=pool.caption_of[int(text), int(moment)],
                caption_text=pool.texts[int(text)],
                rank=rank,
                similarity=float(similarity),
            )
            for query, found in zip(queries, ranked, strict=True)
            for rank, (moment, text, similarity) in enumerate(
                zip(found.moments, found.texts, found.similarities, strict=True), start=1
            )
        ),
        batch_size=2000,
    )


@dataclass(frozen=True, slots=True)
class TrainingCandidates:
    """The pseudo-training queries' top moments as arrays, all of n rows; unused places hold moment -1.

    descriptions (n,), moments (n, k), captions (n, k): ids; similarities (n, k): float32.
    """

    descriptions: np.ndarray
    moments: np.ndarray
    captions: np.ndarray
    similarities: np.ndarray


def training_file(collection: Collection) -> str:
    return f"candidates/{collection.name}.npz"


def _rank_training(collection: Collection, pool: Pool, vectors: np.ndarray, ranking: Progress) -> int:
    k = collection.depth
    captions = list(query_captions(collection).order_by("description_id").values_list("description_id", "normalised"))
    captions = [(description, key) for description, key in captions if key in pool.row_of_key]
    moments = np.full((len(captions), k), -1, dtype=np.int64)
    best = np.full((len(captions), k), -1, dtype=np.int64)
    similarities = np.zeros((len(captions), k), dtype=np.float32)
    rows = np.array([pool.row_of_key[key] for _, key in captions], dtype=np.int64)
    # Equal captions have equal candidates: each distinct one is ranked once.
    distinct, inverse = np.unique(rows, return_inverse=True)
    places: dict[int, list[int]] = defaultdict(list)
    for place, index in enumerate(inverse.tolist()):
        places[index].append(place)
    for index, found in enumerate(rank_moments(vectors[distinct], vectors, pool.moments_of_text, k=k)):
        size = len(found.moments)
        caption_ids = [
            pool.caption_of[text, moment]
            for text, moment in zip(found.texts.tolist(), found.moments.tolist(), strict=True)
        ]
        for place in places[index]:
            moments[place, :size] = found.moments
            best[place, :size] = caption_ids
            similarities[place, :size] = found.similarities
        ranking(len(places[index]))
    buffer = io.BytesIO()
    np.savez(
        buffer,
        descriptions=np.array([description for description, _ in captions], dtype=np.int64),
        moments=moments,
        captions=best,
        similarities=similarities,
    )
    name = training_file(collection)
    default_storage.delete(name)
    default_storage.save(name, ContentFile(buffer.getvalue()))
    return len(captions)


def load_training(collection: Collection) -> TrainingCandidates:
    """The arrays that `fetch_candidates` left. Raises: CandidatesError if it hasn't run."""
    name = training_file(collection)
    if not default_storage.exists(name):
        raise CandidatesError("no candidates are fetched yet: fetch_candidates comes first")
    with default_storage.open(name) as file:
        arrays = np.load(io.BytesIO(file.read()))
        return TrainingCandidates(arrays["descriptions"], arrays["moments"], arrays["captions"], arrays["similarities"])
