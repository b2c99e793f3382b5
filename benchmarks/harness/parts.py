"""Parts of a benchmark in processes of their own: one that does its work at each request, or a work done once."""

import json
import multiprocessing
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psutil

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


class Alone(NamedTuple):
    """What a work came to in a process of its own: its result, seconds, and MiB in memory at the start and at most."""

    result: Any
    wall: float
    processor: float
    began_with: float
    peak: float


def alone(work: Callable[[], object], server: psutil.Process | None = None) -> Alone:
    """Do the work in a process that is forked, so that it begins with the libraries that this one has, and ends without
    leaving any here. Connections to a database have to be closed before.

    Args: server: a PostgreSQL whose processor time counts, too.
    """
    used, context = processor_seconds(server), multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)

    def child() -> None:
        began_with, began = _memory("VmRSS"), time.perf_counter()
        result = work()
        there.send((result, time.perf_counter() - began, began_with, _memory("VmHWM")))

    process = context.Process(target=child)
    process.start()
    there.close()
    try:
        result, wall, began_with, peak = here.recv()
    except EOFError:
        raise SystemExit("a part failed") from None
    process.join()
    return Alone(result, wall, processor_seconds(server) - used, began_with, peak)


def _memory(field: str) -> float:
    """MiB of this process: VmRSS now, VmHWM at most."""
    line = re.search(rf"^{field}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert line is not None
    return int(line[1]) / 1024
