"""Accepted captions drawn by lot, for a look at what is accepted."""

import random
from dataclasses import dataclass

from django.db.models import Func, Max, QuerySet, TextField, Value
from django.db.models.functions import MD5, Cast, Concat

from foundation.models import Collection
from queries.models import Caption

SAMPLES = 10
DRAWS, DRAWN_AT_ONCE = 4, 800


@dataclass(frozen=True, slots=True)
class AcceptedSample:
    """A description with its accepted caption."""

    source_id: str
    description: str
    caption: str
    similarity: float | None


def sample_captions(collection: Collection, seed: int) -> list[AcceptedSample]:
    """Accepted captions drawn at random: the same ones for the same seed, as long as no other of them is accepted."""
    drawn = _drawn(Caption.objects.filter(description__collection=collection, status=Caption.Status.ACCEPTED), seed)
    columns = ("description__source_id", "description__text", "text", "attempt__similarity")
    rows = {
        row[0]: AcceptedSample(*row[1:]) for row in Caption.objects.filter(pk__in=drawn).values_list("pk", *columns)
    }
    return [rows[pk] for pk in drawn]


def _drawn(captions: QuerySet[Caption], seed: int) -> list[int]:
    """The ids of captions drawn at random; all of them where they are fewer."""
    last = Caption.objects.aggregate(last=Max("pk"))["last"] or 0
    dice, drawn = random.Random(seed), dict[int, None]()
    # Ids below a power of two are drawn and looked up, so that the draw stays the same while captions are added. Where
    # fewer than about one in 200 ids is among these captions, they are few enough to be sorted.
    for _draw in range(DRAWS if last else 0):
        ids = [dice.getrandbits(last.bit_length()) for _place in range(DRAWN_AT_ONCE)]
        there = set(captions.filter(pk__in=ids).values_list("pk", flat=True))
        drawn |= dict.fromkeys(pk for pk in ids if pk in there)
        if len(drawn) >= SAMPLES:
            return list(drawn)[:SAMPLES]
    return list(captions.order_by(by_lot(seed), "pk").values_list("pk", flat=True)[:SAMPLES])


def by_lot(seed: int) -> Func:
    """An order of rows by lot, the same for the same seed."""
    return MD5(Concat(Cast("pk", TextField()), Value(f" {seed}")))
