"""A lead's fetch is shared by all workers: stopped and resumed, one that helps is killed, then the one that leads."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.db import connection

from config.celery import app
from foundation.infra.advisory_lock import somebody_is_at
from foundation.infra.sweep import sweep
from foundation.models import Collection, JobLine
from queries.models import Candidate, CandidateFetch, Embedding
from queries.pooling import fetch_jobs
from queries.pooling.candidates import fetch_candidates
from queries.pooling.fetch_jobs import fetch_asked_candidates
from queries.retrieval import distributed_search
from tests.forked import ForkedProcess
from tests.queries.pooling.test_fetching_in_the_browser import captioned, lead_of
from tests.queries.pooling.training_arrays import load_training
from tests.workers import kill_group, one_worker, wait_until

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

SIZE = 150
BEGUN, ENDED = (re.compile(rf"fetch_for_lead\[\S+\] {word}") for word in ("received", "succeeded"))
DONE_FOR_OTHERS = re.compile(r"foundation\.tasks\.piece_of_a_task\[\S+\] succeeded in \S+ \[\d+\]")


@pytest.fixture(autouse=True)
def empty_queue() -> Iterator[None]:
    app.control.purge()
    yield
    app.control.purge()


def waiters() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        return int(cursor.fetchone()[0])


@contextmanager
def held(statement: str) -> Iterator[Callable[[], None]]:
    """While a transaction of its own holds what the statement locks. Yields what lets go."""
    holder = connection.copy()
    holder.set_autocommit(False)
    try:
        with holder.cursor() as cursor:
            cursor.execute(statement)
        yield holder.rollback
    finally:
        holder.close()


def ranked() -> list[Any]:
    return list(Candidate.objects.order_by("query", "rank").values_list("query", "moment", "caption", "similarity"))


def same_as_one_process_finds(collection: Collection) -> bool:
    before, rows = load_training(collection), ranked()
    fetched = fetch_candidates(collection=collection)
    after = load_training(collection)
    arrays = ("descriptions", "moments", "captions", "similarities")
    same = all(np.array_equal(getattr(before, name), getattr(after, name)) for name in arrays)
    return same and ranked() == rows and (fetched.queries, fetched.reranked) == (0, 0)


def test_workers_share_a_fetch_and_either_may_die(tmp_path: Path) -> None:
    collection = captioned(SIZE)
    _, ada = lead_of(collection)
    with ExitStack() as stack:

        def worker(name: str) -> tuple[ForkedProcess, Path]:
            log = tmp_path / f"{name}.log"
            started = one_worker(log, named=name, app="tests.queries.pooling.small_pieces", loglevel="INFO")
            return stack.enter_context(started), log

        def leader_first(workers: list[tuple[ForkedProcess, Path]]) -> list[tuple[ForkedProcess, Path]]:
            logs = [log.read_text() for _, log in workers]
            leads = [len(BEGUN.findall(text)) > len(ENDED.findall(text)) for text in logs]
            assert sorted(leads) == [False, True], "one worker leads"
            return workers if leads[0] else workers[::-1]

        both = [worker("one"), worker("two")]
        with held("LOCK TABLE queries_embedding IN SHARE MODE") as let_go:
            ada.post("/c/friends/candidates/fetch")
            wait_until(lambda: waiters() == 2)
            job = CandidateFetch.objects.get()
            leader, helper = leader_first(both)
            ada.post(f"/c/friends/jobs/candidates/{job.pk}/stop")
            kill_group(helper[0])
            let_go()
        wait_until(lambda: not somebody_is_at(*job.lock))
        assert leader[0].poll() is None
        progress = ada.get(f"/c/friends/jobs/candidates/{job.pk}/progress").json()
        assert progress["stopped"] and "Encoded captions are kept" in progress["words"]
        assert 0 < Embedding.objects.count() < SIZE and not Candidate.objects.exists()

        both = [leader, worker("three")]
        ada.post(f"/c/friends/jobs/candidates/{job.pk}/resume")
        wait_until(lambda: " parts of the search" in CandidateFetch.objects.get().step)
        with held(f"SELECT 1 FROM queries_candidatefetch WHERE id = {job.pk} FOR UPDATE") as let_go:
            wait_until(waiters)
            progress = ada.get(f"/c/friends/jobs/candidates/{job.pk}/progress").json()
            assert re.search(r"\d+ of \d+ parts of the search are done\.", progress["words"]), progress
            (leader, _), (helper, log) = leader_first(both)
            kill_group(leader)
            let_go()
        wait_until(lambda: not somebody_is_at(*job.lock))
        wait_until(lambda: DONE_FOR_OTHERS.search(log.read_text()))
        sweep()
        wait_until(lambda: CandidateFetch.objects.get().finished)
        assert helper.poll() is None
    job.refresh_from_db()
    assert (job.state, job.problem, job.begun, job.step) == ("done", "", 2, "")
    assert collection.queries.filter(candidates__rank=1).count() == 3
    assert same_as_one_process_finds(collection)


def test_a_long_fetch_goes_on_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """A task may take an hour: what takes longer is done in several, each with what the last has found."""
    monkeypatch.setattr(fetch_jobs, "TURN_SECONDS", 0)
    monkeypatch.setattr(distributed_search, "QUERIES_A_BLOCK", 4)
    collection = captioned()
    lead, _ = lead_of(collection)
    job = fetch_jobs.ask_for_candidates(member=lead)
    fetch_asked_candidates(job.pk)
    job.refresh_from_db()
    assert (job.state, job.begun, Candidate.objects.count()) == ("running", 0, 0)
    assert "Goes on in a turn of its own" in JobLine.objects.order_by("-pk").values_list("text", flat=True)[0]
    monkeypatch.undo()
    fetch_asked_candidates(job.pk)
    job.refresh_from_db()
    assert (job.state, job.problem) == ("done", "")
    assert same_as_one_process_finds(collection)
