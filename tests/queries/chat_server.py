"""A server that speaks OpenAI's protocol over real HTTP (chat completions, files, batches) and misbehaves as told."""

from __future__ import annotations

import base64
import json
import math
import re
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

Captions = list[dict[str, Any]]
Behaviour = Callable[[dict[str, Any], int], "Reply"]


@dataclass
class Reply:
    """One answer: a status with headers and a body, or a connection cut without any, or in the middle of it."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    half: bool = False
    delay: float = 0.0


def texts(request: dict[str, Any]) -> list[str]:
    """The descriptions of a request, in their order: of JSON, or one a line; of a clip's request its query."""
    content = text_of(request["messages"][-1])
    if content[0] != "{":
        return content.splitlines()
    asked, _ = json.JSONDecoder().raw_decode(content)
    return [row["text"] for row in asked["descriptions"]] if "descriptions" in asked else [asked["query"]]


def text_of(message: dict[str, Any]) -> str:
    """The text of a message, which may be one of its parts."""
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def pictures(request: dict[str, Any]) -> list[bytes]:
    """The pictures, or the film, of a request, as files."""
    parts = request["messages"][-1]["content"]
    addresses = [part[part["type"]]["url"] for part in parts if part["type"] != "text"]
    return [base64.b64decode(address.partition(";base64,")[2]) for address in addresses]


def captions(request: dict[str, Any]) -> Captions:
    """The right captions for a request: "Rachel" and "Joey" replaced, nothing else."""
    asked = json.loads(request["messages"][-1]["content"])["descriptions"]
    return [
        {"id": row["id"], "caption": row["text"].replace("Rachel", "A woman").replace("Joey", "A man")} for row in asked
    ]


def by_lines(request: dict[str, Any], _: int = 0) -> Reply:
    """A server in good health that is asked for captions one a line."""
    return completion("\n".join(text.replace("Rachel", "A woman").replace("Joey", "A man") for text in texts(request)))


def tokens(text: str) -> int:
    """A count as a byte-pair tokenizer's: words in pieces of at most six letters, marks by themselves."""
    return len(re.findall(r"\s?[^\W\d_]{1,6}|\d{1,3}|[^\w\s]{1,2}", text))


def completion(content: str | None, finish_reason: str = "stop", **message: Any) -> Reply:
    """A chat completion with this content."""
    choice = {
        "index": 0,
        "finish_reason": finish_reason,
        "message": {"role": "assistant", "content": content, **message},
    }
    return Reply(body={"id": "c1", "object": "chat.completion", "created": 1, "model": "m-2026", "choices": [choice]})


def well(request: dict[str, Any], _: int = 0) -> Reply:
    """A server in good health."""
    return completion(json.dumps({"captions": captions(request)}))


def graded(answer: str, likely: dict[str, float] | None = None) -> Reply:
    """An answer that is one token; `likely`: the probabilities of the likeliest ones in its place."""
    reply = completion(answer)
    if likely is not None:
        tops = [{"token": token, "logprob": math.log(share), "bytes": None} for token, share in likely.items()]
        own = next((top for top in tops if top["token"] == answer), {"token": answer, "logprob": -9.0, "bytes": None})
        reply.body["choices"][0]["logprobs"] = {"content": [{**own, "top_logprobs": tops}], "refusal": None}
    return reply


def refusal(status: int, message: str, **headers: str) -> Reply:
    """An error as OpenAI words it."""
    return Reply(status, {"error": {"message": message, "type": "error", "code": None, "param": None}}, headers)


def _with_usage(request: dict[str, Any], reply: Reply) -> Reply:
    """Says what it cost, as OpenAI does."""
    if isinstance(reply.body, dict) and "choices" in reply.body and "usage" not in reply.body:
        sent = sum(tokens(text_of(message)) + 4 for message in request["messages"])
        sent += 85 * sum(
            len(message["content"]) - 1 for message in request["messages"] if isinstance(message["content"], list)
        )
        sent += tokens(json.dumps(request.get("response_format", "")))
        answered = sum(tokens(choice["message"]["content"] or "") for choice in reply.body["choices"])
        usage = {"prompt_tokens": sent, "completion_tokens": answered, "total_tokens": sent + answered}
        reply.body = {"system_fingerprint": "fp-7", **reply.body, "usage": usage}
    return reply


class ChatServer:
    """Answers by the behaviour it was given and remembers what it was asked.

    Batches are answered by the same behaviour, a request a line, when they are looked at for the second time;
    `ends` says how each batch ends, in their order ("completed" when it runs out; "expired" answers the first half,
    "failed" nothing). `calls` has every request to the files and batches as "POST /files" and so on.
    """

    def __init__(self, behave: Behaviour, *, ends: list[str] | None = None) -> None:
        self.requests: list[dict[str, Any]] = []
        self.answered: Counter[str] = Counter()
        """How often each description was answered, and so paid for."""
        self.keys: list[str] = []
        self.most_at_once = 0
        self.calls: list[str] = []
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.call_faults: dict[str, list[Reply]] = {}
        """What to answer instead, by call, the first first; such a call is done all the same if it is cut."""
        self._ends = list(ends or [])
        self._behave = behave
        self._at_once = 0
        self.lock = threading.Lock()
        self._gone = threading.Event()
        self._http = _Http(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def chat(self, request: dict[str, Any], key: str = "") -> Reply:
        """One chat completion."""
        with self.lock:
            self.requests.append(request)
            self.keys.append(key)
            number = len(self.requests)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            reply = _with_usage(request, self._behave(request, number))
            self._gone.wait(reply.delay)
        finally:
            with self.lock:
                self._at_once -= 1
        if reply.status == 200 and not reply.cut:
            with self.lock:
                self.answered.update(texts(request))
        return reply

    def call(self, method: str, path: str, body: bytes, content_type: str) -> Reply:
        """A request to the files or batches."""
        name = f"{method} /{path.split('/')[0]}" + ("/…" if "/" in path else "")
        with self.lock:
            self.calls.append(name)
            fault = self.call_faults[name].pop(0) if self.call_faults.get(name) else None
        if fault is not None and not fault.cut:
            return fault
        reply = self._do(method, path.split("/"), body, content_type)
        return fault or reply

    def _do(self, method: str, path: list[str], body: bytes, content_type: str) -> Reply:
        if (method, path) == ("POST", ["files"]):
            name = f"file-{uuid.uuid4().hex[:8]}"
            self.files[name] = _uploaded(body, content_type)
            return Reply(body=_file(name))
        if (method, path) == ("POST", ["batches"]):
            asked = json.loads(body)
            name = f"batch-{uuid.uuid4().hex[:8]}"
            self.batches[name] = {
                "id": name,
                "object": "batch",
                "created_at": 1,
                **asked,
                "status": "validating",
            }
            return Reply(body=self.batches[name])
        if (method, path) == ("GET", ["batches"]):
            return Reply(body={"object": "list", "data": list(self.batches.values()), "has_more": False})
        if method == "GET" and path[0] == "batches" and path[1] in self.batches:
            return Reply(body=self._look(self.batches[path[1]]))
        if method == "GET" and path[0] == "files" and path[1] in self.files and path[2:] == ["content"]:
            return Reply(body=self.files[path[1]])
        return refusal(404, f"there is no {'/'.join(path)}")

    def _look(self, batch: dict[str, Any]) -> dict[str, Any]:
        """The batch one step further on than it was."""
        if batch["status"] == "validating":
            batch["status"] = "in_progress"
            return batch
        if batch["status"] != "in_progress":
            return batch
        end = self._ends.pop(0) if self._ends else "completed"
        lines = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines() if line.strip()]
        done = {"completed": len(lines), "expired": len(lines) // 2}.get(end, 0)
        good, bad = [], []
        for place, line in enumerate(lines):
            row: dict[str, Any] = {"id": f"r{place}", "custom_id": line["custom_id"], "response": None, "error": None}
            if place >= done:
                row["error"] = {"code": "batch_expired", "message": "This request could not be executed in time."}
                bad.append(row)
                continue
            reply = self.chat(line["body"])
            row["response"] = {"status_code": reply.status, "request_id": f"q{place}", "body": reply.body}
            (good if reply.status == 200 else bad).append(row)
        batch["status"] = end
        if end == "failed":
            batch["errors"] = {"object": "list", "data": [{"code": "bad_line", "message": "line 1 can't be read"}]}
            return batch
        for name, rows in (("output_file_id", good[::-1]), ("error_file_id", bad)):
            if rows:
                batch[name] = f"file-{uuid.uuid4().hex[:8]}"
                self.files[batch[name]] = "\n".join(json.dumps(row) for row in rows).encode()
        return batch

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


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a client that went away is what some tests are about."""


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Small answers in one packet: otherwise each waits 40 ms for an acknowledgement.
        wbufsize = -1
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._serve("GET")

        def do_POST(self) -> None:
            self._serve("POST")

        def _serve(self, method: str) -> None:
            path = urlsplit(self.path).path.removeprefix("/v1/")
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            if path == "chat/completions":
                reply = server.chat(json.loads(body), self.headers.get("authorization", ""))
            else:
                reply = server.call(method, path, body, self.headers.get("content-type", ""))
            if reply.cut:
                self.close_connection = True
                return
            sent = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(sent)))
            self.send_header("x-request-id", f"req-{len(server.requests)}")
            for name, value in reply.headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            if reply.half:
                sent = sent[: len(sent) // 2]
                self.close_connection = True
            self.wfile.write(sent)
            self.wfile.flush()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler


def _uploaded(body: bytes, content_type: str) -> bytes:
    """The file of a multipart form."""
    form = BytesParser().parsebytes(b"content-type: " + content_type.encode() + b"\r\n\r\n" + body)
    for part in form.get_payload():
        if part.get_param("name", header="content-disposition") == "file":
            return bytes(part.get_payload(decode=True))
    raise ValueError("the form has no file")


def _file(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "object": "file",
        "bytes": 1,
        "created_at": 1,
        "filename": "a.jsonl",
        "purpose": "batch",
        "status": "processed",
    }


@contextmanager
def serving(behave: Behaviour, *, ends: list[str] | None = None) -> Iterator[ChatServer]:
    """A running server; behave gets the request and its number from 1."""
    with ChatServer(behave, ends=ends).running() as server:
        yield server
