"""Counts of queries and of the candidate pool, and the moments that are candidates."""

from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext, ngettext

from corpus.models import Moment
from foundation.infra.figure_cache import figure_name, kept
from foundation.models import Collection
from queries.models import Candidate, CandidateSearch, Caption
from queries.pooling.candidates import pool_captions


@dataclass(frozen=True, slots=True)
class QueryCounts:
    """All queries, drawn ones and topics; those that have their candidates, and those that candidates were fetched for
    by a search; how many are topics."""

    drawn: int
    ranked: int
    fetched: int
    topics: int = 0


def query_counts(collection: Collection) -> QueryCounts:
    """Count the collection's queries. One SQL query."""
    first = Candidate.objects.filter(query=OuterRef("pk"), rank=1)
    counts = collection.queries.aggregate(
        drawn=Count("pk"),
        fetched=Count("pk", filter=~Q(ranked_by="")),
        ranked=Count("pk", filter=Exists(first)),
        topics=Count("pk", filter=Q(description__isnull=True)),
    )
    return QueryCounts(**counts)


@dataclass(frozen=True, slots=True)
class PoolChange:
    """What has changed in the candidate pool since the last fetch; nothing before the first."""

    added: int = 0
    """Captions that belong in it and weren't there."""
    gone: int = 0
    """Captions that were in it and aren't accepted any more."""

    @property
    def count(self) -> int:
        return self.added + self.gone

    @property
    def words(self) -> str:
        """In words, empty where nothing has changed."""
        clauses = []
        if self.added:
            added = ngettext(
                "%(count)s accepted caption isn't in the candidate pool",
                "%(count)s accepted captions aren't in the candidate pool",
                self.added,
            )
            clauses.append(added % {"count": f"{self.added:,}"})
        if self.gone:
            gone = ngettext(
                "%(count)s in the candidate pool is no longer accepted",
                "%(count)s in the candidate pool are no longer accepted",
                self.gone,
            )
            clauses.append(gone % {"count": f"{self.gone:,}"})
        return ", ".join(clauses)


def pool_change(collection: Collection) -> PoolChange:
    """Compare the pool with the last fetch. Two SQL queries by small indexes, at most one more."""
    if not collection.queries.exclude(ranked_by="").exists():
        return PoolChange()
    return _pool_change(collection)


def _pool_change(collection: Collection) -> PoolChange:
    gone = Caption.objects.filter(description__collection=collection, in_pool=True)
    return PoolChange(
        added=pool_captions(collection).filter(in_pool=False).count(),
        gone=gone.exclude(status=Caption.Status.ACCEPTED).count(),
    )


@dataclass(frozen=True, slots=True)
class PoolSize:
    """Captions that belong in the candidate pool, those of them that candidates were fetched with, and those that
    candidates were fetched with and that aren't accepted any more."""

    captions: int
    fetched: int
    gone: int

    @property
    def change(self) -> PoolChange:
        return PoolChange(added=self.captions - self.fetched, gone=self.gone)

    @property
    def descriptions(self) -> int:
        """By which it is kept (`foundation.infra.figure_cache`)."""
        return self.captions


def pool_size(collection: Collection) -> PoolSize:
    """Count the pool's captions. One SQL query counts them, two more by small indexes what has changed."""
    captions = pool_captions(collection).count()
    change = _pool_change(collection)
    return PoolSize(captions=captions, fetched=captions - change.added, gone=change.gone)


def pool_size_kept(collection: Collection) -> PoolSize:
    """The same, of which what was fetched may be a minute old in a large collection; what has changed isn't."""
    known = kept(figure_name("pool", collection.candidate_fetches), collection, pool_size)
    change = _pool_change(collection)
    return PoolSize(captions=known.fetched + change.added, fetched=known.fetched, gone=change.gone)


def searches_of(collection: Collection) -> list[CandidateSearch]:
    """The approximate searches that found candidates of its queries, oldest first; exact ones leave no trace."""
    return list(CandidateSearch.objects.filter(collection=collection, queries__isnull=False).distinct().order_by("pk"))


def search_in_words(search: CandidateSearch) -> str:
    """What a lead should know of it.

    >>> search_in_words(CandidateSearch(recall=0.9734, depth=40, sample=200, least_recall=0.95))[:67]
    'the search was approximate: for a sample of 200 queries it found 97'
    """
    values = {
        "recall": f"{100 * search.recall:.1f}",
        "depth": search.depth,
        "sample": f"{search.sample:,}",
        "least": f"{100 * search.least_recall:g}",
    }
    words = gettext(
        "the search was approximate: for a sample of %(sample)s queries it found %(recall)s %% of the %(depth)s moments"
        " that the exact search finds (at least %(least)s %% were expected)"
    )
    return words % values


def candidate_moments(collection: Collection) -> QuerySet[Moment]:
    """Moments that are a candidate of some query: those that annotators are or will be shown.

    Those of the collection's studies too: their clips are cut with the others.
    """
    collections = Collection.objects.filter(Q(pk=collection.pk) | Q(study_of=collection.pk))
    candidates = Candidate.objects.filter(query__collection__in=collections.values("pk"))
    return Moment.objects.filter(pk__in=candidates.values("moment"))
