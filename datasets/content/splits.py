"""Stream the content of a release from the database: videos, val and test pairs. Pseudo-training: `training.py`.

Everything here is meant to be read inside one REPEATABLE READ transaction, so that it is one consistent state.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, TypedDict

from django.db.models import F, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Adjudication, Judgment, Pair
from corpus.models import Moment
from datasets.content.moment_locations import MomentLocation, MomentLocations
from foundation.counted import counted
from foundation.models import Collection
from foundation.refused import Refused
from foundation.text import normalise
from queries.models import Query, QueryMedium
from queries.pooling.query_columns import query_language, query_source_id

SPLITS = ("val", "test")
ROWS_AT_ONCE = 2000
CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)
DECIDED = (Pair.Status.CONSENSUS, Pair.Status.DISCARDED)

QueryId = int | str

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    class FinalGrade(TypedDict):
        final_grade: int

    GradedPairs = QuerySet[WithAnnotations[Pair, FinalGrade]]


@dataclass(frozen=True, slots=True)
class GradedPair:
    """A val or test pair with its grade; caption and similarity are None where it was found without."""

    pair_id: int
    place: MomentLocation
    caption: str | None
    similarity: float | None
    grade: int


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A val or test query with its graded pairs in rank order, at least one.

    `narrative` is a topic's, or ""; `language` what it states, else the collection's (BCP 47).
    """

    query_id: QueryId
    text: str
    pairs: list[GradedPair]
    narrative: str
    language: str


@dataclass(frozen=True, slots=True)
class RawJudgment:
    """One counted judgment of a decided pair; caption and similarity as of `GradedPair`."""

    pair_id: int
    query_id: QueryId
    query: str
    place: MomentLocation
    caption: str | None
    similarity: float | None
    worker: str
    grade: int


def public_query_id(source_id: str) -> QueryId:
    """A description's id as it appears in files: an int if it is written as one, else text.

    >>> public_query_id("90200"), public_query_id("007"), public_query_id("s1")
    (90200, '007', 's1')
    """
    return int(source_id) if CANONICAL_INTEGER.fullmatch(source_id) else source_id


def graded_pairs(collection: Collection, split: str, *, adjudicated: bool) -> "GradedPairs":
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

    With `adjudicated`, a discarded pair that the lead has adjudicated has the lead's grade, as any other pair. `media`
    are the topics' pictures, clips and sounds by topic id.

    Videos, and `places` of moments, are held in memory (the paper's 97,410 moments: 3 MB), everything else is streamed.
    A video whose duration no source stated gets the latest end of its moments, which it lasts at least; one without
    moments has none.
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
        moments = Moment.objects.filter(video__collection=collection).order_by("pk")
        self.places = MomentLocations(
            moments.values_list("pk", "video_id", "start", "end").iterator(ROWS_AT_ONCE),
            names=names,
            durations=self.durations,
        )
        self.media = {
            medium.query.topic_id: medium
            for medium in QueryMedium.objects.filter(query__collection=collection).select_related("query")
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
            query_language("batch__query__"),
            "pk",
            "candidate__moment_id",
            "candidate__caption_text",
            "candidate__similarity",
            "final_grade",
        )
        for head, own_rows in groupby(rows.iterator(ROWS_AT_ONCE), key=itemgetter(0, 1, 2, 3)):
            source_id, text, narrative, language = head
            graded = [
                GradedPair(pk, self.places[moment], caption or None, similarity, grade)
                for *_, pk, moment, caption, similarity, grade in own_rows
            ]
            stated = language or self.collection.language
            yield JudgedQuery(public_query_id(source_id), text, graded, narrative, stated)

    def counted_judgments(self, split: str) -> QuerySet[Judgment]:
        """The rows of the judgments of `raw_judgments`, in their order."""
        return Judgment.objects.filter(
            pair__batch__query__collection=self.collection,
            pair__batch__query__split=split,
            pair__status__in=DECIDED,
            counted=True,
        ).order_by("pair__batch__query__position", "pair__candidate__rank", "pk")

    def raw_judgments(self, split: str) -> Iterator[RawJudgment]:
        """The counted judgments of the split's decided pairs, by query in the order of the draw, rank, and time."""
        rows = self.counted_judgments(split).values_list(
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
            place = self.places[moment]
            query_id = public_query_id(source_id)
            yield RawJudgment(pair, query_id, query, place, caption or None, similarity, worker, grade)


def refuse_unready(collection: Collection) -> None:
    """Raises: Refused if nothing can be released yet, or val and test queries overlap."""
    queries = Query.objects.filter(collection=collection)
    if not queries.exists():
        raise Refused("no queries are drawn yet: draw queries or add topics first")
    # What no run returned anything for stays without, once its pool is made.
    without = queries.filter(candidates__isnull=True, pool__isnull=True).count()
    if without:
        raise Refused(f"{counted(without, 'query has', 'queries have')} no candidates yet: fetch candidates first")
    if not Pair.objects.filter(batch__query__in=queries, status=Pair.Status.CONSENSUS).exists():
        raise Refused("no pair has a grade yet: open judging, and have pairs judged first")
    splits: dict[str, tuple[str, str]] = {}
    ids: set[str] = set()
    for text, split, source_id in queries.values_list("text", "split", query_source_id()):
        if source_id in ids:
            raise Refused(f"two queries have the id {source_id}: give the topic another one")
        ids.add(source_id)
        other = splits.setdefault(normalise(text), (split, source_id))
        if other != (split, source_id):
            raise Refused(f"{split} query {source_id} has the same caption as {other[0]} query {other[1]}: {text!r}")
