"""What the pages of this room, and the desk, read."""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from corpus.models import Collection, Membership, Moment
from queries.alignment import changed_words
from queries.asking_again import shown_in_review
from queries.candidates import pool_captions
from queries.marking import Stretch, stretches
from queries.models import Attempt, Candidate, Caption, Query
from queries.reasons import Verdict, verdicts
from queries.text import words

LEADING = (Membership.Role.OWNER, Membership.Role.LEAD)


def captions_in_review(collection: Collection) -> QuerySet[Caption]:
    """Captions that wait for a person, in the order of their import, with what the checks said.

    Those that the rewriter is being asked for again are left out until it has answered.
    """
    return (
        Caption.objects.filter(shown_in_review(), description__collection=collection)
        .select_related("description", "attempt")
        .prefetch_related("description__attempts")
        .order_by("pk")
    )


def first_in_review(member: Membership) -> Caption | None:
    """Where a lead begins: each of several in another part of the queue, so that they seldom meet."""
    waiting = captions_in_review(member.collection)
    leads = list(member.collection.memberships.filter(role__in=LEADING).order_by("pk").values_list("pk", flat=True))
    part = leads.index(member.pk) / len(leads) if member.pk in leads else 0
    at = int(part * waiting.count()) if part else 0
    return waiting[at : at + 1].first()


def next_in_review(collection: Collection, after: int) -> Caption | None:
    """The caption that waits next after another, from the front again at the end; the same one if it is alone."""
    waiting = captions_in_review(collection)
    return waiting.filter(pk__gt=after).first() or waiting.first()


@dataclass(frozen=True, slots=True)
class ShownAttempt:
    """An attempt as the review page shows it: its text with the words marked that the description hasn't."""

    attempt: Attempt
    stretches: list[Stretch]
    verdicts: list[Verdict]
    repeats: int | None
    """The number of an earlier attempt with the same text."""
    current: bool


@dataclass(frozen=True, slots=True)
class Sheet:
    """All that the review page shows of one caption."""

    caption: Caption
    description: list[Stretch]
    attempts: list[ShownAttempt]
    """The newest first."""


def review_sheet(caption: Caption) -> Sheet:
    """A caption with its description and every attempt side by side."""
    text, limits = caption.description.text, caption.description.collection
    attempts = sorted(caption.description.attempts.all(), key=lambda attempt: attempt.number)
    before = words(text)
    shown: list[ShownAttempt] = []
    gone: set[int] = set()
    first_with: dict[str, int] = {}
    for attempt in attempts:
        after = words(attempt.text)
        lost, new = changed_words(before, after) if attempt.text else (set(), set())
        current = attempt.pk == caption.attempt_id
        gone = lost if current else gone
        marked = stretches(attempt.text, after, new)
        repeats = first_with.get(attempt.text) if attempt.text else None
        shown.append(ShownAttempt(attempt, marked, verdicts(text, attempt, limits), repeats, current))
        first_with.setdefault(attempt.text, attempt.number)
    return Sheet(caption, stretches(text, before, gone), shown[::-1])


def caption_counts(collection: Collection) -> dict[str, int]:
    """Captions by status, and under "pending" the descriptions that have none yet."""
    counts = dict(
        Caption.objects.filter(description__collection=collection).values_list("status").annotate(Count("pk"))
    )
    counts["pending"] = collection.descriptions.filter(caption__isnull=True).count()
    return counts


def query_counts(collection: Collection) -> dict[str, int]:
    """Drawn queries by split, and under "ranked" those that have their candidates."""
    counts = dict(Query.objects.filter(collection=collection).values_list("split").annotate(Count("pk")))
    counts["ranked"] = Query.objects.filter(collection=collection, candidates__rank=1).count()
    return counts


@dataclass(frozen=True, slots=True)
class PoolChange:
    """What has changed in the candidate pool since candidates were fetched; nothing before they were."""

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
        said = []
        if self.added:
            some = "caption isn't" if self.added == 1 else "captions aren't"
            said.append(f"{self.added:,} accepted {some} in the candidate pool")
        if self.gone:
            said.append(f"{self.gone:,} in the candidate pool {'is' if self.gone == 1 else 'are'} no longer accepted")
        return ", ".join(said)


def pool_change(collection: Collection) -> PoolChange:
    """Two SQL queries by small indexes, one more to see whether candidates were fetched at all."""
    if not collection.queries.exclude(ranked_by="").exists():
        return PoolChange()
    gone = Caption.objects.filter(description__collection=collection, in_pool=True)
    return PoolChange(
        added=pool_captions(collection).filter(in_pool=False).count(),
        gone=gone.exclude(status=Caption.Status.ACCEPTED).count(),
    )


@dataclass(frozen=True, slots=True)
class PoolSize:
    """Captions that belong in the candidate pool, and those of them that candidates were fetched with."""

    captions: int
    fetched: int


def pool_size(collection: Collection) -> PoolSize:
    """One SQL query, a walk over the collection's captions."""
    found = pool_captions(collection).aggregate(captions=Count("pk"), fetched=Count("pk", filter=Q(in_pool=True)))
    return PoolSize(**found)


def candidate_moments(collection: Collection) -> QuerySet[Moment]:
    """Moments that are a candidate of some query, in whatever batch: those that annotators are or will be shown.

    Those of the collection's studies too: their clips are cut with the others.
    """
    collections = Collection.objects.filter(Q(pk=collection.pk) | Q(study_of=collection.pk))
    candidates = Candidate.objects.filter(query__collection__in=collections.values("pk"))
    return Moment.objects.filter(pk__in=candidates.values("moment"))
