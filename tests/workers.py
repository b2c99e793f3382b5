"""A real Celery worker on the test's database, and its sudden end."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from django.conf import settings
from django.db import connection

from corpus.infra.parallel_tasks import workers_answer
from demo.parts import stop


def wait_until(true: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def database_url() -> str:
    """The test's database, for a process of its own."""
    database = settings.DATABASES["default"]
    host = connection.get_connection_params()["host"]
    if host.startswith("/"):
        return f"postgresql://{database['USER']}:{database['PASSWORD']}@/{database['NAME']}?host={host}"
    return f"postgresql://{database['USER']}:{database['PASSWORD']}@{host}:{database['PORT']}/{database['NAME']}"


@contextmanager
def one_worker(log_file: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A worker process that does one piece at a time; it leads a process group of its own."""
    line = [sys.executable, "-m", "celery", "-A", "config", "worker", "--concurrency=1", "--without-gossip"]
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            [*line, f"--hostname=test-{os.getpid()}@localhost"],
            env={**os.environ, "DATABASE_URL": database_url()},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        wait_until(lambda: workers_answer() or process.poll() is not None)
        assert process.poll() is None, log_file.read_text()
        yield process
    finally:
        stop(process)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """The worker and its pool die at once, whatever they are doing."""
    family = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    psutil.wait_procs(family, timeout=10)
