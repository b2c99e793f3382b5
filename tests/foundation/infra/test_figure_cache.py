"""Figures of a large collection are kept for a minute; those of a small one are counted each time."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.core.cache import cache

from foundation.infra import figure_cache as keeping
from foundation.infra.figure_cache import LARGE, figure_name, kept
from foundation.models import Collection


@dataclass(frozen=True)
class Counted:
    descriptions: int
    turn: int


@pytest.fixture(autouse=True)
def empty_cache() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.mark.parametrize(("descriptions", "second"), [(LARGE - 1, 2), (LARGE, 1)], ids=["small", "large"])
def test_only_a_large_collection_s_figures_are_kept(descriptions: int, second: int) -> None:
    turns = iter([1, 2, 3])

    def compute(_: Collection) -> Counted:
        return Counted(descriptions, next(turns))

    collection = Collection(pk=7)
    assert kept("count", collection, compute).turn == 1
    assert kept("count", collection, compute).turn == second
    assert kept("count", Collection(pk=8), compute).turn == second + 1, "another collection has figures of its own"


def test_what_is_kept_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "SECONDS", 0)
    turns = iter([1, 2])
    for expected in (1, 2):
        assert kept("count", Collection(pk=7), lambda _: Counted(LARGE, next(turns))).turn == expected


@pytest.mark.django_db
def test_a_job_that_begins_or_ends_makes_a_figure_anew() -> None:
    collection = Collection.objects.create(name="paper")
    names = [figure_name("count", collection.imports, collection.video_imports)]
    job = collection.imports.create(file_name="a.jsonl", stored_file="imports/a", size=1)
    names.append(figure_name("count", collection.imports, collection.video_imports))
    collection.imports.filter(pk=job.pk).update(state="done")
    names.append(figure_name("count", collection.imports, collection.video_imports))
    collection.video_imports.create(state="done")
    names.append(figure_name("count", collection.imports, collection.video_imports))
    assert len(set(names)) == 4
    assert names[-1] == figure_name("count", collection.imports, collection.video_imports)
