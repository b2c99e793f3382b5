"""Stream the content of a release from the database: videos, val and test pairs, pseudo-training.

Everything here is meant to be read inside one REPEATABLE READ transaction, so that it is one consistent state.
"""

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import numpy as np
from django.db.models import F, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Adjudication, Judgment, Pair
from corpus.models import Collection, Moment
from corpus.text import normalise
from queries.models import Caption, Query, Split
from queries.pooling.candidates import CandidatesError, TrainingCandidates, build_pool, load_training
from queries.pooling.query_facts import query_source_id
from queries.pooling.query_selection import training_descriptions

SPLITS = (Split.VAL, Split.TEST)
ROWS_AT_ONCE = 2000
DECIMALS = 6
"""Of a training similarity: as precise as float32 is."""
TOP = 40
"""Moments a pseudo-training query whose moments the tables count (the paper's N), fewer where fewer were fetched."""
CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)
DECIDED = (Pair.Status.CONSENSUS, Pair.Status.DISCARDED)

QueryId = int | str


class SplitError(Exception):
    """The splits can't be released as they are; the message says why, and what has to be done first."""


@dataclass(frozen=True, slots=True)
class Place:
    """A moment's place: video, start and end in seconds, and the video's duration (None: unknown)."""

    video_name: str
    timestamp: tuple[float, float]
    duration: float | None


@dataclass(frozen=True, slots=True)
class GradedPair:
    """A val or test pair with its grade; caption and similarity are None where it was found without."""

    pair_id: int
    place: Place
    caption: str | None
    similarity: float | None
    grade: int


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A val or test query with its graded pairs in rank order, at least one; `narrative` is a topic's, or ""."""

    query_id: QueryId
    text: str
    pairs: list[GradedPair]
    narrative: str = ""


@dataclass(frozen=True, slots=True)
class RawJudgment:
    """One counted judgment of a decided pair; caption and similarity as of `GradedPair`."""

    pair_id: int
    query_id: QueryId
    query: str
    place: Place
    caption: str | None
    similarity: float | None
    worker: str
    grade: int


@dataclass(frozen=True, slots=True)
class TrainingQuery:
    """A pseudo-training query; its top moments as (caption id, similarity), best first."""

    query_id: QueryId
    text: str
    moments: list[tuple[int, float]]


def public_query_id(source_id: str) -> QueryId:
    """A description's id as it appears in files: an int if it is written as one, else text.

    >>> public_query_id("90200"), public_query_id("007"), public_query_id("s1")
    (90200, '007', 's1')
    """
    return int(source_id) if CANONICAL_INTEGER.fullmatch(source_id) else source_id


def graded_pairs(collection: Collection, split: str, *, adjudicated: bool) -> QuerySet[Pair]:
    """The split's pairs with a grade, as `final_grade`: by consensus, and with `adjudicated` also by the lead."""
    pairs = Pair.objects.filter(batch__query__collection=collection, batch__query__split=split)
    if not adjudicated:
        return pairs.filter(status=Pair.Status.CONSENSUS).annotate(final_grade=F("grade"))
    standing = Adjudication.objects.filter(pair=OuterRef("pk"), withdrawn_at__isnull=True)
    decided = pairs.annotate(final_grade=Coalesce("grade", Subquery(standing.values("grade"))))
    return decided.filter(status__in=DECIDED, final_grade__isnull=False)


def adjudications(collection: Collection, split: str) -> QuerySet[Adjudication]:
    """The lead's current grades of the split's discarded pairs, by query in the order of the draw, and rank."""
    return Adjudication.objects.filter(
        pair__batch__query__collection=collection,
        pair__batch__query__split=split,
        pair__status=Pair.Status.DISCARDED,
        withdrawn_at__isnull=True,
    ).order_by("pair__batch__query__position", "pair__candidate__rank")


class Splits:
    """A collection's state for a release. Make and use it inside one transaction.

    With `adjudicated`, a discarded pair that the lead has adjudicated has the lead's grade, as any other pair.

    Videos and moments are held in memory (the paper's 97,410 moments: some tens of MB), pairs and judgments are
    streamed. A video whose duration no source stated gets the latest end of its moments, which it lasts at least;
    one without moments has none.
    """

    def __init__(self, collection: Collection, *, adjudicated: bool = False) -> None:
        self.collection = collection
        self.adjudicated = adjudicated
        self.durations: dict[str, float | None] = {}
        self.estimated = 0
        names: dict[int, str] = {}
        videos = collection.videos.order_by().annotate(last=Max("moments__end"))
        rows = videos.values_list("pk", "name", "duration", "last")
        # By code points, here and not in the database, whose order of names is another on another machine.
        for pk, name, duration, last in sorted(rows, key=itemgetter(1)):
            names[pk] = name
            self.durations[name] = last if duration is None else duration
            self.estimated += duration is None
        self._places = {
            pk: Place(names[video], (start, end), self.durations[names[video]])
            for pk, video, start, end in Moment.objects.filter(video__collection=collection)
            .values_list("pk", "video_id", "start", "end")
            .iterator(ROWS_AT_ONCE)
        }
        self.drawn = {
            normalise(text): source_id for text, source_id in collection.queries.values_list("text", query_source_id())
        }

    def judged_queries(self, split: str) -> Iterator[JudgedQuery]:
        """The split's queries that have a graded pair, in the order of the draw."""
        pairs = graded_pairs(self.collection, split, adjudicated=self.adjudicated)
        pairs = pairs.order_by("batch__query__position", "candidate__rank")
        rows = pairs.values_list(
            query_source_id("batch__query__"),
            "batch__query__text",
            "batch__query__narrative",
            "pk",
            "candidate__moment_id",
            "candidate__caption_text",
            "candidate__similarity",
            "final_grade",
        )
        for (source_id, text, narrative), own in groupby(rows.iterator(ROWS_AT_ONCE), key=itemgetter(0, 1, 2)):
            graded = [
                GradedPair(pk, self._places[moment], caption or None, similarity, grade)
                for _, _, _, pk, moment, caption, similarity, grade in own
            ]
            yield JudgedQuery(public_query_id(source_id), text, graded, narrative)

    def raw_judgments(self, split: str) -> Iterator[RawJudgment]:
        """The counted judgments of the split's decided pairs, by query in the order of the draw, rank, and time."""
        judgments = Judgment.objects.filter(
            pair__batch__query__collection=self.collection,
            pair__batch__query__split=split,
            pair__status__in=DECIDED,
            counted=True,
        ).order_by("pair__batch__query__position", "pair__candidate__rank", "pk")
        rows = judgments.values_list(
            "pair_id",
            query_source_id("pair__batch__query__"),
            "pair__batch__query__text",
            "pair__candidate__moment_id",
            "pair__candidate__caption_text",
            "pair__candidate__similarity",
            "annotator__worker",
            "grade",
        )
        for pair, source_id, query, moment, caption, similarity, worker, grade in rows.iterator(ROWS_AT_ONCE):
            place = self._places[moment]
            query_id = public_query_id(source_id)
            yield RawJudgment(pair, query_id, query, place, caption or None, similarity, worker, grade)

    def place(self, moment: int) -> Place:
        """A moment's place."""
        return self._places[moment]

    def has_moment(self, moment: int) -> bool:
        """Whether the collection has this moment."""
        return moment in self._places

    def places(self) -> Iterator[Place]:
        """The places of all moments of the collection, unordered."""
        return iter(self._places.values())

    @property
    def number_of_moments(self) -> int:
        return len(self._places)


class Training:
    """The pseudo-training queries with their top moments, as `fetch_candidates` ranked them.

    Descriptions that never get candidates (their caption stands for no moment of the pool) are left out and
    counted in `without_candidates`.

    A collection whose queries are topics alone needs none of it: where candidates were never fetched there, it has no
    pseudo-training queries.

    Raises:
        SplitError: if captions were accepted or refused since candidates were fetched.
        CandidatesError: if they never were, and queries are drawn.
    """

    def __init__(self, splits: Splits) -> None:
        self._splits = splits
        self._arrays, fetched = _training_of(splits.collection)
        self._texts: dict[int, tuple[str, str]] = {}
        self._about: dict[int, tuple[str, int]] = {}
        for description, source_id, text, language, moment in (
            training_descriptions(splits.collection)
            .values_list("pk", "source_id", "caption__text", "language", "moment_id")
            .iterator(ROWS_AT_ONCE)
            if fetched
            else ()
        ):
            self._texts[description] = (source_id, text)
            self._about[description] = (language, moment)
        self.encoder = self._arrays.encoder
        self.captions: dict[int, tuple[str, Place]] = {
            caption: (text, splits.place(moment))
            for caption, text, moment in Caption.objects.filter(
                description__collection=splits.collection, status=Caption.Status.ACCEPTED
            )
            .values_list("pk", "text", "description__moment_id")
            .iterator(ROWS_AT_ONCE)
        }
        ranked = set(self._arrays.descriptions.tolist())
        missing = [description for description in self._texts if description not in ranked]
        self.without_candidates = len(missing)
        self._refuse_stale(missing)

    def __len__(self) -> int:
        """How many queries will be in the files."""
        return len(self._texts) - self.without_candidates

    @property
    def depth(self) -> int:
        """Moments fetched per query; a query may have fewer where the pool is small."""
        return int(self._arrays.captions.shape[1])

    def top_moments(self) -> set[int]:
        """The distinct moments that the paper's tables count (`datasets.content.extent`)."""
        return top_moments(self._arrays, self._texts)

    def texts(self) -> Iterator[tuple[str, str, int]]:
        """Text, language and own moment of every query in the files."""
        for description in self._arrays.descriptions.tolist():
            if description in self._texts:
                yield (self._texts[description][1], *self._about[description])

    def _refuse_stale(self, missing: list[int]) -> None:
        if missing:
            pool = build_pool(self._splits.collection)
            late = sum(normalise(self._texts[description][1]) in pool.row_of_key for description in missing)
            if late:
                raise SplitError(f"{late:,} pseudo-training queries have no candidates yet: fetch candidates first")
        used = np.unique(self._arrays.captions)
        gone = sum(caption not in self.captions for caption in used.tolist() if caption >= 0)
        if gone:
            raise SplitError(
                f"{gone:,} captions among the pseudo-training candidates aren't accepted any more: "
                "fetch candidates again first"
            )

    def __iter__(self) -> Iterator[TrainingQuery]:
        """The queries in the order of their import. Raises: SplitError at one that equals a val or test query."""
        arrays = self._arrays
        for row, description in enumerate(arrays.descriptions.tolist()):
            if description not in self._texts:
                continue
            source_id, text = self._texts[description]
            same = self._splits.drawn.get(normalise(text))
            if same is not None:
                raise SplitError(
                    f"the pseudo-training query {source_id} has the same caption as query {same}: {text!r}"
                )
            captions = arrays.captions[row]
            size = int((captions >= 0).sum())
            rounded = np.round(arrays.similarities[row, :size].astype(np.float64), DECIMALS) + 0.0
            moments = list(zip(captions[:size].tolist(), rounded.tolist(), strict=True))
            yield TrainingQuery(public_query_id(source_id), text, moments)


def _training_of(collection: Collection) -> tuple[TrainingCandidates, bool]:
    """The pseudo-training candidates, and whether they were fetched. Raises: CandidatesError."""
    try:
        return load_training(collection), True
    except CandidatesError:
        if collection.queries.filter(description__isnull=False).exists():
            raise
        ids = np.empty((0, collection.depth), dtype=np.int64)
        return TrainingCandidates(ids[:, 0], ids, ids, ids.astype(np.float32)), False


def top_moments(ranked: TrainingCandidates, descriptions: Container[int]) -> set[int]:
    """The distinct moments among the first `TOP` of every pseudo-training query.

    Args: descriptions: those of the queries; other rows of `ranked` are those of val and test.
    """
    rows = [row for row, description in enumerate(ranked.descriptions.tolist()) if description in descriptions]
    moments = np.unique(ranked.moments[rows, :TOP])
    return set(moments[moments >= 0].tolist())


def refuse_unready(collection: Collection) -> None:
    """Raises: SplitError if nothing can be released yet, or val and test queries overlap."""
    queries = Query.objects.filter(collection=collection)
    if not queries.exists():
        raise SplitError("no queries are drawn yet: draw queries or add topics first")
    # What no run returned anything for stays without, once its pool is made.
    without = queries.filter(candidates__isnull=True, pool__isnull=True).count()
    if without:
        raise SplitError(f"{without:,} queries have no candidates yet: fetch candidates first")
    if not Pair.objects.filter(batch__query__in=queries, status=Pair.Status.CONSENSUS).exists():
        raise SplitError("no pair has a grade yet: open judging, and have pairs judged first")
    splits: dict[str, tuple[str, str]] = {}
    ids: set[str] = set()
    for text, split, source_id in queries.values_list("text", "split", query_source_id()):
        if source_id in ids:
            raise SplitError(f"two queries have the id {source_id}: give the topic another one")
        ids.add(source_id)
        other = splits.setdefault(normalise(text), (split, source_id))
        if other != (split, source_id):
            raise SplitError(f"{split} query {source_id} has the same caption as {other[0]} query {other[1]}: {text!r}")
