"""How many threads the numerical libraries (torch, BLAS, tokenizers) use in a process: set before they are imported.

`config/__init__.py` calls it, and so every way of starting does: commands, the worker, the web server, the demo, tests.
"""

import contextlib
import math
import os
from collections.abc import MutableMapping
from pathlib import Path

COUNTS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
OVERRIDE = "QREELS_THREADS"
CGROUP = Path("/sys/fs/cgroup/cpu.max")


def usable_cores(limit: Path = CGROUP) -> int:
    """The number of cores that this process may use, by a container's limit too (which the libraries ignore)."""
    cores = len(os.sched_getaffinity(0))
    with contextlib.suppress(OSError, ValueError):
        quota, period = limit.read_text().split()
        cores = min(cores, math.ceil(int(quota) / int(period)))  # "max" is no number: no limit
    return max(1, cores)


def threads_for(environ: MutableMapping[str, str], *, processes: int, cores: int) -> int:
    """The number of threads of a process that shares the cores with others like it.

    QREELS_THREADS says it outright. Otherwise it is the process's share of the cores, or OMP_NUM_THREADS where that
    is less: whoever started us may have set it, for a machine that is shared or for one of many workers.

    Raises: ValueError if QREELS_THREADS is no whole number from 1.
    """
    asked = environ.get(OVERRIDE, "").strip()
    if asked:
        if not asked.isdecimal() or int(asked) < 1:
            raise ValueError(f"{OVERRIDE}: found {asked!r}, expected a whole number from 1")
        return int(asked)
    share = max(1, cores // max(1, processes))
    given = environ.get("OMP_NUM_THREADS", "").strip()
    return min(share, int(given)) if given.isdecimal() and int(given) else share


def set_threads(environ: MutableMapping[str, str] = os.environ, *, processes: int = 1) -> None:
    """Set the numbers in the environment, which libraries read when imported and child processes inherit.

    Threads that wait for work sleep. By default OpenMP's spin: with other work on the cores they take the time that
    the others of their own process need (`benchmarks/threads.py`: four times the processor time a row).
    """
    count = str(threads_for(environ, processes=processes, cores=usable_cores()))
    for name in COUNTS:
        environ[name] = count
    environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # Tokenizers start threads of their own, and warn when a process with them forks; the worker's processes do.
    environ.setdefault("TOKENIZERS_PARALLELISM", "false")
