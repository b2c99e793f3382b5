"""The captions that the rewriting page shows as samples, and how many there are."""

import pytest

from corpus.models import Description, Moment
from queries.models import Caption
from queries.rewriting.caption_samples import SAMPLES, sample_captions
from queries.rewriting.report import caption_counts
from tests.conftest import build_world

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("own", "others"), [(6, 30), (200, 30)], ids=["few", "many"])
def test_samples_are_the_collection_s_accepted_captions_and_the_same_by_the_seed(own: int, others: int) -> None:
    build_world(name="other", candidates=others)
    collection = build_world(candidates=own).collection
    refused = Caption.objects.filter(description__collection=collection).order_by("pk")[: own // 3]
    Caption.objects.filter(pk__in=refused.values("pk")).update(status="refused", text="refused")
    samples = [sample_captions(collection, seed) for seed in (1, 1, 2)]
    assert samples[0] == samples[1]
    assert samples[0] != samples[2] or own < 20, "few may be in one order by two seeds"
    for sample in samples:
        numbers = [int(caption.source_id) for caption in sample]
        assert len(set(numbers)) == len(numbers) == min(SAMPLES, own - own // 3)
        assert all(number >= own // 3 for number in numbers)
        assert [caption.caption for caption in sample] == [f"A woman does thing {number}." for number in numbers]


def test_every_caption_may_be_drawn() -> None:
    collection = build_world(candidates=200).collection
    seen = {caption.source_id for seed in range(60) for caption in sample_captions(collection, seed)}
    assert len(seen) > 150


def test_every_description_is_counted_once_with_a_caption_or_without() -> None:
    collection = build_world(candidates=5).collection
    moment = Moment.objects.filter(video__collection=collection)[0]
    for text in ("Ada waits.", "Ada sits."):
        Description.objects.create(collection=collection, moment=moment, source_id=text, text=text, normalised=text)
    counts = caption_counts(collection)
    assert (counts["pending"], sum(counts.values())) == (2, collection.descriptions.count())
