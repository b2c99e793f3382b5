"""Data of the caption review."""

from dataclasses import dataclass

from django.db.models import QuerySet

from foundation.models import Collection, Membership
from queries.checks.run_checks import generalises, limits_of
from queries.checks.verdicts import CheckVerdict, verdicts
from queries.checks.word_alignment import changed_words
from queries.language.words import words
from queries.models import Attempt, Caption
from queries.review.diff_highlight import TextPart, text_parts
from queries.review.rewrite_again import may_answer_otherwise, shown_in_review

LEADING = (Membership.Role.OWNER, Membership.Role.LEAD)


def captions_in_review(collection: Collection) -> QuerySet[Caption]:
    """Captions in review, in the order of import, with their checks' results.

    Those that the rewriter is being asked for again are left out until it has answered.
    """
    return (
        Caption.objects.filter(shown_in_review(), description__collection=collection)
        .select_related("description__moment__clip", "description__collection", "attempt")
        .prefetch_related("description__attempts")
        .order_by("pk")
    )


def first_in_review(member: Membership) -> Caption | None:
    """A lead's first caption: each of several leads starts in another part of the queue."""
    waiting = captions_in_review(member.collection)
    leads = list(member.collection.memberships.filter(role__in=LEADING).order_by("pk").values_list("pk", flat=True))
    part = leads.index(member.pk) / len(leads) if member.pk in leads else 0
    at = int(part * waiting.count()) if part else 0
    return waiting[at : at + 1].first()


def next_in_review(collection: Collection, after: int) -> Caption | None:
    """The next caption in review after another, cyclically; the same one if it is alone."""
    waiting = captions_in_review(collection)
    return waiting.filter(pk__gt=after).first() or waiting.first()


@dataclass(frozen=True, slots=True)
class ShownAttempt:
    """An attempt as the review page shows it, with the words marked that the description lacks."""

    attempt: Attempt
    text_parts: list[TextPart]
    verdicts: list[CheckVerdict]
    repeats: int | None
    """The number of an earlier attempt with the same text."""
    current: bool


@dataclass(frozen=True, slots=True)
class CaptionSheet:
    """Everything that the review page shows of one caption."""

    caption: Caption
    description: list[TextPart]
    attempts: list[ShownAttempt]
    """The newest first."""
    may_ask_again: bool
    """Whether the rewriter can answer otherwise."""
    clip: str | None
    """The public name of the moment's clip."""


def review_sheet(caption: Caption) -> CaptionSheet:
    """A caption with its description and every attempt side by side."""
    text, collection = caption.description.text, caption.description.collection
    limits, general = limits_of(collection), generalises(collection)
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
        marked = text_parts(attempt.text, after, new)
        repeats = first_with.get(attempt.text) if attempt.text else None
        check_verdicts = verdicts(text, attempt, limits, generalises=general)
        shown.append(ShownAttempt(attempt, marked, check_verdicts, repeats, current))
        first_with.setdefault(attempt.text, attempt.number)
    return CaptionSheet(
        caption,
        text_parts(text, before, gone),
        shown[::-1],
        may_ask_again=may_answer_otherwise(caption),
        clip=caption.description.moment.clip_name,
    )
