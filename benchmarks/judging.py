"""Judgments per second and their times, with 1, 10 and 100 annotators, at 10,000 and at 1,000,000 pairs.

Real PostgreSQL and the production web server as script/server starts it; every submit does all that a real one does
(login, seat, consensus, commit) and brings the next pairs. The peer in the same run is a WSGI function under the same
gunicorn that inserts one row and commits: no login, no seat, no consensus, no next pairs. Prints one JSON object as
its last line; `ratios` holds our time for a judgment over the peer's for a row, and that at a million pairs over
that at ten thousand.

    .venv/bin/python benchmarks/judging.py [--pairs N ...] [--people N ...] [--seconds S] [--peer VENV]

`--peer VENV` runs the same loop with ten people against Label Studio, installed in a virtual environment of its own.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

PASSWORD = "benchmark-only"
PEER_PEOPLE = 10

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
    home = Path(tempfile.mkdtemp(prefix="qreels-bench-"))
    os.environ["QREELS_VAR"] = str(home)
    # One hash for all: a hundred logins would otherwise cost half a minute, and no login is measured.
    from config.embedded import free_port
    from demo.check import _leave_servers
    from demo.parts import Parts
    from demo.site import prepare_site, set_up_django

    try:
        with Parts(free_port()) as parts:
            set_up_django()
            prepare_site()
            parts.start_web()
            figures = measure(parts, options)
            figures |= measure_bare(free_port(), options.seconds)
        print(json.dumps({**figures, "ratios": ratios(figures)}))
    finally:
        _leave_servers()
        shutil.rmtree(home, ignore_errors=True)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, nargs="+", default=[10_000, 1_000_000], metavar="N")
    parser.add_argument("--people", type=int, nargs="+", default=[1, 10, 100], metavar="N")
    parser.add_argument("--seconds", type=float, default=10.0, help="of load for each size and number of people")
    parser.add_argument("--peer", type=Path, metavar="VENV", help="where label-studio is installed: measure it too")
    return parser.parse_args()


def measure(parts: Any, options: argparse.Namespace) -> dict[str, Any]:
    from django.test import Client

    from benchmarks.judging_load import annotator, drive
    from benchmarks.judging_world import build_collection, judgments, violations
    from corpus.models import Account

    people = [f"bench{number}" for number in range(max(options.people))]
    figures: dict[str, Any] = {"rates": [], "violations": 0}
    cookies: dict[str, tuple[str, str]] = {}
    for pairs in options.pairs:
        name = f"p{pairs}"
        began = time.perf_counter()
        build_collection(name, pairs=pairs, people=people, password=PASSWORD)
        say(f"{pairs:,} pairs made in {time.perf_counter() - began:.0f} s")
        for person in people:
            if person not in cookies:
                cookies[person] = log_in(Client(), Account.objects.get(username=person))
        for count in options.people:
            warm = [annotator(parts.port, name, *cookies[person], seed) for seed, person in enumerate(people[:count])]
            drive(warm, seconds=2)
            before = judgments(name)
            crew = [
                annotator(parts.port, name, *cookies[person], seed + 1000) for seed, person in enumerate(people[:count])
            ]
            load = drive(crew, seconds=options.seconds)
            kept = judgments(name) - before
            figures["rates"].append(row(pairs, count, load, kept))
            say(json.dumps(figures["rates"][-1]))
        figures["violations"] += violations(name)
    if options.peer:
        from benchmarks.judging_peer import measure_label_studio
        from config.embedded import free_port

        home = Path(os.environ["QREELS_VAR"])
        load = measure_label_studio(
            options.peer.resolve(),
            home,
            free_port(),
            tasks=options.pairs[0],
            people=PEER_PEOPLE,
            seconds=options.seconds,
        )
        figures["label_studio"] = row(options.pairs[0], PEER_PEOPLE, load, len(load.submits))
        say(json.dumps(figures["label_studio"]))
    return figures


def log_in(client: Any, account: Any) -> tuple[str, str]:
    """A session's cookies and the token that a page would have sent."""
    from django.middleware.csrf import _get_new_csrf_string

    client.force_login(account)
    token = _get_new_csrf_string()
    return f"sessionid={client.cookies['sessionid'].value}; csrftoken={token}", token


def row(pairs: int, people: int, load: Any, kept: int) -> dict[str, Any]:
    return {
        "pairs": pairs,
        "people": people,
        "judgments_per_second": round(len(load.submits) / load.elapsed, 1),
        "kept": kept,
        **percentiles(load.submits, "submit"),
        **percentiles(load.searches, "next"),
    }


def percentiles(times: list[float], name: str) -> dict[str, float]:
    if len(times) < 2:
        return {}
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return {f"{name}_p{p}_ms": round(cuts[p - 1] * 1000, 1) for p in (50, 95, 99)}


def measure_bare(port: int, seconds: float) -> dict[str, Any]:
    """The same ten send rows to the bare view."""
    import psycopg

    from benchmarks.judging_load import Worker, drive
    from config.run import server_command
    from demo.parts import stop

    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        connection.execute("CREATE TABLE bare_row (id bigserial PRIMARY KEY, pair uuid, grade smallint)")
    line = server_command(["--bind", f"127.0.0.1:{port}"])
    line[line.index("config.wsgi:application")] = "benchmarks.judging:bare"
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    body = json.dumps({"pair": str(uuid.uuid4()), "grade": 2}).encode()
    head = f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    try:
        wait_for(port)
        drive([Worker(port, lambda answer: head + body) for _ in range(PEER_PEOPLE)], seconds=1)
        load = drive([Worker(port, lambda answer: head + body) for _ in range(PEER_PEOPLE)], seconds=seconds)
    finally:
        stop(process)
    return {"bare_rows_per_second": round(len(load.submits) / load.elapsed, 1), **percentiles(load.submits, "bare")}


def wait_for(port: int) -> None:
    import socket

    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("the bare view didn't start")


def ratios(figures: dict[str, Any]) -> dict[str, float]:
    rates = {(one["pairs"], one["people"]): one["judgments_per_second"] for one in figures["rates"]}
    sizes = sorted({pairs for pairs, _ in rates})
    found = {}
    if (sizes[0], PEER_PEOPLE) in rates:
        found["bare view"] = round(figures["bare_rows_per_second"] / rates[sizes[0], PEER_PEOPLE], 2)
        if len(sizes) > 1:
            larger, smaller = rates[sizes[-1], PEER_PEOPLE], rates[sizes[0], PEER_PEOPLE]
            found[f"{sizes[0]:,} pairs"] = round(smaller / larger, 2)
        if "label_studio" in figures:
            theirs = figures["label_studio"]["judgments_per_second"]
            found["Label Studio"] = round(theirs / rates[sizes[0], PEER_PEOPLE], 4)
    return found


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
