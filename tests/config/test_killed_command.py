"""A command that is killed or asked to stop leaves no statement behind that goes on in PostgreSQL with its locks."""

import os
import signal
from pathlib import Path

import pytest
from django.db import connection

from tests.forked import ForkedProcess
from tests.workers import database_url, wait_until

pytestmark = pytest.mark.long

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
    line = ["manage.py", "import_descriptions", "stopped", str(tmp_path / "rows.txt"), "--skip-checks"]
    env = {**os.environ, "DATABASE_URL": database_url()}
    process = ForkedProcess(line, env=env, log=tmp_path / "printed", errors=tmp_path / "told")
    try:
        wait_until(lambda: waiting() or process.poll() is not None)
        (backend,) = waiting()
        process.send_signal(number)
        process.wait(60)
    finally:
        process.kill()
    told = (tmp_path / "told").read_text()
    assert (process.returncode, said in told, "Traceback" in told) == (code, True, False)
    # The lock that it waited for is still held: nothing else could have ended it.
    wait_until(lambda: not is_there(backend))
