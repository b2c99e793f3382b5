"""Draw val and test queries; the rest is pseudo-training (rule 3)."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, ProtectedError, QuerySet

from corpus.infra.advisory_lock import hold_descriptions
from corpus.models import Collection, Description
from queries.models import Caption, Draw, PoolRun, Query, Split
from queries.pooling.redraw_hooks import reason_to_stay
from queries.pooling.strata import draw_by_stratum


class SelectionError(Exception):
    """The draw can't be made as asked; nothing was changed."""


@dataclass(frozen=True, slots=True)
class DrawnQueries:
    """The result of a draw; `anew` is False if the same draw existed already."""

    val: int
    test: int
    captions: int
    anew: bool


@dataclass(frozen=True, slots=True)
class Strata:
    """The stratum of each video name (None: it has none), and the name of the stratification in the draw."""

    of: Callable[[str], str | None]
    named: str


def query_captions(collection: Collection) -> QuerySet[Caption]:
    """Accepted captions of the kinds that become queries. In files a query's id is its description's: none that a
    topic has already."""
    return Caption.objects.filter(
        description__collection=collection,
        description__kind__in=collection.query_kinds,
        status=Caption.Status.ACCEPTED,
    ).exclude(Exists(_topics(collection).filter(topic_id=OuterRef("description__source_id"))))


def _topics(collection: Collection) -> QuerySet[Query]:
    return Query.objects.filter(collection=collection, description__isnull=True)


READ_AT_ONCE = 2000
"""Captions between two words of progress."""


def distinct_captions(
    collection: Collection, *, progress: Callable[[int], object] = lambda captions: None
) -> dict[str, int]:
    """Normalised text -> description id, of all captions that can become queries; of equal ones, the first
    description's. 250 bytes a caption."""
    by_key: dict[str, int] = {}
    captions = query_captions(collection).order_by("description_id").values_list("normalised", "description_id")
    number = 0
    for number, (key, description) in enumerate(captions.iterator(READ_AT_ONCE), start=1):
        by_key.setdefault(key, description)
        if number % READ_AT_ONCE == 0:
            progress(READ_AT_ONCE)
    progress(number % READ_AT_ONCE)
    return by_key


def drawn_queries(collection: Collection) -> QuerySet[Query]:
    """The collection's val and test queries that are captions, drawn or imported with judgments: all but topics."""
    return Query.objects.filter(collection=collection, description__isnull=False)


def asked_in_studies(collection: Collection) -> set[str]:
    """The normalised queries of the collection's pilots and depth studies."""
    return set(Query.objects.filter(collection__study_of=collection).values_list("normalised", flat=True))


def topic_texts(collection: Collection) -> set[str]:
    """The normalised texts of the collection's topics."""
    return set(_topics(collection).values_list("normalised", flat=True))


@transaction.atomic
def select_queries(
    *,
    collection: Collection,
    val: int,
    test: int,
    seed: int,
    strata: Strata | None = None,
    redraw: bool = False,
    progress: Callable[[int], object] = lambda captions: None,
) -> DrawnQueries:
    """Draw `val` and `test` queries at random from the distinct captions. The same draw again changes nothing.

    The draw depends on the captions' normal forms and the seed alone, not on the order of the rows; a stratified one
    on the strata too. A caption of several videos belongs to the one whose description was imported first. What a
    study of the collection asks isn't drawn: people have judged it already. Nor is what a topic asks; topics stay, and
    keep their places.

    Args:
        strata: the videos' strata, each of which gets its share of either split.
        progress: called with the number of captions read since the last call.

    Raises:
        SelectionError: if there are fewer distinct captions than asked for, if another draw stands and `redraw`
            wasn't said, if judging of the standing draw has begun, if the queries came with imported judgments, or if
            a caption's video has no stratum.
        DescriptionsBusy: while descriptions are imported, or another draw is made.
    """
    hold_descriptions(collection)
    if min(val, test) < 0 or val + test == 0:
        raise SelectionError(f"found --val {val} --test {test}, expected numbers of queries, not both 0")
    by_key = distinct_captions(collection, progress=progress)
    standing = Draw.objects.filter(collection=collection).first()
    if standing is not None:
        asked = (val, test, seed, strata.named if strata else "")
        if (standing.val, standing.test, standing.seed, standing.stratify) == asked and not redraw:
            return DrawnQueries(val, test, len(by_key), anew=False)
        _take_back(collection, standing, redraw)
    elif drawn_queries(collection).exists():
        raise SelectionError("the queries came with imported judgments, not from a draw: they are fixed")
    studied, topics = asked_in_studies(collection), topic_texts(collection)
    by_key = {key: description for key, description in by_key.items() if key not in studied and key not in topics}
    if val + test > len(by_key):
        asked = f" that no study asks ({len(studied):,} more are asked in studies)" if studied else ""
        raise SelectionError(
            f"asked for {val + test:,} queries, but there are {len(by_key):,} distinct captions{asked}"
        )
    if strata is None:
        drawn = random.Random(seed).sample(sorted(by_key), val + test)
    else:
        drawn = draw_by_stratum(_strata_of(collection, by_key, strata), val=val, test=test, seed=seed)
    splits = [(Split.VAL, place) for place in _places(collection, Split.VAL, val)]
    splits += [(Split.TEST, place) for place in _places(collection, Split.TEST, test)]
    texts = _texts_of([by_key[key] for key in drawn])
    Query.objects.bulk_create(
        Query(
            collection=collection,
            description_id=by_key[key],
            split=split,
            text=texts[by_key[key]],
            normalised=key,
            position=place,
        )
        for key, (split, place) in zip(drawn, splits, strict=True)
    )
    named = strata.named if strata else ""
    Draw.objects.create(collection=collection, val=val, test=test, seed=seed, stratify=named)
    return DrawnQueries(val, test, len(by_key), anew=True)


def _places(collection: Collection, split: str, queries: int) -> range:
    """The places of so many drawn queries in a split: from 1, or after the last topic's."""
    last = _topics(collection).filter(split=split).aggregate(last=Max("position"))["last"] or 0
    return range(last + 1, last + queries + 1)


def in_words(collection: Collection, drawn: DrawnQueries) -> str:
    """What a draw did, in a sentence."""
    state = "drawn" if drawn.anew else "were drawn already"
    return (
        f"{drawn.val:,} val and {drawn.test:,} test queries {state} from {drawn.captions:,} distinct captions; "
        f"{training_descriptions(collection).count():,} pseudo-training queries are left."
    )


def _texts_of(descriptions: Sequence[int]) -> dict[int, str]:
    """The captions of these descriptions."""
    return {
        description: text
        for first in range(0, len(descriptions), READ_AT_ONCE)
        for description, text in Caption.objects.filter(
            description__in=descriptions[first : first + READ_AT_ONCE]
        ).values_list("description_id", "text")
    }


def _strata_of(collection: Collection, by_key: dict[str, int], strata: Strata) -> dict[str, str]:
    names = dict(collection.videos.values_list("pk", "name"))
    of_video = {video: strata.of(name) for video, name in names.items()}
    videos = dict(query_captions(collection).values_list("description_id", "description__moment__video").iterator())
    found = {key: of_video[videos[description]] for key, description in by_key.items()}
    without = sorted({names[videos[by_key[key]]] for key, stratum in found.items() if stratum is None})
    if without:
        raise SelectionError(
            f"{len(without):,} videos with captions have no value of {strata.named}: {', '.join(without[:5])}"
            + (", ..." if len(without) > 5 else "")
        )
    return {key: stratum for key, stratum in found.items() if stratum is not None}


def _take_back(collection: Collection, standing: Draw, redraw: bool) -> None:
    made = f"{standing.val:,} val and {standing.test:,} test queries are drawn with seed {standing.seed}"
    made += f", by {standing.stratify}" if standing.stratify else ""
    if not redraw:
        raise SelectionError(f"{made}; --redraw discards them and draws again")
    if reason := reason_to_stay(collection):
        raise SelectionError(reason)
    try:
        with transaction.atomic():
            drawn_queries(collection).delete()
    except ProtectedError as error:
        if PoolRun.objects.filter(collection=collection).exists():
            raise SelectionError(f"{made}, and runs were added for them: remove the runs first") from error
        raise SelectionError(f"{made}, and their judging has begun: they are fixed") from error
    standing.delete()


def training_descriptions(collection: Collection) -> QuerySet[Description]:
    """Descriptions that are pseudo-training queries: those of the query kinds with an accepted caption, less every
    one whose caption equals a val or test query (the paper: 72,842 - 3,281 - 244 = 69,317), and every one that has
    the id of a topic."""
    drawn = Query.objects.filter(collection=collection, normalised=OuterRef("caption__normalised"))
    found = Description.objects.filter(
        collection=collection,
        kind__in=collection.query_kinds,
        caption__status=Caption.Status.ACCEPTED,
    ).exclude(Exists(drawn))
    return found.exclude(Exists(_topics(collection).filter(topic_id=OuterRef("source_id"))))
