"""Gold of an exam's items by its cohort's truth. Their pairs stand in a collection of their own (`Purpose.GOLD`),
archived and without people: no count, draw or release has them."""

from math import ceil, floor

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import Batch, Exam, ExamItem, GoldPair, Pair
from foundation.models import Collection, Membership, Purpose
from foundation.refused import Refused
from foundation.text import normalise
from queries.models import Candidate, Query

_Words = tuple[str, int]
"""A query's normal form, and a moment."""


def exams_to_add(collection: Collection) -> list[tuple[Exam, int]]:
    """Exams whose first cohort is closed, the newest first, and how many of their items aren't gold yet."""
    exams = collection.exams.exclude(frozen_at=None).order_by("-number")
    return [(exam, left) for exam in exams if (left := len(_left(exam)))]


def _left(exam: Exam) -> list[tuple[ExamItem, Pair | None]]:
    """The items that can become gold and aren't, with the pairs that they were before.

    None whose words are a query by now, of which people judge pairs: that becomes gold when it is finished.
    """
    items = list(exam.items.exclude(truth=None).order_by("description", "rank"))
    own = Q(collection=exam.collection_id) | Q(collection__study_of=exam.collection_id)
    asked = Query.objects.filter(own, normalised__in={normalise(item.query) for item in items})
    judged = set(asked.exclude(collection__purpose=Purpose.GOLD).values_list("normalised", flat=True))
    pairs = Pair.objects.filter(batch__query__in=asked.filter(collection__purpose=Purpose.GOLD))
    known: dict[_Words, Pair] = {
        (pair.batch.query.normalised, pair.candidate.moment_id): pair
        for pair in pairs.select_related("batch__query", "candidate")
    }
    gold = set(GoldPair.objects.filter(pair__in=pairs, removed_at=None).values_list("pair", flat=True))
    rows = [(item, known.get((normalise(item.query), item.moment_id))) for item in items]
    return [
        (item, pair)
        for item, pair in rows
        if normalise(item.query) not in judged
        and (pair is None or (pair.pk not in gold and pair.status == Pair.Status.CONSENSUS))
    ]


@transaction.atomic
def add_exam(*, lead: Membership, number: int) -> int:
    """Make the items of an exam gold by their truth, a half rounded as the rule rounds. Returns how many weren't.

    Who began the exam is never given them (`annotation/assignment/gold.py`).

    Raises: Refused if the exam's first cohort isn't closed.
    """
    collection = Collection.objects.select_for_update(no_key=True).get(pk=lead.collection_id)
    exam = collection.exams.exclude(frozen_at=None).filter(number=number).first()
    if exam is None:
        raise Refused(_("Choose an exam whose first cohort is closed; nothing was added."))
    made, step = [], collection.grade_step
    halves = {"up": ceil, "down": floor, "nearest": lambda steps: floor(steps + 0.5)}[collection.rounding]
    for item, pair in _left(exam):
        assert item.truth is not None
        grade = step * halves(item.truth / step)
        pair = pair or _pair_of(item, _home(collection), grade)
        values = {"grade": grade, "source": GoldPair.Source.DECIDED, "explanation": item.why[:2000], "added_by": lead}
        made.append(GoldPair(collection=collection, pair=pair, **values))
    return len(GoldPair.objects.bulk_create(made))


def _home(collection: Collection) -> Collection:
    """Where the pairs stand. Each has one batch, so that it is over."""
    standing = collection.studies.filter(purpose=Purpose.GOLD).first()
    if standing is not None:
        return standing
    names = (f"{collection.name[:50]}-gold{suffix}" for suffix in ("", *(f"-{n}" for n in range(2, 10_000))))
    name = next(name for name in names if not Collection.objects.filter(name=name).exists())
    values = {"title": f"Gold of {collection.title}"[:200], "study_of": collection, "purpose": Purpose.GOLD}
    return Collection.objects.create(name=name, max_batches=1, archived_at=timezone.now(), **values)


def _pair_of(item: ExamItem, home: Collection, grade: int) -> Pair:
    """A new pair of an item, decided."""
    query, _created = Query.objects.get_or_create(
        collection=home,
        normalised=normalise(item.query),
        defaults={"description_id": item.description_id, "text": item.query, "position": home.queries.count() + 1},
    )
    batch, _created = Batch.objects.get_or_create(
        collection=home, query=query, number=1, defaults={"status": Batch.Status.FINISHED}
    )
    rank = query.candidates.count() + 1
    candidate = Candidate.objects.create(query=query, moment_id=item.moment_id, rank=rank)
    return Pair.objects.create(batch=batch, candidate=candidate, status=Pair.Status.CONSENSUS, grade=grade)
