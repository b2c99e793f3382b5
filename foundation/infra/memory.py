"""Bound a process's memory: an allocation beyond it raises MemoryError."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def bounded_memory(megabytes: int) -> Iterator[None]:
    """Context in which the process may allocate at most this many megabytes more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    bound = _held() + (megabytes << 20)
    known = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min([bound, *known]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _held() -> int:
    """Bytes of private memory that can be written, as the limit counts them."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) << 10
    return 0
