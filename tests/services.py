"""An early pytest plugin: real servers for the run, started before Django reads its settings.

A scratch var folder of its own, removed at the end: a run leaves nothing behind and meets nothing left behind. Of the
processes of one run (`pytest -n 3`) each has its own, so that they never meet.
"""

import atexit
import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from filelock import FileLock, Timeout

from config.embedded import ensure_broker, ensure_database
from config.garbage import COLLECTED_AT
from config.threads import set_threads
from tests.forked import import_libraries_for
from tests.paths import ROOT

# The processes of one run share the cores.
set_threads(processes=int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))

FOR_A_MACHINE_THAT_STAYS_UP = ("fsync", "full_page_writes")
"""What only a machine's power cut needs. A commit still reaches the kernel before it is acknowledged, so that a killed
server finds it again; synchronous_commit therefore stays on."""


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    in_a_worker = "PYTEST_XDIST_WORKER" in os.environ
    if in_a_worker and os.environ.get("QREELS_TEST_SCRATCH"):
        del os.environ["QREELS_VAR"]  # of the process that hands out the tests
    if not os.environ.get("QREELS_VAR"):
        # Short: a Unix socket's path has at most 107 characters.
        scratch = Path(tempfile.mkdtemp(prefix="qreels-test-"))
        os.environ["QREELS_VAR"] = str(scratch)
        os.environ["QREELS_TEST_SCRATCH"] = "1"
        atexit.register(shutil.rmtree, scratch, ignore_errors=True)
    # The process that hands out tests to others runs none itself.
    others = None if in_a_worker else getattr(early_config.known_args_namespace, "numprocesses", None)
    if not others:
        _start_servers()
    elif isinstance(others, int) and others > 1:
        import_libraries_for(others)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """In a checkout where nothing is compiled yet, one of a run's processes collects first: the others find Qreels
    compiled and the tests' assertions rewritten, which takes as long as all else of it."""
    cache = getattr(session.config, "cache", None)
    in_a_worker = hasattr(session.config, "workerinput")
    if cache is None or not in_a_worker or any((ROOT / "tests" / "__pycache__").glob("test_*.pyc")):
        return (yield)
    turn = FileLock(cache.mkdir("collecting") / "turn.lock")
    try:
        turn.acquire(timeout=0)
    except Timeout:
        with turn:
            pass
        return (yield)
    try:
        return (yield)
    finally:
        turn.release()


def pytest_collection_finish() -> None:
    """What is imported and collected stays: the garbage collector needn't look through it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECTED_AT, 10, 50)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """What earlier tests left is collected between tests: finalizers that run at the limit of recursion, to which
    brackets nested too deep take a reader, fail, and with them a test that is right."""
    if gc.get_count()[0] > COLLECTED_AT // 2:
        gc.collect(1)


def _start_servers() -> None:
    embedded = not os.environ.get("DATABASE_URL")
    url = ensure_database()
    ensure_broker()
    if embedded:
        with psycopg.connect(url, autocommit=True) as connection:
            for name in FOR_A_MACHINE_THAT_STAYS_UP:
                connection.execute(f"ALTER SYSTEM SET {name} = off")  # type: ignore[call-overload]
            connection.execute("SELECT pg_reload_conf()")
