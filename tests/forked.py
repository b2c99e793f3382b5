"""Processes of ours that begin with what they need imported: forked from one that imported it, once for a run.

The models' libraries alone take 7 s of processor, and Qreels 2 s. Each process has a session, an environment and a log
of its own, and runs a file or module of ours from its first line to its last, its exit handlers too. A worker and a
command find Qreels imported, as a web server's processes do: by a process that had their very
environment, since Qreels looks there when it is imported. What else is started imports ours by itself. What libraries
read in the environment when they are imported is as it was for the first: `started_anew`.
"""

import atexit
import contextlib
import gc
import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any

from tests.paths import ROOT

LIBRARIES = [
    "celery.bin.celery",
    "cryptography.hazmat.primitives.serialization",
    "django.core.management",
    "django.db.backends.postgresql.base",
    "fido2.server",
    "flair.models",
    "openai",
    "redis",
    "sentence_transformers",
]
OF_THE_RUN = "QREELS_TEST_FORKSERVER"
"""Where the process listens that imported them for all processes of a run."""
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(LIBRARIES)


def import_libraries_for(processes: int) -> None:
    """Begin to, in a process that forks for all the tests' processes, which start after this one, and ends with it."""
    from config.threads import set_threads  # here: what is forked imports nothing of ours before it begins

    set_threads(processes=processes)  # the libraries look when they are imported
    forkserver.ensure_running()
    os.environ[OF_THE_RUN] = forkserver._forkserver._forkserver_address  # type: ignore[attr-defined]


def _join_that_of_the_run(address: str) -> None:
    server: Any = forkserver._forkserver  # type: ignore[attr-defined]
    server._forkserver_address, server.ensure_running = address, resource_tracker.ensure_running
    # A server of one's own ends when nobody has the other end of a pipe any longer; this one has its own.
    _, server._forkserver_alive_fd = os.pipe()


if "PYTEST_XDIST_WORKER" in os.environ and OF_THE_RUN in os.environ:
    _join_that_of_the_run(os.environ[OF_THE_RUN])

Line = list[str]
Begun = tuple[Line, dict[str, str], Path, Path]
"""What runs, its environment, where it prints, and where its errors go."""


class ForkedProcess:
    """`python LINE...` on its own, with what `subprocess.Popen` says of a process and does to it."""

    def __init__(self, line: Sequence[str], *, env: Mapping[str, str], log: Path, errors: Path | None = None) -> None:
        """Args: log: what it prints is appended there, its errors too unless they have a file of their own."""
        begun = (list(line), dict(env), log, errors or log)
        self._process = _begin(begun)
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, negative for the signal that ended it; None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Raises: subprocess.TimeoutExpired."""
        self._process.join(timeout)
        code = self.returncode
        if code is None:
            raise subprocess.TimeoutExpired("a forked process", timeout or 0)
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


def _begin(begun: Begun) -> Any:
    """A process, or what is asked of one like it: pid, exitcode, join(seconds)."""
    with contextlib.suppress(_NotImported):
        if mother := _mother_of(begun[0], begun[1]):
            return mother.fork(begun)
    process = _context.Process(target=_become, args=begun)
    process.start()
    return process


class _NotImported(Exception):
    """Qreels can't be imported in that environment, and whoever tries says why by itself."""


class _Mother:
    """A process that has imported Qreels in one environment, and forks others from itself as they are asked for."""

    def __init__(self, context: BaseContext, modules: Sequence[str], env: dict[str, str]) -> None:
        self._asked = threading.Lock()
        self._daughters: list[_Daughter] = []
        self._line, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, list(modules), env))  # type: ignore[attr-defined]
        self._process.start()
        theirs.close()

    def fork(self, begun: Begun) -> "_Daughter":
        """Raises: _NotImported."""
        self._daughters.append(_Daughter(self, self.ask(begun)))
        return self._daughters[-1]

    def ask(self, question: Any) -> Any:
        """Raises: _NotImported where it has ended."""
        with self._asked:
            try:
                self._line.send(question)
                return self._line.recv()
            except (EOFError, OSError) as error:
                raise _NotImported from error

    @property
    def is_needed(self) -> bool:
        """Whether one of its processes runs, of which it alone hears how it ends."""
        with contextlib.suppress(_NotImported):
            return any(one.exitcode is None for one in self._daughters)
        return False

    def end(self) -> None:
        with contextlib.suppress(OSError):
            self._line.send(None)
        self._line.close()
        self._process.join()


class _Daughter:
    """One of its processes, as the tests' process sees it."""

    def __init__(self, mother: _Mother, pid: int) -> None:
        self._mother, self.pid = mother, pid
        self._code: int | None = None

    @property
    def exitcode(self) -> int | None:
        if self._code is None:
            self._code = self._mother.ask(self.pid)
        return self._code

    def join(self, timeout: float | None) -> None:
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.exitcode is None and (deadline is None or time.monotonic() < deadline):
            time.sleep(0.01)


FOR_A_WORKER = ("config.celery",)
FOR_A_SERVER = ("config.web.server", "config.wsgi")
READ_LATER = {"PYTEST_CURRENT_TEST", "PROMETHEUS_MULTIPROC_DIR"}
"""What two processes may have of their own that Qreels, imported once, was imported for."""
MOST_MOTHERS = 2
"""Of each kind: a test's second worker has the first one's environment, and most have that of all."""
_mothers: dict[tuple[str, ...], dict[frozenset[tuple[str, str]], _Mother]] = {FOR_A_WORKER: {}, FOR_A_SERVER: {}}


def _mother_of(line: Line, env: dict[str, str]) -> _Mother | None:
    """Who has imported what it needs, in its environment; none for what isn't known to need it."""
    match line:
        case ["-m", "config.web.processes", *_]:
            # A process that has none of the models' libraries yet needn't import them.
            modules, context = FOR_A_SERVER, multiprocessing.get_context("spawn")
        case ["-m", "celery", *_] | ["manage.py", *_]:
            modules, context = FOR_A_WORKER, _context
        case _:
            return None
    kept = _mothers[modules]
    key = frozenset((name, "" if name in READ_LATER else value) for name, value in env.items())
    mother = kept.pop(key, None) or _Mother(context, modules, env)
    for former in list(kept)[: len(kept) + 1 - MOST_MOTHERS]:
        if not kept[former].is_needed:
            kept.pop(former).end()
    kept[key] = mother  # the one used last goes last
    return mother


@atexit.register
def _end_mothers() -> None:
    """Before multiprocessing waits for them."""
    for kept in _mothers.values():
        for mother in kept.values():
            mother.end()


def _serve(asked: Connection, modules: list[str], env: dict[str, str]) -> None:
    """A mother's life: one that is asked for a process answers its id, and asked for an id, how that process ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.clear()
    os.environ.update(env)
    _print_to(Path(os.devnull), Path(os.devnull))
    os.chdir(ROOT)
    sys.path[:] = [str(ROOT), *_foreign()]
    for name in modules:
        import_module(name)
    if "config.celery" in modules:
        sys.modules["config.celery"].app.loader.import_default_modules()
    gc.freeze()
    context = multiprocessing.get_context("fork")
    begun: dict[int, Any] = {}
    # Whoever has ended is no process any longer, also while nobody asks.
    signal.signal(signal.SIGCHLD, lambda *_: [one.exitcode for one in list(begun.values())])
    with contextlib.suppress(EOFError):
        while (question := asked.recv()) is not None:
            if isinstance(question, int):
                asked.send(begun[question].exitcode)
            else:
                one = context.Process(target=_become, args=question, kwargs={"imported_by": asked})
                one.start()
                begun[one.pid or 0] = one
                asked.send(one.pid)
    os._exit(0)  # without waiting for those that run


def _become(line: Line, env: dict[str, str], log: Path, errors: Path, *, imported_by: Connection | None = None) -> None:
    os.setsid()
    os.chdir(ROOT)
    if imported_by is None:
        os.environ.clear()
    else:
        imported_by.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.environ.update(env)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _print_to(log, errors)
    try:
        if line[0] == "-m":
            sys.path[:] = [str(ROOT), *_foreign()]
            sys.argv = line[1:]
            runpy.run_module(line[1], run_name="__main__", alter_sys=True)
        else:
            sys.path[:] = [str((ROOT / line[0]).parent), *_foreign()]
            sys.argv = line
            runpy.run_path(line[0], run_name="__main__")
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()


def _print_to(log: Path, errors: Path) -> None:
    for number, path in ((1, log), (2, errors)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(file, number)
        os.close(file)


def _foreign() -> list[str]:
    return [place for place in sys.path if place not in ("", str(ROOT))]
