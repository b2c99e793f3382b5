"""The demo's processes: started, watched, stopped by process id."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.request import urlopen

import psutil

from config.embedded import ServerLost, revive_servers, var_folder
from config.run import environment, server_command, worker_command
from demo.faults import AlreadyRunning, PartError

START_SECONDS = 60
STOP_SECONDS = 15
MOST_MENDS, MEND_SECONDS = 5, 600
"""If a part dies more than `MOST_MENDS` times within so many seconds, the demo ends."""


class DemoProcesses:
    """A worker and a web server; as a context, it stops what it started, last first."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.address = f"http://127.0.0.1:{port}"
        self.started: list[tuple[str, subprocess.Popen[bytes]]] = []
        self.lines: dict[str, list[str]] = {}
        self.mended: dict[str, list[float]] = {}
        self.note = var_folder() / "run" / "demo.json"

    def __enter__(self) -> "DemoProcesses":
        self.note.parent.mkdir(parents=True, exist_ok=True)
        self._clear_earlier()
        require_free(self.port)
        self._write_note()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A second Ctrl-C while stopping would leave processes behind.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for _, process in reversed(self.started):
            stop(process)
        self.note.unlink(missing_ok=True)

    def start_worker(self) -> None:
        """Start the Celery worker and wait until it answers."""
        concurrency = str(min(4, os.cpu_count() or 1))
        # A node name of its own: beside another demo on the same broker nobody is mistaken for somebody else.
        name = f"demo-{os.getpid()}@localhost"
        self._start("worker", worker_command(["--concurrency", concurrency, "--hostname", name]))
        from foundation.infra.parallel_tasks import workers_answer

        self._wait("worker", workers_answer)

    def start_web(self) -> None:
        """Start the web server and wait until it shows the login page."""
        self._start("web", server_command(["--bind", f"127.0.0.1:{self.port}"]))
        self._wait("web", lambda: answers(f"{self.address}/login/"))

    def check(self) -> None:
        """Raises: PartError if a part has died."""
        for name, process in self.started:
            if process.poll() is not None:
                raise PartError(f"The {name} has stopped with exit code {process.returncode}; see {self._log(name)}.")

    def mend(self) -> None:
        """Restart what has died, and say so. Raises: PartError for what keeps dying."""
        try:
            for name in revive_servers():
                self._count(name, "has died; it is started again")
        except ServerLost as lost:
            self._count("an embedded server", str(lost))
        for name, process in list(self.started):
            if process.poll() is not None:
                self._count(name, f"has stopped with exit code {process.returncode}; it is started again")
                self.started.remove((name, process))
                self._start(name, self.lines[name])

    def _count(self, name: str, event: str) -> None:
        now = time.monotonic()
        times = self.mended[name] = [past for past in self.mended.get(name, []) if now - past < MEND_SECONDS] + [now]
        if len(times) > MOST_MENDS:
            raise PartError(f"{name} has died {len(times)} times within minutes; see {self._log(name).parent}.")
        print(f"{time.strftime('%H:%M:%S')}  {name} {event}. Its log: {self._log(name)}", file=sys.stderr, flush=True)

    def _start(self, name: str, line: list[str]) -> None:
        self.lines[name] = line
        log = self._log(name)
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as file:
            process = subprocess.Popen(
                line,
                env=environment(name),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )
        self.started.append((name, process))
        self._write_note()

    def _log(self, name: str) -> Path:
        if name in ("postgres", "valkey"):
            return var_folder() / name / ("log" if name == "postgres" else "valkey.log")
        return var_folder() / "log" / f"{name}.log"

    def _wait(self, name: str, ready: Any) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            self.check()
            if ready():
                return
            time.sleep(0.1)
        raise PartError(f"The {name} did not answer within {START_SECONDS} s; see {self._log(name)}.")

    def _write_note(self) -> None:
        """Record process ids with start times (ids are reused), to be found should this process be killed."""
        processes = [psutil.Process(), *(psutil.Process(process.pid) for _, process in self.started)]
        rows = [{"pid": process.pid, "since": process.create_time()} for process in processes]
        self.note.write_text(json.dumps({"port": self.port, "processes": rows}))

    def _clear_earlier(self) -> None:
        try:
            note = json.loads(self.note.read_text())
            rows = [(row["pid"], row["since"]) for row in note["processes"]]
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return
        alive = [process for process in (_alive(pid, since) for pid, since in rows) if process is not None]
        if rows and _alive(*rows[0]) is not None:
            raise AlreadyRunning(
                f"The demo is running already: http://127.0.0.1:{note['port']} (process {rows[0][0]}). "
                "Use that one, or stop it with Ctrl-C where it was started."
            )
        if alive:
            ids = ", ".join(str(process.pid) for process in alive)
            print(f"An earlier start was cut off and left processes {ids} behind; stopping them.", file=sys.stderr)
            for process in alive:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.terminate()
            for process in psutil.wait_procs(alive, timeout=STOP_SECONDS)[1]:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()


def _alive(pid: int, since: float) -> psutil.Process | None:
    try:
        process = psutil.Process(pid)
        return process if abs(process.create_time() - since) < 1 and process.status() != "zombie" else None
    except psutil.NoSuchProcess:
        return None


def require_free(port: int) -> None:
    """Raises: PartError if somebody listens on the port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise PartError(
                f"Port {port} is used by another program. Stop that, or choose another: script/demo --port {port + 1}"
            ) from error


def answers(url: str) -> bool:
    """Whether a page is shown there."""
    try:
        with urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def stop(process: subprocess.Popen[bytes]) -> None:
    """Stop a process that we started: by SIGTERM, or by force if it doesn't end."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            # Its own children go with it: it leads a session of its own.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
