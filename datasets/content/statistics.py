"""Statistics of a collection or release, as a paper reports them."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from itertools import islice
from math import fsum
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import Count, Exists, OuterRef, QuerySet

from annotation.scale import scale_of
from datasets.content.moment_locations import MomentSelection
from datasets.content.snapshot import one_snapshot
from datasets.content.split_counts import split_counts
from datasets.content.splits import ROWS_AT_ONCE, SPLITS, Splits, graded_pairs
from datasets.content.training import TOP, present_top, training_ids
from datasets.content.vocabulary import Reader, Vocabulary, tagger_named
from evaluation.releases.figures import DECIMALS, extent, judging, summary
from foundation.infra.progress import Advance
from foundation.models import Collection
from queries.models import Caption, Query
from queries.pooling.query_columns import query_language
from queries.pooling.query_selection import training_descriptions

STATISTICS = "statistics"
"""The name under which a collection's statistics are precomputed."""
AT_ONCE_BELOW = 2000
"""Up to so many judgments and descriptions, the page counts within the request."""


def release_statistics(collection: Collection, *, progress: Advance = lambda texts: None) -> dict[str, Any]:
    """The statistics of a collection as it stands, as `describe_statistics` returns them.

    They are of one instant, unless a transaction is open already.
    """
    with nullcontext() if connection.in_atomic_block else one_snapshot():
        splits = Splits(collection)
        return describe_statistics(splits, training_ids(collection), present_top(splits), progress)


def texts_to_read(collection: Collection) -> int:
    """About how many texts the statistics read, for the progress bar."""
    captions = Caption.objects.filter(description__collection=collection, status=Caption.Status.ACCEPTED).count()
    return captions + 2 * (collection.queries.count() + training_descriptions(collection).count())


def describe_statistics(
    splits: Splits, training: np.ndarray, top: MomentSelection | None, progress: Advance = lambda texts: None
) -> dict[str, Any]:
    """The figures of the paper's Tables 1 and 4, as far as known. Lengths in words, times in seconds.

    Args:
        training: the ids of the descriptions that are pseudo-training queries, rising.
        top: the distinct moments among their top `TOP`; None before any were fetched.

    Returns: of JSON's types alone, rounded to 4 digits. `collection` is all its material; `splits` the released
    queries of val, test and train, and all together; `judging` the decided pairs of val, test and both. A summary is
    `{"mean", "median", "least", "most"}`, or None of nothing. `relevant_per_query` says for each lowest grade how many
    moments of at least that grade a query has on average; `queries_with` how many queries have any;
    `queries_by_batches` how many had so many batches opened. `extent` is that of a split's distinct moments
    (`evaluation.releases.figures`): of val and test the graded ones, of train those among the top `top`, None before
    any were fetched.
    """
    collection = splits.collection
    everything = Vocabulary(Reader(progress))
    parts = {split: _judged(collection, split, everything, splits) for split in SPLITS}
    captions, training_texts = everything.another(), everything.another()
    moments = _read_captions(splits, training, captions, [training_texts, everything])
    parts["train"] = _texts(training_texts) | {
        "moments": len(moments),
        "videos": moments.videos,
        "top": TOP,
        "extent": None if top is None else extent(top),
    }
    return {
        "collection": _material(splits, captions),
        "splits": parts | {"all": _texts(everything)},
        "judging": judging({split: split_counts(splits, split) for split in SPLITS}),
        "tagger": tagger_named(),
    }


def _read_captions(
    splits: Splits, training: np.ndarray, captions: Vocabulary, of_training: Sequence[Vocabulary]
) -> MomentSelection:
    """Add every accepted caption to the vocabularies, in one walk. Returns: the moments that training queries were
    written about."""
    moments = splits.places.nothing_selected()
    rows = (
        Caption.objects.filter(description__collection=splits.collection, status=Caption.Status.ACCEPTED)
        .order_by("description_id")
        .values_list("text", "description__language", "description_id", "description__moment_id")
        .iterator(ROWS_AT_ONCE)
    )
    while block := list(islice(rows, ROWS_AT_ONCE)):
        texts, languages, descriptions, about = zip(*block, strict=True)
        asked = np.isin(np.array(descriptions), training)
        moments.add(np.array(about)[asked])
        for text, language, is_asked in zip(texts, languages, asked.tolist(), strict=True):
            for vocabulary in [captions, *of_training] if is_asked else [captions]:
                vocabulary.add(text, language or splits.collection.language)
    return moments


def _material(splits: Splits, captions: Vocabulary) -> dict[str, Any]:
    per_video = splits.places.moments_a_video()
    known = [duration for duration in splits.durations.values() if duration is not None]
    return {
        "videos": len(splits.durations),
        "videos_with_moments": len(per_video),
        "hours": round(fsum(known) / 3600, DECIMALS),
        "video_seconds": summary(known),
        "moments": len(splits.places),
        "moment_seconds": summary(splits.places.seconds().tolist()),
        "moments_per_video": summary(per_video),
        "moment_video_ratio": summary(splits.places.shares().tolist()),
        "captions": len(captions.lengths),
        "caption_words": summary(captions.lengths),
        "vocabulary": len(captions.words),
        "verbs": len(captions.verbs),
        "captions_not_tagged": captions.untagged,
    }


def _texts(vocabulary: Vocabulary) -> dict[str, Any]:
    return {
        "queries": len(vocabulary.lengths),
        "words": summary(vocabulary.lengths),
        "vocabulary": len(vocabulary.words),
        "verbs": len(vocabulary.verbs),
    }


def _judged(collection: Collection, split: str, everything: Vocabulary, splits: Splits) -> dict[str, Any]:
    graded = graded_pairs(collection, split, adjudicated=splits.adjudicated)
    texts = everything.another()
    queries = Query.objects.filter(
        Exists(graded.filter(batch__query=OuterRef("pk"))), collection=collection, split=split
    )
    for text, language in queries.order_by("position").values_list("text", query_language()):
        texts.add(text, language or collection.language)
        everything.add(text, language or collection.language)
    grades, moments = _QueryGrades(scale_of(collection).levels), splits.places.nothing_selected()
    rows = (
        graded.order_by("batch__query_id")
        .values_list("batch__query_id", "candidate__moment_id", "final_grade")
        .iterator(ROWS_AT_ONCE)
    )
    while block := list(islice(rows, ROWS_AT_ONCE)):
        grades.add((query, grade) for query, _, grade in block)
        moments.add(np.array([moment for _, moment, _ in block]))
    return _texts(texts) | {
        "pairs": sum(grades.pairs),
        "pairs_per_query": summary(grades.pairs),
        "moments": len(moments),
        "videos": moments.videos,
        "extent": extent(moments),
        "queries_by_batches": _by_batches(queries),
        "relevant_per_query": {
            str(least): round(sum(counts) / len(counts), DECIMALS) if counts else None
            for least, counts in grades.relevant.items()
        },
        "queries_with": {str(least): sum(map(bool, counts)) for least, counts in grades.relevant.items()},
    }


class _QueryGrades:
    """How many pairs each query has, and how many of each lowest grade: 20 bytes a query, however many pairs."""

    def __init__(self, levels: Iterable[int]) -> None:
        """levels: lowest grades from which a moment counts as relevant; figures are given for each."""
        self.pairs = array("I")
        self.relevant = {least: array("I") for least in levels}
        self._query: int | None = None

    def add(self, rows: Iterable[tuple[int, int]]) -> None:
        """Queries and grades, all those of a query one after the other."""
        for query, grade in rows:
            if query != self._query:
                self._query = query
                for counts in (self.pairs, *self.relevant.values()):
                    counts.append(0)
            self.pairs[-1] += 1
            for least, counts in self.relevant.items():
                counts[-1] += grade >= least


def _by_batches(queries: QuerySet[Query]) -> dict[str, int]:
    """Number of batches opened -> queries."""
    opened = queries.annotate(opened=Count("batches")).values_list("opened", flat=True)
    return {str(batches): count for batches, count in sorted(Counter(opened).items())}
