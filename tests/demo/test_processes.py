"""The demo's processes: one that dies is started again, one that dies again and again ends the demo."""

import sys
from pathlib import Path
from typing import Any

import pytest

from config.embedded import free_port
from demo.faults import PartError
from demo.processes import MOST_MENDS, DemoProcesses

LASTING = [sys.executable, "-c", "import time; time.sleep(600)"]
PASSING = [sys.executable, "-c", ""]


@pytest.fixture
def var(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QREELS_VAR", str(tmp_path))
    return tmp_path


def test_a_part_that_was_killed_is_started_again_and_that_is_said(var: Path, capsys: Any) -> None:
    with DemoProcesses(free_port()) as parts:
        parts._start("worker", LASTING)
        (_, killed), *_ = parts.started
        parts.mend()
        assert [process for _, process in parts.started] == [killed], "what lives is left alone"
        killed.kill()
        killed.wait()
        parts.mend()
        ((name, again),) = parts.started
        assert name == "worker" and again.pid != killed.pid and again.poll() is None
        assert "worker has stopped with exit code -9; it is started again" in capsys.readouterr().err
    assert again.poll() is not None


def test_a_part_that_dies_again_and_again_ends_the_demo_with_a_sentence(var: Path) -> None:
    with DemoProcesses(free_port()) as parts:
        parts._start("worker", PASSING)
        for _ in range(MOST_MENDS):
            parts.started[0][1].wait()
            parts.mend()
        parts.started[0][1].wait()
        with pytest.raises(PartError, match="worker has died 6 times within minutes"):
            parts.mend()
