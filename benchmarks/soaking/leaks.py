"""What the site's processes hold over time: memory, open files, connections, temporary files, keys of the broker."""

import contextlib
import statistics
import time
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil

from benchmarks.soaking.site import NAME, Site

WARM = 4_000
"""Judgments of the whole site in which a new process imports and fills its caches."""
LONG = 8_000
"""Only a process that lives through so many after that tells of a leak."""
MOST_GROWTH = 0.5
"""KiB a judgment of the whole site: a web process would gain 250 MiB in a million."""
PARTS = 7
MOST_MEMORY = 512 * 2**20
"""Of a process, in bytes: what comes in steps ends there, too."""
SAMPLES_EVERY = 2.0
MOST_FILES = 64
"""Of a process, while nobody is connected to the site."""
MOST_CONNECTIONS = 24
"""To the database: a thread of the web has one, and so have the worker, its process and what watches them."""
MOST_KEYS = 40


@dataclass
class Life:
    """One process: (seconds, judgments so far, bytes, open files) at each look."""

    name: str
    samples: list[tuple[float, int, int, int]] = field(default_factory=list)

    def growth(self) -> float | None:
        """KiB a judgment after it is warm; None if it didn't live long enough.

        The median over `PARTS` equal parts of its life: memory that is taken once, such as for the first figure
        computed, doesn't count as growth; memory that is taken again and again does."""
        first = self.samples[0][1] + WARM
        late = [sample for sample in self.samples if sample[1] >= first]
        if len(late) < 2 * PARTS or late[-1][1] - late[0][1] < LONG:
            return None
        part = (late[-1][1] - late[0][1]) / PARTS
        ends = [next(sample for sample in late if sample[1] >= late[0][1] + part * number) for number in range(PARTS)]
        ends.append(late[-1])
        slopes = [
            (later[2] - sooner[2]) / 1024 / (later[1] - sooner[1])
            for sooner, later in pairwise(ends)
            if later[1] > sooner[1]
        ]
        return statistics.median(slopes)

    @property
    def most(self) -> int:
        """Its largest memory, in bytes."""
        return max(sample[2] for sample in self.samples)


@dataclass
class Holdings:
    """What was seen so far of each process, by its id and start."""

    site: Site
    lives: dict[tuple[int, float], Life] = field(default_factory=dict)
    next_look: float = 0.0

    def look(self, judgments: int) -> None:
        """Take a sample, if it is time."""
        now = time.perf_counter()
        if now < self.next_look:
            return
        self.next_look = now + SAMPLES_EVERY
        for name, processes in self.site.processes.items():
            for process in processes:
                with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                    life = self.lives.setdefault((process.pid, process.create_time()), Life(name))
                    life.samples.append((now, judgments, process.memory_info().rss, process.num_fds()))

    def leaks(self) -> list[str]:
        """What grows with the judgments, or has grown too large."""
        large = [
            f"a {life.name} process took {life.most >> 20} MiB"
            for life in self.lives.values()
            if life.most > MOST_MEMORY
        ]
        return large + [
            f"a {life.name} process grows by {growth:.2f} KiB a judgment"
            for life in self.lives.values()
            if (growth := life.growth()) is not None and growth > MOST_GROWTH
        ]

    def rest(self) -> tuple[dict[str, Any], list[str]]:
        """What the site holds while nobody is there, as figures, and what of it is too much."""
        files = {
            f"{name} {process.pid}": process.num_fds()
            for name, processes in self.site.processes.items()
            for process in processes
        }
        with self.site.connect() as own:
            row = own.execute(
                "SELECT count(*), count(*) FILTER (WHERE state LIKE 'idle in%%') FROM pg_stat_activity"
                " WHERE backend_type = 'client backend' AND application_name NOT IN (%s, '')",
                [NAME],
            ).fetchone()
            assert row is not None
            connections, open_transactions = (int(str(number)) for number in row)
        with self.site.broker() as broker:
            keys = sorted(key.decode() for key in broker.scan_iter(count=1000))
            memory = int(broker.info("memory")["used_memory"])
        scratch = _names(self.site.home / "scratch")
        # Python itself makes an empty folder for each worker, which a kill leaves.
        left = [name for name in _names(self.site.temporary) if "/pymp-" not in name or _names(Path(name))]
        figures = {
            "open_files": files,
            "database_connections": connections,
            "broker_keys": len(keys),
            "broker_kib": memory // 1024,
            "scratch": len(scratch),
            "temporary_files": len(left),
        }
        problems = [
            f"{name} holds {number} open files while nobody is connected"
            for name, number in files.items()
            if number > MOST_FILES
        ]
        if connections > MOST_CONNECTIONS:
            problems.append(f"{connections} connections to the database")
        if open_transactions:
            problems.append(f"{open_transactions} transactions that somebody left open")
        if len(keys) > MOST_KEYS:
            problems.append(f"{len(keys):,} keys in the broker: {', '.join(keys[:8])}, ...")
        if scratch or left:
            problems.append(f"left behind: {', '.join([*scratch, *left][:8])}")
        return figures, problems

    def figures(self) -> dict[str, Any]:
        """Of each kind of process: how many were seen, the most memory, the worst growth."""
        figures: dict[str, Any] = {}
        for name in sorted({life.name for life in self.lives.values()}):
            lives = [life for life in self.lives.values() if life.name == name]
            grown = [growth for life in lives if (growth := life.growth()) is not None]
            figures[name] = {
                "processes": len(lives),
                "most_mib": round(max(life.most for life in lives) / 2**20),
                "kib_a_judgment": round(max(grown), 4) if grown else None,
            }
        return figures


def _names(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.iterdir()) if folder.exists() else []
