"""The collection that offers a tryout, and its six pairs as a visitor may see them."""

import hashlib
import uuid
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from annotation.models import Batch, Flag, Pair
from annotation.tryout.choice import Decided, choose
from corpus.models import Moment, clip_ready
from foundation.models import Collection

BATCHES = 40
"""Reviewed batches that are looked at, the oldest: enough for all grades, and the same cost in any collection."""


@dataclass(frozen=True, slots=True)
class TryoutPair:
    """One of the six. `id` is made for the tryout: nothing ties it to the pair that annotators judge."""

    id: uuid.UUID
    query: str
    clip: str
    """The clip's public name."""
    seconds: float | None
    grade: int
    """By consensus; told only after the visitor's own."""
    moment: int


@dataclass(frozen=True, slots=True)
class Tryout:
    """A collection's offer."""

    collection: Collection
    pairs: list[TryoutPair]


def find_tryout() -> Tryout | None:
    """The first collection that offers a tryout and has six decided pairs with clips; None where there is none."""
    offers = Collection.objects.filter(offers_tryout=True, has_clips=True, archived_at=None, study_of=None)
    for collection in offers.order_by("pk"):
        pairs = tryout_pairs(collection)
        if pairs:
            return Tryout(collection, pairs)
    return None


def tryout_pairs(collection: Collection) -> list[TryoutPair]:
    """Its six pairs: decided, reviewed, and never to be judged again; none of a collection that gives hidden repeats
    or gold, whose annotators could look up what they are asked."""
    if collection.repeat_share or collection.gold_share:
        return []
    over = collection.batches.filter(status__in=[Batch.Status.FINISHED, Batch.Status.EXTENDED]).order_by("pk")
    pairs = (
        Pair.objects.filter(batch__in=list(over.values_list("pk", flat=True)[:BATCHES]), status=Pair.Status.CONSENSUS)
        .filter(clip_ready("candidate__moment__clip__"), batch__query__medium=None)
        .filter(candidate__moment__video__content=[], candidate__moment__video__minimum_age=0)
        .exclude(pk__in=Flag.objects.filter(pair__batch__collection=collection, answered_at=None).values("pair"))
    )
    rows = pairs.values_list("pk", "batch__query_id", "candidate__moment_id", "grade", "public_id")
    drawn = [
        Decided(pk, query, moment, grade, hashlib.sha256(shown.bytes).hexdigest())
        for pk, query, moment, grade, shown in rows
        if grade is not None
    ]
    chosen = [pair.pk for pair in choose(drawn)]
    chosen_pairs = pairs.select_related("candidate__moment__clip", "batch__query").in_bulk(chosen)
    return [_shown(chosen_pairs[pk]) for pk in chosen if pk in chosen_pairs]


def _shown(pair: Pair) -> TryoutPair:
    moment = pair.candidate.moment
    digest = salted_hmac("annotation.tryout", str(pair.public_id), algorithm="sha256").digest()
    assert pair.grade is not None
    return TryoutPair(
        id=uuid.UUID(bytes=digest[:16], version=4),
        query=pair.batch.query.text,
        clip=moment.clip.public_name,
        seconds=moment.clip.duration,
        grade=pair.grade,
        moment=moment.pk,
    )


def tryout_moments(collection: Collection) -> QuerySet[Moment]:
    """The moments whose clips anybody may see: those of the six pairs, where the collection offers them."""
    offers = collection.offers_tryout and collection.has_clips and collection.archived_at is None
    if not offers or collection.is_study:
        return Moment.objects.none()
    tryout = find_tryout()
    if tryout is None or tryout.collection.pk != collection.pk:
        return Moment.objects.none()
    return Moment.objects.filter(pk__in=[pair.moment for pair in tryout.pairs])
