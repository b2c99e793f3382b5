"""Full-text search of a collection's descriptions.

PostgreSQL full text with the `english` configuration, for every language. Descriptions and searches are stemmed alike,
so a word of another language is found as it is written, but not by other forms of it.
"""

from dataclasses import dataclass

from django.contrib.postgres.search import SearchHeadline, SearchQuery, SearchRank
from django.db.models import QuerySet

from corpus.models import DESCRIPTION_VECTOR, Description
from foundation.models import Collection

FOUND = 20
"""Descriptions shown of those that match."""
RANKED = 2000
"""The most matches that are ranked: for a word of half the collection, ranks mean nothing."""
COUNTED = 10_000
"""The most matches that are counted, and whose videos are listed: a page's work doesn't grow with the collection."""
_MARK, _UNMARK = "\ue000", "\ue001"
"""Private characters around a match: `ts_headline` escapes nothing, so it is not given any HTML to put in."""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A description that was found, its text in pieces: (piece, whether it matches)."""

    description: Description
    pieces: list[tuple[str, bool]]


@dataclass(frozen=True, slots=True)
class Matches:
    """The best descriptions, how many there are, and the ids of their videos.

    Of more than `COUNTED` matches, `count` and `videos` are those of so many.
    """

    count: int
    best: list[SearchHit]
    videos: list[int]
    more: bool = False
    """Whether there are more than `COUNTED`."""

    @property
    def too_many(self) -> bool:
        """Whether only the first `RANKED` were put in order."""
        return self.count > RANKED


def matching_descriptions(collection: Collection, text: str) -> QuerySet[Description]:
    """The collection's descriptions that a search for the text finds, in no order."""
    return (
        Description.objects.filter(collection=collection).alias(vector=DESCRIPTION_VECTOR).filter(vector=_query(text))
    )


def _query(text: str) -> SearchQuery:
    return SearchQuery(text, config="english", search_type="websearch")


def search(collection: Collection, text: str) -> Matches:
    """Descriptions by PostgreSQL's `websearch` words ("in quotes", or, -not), best first, in two SQL queries.

    Any text is a search; one of nothing but stop words finds nothing.
    """
    # Matched once: for a phrase PostgreSQL reads the text of whatever has its words, however often it is asked.
    matched = matching_descriptions(collection, text).order_by().values_list("pk", "moment__video")
    rows = list(matched[: COUNTED + 1])
    more = len(rows) > COUNTED
    del rows[COUNTED:]
    ids, videos = [row[0] for row in rows], {row[1] for row in rows}
    best = (
        Description.objects.filter(pk__in=sorted(ids)[:RANKED])
        .annotate(
            rank=SearchRank(DESCRIPTION_VECTOR, _query(text)),
            marked=SearchHeadline(
                "text", _query(text), config="english", start_sel=_MARK, stop_sel=_UNMARK, highlight_all=True
            ),
        )
        .select_related("moment__video", "moment__clip")
        .order_by("-rank", "pk")[:FOUND]
    )
    shown = [SearchHit(description, _pieces(description.marked)) for description in best]
    return Matches(len(ids), shown, sorted(videos), more)


def _pieces(marked: str) -> list[tuple[str, bool]]:
    pieces = []
    for part in marked.split(_MARK):
        inside, mark, after = part.partition(_UNMARK)
        pieces += [(inside, True), (after, False)] if mark else [(inside, False)]
    return [piece for piece in pieces if piece[0]]
