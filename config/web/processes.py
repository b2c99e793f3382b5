"""The web server's processes: `python -m config.web.processes APPLICATION [--bind HOST:PORT ...]`.

The first one imports the application, listens, and forks those that answer; one that ends is started again. SIGTERM
ends them gently: nobody new is let in, and whatever has begun to arrive is answered.
"""

import argparse
import multiprocessing
import os
import resource
import signal
import socket
import sys
import time
from importlib import import_module
from typing import Any

from waitress import wasyncore
from waitress.task import ThreadedTaskDispatcher

from config.own_servers import tell_systemd
from config.variables import Site
from config.web.server import CONNECTIONS, Server
from config.web.shares import Shares

GRACE_SECONDS = 10
"""For what has begun when the server is told to stop."""
PAUSE_SECONDS = 0.5
"""Before a process that has ended is started again."""
LOOK_SECONDS = 1
"""A process looks so often whether the first one is still there."""
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)


def listen(where: str) -> socket.socket:
    """A socket that listens at HOST:PORT. Raises: argparse.ArgumentTypeError."""
    host, colon, port = where.rpartition(":")
    if not (colon and port.isdecimal()):
        raise argparse.ArgumentTypeError(f"found {where!r}, expected HOST:PORT such as 127.0.0.1:8000")
    host = host.strip("[]")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, int(port)), family=family, backlog=1024)
    except (OSError, OverflowError) as error:
        raise argparse.ArgumentTypeError(f"nothing can listen at {where}: {error}") from None


def answer(application: Any, sockets: list[socket.socket], shares: Shares, place: int, threads: int) -> None:
    """The life of a process that answers."""
    first, stopping = os.getppid(), False
    loop_map: dict[int, Any] = {}
    dispatcher = ThreadedTaskDispatcher()
    dispatcher.set_thread_count(threads)
    shares.place = place
    shares.say(0)
    servers = [
        Server(application, listening, shares=shares, map=loop_map, dispatcher=dispatcher) for listening in sockets
    ]

    def stop(*_: object) -> None:
        nonlocal stopping
        stopping = True
        servers[0].pull_trigger()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: the first process passes it on
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    while not stopping and os.getppid() == first:
        wasyncore.loop(LOOK_SECONDS, use_poll=True, map=loop_map, count=1)
    shares.leave(place)
    for server in servers:
        server.handle_accept()  # who has come before is answered, too
        server.accepting = False
        wasyncore.dispatcher.close(server)
    wasyncore.loop(0, use_poll=True, map=loop_map, count=1)  # what they have sent is read: it has begun
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline and end_idle(servers):
        wasyncore.loop(0.1, use_poll=True, map=loop_map, count=1)


def end_idle(servers: list[Server]) -> bool:
    """Close connections on which nothing has begun. Returns: whether there are others."""
    for server in servers:
        server.maintenance(time.time())
        for channel in list(server.active_channels.values()):
            if not channel.is_busy:
                channel.handle_close()
    return any(server.active_channels for server in servers)


def main() -> int:
    parser = argparse.ArgumentParser(prog="script/server", description="The web server of production.")
    parser.add_argument("application", help=argparse.SUPPRESS)
    parser.add_argument("--bind", "-b", type=listen, action="append", required=True, metavar="HOST:PORT")
    options = parser.parse_args()
    module, _, name = options.application.partition(":")
    application = getattr(import_module(module), name)
    site = Site.read(os.environ)
    count, threads = site.QREELS_WEB_WORKERS, site.QREELS_WEB_THREADS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = 4 * CONNECTIONS if hard == resource.RLIM_INFINITY else min(4 * CONNECTIONS, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, files), hard))

    shares, forking = Shares(count), multiprocessing.get_context("fork")
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    processes: dict[int, Any] = {}

    def start(place: int) -> None:
        processes[place] = forking.Process(target=answer, args=(application, options.bind, shares, place, threads))
        processes[place].start()

    for place in range(count):
        start(place)
    for listening in options.bind:
        host, port = listening.getsockname()[:2]
        print(f"Listening at http://{host if ':' not in host else f'[{host}]'}:{port}", file=sys.stderr, flush=True)
    tell_systemd("READY=1")
    while signal.sigwait(SIGNALS) == signal.SIGCHLD:
        ended = [place for place, process in processes.items() if not process.is_alive()]
        for place in ended:
            shares.leave(place)
            print(f"A web process ended ({processes[place].exitcode}) and is started again.", file=sys.stderr)
        time.sleep(PAUSE_SECONDS if ended else 0)
        for place in ended:
            start(place)
    for process in processes.values():
        process.terminate()
    deadline = time.monotonic() + GRACE_SECONDS + 2
    for process in processes.values():
        process.join(max(0.0, deadline - time.monotonic()))
        process.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
