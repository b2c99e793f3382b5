"""Distinct captions, sorted by normal form in code point order, and read from the database a block at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from queries.models import Caption

READ_AT_ONCE = 2000


@dataclass(frozen=True, slots=True)
class Distinct:
    """A distinct caption: its normal form, and the first description (id) that has it with how that spells it."""

    key: str
    description: int
    text: str


# In "C" PostgreSQL sorts by the code points, as Python does.
_FIRSTS = """
WITH given(key, description, video) AS ({given}),
firsts AS (SELECT DISTINCT ON (key COLLATE "C") * FROM given ORDER BY key COLLATE "C", description),
placed AS (SELECT *, row_number() OVER (ORDER BY key COLLATE "C") - 1 AS place FROM firsts)
"""
_EVERY = """
WITH given(key, description, video) AS ({given}),
placed AS (SELECT *, row_number() OVER (ORDER BY key COLLATE "C", description) - 1 AS place FROM given)
"""
_AT = """
SELECT placed.key, description, c.text
  FROM unnest(%s::bigint[]) WITH ORDINALITY AS asked(place, number)
  JOIN placed USING (place) JOIN queries_caption c ON c.description_id = placed.description
 ORDER BY asked.number"""


class DistinctCaptions:
    """The distinct ones of some captions, sorted by normal form, so that a draw doesn't depend on the order of rows; of
    equal captions that of the description imported first stands for all."""

    def __init__(self, captions: QuerySet[Caption]) -> None:
        self._captions = captions.order_by()

    def count(self) -> int:
        """How many there are."""
        return self._captions.values("normalised").distinct().count()

    def at(self, places: Sequence[int]) -> Iterator[Distinct]:
        """Those at these places, in their order."""
        return (Distinct(*row) for row in self._rows(_FIRSTS + _AT, [list(places)]))

    def drawn_from_all(self, chance: Random, most: int) -> Iterator[Distinct]:
        """At most so many, drawn at random from all captions, equal ones too: each has the same chance, and one that
        equals an earlier one is passed over. They are sorted by normal form, equal ones by import."""
        captions, keys = self._captions.count(), set[str]()
        order = chance.sample(range(captions), captions)
        for first in range(0, captions, READ_AT_ONCE):
            for caption in self._rows(_EVERY + _AT, [order[first : first + READ_AT_ONCE]]):
                if len(keys) == most:
                    return
                if caption[0] not in keys:
                    keys.add(caption[0])
                    yield Distinct(*caption)

    def videos(self) -> Iterator[str]:
        """The names of their videos, in their order."""
        select = "SELECT v.name FROM placed JOIN corpus_video v ON v.id = placed.video ORDER BY place"
        return (name for (name,) in self._rows(_FIRSTS + select))

    def by_video(self) -> Iterator[tuple[str, int]]:
        """The name of each video that has any, and how many."""
        select = "SELECT v.name, count(*) FROM firsts JOIN corpus_video v ON v.id = firsts.video GROUP BY v.id"
        return self._rows(_FIRSTS + select)

    def _rows(self, select: str, parameters: Sequence[Any] = ()) -> Iterator[Any]:
        given = self._captions.values_list("normalised", "description_id", "description__moment__video_id")
        sql, of_given = given.query.sql_with_params()
        with connection.chunked_cursor() as cursor:
            cursor.execute(select.format(given=sql), (*of_given, *parameters))
            while rows := cursor.fetchmany(READ_AT_ONCE):
                yield from rows
