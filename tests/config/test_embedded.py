"""The embedded servers and what starts them: shared while somebody needs them, gone with the last."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from config.embedded import EmbeddedPostgres, EmbeddedValkey, free_port
from tests.paths import ROOT

pytestmark = pytest.mark.long

HOLD = """
import sys
from pathlib import Path
from config import embedded
server = getattr(embedded, sys.argv[1])(Path(sys.argv[2]))
print(server.hold(), flush=True)
sys.stdin.readline()
server.let_go()
"""
KEY = "GQ0cJ3vZr8nUe5wTqL2xYb7MhKd4Fs9PaVtR"
SERVERS = pytest.mark.parametrize("kind", [EmbeddedPostgres, EmbeddedValkey])


def wait_until(true: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


@pytest.fixture
def var() -> Iterator[Path]:
    """A folder with a short path: that of a Unix socket in it has at most 107 characters."""
    folder = Path(tempfile.mkdtemp(prefix="qreels-var-"))
    yield folder
    for kind in (EmbeddedPostgres, EmbeddedValkey):
        server = kind(folder)
        if server.holders_file.exists():
            server._stop()
    shutil.rmtree(folder, ignore_errors=True)


def bare_environment(var: Path, **more: str) -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("QREELS_", "DATABASE_", "REDIS_"))
    }
    return {**kept, "QREELS_VAR": str(var), "PYTHONPATH": str(ROOT), **more}


class Holder:
    """Another process that holds a server until it is told to let go."""

    def __init__(self, kind: type, var: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLD, kind.__name__, str(var)],
            cwd=ROOT,
            env=bare_environment(var),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()

    def let_go(self) -> None:
        self.process.communicate("\n", timeout=60)
        assert self.process.returncode == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def server_process(kind: type, var: Path) -> psutil.Process | None:
    note = var / "postgres" / "postmaster.pid" if kind is EmbeddedPostgres else var / "valkey" / "server.json"
    if not note.exists():
        return None
    text = note.read_text()
    pid = int(text.split()[0]) if kind is EmbeddedPostgres else json.loads(text)["pid"]
    return psutil.Process(pid) if psutil.pid_exists(pid) else None


@SERVERS
def test_two_processes_hold_one_server_and_the_last_stops_it(kind: type, var: Path) -> None:
    first, second = Holder(kind, var), Holder(kind, var)
    assert first.url == second.url != ""
    server = server_process(kind, var)
    assert server is not None
    first.let_go()
    assert server.is_running()
    third = Holder(kind, var)
    assert third.url == second.url
    second.let_go()
    assert server.is_running()
    third.let_go()
    wait_until(lambda: not server.is_running() or server.status() == psutil.STATUS_ZOMBIE)
    assert json.loads(kind(var).holders_file.read_text()) == []


@SERVERS
def test_a_killed_process_holds_nothing(kind: type, var: Path) -> None:
    killed, other = Holder(kind, var), Holder(kind, var)
    server = server_process(kind, var)
    assert server is not None
    killed.kill()
    assert server.is_running()
    other.let_go()
    wait_until(lambda: not server.is_running() or server.status() == psutil.STATUS_ZOMBIE)


def test_a_killed_process_whose_id_is_in_use_again_holds_nothing(var: Path) -> None:
    killed = Holder(EmbeddedValkey, var)
    server = server_process(EmbeddedValkey, var)
    assert server is not None
    killed.kill()
    # As after a restart of a container, where the same few ids are given out again: ours stands for the newcomer.
    file = EmbeddedValkey(var).holders_file
    file.write_text(file.read_text().replace(str(killed.process.pid), str(os.getpid())))
    other = Holder(EmbeddedValkey, var)
    other.let_go()
    wait_until(lambda: not server.is_running() or server.status() == psutil.STATUS_ZOMBIE)


@pytest.mark.parametrize("text", ["", "[1, ", "null", "[4194305]"], ids=["empty", "cut off", "no list", "ids alone"])
def test_a_damaged_note_of_holders_counts_as_empty(var: Path, text: str) -> None:
    file = EmbeddedValkey(var).holders_file
    file.parent.mkdir(parents=True)
    file.write_text(text)
    holder = Holder(EmbeddedValkey, var)
    assert holder.url.startswith("redis://127.0.0.1:")
    holder.let_go()
    assert server_process(EmbeddedValkey, var) is None


def test_a_server_that_was_killed_is_started_again(var: Path) -> None:
    holder = Holder(EmbeddedValkey, var)
    server = server_process(EmbeddedValkey, var)
    assert server is not None
    server.kill()
    wait_until(lambda: not server.is_running() or server.status() == psutil.STATUS_ZOMBIE)
    other = Holder(EmbeddedValkey, var)
    port = int(other.url.rsplit(":", 1)[1].split("/")[0])
    socket.create_connection(("127.0.0.1", port), timeout=5).close()
    other.let_go()
    holder.let_go()


@SERVERS
def test_whoever_holds_a_server_that_was_killed_starts_it_again_where_it_was(kind: type, var: Path) -> None:
    server = kind(var)
    url = server.hold()
    assert server.lives() and not server.revive()
    process = server_process(kind, var)
    assert process is not None
    process.kill()
    wait_until(lambda: not server.lives())
    assert server.revive()
    assert server.lives() and kind(var).hold() == url
    server.let_go()
    assert not server.lives()


def test_letting_go_twice_or_of_what_one_does_not_hold_changes_nothing(var: Path) -> None:
    holder = Holder(EmbeddedValkey, var)
    server = server_process(EmbeddedValkey, var)
    assert server is not None
    for _ in range(2):
        EmbeddedValkey(var).let_go()
    assert server.is_running()
    holder.let_go()


def test_a_free_port_can_be_listened_on() -> None:
    with socket.create_server(("127.0.0.1", free_port())):
        pass


def run(*line: str, var: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *line],
        cwd=ROOT,
        env=bare_environment(var, **environment),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def processes_of(var: Path) -> list[psutil.Process]:
    processes = []
    for process in psutil.process_iter():
        try:
            line = process.environ().get("QREELS_VAR", "") + " ".join(process.cmdline())
        except psutil.Error:
            continue
        if str(var) in line:
            processes.append(process)
    return processes


@pytest.mark.parametrize("key", ["x", "x" * 50, "django-insecure-" + "abcdefghijkl" * 4])
def test_a_production_whose_secret_key_can_be_guessed_is_refused(var: Path, key: str) -> None:
    complete = {"QREELS_ALLOWED_HOSTS": "qreels.example.org", "DATABASE_URL": "postgresql://nowhere/none"}
    done = run("config.run", "worker", var=var, QREELS_ENV="production", QREELS_SECRET_KEY=key, **complete)
    assert done.returncode == 1
    assert "QREELS_SECRET_KEY can be guessed" in done.stderr and "secrets.token_urlsafe" in done.stderr
    assert not processes_of(var)


@pytest.mark.parametrize("command", ["server", "worker"])
def test_a_half_set_production_is_refused_with_what_is_missing(var: Path, command: str) -> None:
    done = run("config.run", command, var=var, QREELS_ENV="production")
    assert done.returncode == 1
    for name in ("QREELS_SECRET_KEY", "QREELS_ALLOWED_HOSTS", "DATABASE_URL"):
        assert f"  {name}: " in done.stderr
    assert "Traceback" not in done.stderr
    assert list(var.iterdir()) == [], "nothing was started"


@pytest.mark.parametrize("command", ["server", "worker"])
def test_production_never_runs_on_an_embedded_database_unasked(var: Path, command: str) -> None:
    settings = {
        "QREELS_ENV": "production",
        "QREELS_SECRET_KEY": KEY,
        "QREELS_ALLOWED_HOSTS": "qreels.example.org",
    }
    done = run("config.run", command, var=var, **settings)
    assert done.returncode == 1
    assert "  DATABASE_URL: " in done.stderr
    assert "QREELS_SECRET_KEY" not in done.stderr
    assert list(var.iterdir()) == [], "nothing was started"


def test_only_a_server_and_a_worker_can_be_run(var: Path) -> None:
    done = run("config.run", "circus", var=var)
    assert done.returncode == 1
    assert "usage: python -m config.run server|worker" in done.stderr


def test_the_demo_on_a_port_in_use_says_so_and_leaves_nothing(var: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("demo", "--port", str(port), var=var)
    assert done.returncode == 1
    assert done.stderr.strip() == (
        f"Port {port} is used by another program. Stop that, or choose another: script/demo --port {port + 1}"
    )
    assert processes_of(var) == []
    assert not (var / "postgres").exists()
    assert not (var / "valkey").exists()


def test_a_process_ended_by_a_signal_is_forgotten(var: Path) -> None:
    holder = Holder(EmbeddedPostgres, var)
    assert len(processes_of(var)) >= 2
    holder.process.send_signal(signal.SIGTERM)
    holder.process.communicate()
    last = Holder(EmbeddedPostgres, var)
    last.let_go()
    wait_until(lambda: not processes_of(var))
