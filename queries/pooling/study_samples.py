"""Queries and candidates of a study: captions drawn, ranked deep, and moments at random (appendix B.3)."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Q

from corpus.models import Collection
from queries.models import Caption, Query
from queries.pooling.candidates import CandidatesError, Pool, build_pool
from queries.pooling.query_selection import distinct_captions
from queries.retrieval.embedding_cache import BLOCK, embed, encode_missing, unknown
from queries.retrieval.encoder import load_encoder
from queries.retrieval.exact_search import Targets, search

Step = Callable[[int, int], None]


class TooFewCaptions(Exception):
    """There are too few distinct captions for a study; the message says how many there are."""


@dataclass(frozen=True, slots=True)
class DrawnForStudy:
    """`captions` in the order of the draw; `outside`: whether none of them is, in any spelling, a val or test query."""

    captions: list[Caption]
    outside: bool


@dataclass(frozen=True, slots=True)
class StudyCandidate:
    """A candidate moment of a study's query; random ones rank after all others."""

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
    """Draw captions at random: such as are in no split, in no study and not known to people otherwise; if these are
    too few, in no split; if those are too few as well, any. The draw depends on these and the seed alone.

    Args: known: normal forms of what people have judged elsewhere, in the exam or in practice.

    Raises: TooFewCaptions.
    """
    by_key = distinct_captions(collection)
    asked = Query.objects.filter(Q(collection=collection) | Q(collection__study_of=collection))
    in_splits = set(asked.filter(collection=collection).values_list("normalised", flat=True))
    in_studies = set(asked.exclude(collection=collection).values_list("normalised", flat=True))
    if queries > len(by_key):
        raise TooFewCaptions(f"asked for {queries:,} queries, but there are {len(by_key):,} distinct captions")
    for without in (in_splits | in_studies | known, in_splits, set()):
        left = sorted(set(by_key) - without)
        if len(left) >= queries:
            break
    drawn = random.Random(seed).sample(left, queries)
    return DrawnForStudy([by_key[key] for key in drawn], outside=not in_splits.intersection(drawn))


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
    the seed, from those of the pool that aren't among the ranked ones; they follow these, most similar first.

    Args:
        captions: with distinct normal forms.
        depth: how many ranked moments a query, fewer where the pool has fewer.
        at_random: how many others, fewer where the pool has fewer.
        step: called with the number of captions encoded and queries ranked so far, and of all of them.

    Raises: CandidatesError if no moment can be a candidate.
    """
    pool = build_pool(collection)
    if not pool.texts:
        raise CandidatesError("no moment has an accepted caption and a clip, so there is nothing to rank")
    total = len(pool.texts) + len(captions)
    # Here, not by other workers as `embed` would: this may be a worker's own task, and would wait for itself.
    missing = unknown(pool.texts)
    for first in range(0, len(missing), BLOCK):
        step(len(pool.texts) - len(missing) + first, total)
        encode_missing(missing[first : first + BLOCK])
    vectors = embed(pool.texts)
    step(len(pool.texts), total)
    outside = sorted({one.text for one in captions if one.normalised not in pool.row_of_key})
    of_outside = dict(zip(outside, embed(outside), strict=True)) if outside else {}
    searched = np.stack(
        [
            vectors[pool.row_of_key[one.normalised]] if one.normalised in pool.row_of_key else of_outside[one.text]
            for one in captions
        ]
    )
    ranking = search(searched, Targets.of(vectors, pool.moments_of_text), k=depth)
    every = sorted({moment for members in pool.moments_of_text for moment in members})
    rng = random.Random(seed)
    found: list[list[StudyCandidate]] = []
    for place in range(len(captions)):
        ranked = _rows(pool, ranking.moments[place], ranking.texts[place], ranking.similarities[place])
        among = {row.moment for row in ranked}
        others = [moment for moment in every if moment not in among]
        chosen = set(rng.sample(others, min(at_random, len(others))))
        found.append(ranked + _at_random(pool, vectors, searched[place], chosen, after=len(ranked)))
        step(len(pool.texts) + place + 1, total)
    return StudyCandidates(found, load_encoder().identity)


def _at_random(
    pool: Pool, vectors: np.ndarray, query: np.ndarray, chosen: set[int], *, after: int
) -> list[StudyCandidate]:
    """Randomly chosen moments with their similarity, by the same search."""
    if not chosen:
        return []
    rows = [row for row, members in enumerate(pool.moments_of_text) if chosen.intersection(members)]
    targets = Targets.of(vectors[rows], [sorted(chosen.intersection(pool.moments_of_text[row])) for row in rows])
    ranking = search(query[None, :], targets, k=len(chosen))
    texts = np.array(rows)[ranking.texts[0]]
    return _rows(pool, ranking.moments[0], texts, ranking.similarities[0], after=after)


def _rows(
    pool: Pool, moments: np.ndarray, texts: np.ndarray, similarities: np.ndarray, *, after: int = 0
) -> list[StudyCandidate]:
    return [
        StudyCandidate(rank, moment, pool.caption_of[text, moment], pool.texts[text], similarity)
        for rank, (moment, text, similarity) in enumerate(
            zip(moments.tolist(), texts.tolist(), similarities.tolist(), strict=True), start=after + 1
        )
        if moment >= 0
    ]
