"""Draw the items of exam, practice and examples from pseudo-training queries."""

import random
from array import array
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Collate
from django.utils.translation import gettext

from annotation.models import Exam, ExamItem, WorkedItem
from corpus.models import Moment, clip_ready
from foundation.infra.advisory_lock import hold_descriptions
from foundation.models import Collection
from foundation.refused import Refused
from queries.models import Caption
from queries.pooling.query_selection import asked_in_studies, training_descriptions
from queries.pooling.training_rows import among, open_training

QUERIES = 10
ROWS_AT_ONCE = 2000
CANDIDATES = 10


@dataclass(frozen=True, slots=True)
class DrawableQuery:
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
    one that somebody has begun stays as it was, and later applicants sit the new one.

    Raises: Refused if there is nothing to draw from, or the standing exam's first cohort is still open;
        Busy.
    """
    hold_descriptions(collection)
    if queries < 1 or candidates < 1:
        raise Refused(
            gettext("Found %(queries)s queries of %(candidates)s candidates, expected at least 1 of 1.")
            % {"queries": queries, "candidates": candidates}
        )
    standing = current_exam(collection)
    if standing is not None and standing.sittings.exists() and standing.frozen_at is None:
        raise Refused(gettext("Somebody has begun the exam. Close its first cohort, then draw another."))
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


def _shortage(drawn: int, items: int, queries: int, candidates: int) -> str:
    if items == queries * candidates:
        return ""
    return (
        f"The collection is small: the exam has {drawn} queries with {items} clips in all, "
        f"instead of {queries} with {queries * candidates}."
    )


@transaction.atomic
def draw_worked_items(
    *, collection: Collection, use: str, seed: int, queries: int, candidates: int = 5
) -> list[WorkedItem]:
    """Draw items for practice or examples, without grades: the lead looks at them and says what is true.

    A query's clips are spread over its ranking, so that all grades are likely to occur. What the standing exam asks
    is left out, and what was drawn before.

    Raises: Busy; Refused if there is nothing (left) to draw from.
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
    """The newest exam, which applicants sit."""
    return collection.exams.order_by("-number").first()


def _captions_of(descriptions: Iterable[int]) -> set[str]:
    return set(Caption.objects.filter(description__in=descriptions).values_list("normalised", flat=True))


def _draw(collection: Collection, *, seed: int, queries: int, leave_out: set[str]) -> list[DrawableQuery]:
    def choose(descriptions: Sequence[int]) -> list[int]:
        return random.Random(seed).sample(descriptions, min(queries, len(descriptions)))

    drawn = drawable_queries(collection, leave_out=leave_out | asked_in_studies(collection), choose=choose)
    if not drawn:
        raise Refused(
            gettext(
                "There is no pseudo-training query left to draw from: each is a val or test query, "
                "is shown already, or has no candidates. Import more descriptions, or draw fewer val and test "
                "queries before judging begins."
            )
        )
    return drawn


def drawable_queries(
    collection: Collection,
    *,
    leave_out: Container[str] = (),
    choose: Callable[[Sequence[int]], Sequence[int]] = lambda descriptions: descriptions,
) -> list[DrawableQuery]:
    """Pseudo-training queries, one a caption, with the moments that can be shown for them. Of queries that aren't
    chosen only the ids are kept in memory.

    Args:
        leave_out: normalised captions.
        choose: which of these descriptions, in the order of their normalised captions; all by default.

    Returns: the chosen ones, in their order. Raises: Refused if no candidates were fetched.
    """
    try:
        training = open_training(collection)
    except Refused as error:
        raise Refused(
            gettext(
                "The exam is drawn from pseudo-training queries, and they have no candidates yet: "
                "fetch them on the page Candidates."
            )
        ) from error
    showable = _Showable(collection)
    with_moments = np.zeros(len(training.descriptions), dtype=bool)
    done = 0
    for descriptions, moments in training.blocks("moments"):
        with_moments[done : done + len(descriptions)] = showable.of(moments).any(axis=1)
        done += len(descriptions)
    chosen = choose(_first_of_each_caption(collection, training.descriptions[with_moments], leave_out))
    texts = {
        description: (text, key)
        for description, text, key in Caption.objects.filter(description__in=list(chosen)).values_list(
            "description_id", "text", "normalised"
        )
    }
    shown: dict[int, list[int]] = {}
    for descriptions, moments in training.blocks("moments"):
        for row in np.flatnonzero(np.isin(descriptions, chosen)).tolist():
            shown[int(descriptions[row])] = moments[row][showable.of(moments[row])].tolist()
    return [DrawableQuery(description, *texts[description], shown[description]) for description in chosen]


class _Showable:
    """Which moments can be shown to everybody: in a collection with clips those whose clip is ready, and none whose
    video is marked with kinds of content or an age. 8 bytes a clip."""

    def __init__(self, collection: Collection) -> None:
        self._ready: np.ndarray | None = None
        if collection.has_clips or collection.marks_content:
            moments = Moment.objects.filter(video__collection=collection, video__content=[], video__minimum_age=0)
            if collection.has_clips:
                moments = moments.filter(clip_ready("clip__"))
            self._ready = np.sort(np.fromiter(moments.values_list("pk", flat=True).iterator(), np.int64))

    def of(self, moments: np.ndarray) -> np.ndarray:
        """For each of these ids (unused places hold -1) whether it can."""
        return moments >= 0 if self._ready is None else among(self._ready, moments)


def _first_of_each_caption(
    collection: Collection, descriptions: np.ndarray, leave_out: Container[str]
) -> Sequence[int]:
    """Of the pseudo-training queries among these, the first description of each caption, by normalised caption."""
    # A later draw may have made a val or test query of one.
    captions = Caption.objects.filter(description__in=training_descriptions(collection))
    in_order = captions.order_by(Collate("normalised", "C"), "description_id")
    rows = in_order.values_list("normalised", "description_id").iterator(ROWS_AT_ONCE)
    firsts, last = array("q"), None
    while block := list(islice(rows, ROWS_AT_ONCE)):
        among_them = among(descriptions, np.array([description for _, description in block]))
        for (key, description), is_wanted in zip(block, among_them.tolist(), strict=True):
            if is_wanted and key != last and key not in leave_out:
                firsts.append(description)
                last = key
    return firsts


def _spread(moments: list[int], number: int) -> list[int]:
    if len(moments) <= number:
        return moments
    if number == 1:
        return moments[:1]
    return [moments[round(place * (len(moments) - 1) / (number - 1))] for place in range(number)]
