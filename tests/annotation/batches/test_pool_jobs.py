"""A worker makes and extends pools; killed in the middle, it goes on where it was."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.db.models import Count

from annotation.batches.opening import open_annotation
from annotation.batches.pool_jobs import ask_for_pool
from annotation.models import Batch, Pair
from foundation.models import Collection
from queries.models import Candidate, PoolMaking, PoolRun, PoolRunAddition, Query, QueryPool
from queries.runs.plans import set_plan
from queries.runs.run_jobs import add_pool_run, keep_run
from tests.annotation.batches.test_pools import add, pool, seconds
from tests.annotation.reviewed_worlds import grade_batch
from tests.conftest import World, build_world
from tests.workers import kill_group, one_worker, wait_until

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def world() -> World:
    """Three queries, batches of two, and nothing is opened."""
    made = build_world(queries=3, candidates=12)
    Pair.objects.all().delete()
    Batch.objects.all().delete()
    Candidate.objects.all().delete()
    Collection.objects.update(batch_size=2, max_batches=9)
    made.collection.refresh_from_db()
    return made


@contextmanager
def row_held(query: Query) -> Iterator[None]:
    holder = connection.copy()
    holder.set_autocommit(False)
    try:
        with holder.cursor() as cursor:
            cursor.execute("SELECT 1 FROM queries_query WHERE id = %s FOR UPDATE", [query.pk])
            yield
        holder.rollback()
    finally:
        holder.close()


def test_a_worker_killed_while_a_pool_is_extended_goes_on_with_the_queries_left(world: World, tmp_path: Path) -> None:
    add(world, tmp_path, "boat", *[seconds(1, 2, 3)] * 3)
    pool(world, "depth@3")
    open_annotation(collection=world.collection)
    for batch in Batch.objects.order_by("pk"):
        grade_batch(world, batch, lambda rank: (1, 1))
    add(world, tmp_path, "kite", *[seconds(3, 4, 5)] * 3)
    before = list(Pair.objects.order_by("pk").values())
    job = ask_for_pool(member=world["ada"])
    fresh = QueryPool.objects.filter(stale=False)
    with row_held(world.queries[2]), one_worker(tmp_path / "first.log") as worker:
        # The sweep of the worker finds the job, and comes as far as the query that is held.
        wait_until(lambda: fresh.count() == 2)
        kill_group(worker)
    assert worker.returncode == -signal.SIGKILL
    done = list(Candidate.objects.filter(query__in=world.queries[:2]).order_by("pk").values())
    assert fresh.count() == 2 and not Candidate.objects.filter(query=world.queries[2], rank__gt=3).exists()
    with one_worker(tmp_path / "second.log"):
        wait_until(lambda: PoolMaking.objects.get(pk=job.pk).state == "done")
    assert list(Candidate.objects.filter(query__in=world.queries[:2]).order_by("pk").values()) == done
    for query in world.queries:
        rows = list(Candidate.objects.filter(query=query).order_by("rank").values_list("rank", "moment__start"))
        assert [rank for rank, _ in rows] == [1, 2, 3, 5, 6]
        assert sorted(start for _, start in rows[:3]) == [1, 2, 3] and sorted(start for _, start in rows[3:]) == [4, 5]
    assert not Candidate.objects.values("query", "moment").annotate(n=Count("pk")).filter(n__gt=1).exists()
    assert list(Pair.objects.order_by("pk").values()) == before


def test_an_upload_is_added_by_a_job_and_isn_t_kept(world: World, tmp_path: Path) -> None:
    add(world, tmp_path, "boat", seconds(1))
    content = (tmp_path / "boat.jsonl").read_bytes()
    first = keep_run(member=world["ada"], upload=SimpleUploadedFile("k.jsonl", content), team="paper", system="boat")
    add_pool_run(first.pk)
    bad = SimpleUploadedFile("k.jsonl", content.replace(b"secret", b"other"))
    second = keep_run(member=world["ada"], upload=bad, team="paper", system="kite")
    add_pool_run(second.pk)
    kept_run, two = PoolRunAddition.objects.order_by("pk")
    assert (kept_run.state, two.state) == ("done", "refused")
    assert kept_run.said.endswith("Nothing was changed.") and kept_run.run == PoolRun.objects.get()
    assert "k.jsonl, line 1, prediction 1: found video_name 'other_video_name'" in two.problem
    assert (kept_run.stored_file, two.stored_file) == ("", "")
    set_plan(collection=world.collection, recipe="depth@1")
