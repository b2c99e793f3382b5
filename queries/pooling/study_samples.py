"""Queries and candidates of a study: captions drawn, ranked deep, and moments at random (appendix B.3)."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Exists, OuterRef

from corpus.models import Collection
from queries.models import Caption, Query
from queries.pooling.candidates import CandidatesError, build_pool
from queries.pooling.distinct_captions import DistinctCaptions
from queries.pooling.query_selection import query_captions
from queries.retrieval.embedding_cache import embed
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
    """Draw captions at random: such as are in no split, in no study and not known to people otherwise; if these are
    too few, in no split; if those are too few as well, any. The draw depends on these and the seed alone.

    Args: known: normal forms of what people have judged elsewhere, in the exam or in practice.

    Raises: TooFewCaptions.
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
        raise TooFewCaptions(f"asked for {queries:,} queries, but there are {count:,} distinct captions")
    drawn = list(left.at(random.Random(seed).sample(range(count), queries)))
    rows = Caption.objects.select_related("description__moment__video")
    captions = {row.description_id: row for row in rows.filter(description__in=[one.description for one in drawn])}
    asked = Query.objects.filter(collection=collection, normalised__in=[one.key for one in drawn]).exists()
    return DrawnForStudy([captions[one.description] for one in drawn], outside=not asked)


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

    Raises: CandidatesError if no moment can be a candidate.
    """
    pool = build_pool(collection)
    if not pool.texts:
        raise CandidatesError("no moment has an accepted caption and a clip, so there is nothing to rank")
    total = len(pool.texts) + len(captions)
    encoded = 0

    def count(texts: int) -> None:
        nonlocal encoded
        encoded += texts
        step(encoded, total)

    vectors = embed(pool.texts, progress=count)
    step(len(pool.texts), total)
    outside = sorted({one.text for one in captions if one.normalised not in pool.row_of_key})
    of_outside = dict(zip(outside, embed(outside), strict=True)) if outside else {}
    searched = np.stack(
        [
            vectors[pool.row_of_key[one.normalised]] if one.normalised in pool.row_of_key else of_outside[one.text]
            for one in captions
        ]
    )
    every = sorted({moment for members in pool.moments_of_text for moment in members})
    # To the last moment only where ranks of moments at random are asked for: half a second for ten queries of 100,000.
    k = len(every) if at_random else depth
    ranking = search(searched, Targets.of(vectors, pool.moments_of_text), k=k)
    rng = random.Random(seed)
    found: list[list[StudyCandidate]] = []
    for place in range(len(captions)):
        moments = ranking.moments[place]
        taken = set(moments[:depth][moments[:depth] >= 0].tolist())
        others = [moment for moment in every if moment not in taken]
        taken.update(rng.sample(others, min(at_random, len(others))))
        rows = zip(moments.tolist(), ranking.texts[place].tolist(), ranking.similarities[place].tolist(), strict=True)
        found.append(
            [
                StudyCandidate(rank, moment, pool.caption_of[text, moment], pool.texts[text], similarity)
                for rank, (moment, text, similarity) in enumerate(rows, start=1)
                if moment in taken
            ]
        )
        step(len(pool.texts) + place + 1, total)
    return StudyCandidates(found, load_encoder().identity)
