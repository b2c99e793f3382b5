"""Opening the first batches: in blocks, with progress, and once, however many open them."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.management import call_command
from django.db import connection

from annotation.batches import opening
from annotation.batches.opening import Opened, open_annotation, open_batch
from annotation.models import Batch, Pair
from foundation.models import Collection
from tests.conftest import build_world


def test_it_opens_block_by_block_in_the_order_of_the_queries(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    world = build_world(queries=5, candidates=4)
    Pair.objects.all().delete()
    Batch.objects.all().delete()
    world.queries[3].candidates.all().delete()
    monkeypatch.setattr(opening, "AT_ONCE", 2)
    told: list[int] = []
    opened = open_annotation(collection=world.collection, progress=told.append)
    assert (opened, told) == (Opened(batches=4, pairs=16, open_before=0, without_candidates=1), [2, 2, 1])
    positions = Batch.objects.order_by("pk").values_list("query__position", flat=True)
    assert list(positions) == [1, 2, 3, 5]
    ranks = Pair.objects.filter(batch__query=world.queries[0]).order_by("pk").values_list("candidate__rank", flat=True)
    assert list(ranks) == [1, 2, 3, 4]


def test_a_batch_without_candidates_is_none_and_one_is_opened_once(db: None) -> None:
    world = build_world(queries=1, candidates=3)
    query = world.queries[0]
    assert open_batch(query=query, number=2) == 0
    assert list(Batch.objects.values_list("number", flat=True)) == [1]
    Pair.objects.all().delete()
    Batch.objects.all().delete()
    assert [open_batch(query=query, number=1), open_batch(query=query, number=1)] == [3, 0]
    assert (Batch.objects.count(), Pair.objects.count()) == (1, 3)


@pytest.mark.django_db(transaction=True)
def test_two_who_open_at_once_open_each_batch_once(monkeypatch: pytest.MonkeyPatch) -> None:
    world = build_world(queries=6, candidates=3)
    Pair.objects.all().delete()
    Batch.objects.all().delete()
    monkeypatch.setattr(opening, "AT_ONCE", 2)

    def open_all(_: int) -> Opened:
        try:
            return open_annotation(collection=Collection.objects.get(pk=world.collection.pk))
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        opened = list(pool.map(open_all, range(3)))
    assert sum(opening.batches for opening in opened) == Batch.objects.count() == 6
    assert sum(opening.pairs for opening in opened) == Pair.objects.count() == 18


def test_the_command_shows_its_progress(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    build_world(queries=2)
    Pair.objects.all().delete()
    Batch.objects.all().delete()
    call_command("open_annotation", "paper")
    assert "Opening: 100%" in capsys.readouterr().err
