"""A class that opens the site together: 400 clients at once, beside 700 half-sent requests.

The production web server as script/server starts it, with two processes. Each client asks for the login page once, all
at the same moment, by connections of their own; beside them 700 connections hold a request that never ends, half of
them in the headers, half in the body. The peer in the same run is plain waitress, one process with as many threads,
with the same half-sent requests. Prints one JSON object as its last line; `ratios` holds our slowest answer over the
peer's.

    .venv/bin/python benchmarks/crowd.py [--clients N] [--half-sent N] [--turns N]
"""

import argparse
import os
import selectors
import socket
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import parser, report, say, scratch_site
from benchmarks.judging import listening, serving

ASKED = b"GET /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
HALF = (
    b"GET /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    b"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nusername=",
)
PATIENCE = 60
PEER = "plain waitress"
OURS = "Qreels' web server"


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--clients", type=int, default=400, metavar="N")
    arguments.add_argument("--half-sent", type=int, default=700, metavar="N")
    arguments.add_argument("--turns", type=int, default=5, metavar="N")
    options = arguments.parse_args()
    if options.small:
        options.clients, options.half_sent, options.turns = 40, 70, 1
    with scratch_site(options), ExitStack() as running:
        from django.core.management import call_command

        call_command("collectstatic", verbosity=0, interactive=False)
        ports = {
            OURS: running.enter_context(serving("config.wsgi:application")),
            PEER: running.enter_context(plain_waitress()),
        }
        report(measure(ports, options))


@contextmanager
def plain_waitress() -> Iterator[int]:
    """One process of waitress with its defaults, but for the number of connections and of threads; its port."""
    from config.embedded import free_port

    port = free_port()
    line = [sys.executable, "-m", "waitress", f"--listen=127.0.0.1:{port}", "--threads=8", "--connection-limit=2000"]
    with listening([*line, "--asyncore-use-poll", "config.wsgi:application"], port):
        yield port


def measure(ports: dict[str, int], options: argparse.Namespace) -> dict[str, Any]:
    for port in ports.values():
        crowd(port, 20)  # warm
    slowest: dict[str, list[float]] = {name: [] for name in ports}
    medians: dict[str, list[float]] = {name: [] for name in ports}
    processor: dict[str, list[float]] = {name: [] for name in ports}
    servers = {name: listening_at(port) for name, port in ports.items()}
    for _ in range(options.turns):
        for name, port in ports.items():
            with half_sent(port, options.half_sent):
                used = processor_seconds(servers[name])
                took = crowd(port, options.clients)
                used = processor_seconds(servers[name]) - used
            slowest[name].append(max(took))
            medians[name].append(statistics.median(took))
            processor[name].append(1000 * used / options.clients)
            say(
                f"{name}: slowest {max(took):.2f} s, median {statistics.median(took):.2f} s, "
                f"{processor[name][-1]:.2f} ms of processor a client"
            )
    return {
        "clients": options.clients,
        "half_sent": options.half_sent,
        "slowest_seconds": {name: [round(seconds, 3) for seconds in turns] for name, turns in slowest.items()},
        "median_seconds": {name: round(statistics.median(turns), 3) for name, turns in medians.items()},
        "processor_ms_a_client": {name: round(statistics.median(turns), 2) for name, turns in processor.items()},
        "load": [round(load, 1) for load in os.getloadavg()],
        "ratios": {PEER: round(statistics.median(slowest[OURS]) / statistics.median(slowest[PEER]), 3)},
    }


def listening_at(port: int) -> list[psutil.Process]:
    """The processes that we started and that listen there."""
    ours = psutil.Process().children(recursive=True)
    return [
        process
        for process in ours
        if any(line.laddr.port == port and not line.raddr for line in process.net_connections())
    ]


def processor_seconds(processes: list[psutil.Process]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in processes)


@contextmanager
def half_sent(port: int, count: int) -> Iterator[None]:
    """So many requests that never end."""
    opened = [socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) for _ in range(count)]
    try:
        for number, connection in enumerate(opened):
            connection.sendall(HALF[number % 2])
        time.sleep(0.2)
        yield
    finally:
        for connection in opened:
            connection.close()


def crowd(port: int, clients: int) -> list[float]:
    """The seconds in which each of so many clients had its page. Raises: RuntimeError if one had none."""
    selector = selectors.DefaultSelector()
    began = time.perf_counter()
    for _ in range(clients):
        connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        connection.sendall(ASKED)
        connection.setblocking(False)
        selector.register(connection, selectors.EVENT_READ, (connection, bytearray()))
    took: list[float] = []
    while selector.get_map() and time.perf_counter() - began < PATIENCE:
        for key, _ in selector.select(1):
            connection, received = key.data
            part = connection.recv(1 << 20)
            received.extend(part)
            if not part:
                if not received.startswith(b"HTTP/1.1 200 "):
                    raise RuntimeError(f"found {bytes(received[:80])!r}, expected the page")
                took.append(time.perf_counter() - began)
                selector.unregister(connection)
                connection.close()
    if len(took) < clients:
        raise RuntimeError(f"{clients - len(took)} of {clients} clients had no page within {PATIENCE} s")
    return took


if __name__ == "__main__":
    main()
