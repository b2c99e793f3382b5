"""Queries and candidates of a study: captions drawn, ranked deep, and moments at random (appendix B.3)."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Exists, OuterRef

from foundation.counted import counted
from foundation.models import Collection
from foundation.refused import Refused
from queries.models import Caption, Query
from queries.pooling.candidates import pool_captions
from queries.pooling.distinct_captions import DistinctCaptions
from queries.pooling.pool_tables import PoolTables, pool_tables
from queries.pooling.query_selection import query_captions
from queries.retrieval.embedding_cache import embed, encode_unknown
from queries.retrieval.encoder import load_encoder
from queries.retrieval.exact_search import DECIMALS, Targets, search
from queries.retrieval.vector_shards import reading_vectors

Step = Callable[[int, int], None]
TEXTS_AT_ONCE = 16_384
"""Texts whose vectors are in memory at a time: 24 MiB of MiniLM's."""


@dataclass(frozen=True, slots=True)
class DrawnForStudy:
    """`captions` in the order of the draw; `outside`: whether none of them is, in any spelling, a val or test query."""

    captions: list[Caption]
    outside: bool


@dataclass(frozen=True, slots=True)
class StudyCandidate:
    """One moment of a study's query with its rank among all moments of the pool, 1 the most similar."""

    rank: int
    moment: int
    caption: int
    text: str
    similarity: float


@dataclass(frozen=True, slots=True)
class StudyCandidates:
    """The candidates of each query, in the order of the queries, and what ranked them: name@fingerprint."""

    candidates: list[list[StudyCandidate]]
    encoder: str


def draw_for_study(
    *, collection: Collection, queries: int, seed: int, known: frozenset[str] = frozenset()
) -> DrawnForStudy:
    """Draw captions at random from those in no split, in no study and not in `known`; if these are too few, from those
    in no split; if those are too few as well, from all. The draw depends on these and the seed alone.

    Args: known: normal forms of what people have judged elsewhere, in the exam or in practice.

    Raises: Refused.
    """
    every = query_captions(collection)
    in_splits = Query.objects.filter(collection=collection, normalised=OuterRef("normalised"))
    in_studies = Query.objects.filter(collection__study_of=collection, normalised=OuterRef("normalised"))
    outside = every.exclude(Exists(in_splits))
    strange = outside.exclude(Exists(in_studies)).exclude(normalised__in=known)
    for left in map(DistinctCaptions, (strange, outside, every)):
        count = left.count()
        if count >= queries:
            break
    else:
        raise Refused(
            f"asked for {counted(queries, 'query', 'queries')}, but "
            f"there {'is' if count == 1 else 'are'} {counted(count, 'distinct caption')}"
        )
    drawn = list(left.at(random.Random(seed).sample(range(count), queries)))
    rows = Caption.objects.filter(description__in=[caption.description for caption in drawn])
    captions = {row.description_id: row for row in rows.select_related("description__moment__video")}
    asked = Query.objects.filter(collection=collection, normalised__in=[caption.key for caption in drawn]).exists()
    return DrawnForStudy([captions[caption.description] for caption in drawn], outside=not asked)


def candidates_for_study(
    *,
    collection: Collection,
    captions: Sequence[Caption],
    depth: int,
    at_random: int,
    seed: int,
    step: Step = lambda done, total: None,
) -> StudyCandidates:
    """The pool ranked for each caption as `fetch_candidates` ranks it, to any depth, and other moments at random.

    A caption takes the pool's vector, so that its own moment is at 1.0 exactly. The moments at random are drawn, with
    the seed, from those of the pool that aren't among the first `depth`; each keeps its rank in the whole pool.

    Args:
        captions: with distinct normal forms.
        depth: how many of the most similar moments a query, fewer where the pool has fewer.
        at_random: how many others, fewer where the pool has fewer.
        step: called with the number of captions encoded and queries ranked so far, and of all of them.

    Raises: Refused if no moment can be a candidate.
    """
    with pool_tables(pool_captions(collection)) as pool, reading_vectors():
        if not pool.texts:
            raise Refused("no moment has an accepted caption and a clip, so there is nothing to rank")
        total = pool.texts + len(captions)
        encoded = 0

        def count(texts: int) -> None:
            nonlocal encoded
            encoded += texts
            step(encoded, total)

        for piece in pool.pieces(TEXTS_AT_ONCE):
            encode_unknown(piece.texts, progress=count)
        step(pool.texts, total)
        spelled = pool.spelled([caption.normalised for caption in captions])
        asked = [spelled.get(caption.normalised, caption.text) for caption in captions]
        texts = sorted(set(asked))
        vectors = dict(zip(texts, embed(texts), strict=True))
        ranking = _rank_all(pool, np.stack([vectors[text] for text in asked]))
        rng = random.Random(seed)
        candidates: list[list[StudyCandidate]] = []
        for place in range(len(captions)):
            order = ranking.order(place)
            taken = np.zeros(len(order), dtype=bool)
            taken[order[:depth]] = True
            others = np.flatnonzero(~taken)
            taken[others[rng.sample(range(len(others)), min(at_random, len(others)))]] = True
            candidates.append(ranking.candidates(place, order, taken, pool))
            step(pool.texts + place + 1, total)
    return StudyCandidates(candidates, load_encoder().identity)


@dataclass(frozen=True, slots=True)
class _Ranking:
    """moments (m,): all ids, rising. units, texts (q, m), int32: similarities in millionths, and the pool's row of the
    text by which each counts. 8 bytes a query and moment."""

    moments: np.ndarray
    units: np.ndarray
    texts: np.ndarray

    def order(self, query: int) -> np.ndarray:
        """The places of all moments, best first, equal ones by their ids."""
        return np.argsort(-self.units[query], kind="stable")

    def candidates(self, query: int, order: np.ndarray, taken: np.ndarray, pool: PoolTables) -> list[StudyCandidate]:
        """Those taken (m,), best first."""
        ranks = np.flatnonzero(taken[order])
        places = order[ranks]
        moments, rows = self.moments[places].tolist(), self.texts[query, places].tolist()
        similarities = np.round(self.units[query, places] / 10**DECIMALS, DECIMALS).tolist()
        texts, captions = pool.spellings(rows), pool.captions_of(rows, moments)
        return [
            StudyCandidate(rank + 1, moment, captions[row, moment], texts[row], similarity)
            for rank, moment, row, similarity in zip(ranks.tolist(), moments, rows, similarities, strict=True)
        ]


def _rank_all(pool: PoolTables, queries: np.ndarray) -> _Ranking:
    """How similar every moment is to each query, float32 (q, d): by the best of its texts, of equal ones the first."""
    moments = pool.moment_ids()
    shape = (len(queries), len(moments))
    units, texts = np.full(shape, -2 * 10**DECIMALS, dtype=np.int32), np.zeros(shape, dtype=np.int32)
    for piece in pool.pieces(TEXTS_AT_ONCE):
        targets = Targets(embed(piece.texts), piece.offsets, piece.moments)
        ranking = search(queries, targets, k=len(np.unique(piece.moments)))
        for row in range(len(queries)):
            at = np.searchsorted(moments, ranking.moments[row])
            scores = np.rint(ranking.similarities[row] * 10**DECIMALS).astype(np.int32)
            better = scores > units[row, at]
            units[row, at[better]] = scores[better]
            texts[row, at[better]] = piece.first + ranking.texts[row][better]
    return _Ranking(moments, units, texts)
