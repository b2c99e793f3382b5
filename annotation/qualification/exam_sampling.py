"""Draw the items of exam, practice and examples from pseudo-training queries."""

import random
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext

from annotation.models import Exam, ExamItem, WorkedItem
from corpus.infra.advisory_lock import hold_descriptions
from corpus.models import Clip, Collection, clip_ready
from queries.models import Caption
from queries.pooling.candidates import CandidatesError, load_training
from queries.pooling.query_selection import asked_in_studies, training_descriptions

QUERIES = 10
CANDIDATES = 10


class DrawRefused(Exception):
    """Nothing can be drawn; the message says what comes first."""


@dataclass(frozen=True, slots=True)
class Drawable:
    """A pseudo-training query: its description, caption, and the moments that can be judged for it, best first."""

    description: int
    text: str
    normalised: str
    moments: list[int]


@dataclass(frozen=True, slots=True)
class DrawnExam:
    """A new exam, and a sentence where the collection was too small for a whole one; "" otherwise."""

    exam: Exam
    shortage: str


@transaction.atomic
def draw_exam(*, collection: Collection, seed: int, queries: int = QUERIES, candidates: int = CANDIDATES) -> DrawnExam:
    """Draw an exam of `queries` pseudo-training queries with their top `candidates` moments each.

    What practice and the examples show is left out. An exam that nobody has begun is thrown away for the new one;
    one that somebody has begun stays as it was, and candidates of later sit the new one.

    Raises: DrawRefused if there is nothing to draw from, or the standing exam's first cohort is still open;
        DescriptionsBusy.
    """
    hold_descriptions(collection)
    if queries < 1 or candidates < 1:
        raise DrawRefused(
            gettext("Found %(queries)s queries of %(candidates)s candidates, expected at least 1 of 1.")
            % {"queries": queries, "candidates": candidates}
        )
    standing = current_exam(collection)
    if standing is not None and standing.sittings.exists() and standing.frozen_at is None:
        raise DrawRefused(gettext("Somebody has begun the exam. Close its first cohort, then draw another."))
    shown = _captions_of(collection.worked_items.values_list("description_id", flat=True))
    chosen = _draw(collection, seed=seed, queries=queries, leave_out=shown)
    if standing is not None and not standing.sittings.exists():
        standing.delete()
    number = (collection.exams.aggregate(highest=Max("number"))["highest"] or 0) + 1
    exam = Exam.objects.create(collection=collection, number=number, seed=seed)
    items = [
        ExamItem(exam=exam, description_id=query.description, query=query.text, moment_id=moment, rank=rank)
        for query in chosen
        for rank, moment in enumerate(query.moments[:candidates], start=1)
    ]
    ExamItem.objects.bulk_create(items)
    return DrawnExam(exam, _shortage(len(chosen), len(items), queries, candidates))


def _shortage(found: int, items: int, queries: int, candidates: int) -> str:
    if items == queries * candidates:
        return ""
    return (
        f"The collection is small: the exam has {found} queries with {items} clips in all, "
        f"instead of {queries} with {queries * candidates}."
    )


@transaction.atomic
def draw_worked_items(
    *, collection: Collection, use: str, seed: int, queries: int, candidates: int = 5
) -> list[WorkedItem]:
    """Draw items for practice or examples, without grades: the lead looks at them and says what is true.

    A query's clips are spread over its ranking, so that all grades are likely to occur. What the standing exam asks
    is left out, and what was drawn before.

    Raises: DescriptionsBusy; DrawRefused if there is nothing (left) to draw from.
    """
    hold_descriptions(collection)
    exam = current_exam(collection)
    asked = list(exam.items.values_list("description_id", flat=True)) if exam is not None else []
    used = list(collection.worked_items.values_list("description_id", flat=True))
    chosen = _draw(collection, seed=seed, queries=queries, leave_out=_captions_of([*asked, *used]))
    return WorkedItem.objects.bulk_create(
        WorkedItem(collection=collection, use=use, description_id=query.description, query=query.text, moment_id=moment)
        for query in chosen
        for moment in _spread(query.moments, candidates)
    )


def current_exam(collection: Collection) -> Exam | None:
    """The newest exam, which candidates sit."""
    return collection.exams.order_by("-number").first()


def _captions_of(descriptions: object) -> set[str]:
    return set(Caption.objects.filter(description__in=descriptions).values_list("normalised", flat=True))


def _draw(collection: Collection, *, seed: int, queries: int, leave_out: set[str]) -> list[Drawable]:
    leave_out = leave_out | asked_in_studies(collection)
    found = [query for query in drawable_queries(collection) if query.normalised not in leave_out]
    if not found:
        raise DrawRefused(
            gettext(
                "There is no pseudo-training query left to draw from: each is a val or test query, "
                "is shown already, or has no candidates. Import more descriptions, or draw fewer val and test "
                "queries before judging begins."
            )
        )
    return random.Random(seed).sample(found, min(queries, len(found)))


def drawable_queries(collection: Collection) -> list[Drawable]:
    """Pseudo-training queries by normalised caption, one a caption, with the moments that can be shown for them.

    Raises: DrawRefused if no candidates were fetched.
    """
    try:
        training = load_training(collection)
    except CandidatesError as error:
        raise DrawRefused(
            gettext(
                "The exam is drawn from pseudo-training queries, and they have no candidates yet: "
                "fetch them on the page Candidates."
            )
        ) from error
    # A later draw may have made a val or test query of one.
    captions = {
        caption.description_id: caption
        for caption in Caption.objects.filter(description__in=training_descriptions(collection))
    }
    ready: set[int] | None = None
    if collection.has_clips:
        clips = Clip.objects.filter(clip_ready(), moment__video__collection=collection)
        ready = set(clips.values_list("moment_id", flat=True))
    by_caption: dict[str, Drawable] = {}
    for description, moments in zip(training.descriptions.tolist(), training.moments.tolist(), strict=True):
        caption = captions.get(description)
        shown = [moment for moment in moments if moment >= 0 and (ready is None or moment in ready)]
        if caption is not None and shown and caption.normalised not in by_caption:
            by_caption[caption.normalised] = Drawable(description, caption.text, caption.normalised, shown)
    return [by_caption[key] for key in sorted(by_caption)]


def _spread(moments: list[int], wanted: int) -> list[int]:
    if len(moments) <= wanted:
        return moments
    if wanted == 1:
        return moments[:1]
    return [moments[round(place * (len(moments) - 1) / (wanted - 1))] for place in range(wanted)]
