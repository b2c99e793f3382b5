"""Captions are drawn by the order of their normal forms in Python's sense, whatever the database's order is."""

import random

import pytest

from corpus.models import Description, Moment, Video
from foundation.models import Collection
from queries.models import Attempt, Caption, Query
from queries.pooling.distinct_captions import DistinctCaptions
from queries.pooling.query_selection import query_captions, select_queries

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
