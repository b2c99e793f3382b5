"""A proxy before an S3 server that misbehaves as told: connections reset, SlowDown, bodies cut, no answer at all."""

import socket
import struct
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

import requests

Fault = Literal["reset", "slow down", "cut", "hang"]
SLOW_DOWN = (
    b'<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>'
)
HOP_BY_HOP = {"connection", "transfer-encoding", "server", "date"}


class FaultyS3(ThreadingHTTPServer):
    """`faults` happen to the next requests, one each; then `always` to all. `only`: to this method alone."""

    daemon_threads = True

    def __init__(self, upstream: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.upstream = upstream
        self.address = f"http://127.0.0.1:{self.server_port}"
        self.faults: deque[Fault] = deque()
        self.always: Fault | None = None
        self.only = ""
        self.happened: list[str] = []
        self.over = threading.Event()

    def next_fault(self, method: str) -> Fault | None:
        if self.only and method != self.only:
            return None
        found = self.faults.popleft() if self.faults else self.always
        if found:
            self.happened.append(f"{method} {found}")
        return found


class _Handler(BaseHTTPRequestHandler):
    server: FaultyS3
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        pass

    def _answer(self) -> None:
        if self.headers.get("Expect") == "100-continue":
            pass  # BaseHTTPRequestHandler has said "go on"
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self.server.next_fault(self.command)
        if fault == "reset":
            self._reset()
            return
        if fault == "hang":
            self.server.over.wait(60)
            self._reset()
            return
        if fault == "slow down":
            self._say(503, {"Content-Type": "application/xml"}, SLOW_DOWN)
            return
        headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
        found = requests.request(
            self.command, self.server.upstream + self.path, headers=headers, data=body, timeout=30, stream=True
        )
        content = found.raw.read(decode_content=False)
        kept = {name: value for name, value in found.headers.items() if name.lower() not in HOP_BY_HOP}
        if fault == "cut":
            self._say(found.status_code, kept, content, sent=content[: len(content) // 2])
            self._reset()
        else:
            self._say(found.status_code, kept, content)

    def _say(self, status: int, headers: dict[str, str], content: bytes, *, sent: bytes | None = None) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() != "content-length":
                self.send_header(name, value)
        length = headers.get("Content-Length", "0") if self.command == "HEAD" else str(len(content))
        self.send_header("Content-Length", length)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content if sent is None else sent)
            self.wfile.flush()

    def _reset(self) -> None:
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = _answer


@contextmanager
def faulty_s3(upstream: str) -> Iterator[FaultyS3]:
    """One that listens; it has no faults until it is told."""
    server = FaultyS3(upstream)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
