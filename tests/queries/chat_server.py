"""A server that speaks OpenAI's chat completions over real HTTP and misbehaves as told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Captions = list[dict[str, Any]]


@dataclass
class Reply:
    """One answer: a status with headers and a body, or a connection cut without any."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    delay: float = 0.0


def captions(request: dict[str, Any]) -> Captions:
    """The right captions for a request: "Rachel" and "Joey" replaced, nothing else."""
    asked = json.loads(request["messages"][-1]["content"])["descriptions"]
    return [
        {"id": one["id"], "caption": one["text"].replace("Rachel", "A woman").replace("Joey", "A man")} for one in asked
    ]


def completion(content: str | None, **message: Any) -> Reply:
    """A chat completion with this content."""
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": content, **message},
    }
    return Reply(body={"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]})


def well(request: dict[str, Any]) -> Reply:
    """A server in good health."""
    return completion(json.dumps({"captions": captions(request)}))


def refusal(status: int, message: str, **headers: str) -> Reply:
    """An error as OpenAI words it."""
    return Reply(status, {"error": {"message": message, "type": "error", "code": None, "param": None}}, headers)


class ChatServer:
    """Answers by the behaviour it was given and remembers what it was asked."""

    def __init__(self, behave: Callable[[dict[str, Any], int], Reply]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.most_at_once = 0
        self._behave = behave
        self._at_once = 0
        self._lock = threading.Lock()
        self._gone = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with server._lock:
                    server.requests.append(request)
                    server.keys.append(self.headers.get("authorization", ""))
                    number = len(server.requests)
                    server._at_once += 1
                    server.most_at_once = max(server.most_at_once, server._at_once)
                reply = server._behave(request, number)
                server._gone.wait(reply.delay)
                with server._lock:
                    server._at_once -= 1
                if reply.cut:
                    self.close_connection = True
                    return
                body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                self.send_response(reply.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                for name, value in reply.headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler

    @contextmanager
    def running(self) -> Iterator[ChatServer]:
        thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._gone.set()
            self._http.shutdown()
            self._http.server_close()


@contextmanager
def serving(behave: Callable[[dict[str, Any], int], Reply]) -> Iterator[ChatServer]:
    """A running server; behave gets the request and its number from 1."""
    with ChatServer(behave).running() as server:
        yield server
