"""Rows stored by COPY are those that `bulk_create` stores: every value arrives as it was, or nothing is stored."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from corpus.models import Description, Moment, Video
from foundation.infra.set_based_sql import copy_rows
from foundation.models import Collection
from queries.models import Query, Split

pytestmark = pytest.mark.django_db

NASTY = "a\tb\nc\\d \\N \\. “é” 😀\r\x7f'\""


@pytest.fixture
def collection() -> Collection:
    return Collection.objects.create(name="rows", title="Rows")


def topic(collection: Collection, place: int, text: str = "a door opens", **more: str) -> Query:
    about = {"normalised": f"{text} {place}", "topic_id": f"t{place}", "split": Split.VAL, **more}
    return Query(collection=collection, text=text, position=place, **about)


def test_texts_arrive_to_the_letter_and_what_is_left_out_has_its_default(collection: Collection) -> None:
    began = timezone.now()
    assert copy_rows(topic(collection, place, NASTY) for place in (1, 2)) == 2
    first, second = collection.queries.order_by("position")
    assert (first.text, first.topic_id, first.split, first.description_id) == (NASTY, "t1", "val", None)
    assert (first.narrative, first.language, first.ranked_by) == ("", "", ""), "a default of Python's, or of the table"
    assert began <= first.drawn_at <= timezone.now()
    assert second.pk == first.pk + 1, "in their order"


def test_numbers_and_what_is_unknown_arrive(collection: Collection) -> None:
    video = Video.objects.create(collection=collection, name="v")
    assert copy_rows([Moment(video=video, start=0.1, end=1 / 3)]) == 1
    moment = Moment.objects.get(video=video)
    assert (moment.start, moment.end) == (0.1, 1 / 3)
    copy_rows([Video(collection=collection, name="w", duration=None)])
    assert collection.videos.get(name="w").duration is None


def test_without_a_row_nothing_is_asked(collection: Collection) -> None:
    assert copy_rows(iter(())) == 0
    assert not collection.queries.exists()


@pytest.mark.parametrize("wrong", [{"topic_id": "t1"}, {"split": "dev"}])
def test_a_row_that_the_table_refuses_stores_none(collection: Collection, wrong: dict[str, str]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        copy_rows([topic(collection, 1), topic(collection, 2, **wrong)])
    assert not collection.queries.exists()


def test_a_fault_among_the_rows_stores_none(collection: Collection) -> None:
    def rows() -> "object":
        yield topic(collection, 1)
        raise LookupError("no more")

    with pytest.raises(LookupError), transaction.atomic():
        copy_rows(rows())  # type: ignore[arg-type]
    assert not Description.objects.filter(collection=collection).exists() and not collection.queries.exists()
