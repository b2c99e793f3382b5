"""Drawing the val and test queries, and telling which descriptions are left for pseudo-training (rule 3)."""

import random
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef, ProtectedError, QuerySet

from corpus.models import Collection, Description
from queries.models import Caption, Draw, Query, Split


class SelectionError(Exception):
    """The draw can't be made as asked; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a draw left behind; `anew` is False where the same draw was there already."""

    val: int
    test: int
    captions: int
    anew: bool


def query_captions(collection: Collection) -> QuerySet[Caption]:
    """Accepted captions of the kinds that become queries."""
    return Caption.objects.filter(
        description__collection=collection,
        description__kind__in=collection.query_kinds,
        status=Caption.Status.ACCEPTED,
    )


@transaction.atomic
def select_queries(*, collection: Collection, val: int, test: int, seed: int, redraw: bool = False) -> Drawn:
    """Draw `val` and `test` queries at random from the distinct captions. The same draw again changes nothing.

    The draw depends on the captions' normal forms and the seed alone, not on the order of the rows.

    Raises:
        SelectionError: if there are fewer distinct captions than asked for, if another draw stands and `redraw`
            wasn't said, if judging of the standing draw has begun, or if the queries came with imported judgments.
    """
    Collection.objects.select_for_update().get(pk=collection.pk)
    if min(val, test) < 0 or val + test == 0:
        raise SelectionError(f"found --val {val} --test {test}, expected numbers of queries, not both 0")
    by_key: dict[str, Caption] = {}
    for caption in query_captions(collection).order_by("description_id"):
        by_key.setdefault(caption.normalised, caption)
    standing = Draw.objects.filter(collection=collection).first()
    if standing is not None:
        if (standing.val, standing.test, standing.seed) == (val, test, seed) and not redraw:
            return Drawn(val, test, len(by_key), anew=False)
        _take_back(collection, standing, redraw)
    elif collection.queries.exists():
        raise SelectionError("the queries came with imported judgments, not from a draw: they are fixed")
    if val + test > len(by_key):
        raise SelectionError(f"asked for {val + test:,} queries, but there are {len(by_key):,} distinct captions")
    drawn = random.Random(seed).sample(sorted(by_key), val + test)
    splits = [(Split.VAL, place) for place in range(val)] + [(Split.TEST, place) for place in range(test)]
    Query.objects.bulk_create(
        Query(
            collection=collection,
            description_id=by_key[key].description_id,
            split=split,
            text=by_key[key].text,
            normalised=key,
            position=place + 1,
        )
        for key, (split, place) in zip(drawn, splits, strict=True)
    )
    Draw.objects.create(collection=collection, val=val, test=test, seed=seed)
    return Drawn(val, test, len(by_key), anew=True)


def _take_back(collection: Collection, standing: Draw, redraw: bool) -> None:
    made = f"{standing.val:,} val and {standing.test:,} test queries are drawn with seed {standing.seed}"
    if not redraw:
        raise SelectionError(f"{made}; --redraw throws them away and draws anew")
    try:
        with transaction.atomic():
            collection.queries.all().delete()
    except ProtectedError as error:
        raise SelectionError(f"{made}, and their judging has begun: they are fixed") from error
    standing.delete()


def training_descriptions(collection: Collection) -> QuerySet[Description]:
    """Descriptions that are pseudo-training queries: those of the query kinds with an accepted caption, less every
    one whose caption equals a val or test query (the paper: 72,842 - 3,281 - 244 = 69,317)."""
    drawn = Query.objects.filter(collection=collection, normalised=OuterRef("caption__normalised"))
    return Description.objects.filter(
        collection=collection,
        kind__in=collection.query_kinds,
        caption__status=Caption.Status.ACCEPTED,
    ).exclude(Exists(drawn))
