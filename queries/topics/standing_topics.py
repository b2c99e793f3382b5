"""The topics of a collection as they stand, what new ones conflict with, and how these are stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import Max, TextField, Value
from django.db.models.functions import Cast, Concat

from corpus.description_formats import BadRow
from corpus.description_formats.rows import shown
from foundation.models import Collection
from queries.models import Candidate, Query, QueryMedium, QueryPool, SimilarityRanking
from queries.pooling.candidates import in_use
from queries.pooling.query_columns import query_source_id
from queries.pooling.query_selection import drawn_queries
from queries.pooling.run_plans import run_plan
from queries.topics.topic_rows import SourceTopic

ROWS_AT_ONCE = 2000
STATED = ("text", "narrative", "language", "written_by", "split")


@dataclass(frozen=True, slots=True)
class _Topic:
    pk: int
    text: str
    narrative: str
    language: str
    written_by: str
    split: str
    normalised: str

    def differs(self, row: SourceTopic) -> list[str]:
        """The fields in which a row states something else."""
        stated = {name: getattr(row, name) for name in STATED}
        return [name for name, value in stated.items() if value is not None and value != getattr(self, name)]


class StandingTopics:
    """A collection's topics. Make and use it in one transaction that holds the collection's descriptions."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        topics = Query.objects.filter(collection=collection, description__isnull=True)
        # Opening a batch takes the same locks: a topic is open for judging, or it is changed, never both.
        locked = topics.select_for_update(of=("self",), no_key=True).order_by("pk")
        columns = ("topic_id", "pk", *STATED, "normalised")
        self._topics = {topic_id: _Topic(*rest) for topic_id, *rest in locked.values_list(*columns)}
        self._drawn_ids: set[str] = set()
        self._drawn_texts: dict[str, str] = {}
        drawn = drawn_queries(collection).values_list(query_source_id(), "normalised")
        for source_id, key in drawn.iterator(ROWS_AT_ONCE):
            self._drawn_ids.add(source_id)
            self._drawn_texts[key] = source_id
        judged = in_use(Candidate.objects.filter(query__in=topics))
        self._fixed = set(judged.order_by().values_list("query_id", flat=True).distinct())

    def has(self, topic_id: str) -> bool:
        """Whether there is a topic of this id."""
        return topic_id in self._topics

    def is_fixed(self, topic_id: str) -> bool:
        """Whether judging of the topic of this id is open."""
        return topic_id in self._topics and self._topics[topic_id].pk in self._fixed

    def conflicts(self, rows: Sequence[SourceTopic]) -> Iterator[tuple[SourceTopic, BadRow]]:
        """The rows that conflict with the collection or with another row, and why; each row at most once."""
        again = {row.topic_id for row in rows}
        texts = {topic.normalised: name for name, topic in self._topics.items() if name not in again}
        lines: dict[str, int] = {}
        for row in rows:
            bad = self._conflict(row, texts, lines)
            if bad is not None:
                yield row, bad
            texts.setdefault(row.key, row.topic_id)
            lines.setdefault(row.topic_id, row.line)

    def _conflict(self, row: SourceTopic, texts: dict[str, str], lines: dict[str, int]) -> BadRow | None:
        if row.topic_id in lines:
            repeated = f"{shown(row.topic_id)} a second time"
            return BadRow.saying("id", repeated, f"each id once; the first is in line {lines[row.topic_id]:,}")
        if row.topic_id in self._drawn_ids:
            return BadRow("id", row.topic_id, "an id that no drawn query has")
        other = texts.get(row.key) or self._drawn_texts.get(row.key)
        if other is not None:
            return BadRow("text", row.text, f"a text that no other query has; this is that of {other}")
        topic = self._topics.get(row.topic_id)
        if topic is not None and topic.pk in self._fixed and (differing := topic.differs(row)):
            field = differing[0]
            expected = f"{shown(getattr(topic, field))}: judging of this topic is open, so it is fixed"
            return BadRow(field, getattr(row, field), expected)
        return None

    def store(self, rows: Sequence[SourceTopic], *, split: str) -> tuple[int, int]:
        """Store rows without conflicts. `split` is that of new topics that state none.

        Returns: how many topics are new, and how many changed. A topic whose text changed loses the candidates that
        its former text was ranked with.
        """
        places = {name: self._last(name) for name in ("val", "test")}
        fresh: list[Query] = []
        changed: dict[int, SourceTopic] = {}
        for row in rows:
            topic = self._topics.get(row.topic_id)
            if topic is None:
                into = row.split or split
                places[into] += 1
                fresh.append(_fresh(self._collection, row, into, places[into]))
            elif topic.differs(row):
                changed[topic.pk] = row
        former = {pk: self._topics[row.topic_id].normalised for pk, row in changed.items()}
        self._forget([pk for pk, row in changed.items() if row.key != former[pk]])
        # Topics may swap texts: meanwhile none has the one that another gets.
        new_keys = {row.key for pk, row in changed.items() if row.key != former[pk]}
        swapped = Query.objects.filter(pk__in=[pk for pk, key in former.items() if key in new_keys])
        swapped.update(normalised=Concat(Value("\n"), Cast("pk", TextField())))
        every = list(changed)
        for first in range(0, len(every), ROWS_AT_ONCE):
            part = Query.objects.in_bulk(every[first : first + ROWS_AT_ONCE])
            for pk, query in part.items():
                _state(query, changed[pk], places)
            _update(list(part.values()))
        Query.objects.bulk_create(fresh, batch_size=ROWS_AT_ONCE)
        return len(fresh), len(changed)

    def _last(self, split: str) -> int:
        taken = self._collection.queries.filter(split=split).aggregate(last=Max("position"))
        return taken["last"] or 0

    def _forget(self, queries: Sequence[int]) -> None:
        """Drop what was ranked by a former text, or that none was; what a recipe of runs has chosen is chosen
        anew before it opens."""
        again = Query.objects.filter(pk__in=queries)
        if run_plan(self._collection) is None:
            Candidate.objects.filter(query__in=again.exclude(ranked_by="")).delete()
        SimilarityRanking.objects.filter(query__in=again).delete()
        QueryPool.objects.filter(query__in=again).update(stale=True)
        again.update(ranked_by="", search=None)
        # With a text of their own they have words.
        QueryMedium.objects.filter(query__in=again).update(alone=False)


_UPDATE = """
UPDATE queries_query q
   SET text = n.text, normalised = n.normalised, narrative = n.narrative, language = n.language,
       written_by = n.written_by, split = n.split, position = n.position
  FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::int[])
    AS n (id, text, normalised, narrative, language, written_by, split, position)
 WHERE q.id = n.id"""


def _update(queries: Sequence[Query]) -> None:
    """Write changed topics: `bulk_update` would take minutes for 100,000."""
    columns = ("pk", "text", "normalised", "narrative", "language", "written_by", "split", "position")
    with connection.cursor() as cursor:
        cursor.execute(_UPDATE, [[getattr(query, name) for query in queries] for name in columns])


def _fresh(collection: Collection, row: SourceTopic, split: str, position: int) -> Query:
    return Query(
        collection=collection,
        topic_id=row.topic_id,
        text=row.text,
        normalised=row.key,
        narrative=row.narrative or "",
        language=row.language or "",
        written_by=row.written_by or "",
        split=split,
        position=position,
    )


def _state(query: Query, row: SourceTopic, places: dict[str, int]) -> None:
    """Give a topic what a row states; in another split it takes the place after the last."""
    if row.split is not None and row.split != query.split:
        places[row.split] += 1
        query.position = places[row.split]
    for name in STATED:
        value = getattr(row, name)
        if value is not None:
            setattr(query, name, value)
    query.normalised = row.key
