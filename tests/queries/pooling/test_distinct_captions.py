"""Captions are drawn by the order of their normal forms in Python's sense, whatever the database's order is."""

import random
from collections import Counter

import pytest

from corpus.models import Description, Moment, Video
from foundation.models import Collection
from foundation.refused import Refused
from queries.models import Attempt, Caption, Draw, Query
from queries.pooling.distinct_captions import DistinctCaptions
from queries.pooling.query_selection import Strata, query_captions, select_queries

TEXTS = ["zebra", "Éclair", "a-b", "ab", "a b", "Zebra", "ß", "😀", "é", "_", "ab"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection() -> Collection:
    collection = Collection.objects.create(name="drawn", title="Drawn")
    for number, text in enumerate(TEXTS):
        video = Video.objects.create(collection=collection, name=f"v{number % 3}-{number}")
        moment = Moment.objects.create(video=video, start=0, end=1)
        values = {"collection": collection, "moment": moment, "source_id": str(number), "kind": "v"}
        description = Description.objects.create(**values, text=text, normalised=text)
        passed = {"rewriter": "rules", "similarity_passed": True, "names_passed": True}
        attempt = Attempt.objects.create(description=description, number=1, text=text, **passed)
        Caption.objects.create(
            description=description, attempt=attempt, text=text, normalised=text.casefold(), status="accepted"
        )
    return collection


def test_each_distinct_caption_has_its_place_and_its_first_description(collection: Collection) -> None:
    distinct = DistinctCaptions(query_captions(collection))
    keys = sorted({text.casefold() for text in TEXTS})
    places = list(reversed(range(len(keys))))
    drawn = list(distinct.at(places))
    assert distinct.count() == len(keys)
    assert [caption.key for caption in drawn] == [keys[place] for place in places]
    firsts = [next(text for text in TEXTS if text.casefold() == caption.key) for caption in drawn]
    assert [caption.text for caption in drawn] == firsts
    assert len(list(distinct.videos())) == sum(captions for _, captions in distinct.by_video()) == len(keys)


def test_a_draw_is_python_s_sample_of_the_sorted_captions(collection: Collection) -> None:
    select_queries(collection=collection, val=2, test=4, seed=5)
    keys = sorted({text.casefold() for text in TEXTS})
    drawn = Query.objects.filter(collection=collection).order_by("pk").values_list("normalised", "split", "position")
    splits = [("val", 1), ("val", 2), ("test", 1), ("test", 2), ("test", 3), ("test", 4)]
    assert list(drawn) == [(key, *place) for key, place in zip(random.Random(5).sample(keys, 6), splits, strict=True)]


def test_from_each_caption_equal_ones_have_a_chance_each(collection: Collection) -> None:
    select_queries(collection=collection, val=2, test=4, seed=5, each_caption=True)
    every = sorted((text.casefold(), number) for number, text in enumerate(TEXTS))
    order = [every[place] for place in random.Random(5).sample(range(len(every)), len(every))]
    drawn = list({key: number for key, number in reversed(order)}.items())  # of equal ones the one that came first
    drawn.sort(key=order.index)
    queries = Query.objects.filter(collection=collection).order_by("pk")
    assert list(queries.values_list("normalised", "description__source_id")) == [
        (key, str(number)) for key, number in drawn[:6]
    ]
    assert Draw.objects.get().each_caption


def test_a_caption_that_many_moments_have_is_likelier_to_be_drawn(collection: Collection) -> None:
    Caption.objects.exclude(description__source_id__in=["0", "4"]).update(text="ab", normalised="ab")
    drawn: Counter[str] = Counter()
    for seed in range(60):
        select_queries(collection=collection, val=1, test=0, seed=seed, each_caption=True, redraw=seed > 0)
        drawn[Query.objects.get().normalised] += 1
    assert drawn["ab"] > 35, "9 of 11 captions are this one"
    select_queries(collection=collection, val=1, test=2, seed=1, each_caption=True, redraw=True)
    assert set(Query.objects.values_list("normalised", flat=True)) == {"ab", "zebra", "a b"}


def test_the_same_draw_from_each_caption_changes_nothing_and_another_is_refused(collection: Collection) -> None:
    select_queries(collection=collection, val=2, test=1, seed=1, each_caption=True)
    assert not select_queries(collection=collection, val=2, test=1, seed=1, each_caption=True).anew
    with pytest.raises(Refused, match="are drawn with seed 1, from each caption; --redraw discards them"):
        select_queries(collection=collection, val=2, test=1, seed=1)
    with pytest.raises(Refused, match="draw by groups, or from each caption"):
        strata = Strata({}.get, "show")
        select_queries(collection=collection, val=2, test=1, seed=1, each_caption=True, strata=strata, redraw=True)
    with pytest.raises(Refused, match="there are 9 distinct captions"):
        select_queries(collection=collection, val=10, test=1, seed=1, each_caption=True, redraw=True)
    assert Query.objects.count() == 3
