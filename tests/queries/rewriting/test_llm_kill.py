"""Real processes killed in the middle of paid work: what was stored is never paid for again, and it goes on."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from config.celery import app
from foundation.models import Collection
from foundation.refused import Busy
from queries.models import Answer, Attempt, Caption, RewriteJob
from queries.rewriting.jobs import only_runner
from tests.forked import ForkedProcess
from tests.queries.chat_server import ChatServer, Reply, well
from tests.queries.conftest import Begin, doors, make_collection
from tests.workers import wait_for_worker

CONCURRENCY, PER_REQUEST, DESCRIPTIONS = 3, 10, 260
"""Of which 200 are checked at a time (`work_left.BLOCK`)."""

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def wait_until(true: Callable[[], object], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


@contextmanager
def process(line: list[str], log: Path) -> Iterator[ForkedProcess]:
    """A process on the test's database, in a group of its own, which is killed at the end."""
    database = settings.DATABASES["default"]
    host = connection.get_connection_params()["host"]
    at = f"{host}:{database['PORT']}/{database['NAME']}"
    if host.startswith("/"):
        at = f"/{database['NAME']}?host={host}"
    url = f"postgresql://{database['USER']}:{database['PASSWORD']}@{at}"
    started = ForkedProcess(line, env={**os.environ, "DATABASE_URL": url}, log=log)
    try:
        yield started
    except AssertionError as error:
        raise AssertionError(f"{error}\n{log.read_text()[-3000:]}") from error
    finally:
        kill(started)


def kill(started: ForkedProcess) -> None:
    """SIGKILL for the process and its children, by their ids."""
    if started.poll() is None:
        family = psutil.Process(started.pid).children(recursive=True)
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()
        psutil.wait_procs(family, timeout=10)


class Gate:
    """A behaviour that answers so many requests and then lets the others hang until it is opened."""

    def __init__(self, answers: int) -> None:
        self.answers = answers
        self.opened = threading.Event()
        self.hanging = 0
        self._lock = threading.Lock()

    def __call__(self, request: dict[str, Any], number: int) -> Reply:
        if number > self.answers and not self.opened.is_set():
            with self._lock:
                self.hanging += 1
            self.opened.wait(120)
        return well(request)


def assert_paid_once(server: ChatServer, stored: set[str]) -> None:
    """Of what was stored nothing was asked again; of what was in flight everything at most twice."""
    assert stored
    assert {server.answered[text] for text in stored} == {1}
    twice = {text for text, times in server.answered.items() if times > 1}
    assert max(server.answered.values()) <= 2
    assert len(twice) <= CONCURRENCY * PER_REQUEST
    assert set(server.answered) == set(doors(DESCRIPTIONS))


def assert_done_once(collection: Collection) -> None:
    assert Caption.objects.filter(status="accepted").count() == DESCRIPTIONS
    assert Attempt.objects.count() == DESCRIPTIONS
    assert [job.state for job in RewriteJob.objects.all()] == ["done"]
    assert not is_being_run(collection)


def is_being_run(collection: Collection) -> bool:
    """Whether a process is at work on the collection's job."""
    try:
        with only_runner(collection):
            return False
    except Busy:
        return True


def stored_texts() -> set[str]:
    return set(Answer.objects.filter(settled=True).values_list("text", flat=True))


@pytest.mark.parametrize(
    ("answers", "moment"),
    [
        pytest.param(12, lambda: len(stored_texts()) == 120, id="requests in flight, nothing checked"),
        pytest.param(22, lambda: Caption.objects.count() >= 200, id="some checked"),
    ],
)
def test_a_command_killed_goes_on_and_pays_nothing_twice(
    llm: Begin, tmp_path: Path, answers: int, moment: Callable[[], bool]
) -> None:
    collection = make_collection(doors(DESCRIPTIONS))
    gate = Gate(answers)
    with llm(gate, REWRITER_CONCURRENCY=CONCURRENCY, REWRITER_PER_REQUEST=PER_REQUEST, REWRITER_TIMEOUT=300) as server:
        with process(["manage.py", "rewrite", "friends"], tmp_path / "log") as command:
            wait_until(lambda: (gate.hanging == CONCURRENCY and moment()) or command.poll() is not None)
            assert command.poll() is None, "the command ended"
            assert is_being_run(collection)
            kill(command)
        stored = stored_texts()
        # PostgreSQL notices at once that the process is gone: nothing has to expire.
        wait_until(lambda: not is_being_run(collection))
        gate.opened.set()
        call_command("rewrite", "friends")
        assert_paid_once(server, stored)
        assert len(server.requests) == DESCRIPTIONS // PER_REQUEST + CONCURRENCY
    assert_done_once(collection)


def test_a_worker_killed_is_followed_by_another_that_goes_on_by_itself(llm: Begin, tmp_path: Path) -> None:
    collection = make_collection(doors(DESCRIPTIONS))
    gate = Gate(12)
    line = ["-m", "celery", "-A", "config", "worker", "--concurrency=1", "--without-gossip"]
    app.control.purge()
    try:
        with llm(
            gate, REWRITER_CONCURRENCY=CONCURRENCY, REWRITER_PER_REQUEST=PER_REQUEST, REWRITER_TIMEOUT=300
        ) as server:
            with process([*line, f"--hostname=first-{os.getpid()}@localhost"], tmp_path / "log") as worker:
                wait_for_worker(worker, tmp_path / "log")
                call_command("rewrite", "friends", background=True)
                wait_until(lambda: gate.hanging == CONCURRENCY and len(stored_texts()) == 120)
                kill(worker)
            stored = stored_texts()
            wait_until(lambda: not is_being_run(collection))
            assert RewriteJob.objects.get().state == "running"
            gate.opened.set()
            with process([*line, f"--hostname=second-{os.getpid()}@localhost"], tmp_path / "log"):
                wait_until(lambda: RewriteJob.objects.get().state == "done")
                wait_until(lambda: not is_being_run(collection))
            assert_paid_once(server, stored)
    finally:
        app.control.purge()
    assert_done_once(collection)
