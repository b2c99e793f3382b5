"""How many threads a process that computes gets, by every way of starting."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.run import environment
from config.threads import set_threads, threads_for, usable_cores

ROOT = Path(__file__).resolve().parents[2]
TOLD = "import os, config; print(os.environ['OMP_NUM_THREADS'], os.environ['OMP_WAIT_POLICY'])"


@pytest.mark.parametrize(
    ("environ", "processes", "expected"),
    [
        pytest.param({}, 1, 8, id="a command has all cores"),
        pytest.param({}, 4, 2, id="processes share them"),
        pytest.param({}, 20, 1, id="never none"),
        pytest.param({"OMP_NUM_THREADS": "3"}, 1, 3, id="who allows fewer is heard"),
        pytest.param({"OMP_NUM_THREADS": "8"}, 4, 2, id="what a parent process was given isn't its child's"),
        pytest.param({"OMP_NUM_THREADS": "0"}, 1, 8, id="nonsense isn't"),
        pytest.param({"QREELS_THREADS": "5", "OMP_NUM_THREADS": "3"}, 4, 5, id="ours is said outright"),
    ],
)
def test_threads_follow_the_cores(environ: dict[str, str], processes: int, expected: int) -> None:
    assert threads_for(environ, processes=processes, cores=8) == expected


def test_waiting_threads_sleep_unless_somebody_wants_otherwise() -> None:
    unset: dict[str, str] = {}
    stated = {"OMP_WAIT_POLICY": "ACTIVE"}
    set_threads(unset)
    set_threads(stated)
    assert (unset["OMP_WAIT_POLICY"], stated["OMP_WAIT_POLICY"]) == ("PASSIVE", "ACTIVE")


def test_a_containers_limit_counts(tmp_path: Path) -> None:
    limit = tmp_path / "cpu.max"
    limit.write_text("50000 100000\n")
    assert usable_cores(limit) == 1
    limit.write_text("max 100000\n")
    assert usable_cores(limit) == usable_cores(tmp_path / "nowhere") == len(os.sched_getaffinity(0))


def test_whatever_imports_the_settings_has_its_threads_set() -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("OMP", "QREELS_THREADS"))}
    process = subprocess.run([sys.executable, "-c", TOLD], cwd=ROOT, env=environ, capture_output=True, text=True)
    assert process.stdout.split() == [str(usable_cores()), "PASSIVE"]
    refused = subprocess.run(
        [sys.executable, "-c", TOLD], cwd=ROOT, env=environ | {"QREELS_THREADS": "many"}, capture_output=True, text=True
    )
    assert refused.stderr.strip() == "QREELS_THREADS: found 'many', expected a whole number from 1"


def test_the_web_servers_processes_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QREELS_THREADS", raising=False)
    monkeypatch.setenv("QREELS_WEB_WORKERS", "1000")
    assert environment("server")["OMP_NUM_THREADS"] == "1"
