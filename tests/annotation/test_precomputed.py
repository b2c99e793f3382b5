"""Figures computed ahead: asked for once, kept with their time, never lost to a fault."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.core.paginator import Paginator
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation import precomputed
from annotation.models import Computed
from annotation.precomputed import Computation, computed_or_ask, refresh, refresh_computed
from foundation.models import Collection
from tests.annotation.judging_steps import judge, sit
from tests.conftest import World
from tests.workers import Waiting


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, world: World, django_capture_on_commit_callbacks: Any) -> Iterator[Waiting]:
    tasks = Waiting(refresh.name)
    monkeypatch.setattr(precomputed, "_registered", dict(precomputed._registered))
    precomputed.register("count", lambda collection: {"members": collection.memberships.count()})
    with django_capture_on_commit_callbacks(execute=True):
        yield tasks


def show(world: World, **more: Any) -> precomputed.Result:
    return computed_or_ask(collection=world.collection, name="count", **more)


def test_a_first_look_asks_once_and_the_task_brings_the_value(
    world: World, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    tasks = Waiting(refresh.name)
    monkeypatch.setattr(precomputed, "_registered", {})
    precomputed.register("count", lambda collection: {"members": collection.memberships.count()})
    with django_capture_on_commit_callbacks(execute=True):
        first, second = show(world), show(world)
    assert (first.value, first.as_of, first.running, second.running) == (None, None, True, True)
    assert tasks == [(world.collection.pk, "count")]
    monkeypatch.undo()
    monkeypatch.setattr(precomputed, "_registered", {"count": Computation(lambda _: {"members": 6}, timedelta(1), 0)})
    assert refresh(*tasks[0])
    result = show(world)
    assert (result.value, result.running, result.problem) == ({"members": 6}, False, "")
    assert result.as_of is not None and result.took_seconds is not None


@pytest.mark.usefixtures("asked")
class TestAResult:
    def test_a_stale_one_is_shown_while_another_is_made(self, world: World) -> None:
        refresh_computed(collection=world.collection, name="count")
        assert not show(world).running
        Computed.objects.update(as_of=timezone.now() - timedelta(hours=1))
        stale = show(world)
        assert stale.running and stale.value == {"members": 6}

    def test_a_task_that_never_answers_is_asked_for_again(self, world: World) -> None:
        show(world)
        Computed.objects.update(asked_at=timezone.now() - precomputed.PATIENCE)
        assert show(world).running
        assert Computed.objects.filter(asked_at__gt=timezone.now() - timedelta(minutes=1)).count() == 1

    def test_the_later_reading_stays(self, world: World) -> None:
        later = timezone.now() + timedelta(minutes=1)
        Computed.objects.create(collection=world.collection, name="count", value={"members": 9}, as_of=later)
        assert not refresh_computed(collection=world.collection, name="count")
        assert show(world).value == {"members": 9}

    def test_a_fault_is_told_and_what_was_there_stays(self, world: World) -> None:
        refresh_computed(collection=world.collection, name="count")
        precomputed.register("count", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            refresh_computed(collection=world.collection, name="count")
        result = show(world)
        assert result.problem == "ZeroDivisionError: division by zero"
        assert result.value == {"members": 6} and not result.running

    def test_what_is_no_number_is_a_fault_and_no_broken_json(self, world: World) -> None:
        precomputed.register("count", lambda _: float("nan"))
        with pytest.raises(ValueError, match="not JSON compliant"):
            refresh_computed(collection=world.collection, name="count")

    def test_a_small_collection_waits_for_no_task(self, world: World) -> None:
        precomputed.register("count", lambda _: "seen", at_once_below=4)
        result = show(world)
        assert (result.value, result.running) == ("seen", False)
        assert not Computed.objects.exists(), "reading writes nothing"
        sit(world["bo"], world["cy"])
        for pair in world.batch.pairs.all():
            judge(world["bo"], pair, 2)
        assert show(world).value == "seen"
        judge(world["cy"], world.batch.pairs.all()[0], 2)
        assert show(world).value is None

    def test_one_with_much_material_and_no_judgment_is_large_too(self, world: World) -> None:
        precomputed.register("count", lambda _: "seen", at_once_below=3)
        assert show(world).value is None

    def test_a_page_reads_of_a_long_list_what_it_shows(self, world: World) -> None:
        precomputed.register("count", lambda _: {"whole": 3, "pairs": list(range(100, 400))})
        assert show(world, paged="pairs").value is None
        refresh_computed(collection=world.collection, name="count")
        with CaptureQueriesContext(connection) as captured:
            stored = show(world, paged="pairs").value
            pairs = stored.pop("pairs")
            assert (stored, len(pairs), pairs[20:40]) == ({"whole": 3}, 300, list(range(120, 140)))
        assert len(captured) == 3, "the row, what isn't the list, and of the list what is shown"
        assert not any('"value", "annotation_computed"' in query["sql"] for query in captured), "all was read"
        assert (pairs[0], pairs[-1], pairs[295:900], pairs[300:]) == (100, 399, [395, 396, 397, 398, 399], [])
        assert pairs[10:0:-3] == [110, 107, 104, 101] and list(Paginator(pairs, 7).get_page(43)) == [
            394,
            *range(395, 400),
        ]
        with pytest.raises(IndexError):
            pairs[300]

        # Made anew between two slices, and shorter.
        precomputed.register("count", lambda _: {"whole": 0, "pairs": []})
        refresh_computed(collection=world.collection, name="count")
        assert pairs[20:40] == [] and len(show(world, paged="pairs").value["pairs"]) == 0

    def test_one_result_of_each_of_many_things(self, world: World) -> None:
        precomputed.register(
            "each", lambda collection, which: f"{collection.name} {which}", of_each=True, stale_after=None
        )
        for name in ("each:3-4", "each:5"):
            assert computed_or_ask(collection=world.collection, name=name).running
            refresh_computed(collection=world.collection, name=name)
        Computed.objects.update(as_of=timezone.now() - timedelta(days=900))
        results = [computed_or_ask(collection=world.collection, name=name) for name in ("each:3-4", "each:5")]
        assert [(result.value, result.running) for result in results] == [("paper 3-4", False), ("paper 5", False)]
        assert "each" not in precomputed.names()
        for wrong in ("each", "each:", "count:3", "nothing:3"):
            with pytest.raises(KeyError):
                computed_or_ask(collection=world.collection, name=wrong)

    def test_the_lead_asks_for_it_anew_and_comes_back(self, world: World, client_of: Any) -> None:
        refresh_computed(collection=world.collection, name="count")
        ada = client_of(world["ada"].account)
        back = ada.post("/c/paper/computed/count/anew", {"next": "/c/paper/time/"})
        assert back["Location"] == "/c/paper/time/"
        assert show(world).running
        away = ada.post("/c/paper/computed/count/anew", {"next": "https://elsewhere.example/"})
        assert away["Location"] == "/c/paper/"
        assert ada.post("/c/paper/computed/nothing/anew").status_code == 302


@pytest.mark.django_db(transaction=True)
def test_a_page_reads_how_far_the_task_is(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precomputed, "_registered", {})
    with ThreadPoolExecutor(max_workers=1) as elsewhere:

        def compute(collection: Collection, progress: Callable[[int], None]) -> str:
            progress(1200)
            return elsewhere.submit(lambda: show(world).progress).result()

        precomputed.register("count", compute, counts="texts")
        try:
            refresh_computed(collection=world.collection, name="count")
        finally:
            elsewhere.submit(lambda: connection.close()).result()
    result = show(world)
    assert (result.value, result.progress) == ("1,200 texts read", "")
