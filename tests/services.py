"""An early pytest plugin: real servers for the run, whose addresses Django's settings read before they are started.

A scratch var folder of its own, removed at the end: a run leaves nothing behind and meets nothing left behind. Of the
processes of one run (`pytest -n 3`) each has its own, so that they never meet. Where all tests stand alone, nothing is
started: one file of rules takes as long as Python takes to import it.
"""

import atexit
import gc
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from filelock import FileLock, Timeout

from config.embedded import ensure_broker, ensure_database, free_port
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
        _say_where_servers_will_be()
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


STANDS_ALONE = pytest.StashKey[bool]()
"""Of a test: that it asks no server for anything."""
STANDS_ON_TABLES = {"db", "transactional_db", "django_db_setup", "tables"}
REACHES_A_SERVER = re.compile(
    r"\b(celery|environ|ForkedProcess|subprocess|psycopg|redis|call_command|getfixturevalue)\b"
)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Servers start where a test may ask for them. What is imported and collected stays: the garbage collector needn't
    look through it again and again."""
    files = {item.path for item in session.items}
    alone = files - {item.path for item in session.items if _stands_on_tables(item)}
    alone = {file for file in alone if not REACHES_A_SERVER.search(file.read_text())}
    for item in session.items:
        item.stash[STANDS_ALONE] = item.path in alone
    # The process that hands out tests to others collects none.
    if files - alone and not session.config.option.collectonly:
        _start_servers()
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECTED_AT, 10, 50)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """What earlier tests left is collected between tests: finalizers that run at the limit of recursion, to which
    brackets nested too deep take a reader, fail, and with them a test that is right."""
    if gc.get_count()[0] > COLLECTED_AT // 2:
        gc.collect(1)


def _stands_on_tables(item: pytest.Item) -> bool:
    return bool(item.get_closest_marker("django_db") or STANDS_ON_TABLES & set(getattr(item, "fixturenames", ())))


_said: list[str] = []
"""The variables that name servers which are not started yet."""


def _say_where_servers_will_be() -> None:
    var = Path(os.environ["QREELS_VAR"]).resolve()
    if not os.environ.get("DATABASE_URL"):
        os.environ["DATABASE_URL"] = f"postgresql://postgres:@/qreels?host={var / 'postgres'}"
        _said.append("DATABASE_URL")
    if not os.environ.get("REDIS_URL"):
        port = free_port()
        # It looks there for the address of one that has died, which is to be where it was.
        note = var / "valkey" / "server.json"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(json.dumps({"pid": os.getpid(), "port": port}))
        os.environ["REDIS_URL"] = f"redis://127.0.0.1:{port}/0"
        _said.append("REDIS_URL")


def _start_servers() -> None:
    said = {name: os.environ.pop(name) for name in _said}
    url = ensure_database()
    ensure_broker()
    for name, where in said.items():
        if os.environ[name] != where:
            raise pytest.UsageError(f"{name}: the server is at {os.environ[name]}, expected {where}")
    if "DATABASE_URL" in said:
        with psycopg.connect(url, autocommit=True) as connection:
            for name in FOR_A_MACHINE_THAT_STAYS_UP:
                connection.execute(f"ALTER SYSTEM SET {name} = off")  # type: ignore[call-overload]
            connection.execute("SELECT pg_reload_conf()")
