"""Draw val and test queries; the rest is pseudo-training (rule 3)."""

import random
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, ProtectedError, QuerySet

from corpus.models import Description
from foundation.counted import counted
from foundation.infra.advisory_lock import hold_descriptions
from foundation.infra.set_based_sql import copy_rows
from foundation.models import Collection
from foundation.refused import Refused
from queries.models import Caption, Draw, PoolRun, Query, Split
from queries.pooling.distinct_captions import DistinctCaptions
from queries.pooling.redraw_hooks import reason_to_stay
from queries.pooling.strata import draw_by_stratum


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
    """Accepted captions of the kinds that become queries, but those whose description has a topic's id, which would be
    the query's in files."""
    return Caption.objects.filter(
        description__collection=collection,
        description__kind__in=collection.query_kinds,
        status=Caption.Status.ACCEPTED,
    ).exclude(Exists(_topics(collection).filter(topic_id=OuterRef("description__source_id"))))


def _topics(collection: Collection) -> QuerySet[Query]:
    return Query.objects.filter(collection=collection, description__isnull=True)


def undrawn_captions(collection: Collection) -> QuerySet[Caption]:
    """Those of `query_captions` whose normal form no topic has, and no query of the collection's studies."""
    studies = Query.objects.filter(collection__study_of=collection, normalised=OuterRef("normalised"))
    topics = _topics(collection).filter(normalised=OuterRef("normalised"))
    return query_captions(collection).exclude(Exists(studies)).exclude(Exists(topics))


def drawn_queries(collection: Collection) -> QuerySet[Query]:
    """The collection's val and test queries that are captions, drawn or imported with judgments: all but topics."""
    return Query.objects.filter(collection=collection, description__isnull=False)


def asked_in_studies(collection: Collection) -> set[str]:
    """The normalised queries of the collection's pilots and depth studies."""
    return set(Query.objects.filter(collection__study_of=collection).values_list("normalised", flat=True))


STORED_AT_ONCE = 2000
"""Queries."""


@transaction.atomic
def select_queries(
    *,
    collection: Collection,
    val: int,
    test: int,
    seed: int,
    strata: Strata | None = None,
    each_caption: bool = False,
    redraw: bool = False,
    progress: Callable[[int], object] = lambda captions: None,
) -> DrawnQueries:
    """Draw `val` and `test` queries at random from the captions, no two equal. The same draw again changes nothing.

    The draw depends on the captions' normal forms and the seed alone, not on the order of the rows; a stratified one
    on the strata too. A caption of several videos belongs to the one whose description was imported first. Captions of
    the collection's studies, which people have judged already, and of topics aren't drawn; topics keep their places.

    Args:
        strata: the videos' strata, each of which gets its share of either split.
        each_caption: every caption has the same chance, as in the paper, so that one that many moments have is likelier
            to be drawn, and belongs to whichever of them was drawn; otherwise every distinct caption has.
        progress: called with the number of captions read since the last call.

    Raises:
        Refused: if strata are asked for with `each_caption`, if there are fewer distinct captions than asked for, if
            another draw stands and `redraw` wasn't said, if judging of the standing draw has begun, if the queries came
            with imported judgments, or if a caption's video has no stratum.
        Busy: while descriptions are imported, or another draw is made.
    """
    hold_descriptions(collection)
    if min(val, test) < 0 or val + test == 0:
        raise Refused(f"found --val {val} --test {test}, expected numbers of queries, not both 0")
    if each_caption and strata is not None:
        raise Refused("groups of videos get their share of distinct captions: draw by groups, or from each caption")
    named = strata.named if strata else ""
    captions = query_captions(collection)
    standing = Draw.objects.filter(collection=collection).first()
    if standing is not None:
        stands = (standing.val, standing.test, standing.seed, standing.stratify, standing.each_caption)
        if stands == (val, test, seed, named, each_caption) and not redraw:
            progress(captions.count())
            return DrawnQueries(val, test, DistinctCaptions(captions).count(), anew=False)
        _take_back(collection, standing, redraw)
    elif drawn_queries(collection).exists():
        raise Refused("the queries came with imported judgments, not from a draw: they are fixed")
    distinct = DistinctCaptions(undrawn_captions(collection))
    count = distinct.count()
    progress(captions.count())
    if val + test > count:
        studied = len(asked_in_studies(collection))
        others = f" that no study asks ({counted(studied, 'more is', 'more are')} asked in studies)" if studied else ""
        raise Refused(
            f"asked for {counted(val + test, 'query', 'queries')}, but "
            f"there {'is' if count == 1 else 'are'} {counted(count, 'distinct caption')}{others}"
        )
    if each_caption:
        drawn = distinct.drawn_from_all(random.Random(seed), val + test)
    elif strata is None:
        drawn = distinct.at(random.Random(seed).sample(range(count), val + test))
    else:
        drawn = distinct.at(draw_by_stratum(_strata_of(distinct, strata), val=val, test=test, seed=seed))
    splits = [(Split.VAL, place) for place in _places(collection, Split.VAL, val)]
    splits += [(Split.TEST, place) for place in _places(collection, Split.TEST, test)]
    rows = zip(drawn, splits, strict=True)
    while block := list(islice(rows, STORED_AT_ONCE)):
        copy_rows(
            Query(
                collection=collection,
                description_id=caption.description,
                split=split,
                text=caption.text,
                normalised=caption.key,
                position=place,
            )
            for caption, (split, place) in block
        )
    Draw.objects.create(collection=collection, val=val, test=test, seed=seed, stratify=named, each_caption=each_caption)
    return DrawnQueries(val, test, count, anew=True)


def _places(collection: Collection, split: str, queries: int) -> range:
    """The places of so many drawn queries in a split: from 1, or after the last topic's."""
    last = _topics(collection).filter(split=split).aggregate(last=Max("position"))["last"] or 0
    return range(last + 1, last + queries + 1)


def in_words(collection: Collection, drawn: DrawnQueries) -> str:
    """What a draw did, in a sentence."""
    left = training_descriptions(collection).count()
    state = "drawn" if drawn.anew else "were drawn already"
    return (
        f"{drawn.val:,} val and {counted(drawn.test, 'test query', 'test queries')} {state} from "
        f"{counted(drawn.captions, 'distinct caption')}; "
        f"{counted(left, 'pseudo-training query is', 'pseudo-training queries are')} left."
    )


def _strata_of(distinct: DistinctCaptions, strata: Strata) -> dict[str, "array[int]"]:
    """Each stratum's captions by their places: 8 bytes a caption."""
    places_of: dict[str, array[int]] = {}
    without: set[str] = set()
    for place, video in enumerate(distinct.videos()):
        stratum = strata.of(video)
        if stratum is None:
            without.add(video)
        else:
            places_of.setdefault(stratum, array("q")).append(place)
    if without:
        raise Refused(
            f"{counted(len(without), 'video with captions has', 'videos with captions have')} no value of "
            f"{strata.named}: {', '.join(sorted(without)[:5])}" + (", ..." if len(without) > 5 else "")
        )
    return places_of


def _take_back(collection: Collection, standing: Draw, redraw: bool) -> None:
    test = counted(standing.test, "test query", "test queries")
    standing_draw = f"{standing.val:,} val and {test} are drawn with seed {standing.seed}"
    standing_draw += f", by {standing.stratify}" if standing.stratify else ""
    standing_draw += ", from each caption" if standing.each_caption else ""
    if not redraw:
        raise Refused(f"{standing_draw}; --redraw discards them and draws again")
    if reason := reason_to_stay(collection):
        raise Refused(reason)
    try:
        with transaction.atomic():
            drawn_queries(collection).delete()
    except ProtectedError as error:
        if PoolRun.objects.filter(collection=collection).exists():
            raise Refused(f"{standing_draw}, and runs were added for them: remove the runs first") from error
        raise Refused(
            f"{standing_draw}, and their judging has begun: they are fixed; a sample of them can be removed"
        ) from error
    standing.delete()


def training_descriptions(collection: Collection) -> QuerySet[Description]:
    """Descriptions that are pseudo-training queries: those of the query kinds with an accepted caption, less every
    one whose caption equals a val or test query (the paper: 72,842 - 3,281 - 244 = 69,317), and every one that has
    the id of a topic."""
    drawn = Query.objects.filter(collection=collection, normalised=OuterRef("caption__normalised"))
    descriptions = Description.objects.filter(
        collection=collection,
        kind__in=collection.query_kinds,
        caption__status=Caption.Status.ACCEPTED,
    ).exclude(Exists(drawn))
    return descriptions.exclude(Exists(_topics(collection).filter(topic_id=OuterRef("source_id"))))
