"""An HTTP server that misbehaves as it is told to: refuses, breaks off, sends something else."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Self


@dataclass
class Asked:
    """A request that arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Reply:
    """What is answered. `cut`: the connection breaks after so many bytes of the body; -1: before anything is said."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


Script = Callable[[Asked], Reply]


class FaultyServer:
    """Answers the requests one after the other by `replies`, then the last of them again; or each by `script`."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.replies: list[Reply] = []
        self.script: Script = self._next_reply
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                asked = Asked(self.command, self.path, dict(self.headers), body)
                outer.asked.append(asked)
                _send(self, outer.script(asked))

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer

            def log_message(self, *message: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def _next_reply(self, asked: Asked) -> Reply:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *fault: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    if reply.cut == -1:
        _break_off(handler)
        return
    handler.send_response(reply.status)
    content = b"" if reply.status in (204, 304) else reply.content
    for name, value in {"Content-Type": "application/json", "Content-Length": str(len(content))}.items():
        handler.send_header(name, reply.headers.get(name, value))
    for name, value in reply.headers.items():
        if name not in ("Content-Type", "Content-Length"):
            handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(content if reply.cut is None else content[: reply.cut])
    if reply.cut is not None:
        handler.wfile.flush()
        # What was sent arrives before the end does.
        handler.connection.shutdown(socket.SHUT_WR)
        handler.close_connection = True


def _break_off(handler: BaseHTTPRequestHandler) -> None:
    """As when a process is killed: the other side hears of a reset."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.close_connection = True
