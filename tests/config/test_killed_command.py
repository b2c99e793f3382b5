"""A command that is killed or asked to stop leaves no statement behind that goes on in PostgreSQL with its locks."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from tests.workers import database_url, wait_until

WAITING = "SELECT pid FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"


def waiting() -> list[int]:
    """The server's processes whose statements wait for a lock of this test."""
    with connection.cursor() as cursor:
        cursor.execute(WAITING)
        return [pid for (pid,) in cursor.fetchall()]


def is_there(backend: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # within a transaction it stays as it was seen first
        cursor.execute("SELECT FROM pg_stat_activity WHERE pid = %s", [backend])
        return cursor.fetchone() is not None


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGKILL, -9, ""), (signal.SIGTERM, 143, "Stopped."), (signal.SIGINT, 130, "Stopped.")],
    ids=["killed", "asked to stop", "Ctrl-C"],
)
def test_the_statement_of_a_stopped_command_ends(
    db: None, tmp_path: Path, number: signal.Signals, code: int, said: str
) -> None:
    (tmp_path / "rows.txt").write_text("clip1 0.0 3.0##Ada opens the door.\n")
    with connection.cursor() as cursor:
        cursor.execute("LOCK TABLE corpus_video IN EXCLUSIVE MODE")
    process = subprocess.Popen(
        [sys.executable, "manage.py", "import_descriptions", "stopped", str(tmp_path / "rows.txt")],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DATABASE_URL": database_url()},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # A shell's background jobs are started with Ctrl-C switched off, and so is all that these start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        wait_until(lambda: waiting() or process.poll() is not None)
        (backend,) = waiting()
        process.send_signal(number)
        _, told = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, said in told, "Traceback" in told) == (code, True, False)
    # The lock that it waited for is still held: nothing else could have ended it.
    wait_until(lambda: not is_there(backend))
