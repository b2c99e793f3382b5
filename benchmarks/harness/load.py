"""Many annotators at once, driven by one thread: each sends its next judgment when the last was answered.

Plain sockets and one selector, so that the load costs the machine little beside the server that it measures.
"""

import json
import random
import selectors
import socket
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Seconds = float
CONNECT_SECONDS = 20


@dataclass
class Load:
    """What a stretch of load came to: the seconds that each submit and each search for work took."""

    submits: list[Seconds] = field(default_factory=list)
    searches: list[Seconds] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    elapsed: Seconds = 0.0


class Line:
    """A keep-alive connection to a server on this machine."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=CONNECT_SECONDS)
        self.socket.settimeout(None)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""

    def receive(self) -> tuple[int, bytes] | None:
        """The status and body once all of the answer is there."""
        got = self.socket.recv(65536)
        if not got:
            raise ConnectionError("the server closed the connection")
        self.received += got
        head, end, body = self.received.partition(b"\r\n\r\n")
        if not end:
            return None
        lower = head.lower()
        at = lower.find(b"content-length:")
        length = int(lower[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
        return (int(head[9:12]), body) if len(body) >= length else None


class Worker(Line):
    """One annotator's keep-alive connection.

    Args:
        request: makes the next request from the last answer; None stops.
        search: what in a request's first line tells a search for work from a submit.
    """

    def __init__(
        self,
        port: int,
        request: Callable[[dict[str, Any] | None], bytes | None],
        search: bytes = b"/judge/next ",
    ) -> None:
        super().__init__(port)
        self.search = search
        self.request = request
        self.began = 0.0
        self.searching = True

    def send(self, answer: dict[str, Any] | None) -> bool:
        line = self.request(answer)
        if line is None:
            return False
        self.received = b""
        self.searching = self.search in line[:80]
        self.began = time.perf_counter()
        self.socket.sendall(line)
        return True


def post_of(port: int, path: str, body: dict[str, Any], *, cookies: str, token: str) -> bytes:
    """The bytes of a POST of JSON, as a page of this login sends it."""
    sent = json.dumps(body).encode()
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookies}\r\n"
        f"X-CSRFToken: {token}\r\nContent-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
    ).encode() + sent


def log_in(client: Any, account: Any) -> tuple[str, str]:
    """A session's cookies and the token that a page would have sent."""
    from django.middleware.csrf import _get_new_csrf_string

    client.force_login(account)
    token = _get_new_csrf_string()
    return f"sessionid={client.cookies['sessionid'].value}; csrftoken={token}", token


def annotator(port: int, collection: str, cookies: str, token: str, seed: int) -> Worker:
    """Somebody who judges whatever is offered, near a truth of the pair's own: some pairs go to a second round."""
    dice = random.Random(seed)

    def post(path: str, body: dict[str, Any]) -> bytes:
        return post_of(port, f"/c/{collection}/judge/{path}", body, cookies=cookies, token=token)

    def request(answer: dict[str, Any] | None) -> bytes | None:
        if not answer or not answer["tasks"]:
            return post("next", {})
        pair = answer["tasks"][0]["pair"]
        truth = int(pair[:2], 16) % 5
        grade = min(4, max(0, truth + dice.choice((-1, 0, 0, 0, 1, 2))))
        key = str(uuid.uuid4())  # never seeded: in the next stretch the same people send other judgments
        return post("grade", {"pair": pair, "grade": grade, "key": key, "played": 1.0, "active_ms": 4000})

    return Worker(port, request)


def drive(workers: list[Worker], *, seconds: Seconds) -> Load:
    """All of them at work for so long; every answer's time, by kind."""
    load = Load()
    with selectors.DefaultSelector() as selector:
        for worker in workers:
            selector.register(worker.socket, selectors.EVENT_READ, worker)
            worker.send(None)
        began = time.perf_counter()
        while (now := time.perf_counter()) - began < seconds:
            for key, _ in selector.select(timeout=1):
                _receive(key.data, load)
        load.elapsed = now - began
        # Requests under way are answered before the next stretch begins, and aren't counted.
        for worker in workers:
            while worker.receive() is None:
                pass
            worker.socket.close()
    return load


def _receive(worker: Worker, load: Load) -> None:
    got = worker.receive()
    if got is None:
        return
    status, body = got
    took = time.perf_counter() - worker.began
    (load.searches if worker.searching else load.submits).append(took)
    if status not in (200, 201):
        load.failures.append(f"{status}: {body[:200]!r}")
        raise RuntimeError(load.failures[-1])
    worker.send(json.loads(body))
