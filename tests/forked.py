"""Processes of ours that begin with the libraries imported: forked from one that imported them, once for a run.

The models' libraries alone take 7 s of processor. Each process has a session, an environment and a log of its own, and
runs a file or module of ours from its first line to its last, its exit handlers too; none of our code is imported
before. What libraries read in the environment when they are imported is as it was for the first: `started_anew`.
"""

import atexit
import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

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
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(LIBRARIES)


class ForkedProcess:
    """`python LINE...` on its own, with what `subprocess.Popen` says of a process and does to it."""

    def __init__(self, line: Sequence[str], *, env: Mapping[str, str], log: Path, errors: Path | None = None) -> None:
        """Args: log: what it prints is appended there, its errors too unless they have a file of their own."""
        self._process = _context.Process(target=_become, args=(list(line), dict(env), log, errors or log))
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, negative for the signal that ended it; None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Raises: subprocess.TimeoutExpired."""
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("a forked process", timeout or 0)
        return self.returncode

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


def _become(line: list[str], env: dict[str, str], log: Path, errors: Path) -> None:
    os.setsid()
    os.chdir(ROOT)
    os.environ.clear()
    os.environ.update(env)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, path in ((1, log), (2, errors)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(file, number)
        os.close(file)
    foreign = [place for place in sys.path if place not in ("", str(ROOT))]
    try:
        if line[0] == "-m":
            sys.path[:] = [str(ROOT), *foreign]
            sys.argv = line[1:]
            runpy.run_module(line[1], run_name="__main__", alter_sys=True)
        else:
            sys.path[:] = [str((ROOT / line[0]).parent), *foreign]
            sys.argv = line
            runpy.run_path(line[0], run_name="__main__")
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
