"""A receiver of webhooks that answers as it is told to: at once, with an error, elsewhere, late, or never."""

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HERE = ("127.0.0.0/8",)
"""The networks that have to be allowed for it."""


@dataclass
class Got:
    """A request that came."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """What it has got, and what it answers next: statuses, a place to lead to, bytes, or "never"; 204 at the end."""

    port: int = 0
    answers: list[Any] = field(default_factory=list)
    got: list[Got] = field(default_factory=list)
    let_go: threading.Event = field(default_factory=threading.Event)
    """Set, it lets go of requests that it never answers."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?from=qreels"


@contextmanager
def receiver(context: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """A receiver on a free port of 127.0.0.1."""
    made = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            made.got.append(Got(self.path, {name.lower(): text for name, text in self.headers.items()}, body))
            answer = made.answers.pop(0) if made.answers else 204
            if answer == "never":
                self.wfile.write(b"HTTP/1.1 ")
                self.wfile.flush()
                made.let_go.wait(60)
                return
            if isinstance(answer, bytes):
                self.wfile.write(answer)
                return
            self.send_response(302 if isinstance(answer, str) else answer)
            if isinstance(answer, str):
                self.send_header("Location", answer)
            self.end_headers()

        def log_message(self, *said: Any) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Who hangs up, or trusts no certificate of ours, is what tests are about."""

    server = Quiet(("127.0.0.1", 0), Handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    made.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield made
    finally:
        made.let_go.set()
        server.shutdown()
        server.server_close()
        thread.join()
