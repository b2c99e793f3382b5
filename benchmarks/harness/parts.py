"""A part of a benchmark in a process of its own, that does a turn's work whenever it is asked to."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from benchmarks.harness.measuring import processor_seconds


class Part:
    """The process as its parent sees it. `first` is what it said before its turns."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.first = self._read()

    def turn(self) -> dict[str, float]:
        """A turn: its `wall` and `processor` seconds."""
        assert self._process.stdin is not None
        self._process.stdin.write("again\n")
        self._process.stdin.flush()
        return self._read()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{self._process.args!r} ended early")
        return dict(json.loads(line))


@contextmanager
def part(arguments: list[str], environ: Mapping[str, str] | None = None) -> Iterator[Part]:
    """Start `python ARGUMENTS`, whose program calls `serve_turns`; it ends with the context."""
    process = subprocess.Popen(
        [sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environ
    )
    assert process.stdin is not None
    try:
        yield Part(process)
    finally:
        process.stdin.close()
        process.wait()


def serve_turns(first: Mapping[str, Any], work: Callable[[], object]) -> None:
    """In the part: say something, then do the work once for each line that comes in, and tell what it took."""
    print(json.dumps(first), flush=True)
    for _ in sys.stdin:
        began, used = time.perf_counter(), processor_seconds()
        work()
        took = {"wall": time.perf_counter() - began, "processor": processor_seconds() - used}
        print(json.dumps(took), flush=True)
