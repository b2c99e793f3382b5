"""Processes of ours that begin with what they need imported: forked from one that imported it, once for a run.

The models' libraries alone take 7 s of processor, and Qreels 2 s. Each process has a session, an environment and a log
of its own, and runs a file or module of ours from its first line to its last, its exit handlers too. A worker and a
command find Qreels imported, as a web server's processes do: by a process that had their very environment, since
Qreels looks there when it is imported. What else is started imports ours by itself. What libraries read in the
environment when they are imported is as it was for the first: `started_anew`.

So there are three generations: `python -m tests.forked` has the libraries and forks a mother for whoever connects to
it; a mother imports Qreels and forks what runs, which ends as every Python program does.
"""

import atexit
import contextlib
import gc
import os
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any

from tests.paths import ROOT

LIBRARIES = (
    "celery.bin.celery",
    "cryptography.hazmat.primitives.serialization",
    "django.core.management",
    "django.db.backends.postgresql.base",
    "fido2.server",
    "flair.models",
    "openai",
    "redis",
    "sentence_transformers",
)
OF_THE_RUN = "QREELS_TEST_FORKS"
"""Where the process listens that imported them for all processes of a run."""
Line = list[str]
Begun = tuple[Line, dict[str, str], Path, Path]
"""What runs, its environment, where it prints, and where its errors go."""


def import_libraries_for(processes: int) -> None:
    """Begin to, in a process that forks for all the tests' processes, which start after this one, and ends with it."""
    from config.threads import set_threads  # here: what is forked imports nothing of ours before it begins

    set_threads(processes=processes)  # the libraries look when they are imported
    os.environ[OF_THE_RUN] = _start_forking(*LIBRARIES)


def _start_forking(*libraries: str) -> str:
    """A process that imports these and forks mothers as long as this one lives. Returns: where it listens."""
    folder = tempfile.mkdtemp(prefix="qreels-forks-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    line, quiet = [sys.executable, "-m", "tests.forked", f"{folder}/listens", *libraries], subprocess.DEVNULL
    subprocess.Popen(line, cwd=ROOT, stdin=quiet, stdout=quiet, stderr=quiet)
    return f"{folder}/listens"


class ForkedProcess:
    """`python LINE...` on its own, with what `subprocess.Popen` says of a process and does to it."""

    def __init__(self, line: Sequence[str], *, env: Mapping[str, str], log: Path, errors: Path | None = None) -> None:
        """Args: log: what it prints is appended there, its errors too unless they have a file of their own."""
        begun: Begun = (list(line), dict(env), log, errors or log)
        self._code: int | None = None
        try:
            self._mother = _mother_of(begun[0], begun[1])
            self.pid: int = self._mother.ask(begun)
        except EOFError:  # Qreels can't be imported in that environment, and whoever tries says why by itself
            self._mother = _mother_with((), {})
            self.pid = self._mother.ask(begun)
        self._mother.daughters.append(self)

    @property
    def returncode(self) -> int | None:
        """The exit code, negative for the signal that ended it; None while it runs."""
        if self._code is None:
            self._code = self._mother.ask(self.pid)
        return self._code

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Raises: subprocess.TimeoutExpired."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self.returncode) is None:
            if deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("a forked process", timeout or 0)
            time.sleep(0.01)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def started_anew(line: Sequence[str], *, env: Mapping[str, str], log: Path) -> "subprocess.Popen[bytes]":
    """The same as a process that imports everything by itself."""
    with log.open("ab") as file:
        return subprocess.Popen(
            [sys.executable, *line], cwd=ROOT, env=dict(env), stdout=file, stderr=file, start_new_session=True
        )


class _Mother:
    """A process that has imported modules in one environment, and forks others from itself as they are asked for."""

    def __init__(self, address: str, modules: Sequence[str], env: dict[str, str]) -> None:
        self.daughters: list[ForkedProcess] = []
        self._asked = threading.Lock()
        self._line = _connected(address)
        self._line.send((modules, env))

    def ask(self, question: Any) -> Any:
        """A process is begun, and its id the answer; of an id, how it ended. Raises: EOFError where she has ended."""
        with self._asked:
            try:
                self._line.send(question)
                return self._line.recv()
            except OSError as error:
                raise EOFError from error

    @property
    def is_needed(self) -> bool:
        """Whether one of its processes runs, of which it alone hears how it ends."""
        with contextlib.suppress(EOFError):
            return any(daughter.poll() is None for daughter in self.daughters)
        return False

    def end(self) -> None:
        self._line.close()


def _connected(address: str) -> Connection:
    deadline = time.monotonic() + 60
    while True:
        try:
            return Client(address, "AF_UNIX")
        except (FileNotFoundError, ConnectionRefusedError):  # it has just been started
            assert time.monotonic() < deadline, "the process that forks others doesn't listen"
            time.sleep(0.01)


FOR_A_WORKER = ("config.celery",)
FOR_A_SERVER = ("config.web.server", "config.wsgi")
READ_LATER = {"PYTEST_CURRENT_TEST", "PROMETHEUS_MULTIPROC_DIR"}
"""What two processes may have of their own that Qreels, imported once, was imported for."""
MOST_MOTHERS = 2
"""Of each kind: a test's second worker has the first one's environment, and most have that of all."""
_mothers: dict[tuple[str, ...], dict[frozenset[tuple[str, str]], _Mother]] = {}
_without_libraries: list[str] = []
"""Where the process listens that has none of them: a web server needn't wait for what it doesn't need."""


def _mother_of(line: Line, env: dict[str, str]) -> _Mother:
    """Who has imported what it needs, in its environment; the libraries alone for what isn't known to need Qreels."""
    match line:
        case ["-m", "config.web.processes", *_]:
            return _mother_with(FOR_A_SERVER, env)
        case ["-m", "celery", *_] | ["manage.py", *_]:
            return _mother_with(FOR_A_WORKER, env)
        case _:
            return _mother_with((), {})


def _mother_with(modules: tuple[str, ...], env: dict[str, str]) -> _Mother:
    kept = _mothers.setdefault(modules, {})
    key = frozenset((name, "" if name in READ_LATER else value) for name, value in env.items())
    mother = kept.pop(key, None) or _Mother(_address_for(modules), modules, env)
    for former in list(kept)[: len(kept) + 1 - MOST_MOTHERS]:
        if not kept[former].is_needed:
            kept.pop(former).end()
    kept[key] = mother  # the one used last goes last
    return mother


def _address_for(modules: tuple[str, ...]) -> str:
    if modules != FOR_A_SERVER:
        if OF_THE_RUN not in os.environ:
            os.environ[OF_THE_RUN] = _start_forking(*LIBRARIES)
        return os.environ[OF_THE_RUN]
    if not _without_libraries:
        _without_libraries.append(_start_forking())
    return _without_libraries[0]


def _fork_mothers(address: str, libraries: Sequence[str]) -> None:
    """The life of `python -m tests.forked ADDRESS LIBRARY...`."""
    parent = os.getppid()
    listener = Listener(address, "AF_UNIX", backlog=100)
    for name in libraries:
        with contextlib.suppress(ImportError):  # whoever needs it says so
            import_module(name)
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, lambda *_: None if os.getppid() == parent else os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, 1, 1)
    while True:
        asked = listener.accept()
        if os.fork() == 0:
            listener.close()
            _fork_daughters(asked)
        asked.close()


def _fork_daughters(asked: Connection) -> None:
    """A mother's life: one that is asked for a process answers its id, and asked for an id, how that process ended."""
    modules, env = asked.recv()
    codes: dict[int, int] = {}

    def note_ended(*_: object) -> None:
        # Whoever has ended is no process any longer, also while nobody asks.
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                codes[ended[0]] = os.waitstatus_to_exitcode(ended[1])

    os.environ.clear()
    os.environ.update(env)
    sys.path[:] = [str(ROOT), *_foreign()]
    for name in modules:
        import_module(name)
    if "config.celery" in modules:
        sys.modules["config.celery"].app.loader.import_default_modules()
    gc.freeze()
    signal.signal(signal.SIGCHLD, note_ended)
    with contextlib.suppress(EOFError):
        while True:
            question = asked.recv()
            if isinstance(question, int):
                asked.send(codes.get(question))
            elif (pid := os.fork()) == 0:
                asked.close()
                sys.exit(_become(*question))
            else:
                asked.send(pid)
    os._exit(0)  # without waiting for those that run


def _become(line: Line, env: dict[str, str], log: Path, errors: Path) -> None:
    os.setsid()
    os.environ.update(env)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, path in ((1, log), (2, errors)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(file, number)
        os.close(file)
    if line[0] == "-m":
        sys.argv = line[1:]
        runpy.run_module(line[1], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = str((ROOT / line[0]).parent)
        sys.argv = line
        runpy.run_path(line[0], run_name="__main__")


def _foreign() -> list[str]:
    return [place for place in sys.path if place not in ("", str(ROOT))]


if __name__ == "__main__":
    _fork_mothers(sys.argv[1], sys.argv[2:])
