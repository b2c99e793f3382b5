"""Judgments per second and their times, with 1, 10 and 100 annotators, at 10,000 and at 1,000,000 pairs.

Real PostgreSQL and the production web server as script/server starts it; every submit does all that a real one does
(login, seat, consensus, commit) and brings the next pairs. The peer in the same run is a WSGI function under the same
server that inserts one row and commits: no login, no seat, no consensus, no next pairs. Prints one JSON object as
its last line; `ratios` holds our time for a judgment over the peer's for a row, and that at a million pairs over
that at ten thousand; `processor_ratios` the same of processor time, with PostgreSQL's and the simulated people's.
Everybody takes turns of a second or two, and medians of the turns count.

    .venv/bin/python benchmarks/judging.py [--pairs N ...] [--people N ...] [--seconds S] [--peer VENV]

`--peer VENV` runs the same loop with ten people against Label Studio, installed in a virtual environment of its own.
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.load import Load, Worker, annotator, drive, log_in
from benchmarks.harness.measuring import (
    Turns,
    database_server,
    parser,
    percentiles,
    processor_seconds,
    report,
    say,
    scratch_site,
)

PASSWORD = "benchmark-only"
PEER_PEOPLE = 10
ROUNDS = 6
START_SECONDS = 60

_local = threading.local()


def bare(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """The peer: one row, one commit, one word back."""
    import psycopg

    if not hasattr(_local, "connection"):
        _local.connection = psycopg.connect(os.environ["DATABASE_URL"])
    sent = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
    with _local.connection.cursor() as cursor:
        cursor.execute("INSERT INTO bare_row (pair, grade) VALUES (%s, %s)", (sent["pair"], sent["grade"]))
    _local.connection.commit()
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", "2")])
    return [b"{}"]


def main() -> None:
    options = read_options()
    with scratch_site(options) as home, ExitStack() as running:
        from django.core.management import call_command

        call_command("collectstatic", verbosity=0, interactive=False)
        port = running.enter_context(serving("config.wsgi:application"))
        with database() as connection:
            connection.execute("CREATE TABLE bare_row (id bigserial PRIMARY KEY, pair uuid, grade smallint)")
        bare_port = running.enter_context(serving("benchmarks.judging:bare"))
        report(measure(port, bare_port, options, home))


def read_options() -> argparse.Namespace:
    arguments = parser(__doc__)
    arguments.add_argument("--pairs", type=int, nargs="+", default=[10_000, 1_000_000], metavar="N")
    arguments.add_argument("--people", type=int, nargs="+", default=[1, PEER_PEOPLE, 100], metavar="N")
    arguments.add_argument("--seconds", type=float, default=10.0, help="of load for each size and number of people")
    arguments.add_argument("--peer", type=Path, metavar="VENV", help="where label-studio is installed: measure it too")
    options = arguments.parse_args()
    if options.small:
        options.pairs, options.people, options.seconds = [1_000, 2_000], [PEER_PEOPLE], 0.3
    options.pairs = sorted(options.pairs)
    return options


def database() -> Any:
    import psycopg

    return psycopg.connect(os.environ["DATABASE_URL"])


@contextmanager
def serving(application: str) -> Iterator[int]:
    """The web server as script/server starts it, with this application; its port."""
    from config.embedded import free_port
    from config.run import server_command

    port = free_port()
    line = server_command(["--bind", f"127.0.0.1:{port}"])
    line[line.index("config.wsgi:application")] = application
    with listening(line, port):
        yield port


@contextmanager
def listening(line: list[str], port: int) -> Iterator[None]:
    """A web server started by this line, from when it listens at the port."""
    from config.run import environment

    process = subprocess.Popen(
        line, env=environment("server"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        deadline = time.monotonic() + START_SECONDS
        while True:
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            if time.monotonic() > deadline or process.poll() is not None:
                raise RuntimeError("the web server didn't start")
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait()


def measure(port: int, bare_port: int, options: argparse.Namespace, home: Path) -> dict[str, Any]:
    """Stretches of load, ours at every size and with every number of people, and the peers', in turns."""
    from django.test import Client

    from benchmarks.worlds.judging import build_collection, judgments, violations
    from foundation.models import Account

    people = [f"bench{number}" for number in range(max(options.people))]
    moments = 400 if options.small else 20_000
    for pairs in options.pairs:
        began = time.perf_counter()
        build_collection(name_of(pairs), pairs=pairs, people=people, password=PASSWORD, moments=moments)
        say(f"{pairs:,} pairs made in {time.perf_counter() - began:.0f} s")
    cookies = [log_in(Client(), Account.objects.get(username=person)) for person in people]

    def crew(pairs: int, count: int, seed: int) -> list[Worker]:
        return [annotator(port, name_of(pairs), *cookies[place], seed + place) for place in range(count)]

    def bare_crew() -> list[Worker]:
        body = json.dumps({"pair": str(uuid.uuid4()), "grade": 2}).encode()
        head = f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{bare_port}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        return [Worker(bare_port, lambda answer: head + body) for _ in range(PEER_PEOPLE)]

    crews: dict[str, Callable[[int], list[Worker]]] = {
        ours(pairs, count): partial(crew, pairs, count) for pairs in options.pairs for count in options.people
    }
    crews[BARE] = lambda seed: bare_crew()
    loads: dict[str, list[Load]] = {name: [] for name in crews}
    for name, workers in crews.items():
        drive(workers(0), seconds=min(2.0, options.seconds / 2))  # warm
        say(f"warm: {name}")
    with database() as connection:
        # As PostgreSQL itself does within a minute: plans made for empty tables would be measured otherwise.
        connection.execute("ANALYZE")
    before = {pairs: judgments(name_of(pairs)) for pairs in options.pairs}
    turns, server = Turns(), database_server()
    rounds = 1 if options.small else ROUNDS
    for turn in range(1, rounds + 1):
        for name, workers in crews.items():
            crew_of_turn, used = workers(1000 * turn), processor_seconds(server)
            load = drive(crew_of_turn, seconds=options.seconds / rounds)
            used = processor_seconds(server) - used
            loads[name].append(load)
            turns.add(name, load.elapsed / len(load.submits), used / len(load.submits))
    rates = [
        row(pairs, count, loads[ours(pairs, count)], turns.processor(ours(pairs, count)))
        for pairs in options.pairs
        for count in options.people
    ]
    for rate in rates:
        say(json.dumps(rate))
    figures: dict[str, Any] = {
        "rates": rates,
        "kept": {name_of(pairs): judgments(name_of(pairs)) - before[pairs] for pairs in options.pairs},
        "violations": sum(violations(name_of(pairs)) for pairs in options.pairs),
        "bare": row(0, PEER_PEOPLE, loads[BARE], turns.processor(BARE)),
    }
    if options.peer:
        figures["label_studio"] = measure_label_studio(options, home)
    return {**figures, **ratios(turns, figures, options)}


BARE = "bare view"


def name_of(pairs: int) -> str:
    return f"p{pairs}"


def ours(pairs: int, people: int) -> str:
    return f"{pairs:,} pairs, {people} people"


def measure_label_studio(options: argparse.Namespace, home: Path) -> dict[str, Any]:
    from benchmarks.harness.label_studio import measure_label_studio as measured
    from config.embedded import free_port

    load = measured(
        options.peer.resolve(),
        home,
        free_port(),
        tasks=options.pairs[0],
        people=PEER_PEOPLE,
        seconds=options.seconds,
    )
    rate = row(options.pairs[0], PEER_PEOPLE, [load], 0.0)
    say(json.dumps(rate))
    return rate


def row(pairs: int, people: int, loads: list[Load], processor: float) -> dict[str, Any]:
    """What turns of load came to; `processor` is the processor time of one judgment, in seconds."""
    rates = [len(load.submits) / load.elapsed for load in loads]
    submits, searches = ([time for load in loads for time in getattr(load, kind)] for kind in ("submits", "searches"))
    return {
        "pairs": pairs,
        "people": people,
        "judgments": len(submits),
        "judgments_per_second": round(statistics.median(rates), 1),
        "slowest_and_fastest_turn": [round(min(rates), 1), round(max(rates), 1)],
        "processor_ms_a_judgment": round(1000 * processor, 3),
        **percentiles(submits, "submit"),
        **percentiles(searches, "next"),
    }


def ratios(turns: Turns, figures: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    """Our time for a judgment over the bare view's for a row, and at the most pairs over that at the fewest."""
    few, many = options.pairs[0], options.pairs[-1]
    people = PEER_PEOPLE if PEER_PEOPLE in options.people else max(options.people)
    first = ours(few, people)
    compared = {BARE: (first, BARE)}
    if many != few:
        compared[f"{few:,} pairs"] = (ours(many, people), first)
    by_peer = {name: turns.ratio(*pair) for name, pair in compared.items()}
    if "label_studio" in figures:
        rate = figures["label_studio"]["judgments_per_second"]
        by_peer["Label Studio"] = round(rate * turns.wall(first), 3)
    return {
        "turns": len(turns.spent[BARE]),
        "spread": {name: turns.spread(*pair) for name, pair in compared.items()},
        "processor_ratios": {name: turns.processor_ratio(*pair) for name, pair in compared.items()},
        "ratios": by_peer,
    }


if __name__ == "__main__":
    main()
