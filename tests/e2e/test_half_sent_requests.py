"""Requests that never end, come byte by byte or are too large, at real sockets: the site goes on answering."""

import contextlib
import json
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import requests

from config.web.limits import LONGEST_BODY
from config.web.server import (
    BODY_SECONDS,
    HEAD_SECONDS,
    LEAST_RATE,
    LONGEST_HEAD,
    UPLOADS_EACH,
    Request,
    adjustments,
)
from corpus.models import Import
from demo.simulated_annotators import Visitor
from foundation.models import Membership

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

MANY = 50
MEGABYTE = 1 << 20


class Line:
    """A connection that says what it is told to."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)

    def say(self, text: str | bytes) -> "Line":
        self.socket.sendall(text.encode() if isinstance(text, str) else text)
        return self

    def answer(self) -> tuple[int, bytes]:
        """The status and all that comes until the server closes the line."""
        got = b""
        with contextlib.suppress(ConnectionError):
            while part := self.socket.recv(65536):
                got += part
        return int(got.split(b" ", 2)[1]), got

    def close(self) -> None:
        self.socket.close()


def post(path: str, length: int, *more: str) -> str:
    return "\r\n".join([f"POST {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {length}", *more, "", ""])


@pytest.fixture
def lines(server: Any) -> Iterator[Any]:
    opened: list[Line] = []

    def open_line() -> Line:
        opened.append(Line(server.port))
        return opened[-1]

    yield open_line
    for line in opened:
        line.close()


@pytest.fixture(scope="module")
def unending(server: Any) -> Iterator[Line]:
    """A request whose headers never end, begun before the first test here that asks for it."""
    line = Line(server.port).say("GET /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
    yield line
    line.close()


def ask(server: Any) -> int:
    # No more patience than somebody has who waits for a page: a thread that is held would be held for longer.
    return requests.get(f"{server.address}/login/", timeout=30).status_code


def test_half_sent_and_trickled_requests_hold_nobody_up(server: Any, lines: Any, unending: Line) -> None:
    unsaid = [lines() for _ in range(MANY)]
    heads = [lines().say("GET /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ") for _ in range(MANY)]
    bodies = [lines().say(post("/login/", 1000) + "username=") for _ in range(MANY)]
    for _ in range(5):
        for slow in heads + bodies:
            with contextlib.suppress(ConnectionError):  # it was given up meanwhile
                slow.say("a")
        assert ask(server) == 200
    assert len(unsaid) == MANY
    line = lines()
    for piece in ("GET /log", "in/ HTTP/1.1\r\nHost: 127.", "0.0.1\r", "\n\r", "\n"):
        assert ask(server) == 200
        line.say(piece)
    assert line.socket.recv(65536).startswith(b"HTTP/1.1 200 ")
    line = lines().say(post("/login/", 10) + "user")
    assert ask(server) == 200
    assert line.say("name=a").socket.recv(65536).startswith(b"HTTP/1.1 403 "), "whole, and without its CSRF token"


def test_readers_who_take_nothing_hold_nobody_up(server: Any, lines: Any) -> None:
    page = requests.get(f"{server.address}/login/", timeout=30).text
    script = page.split('<link rel="stylesheet" href="')[1].split('"')[0]
    for _ in range(MANY):
        lines().say(f"GET {script} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 20)
    assert ask(server) == 200


def test_two_requests_in_one_go_are_answered_one_after_the_other(server: Any, lines: Any) -> None:
    once = "GET /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    status, got = lines().say(f"{once}\r\n{once}Connection: close\r\n\r\n").answer()
    assert status == 200 and got.count(b"HTTP/1.1 200 ") == 2


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (post("/login/", 400 * MEGABYTE), 413),
        (post("/login/", LONGEST_BODY + 1), 413),
        (post("/c/paper/imports/upload", 1 << 40), 413),
        (post("/c/paper/imports/upload", 400 * MEGABYTE), 401),
        (post("/c/paper/imports/upload", 400 * MEGABYTE, "Cookie: sessionid=guessed"), 401),
        ("POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        ("GET /login/ HTTP/1.1\r\nX-Long: " + "x" * LONGEST_HEAD, 431),
        ("nonsense\r\n\r\n", 400),
        (post("/login/", 0, "Content-Length: 5"), 400),
        (post("/login/", 0).replace(": 0", ": 0x5"), 400),
    ],
)
def test_what_is_too_large_or_unclear_is_refused_before_it_is_sent(
    server: Any, lines: Any, said: str, status: int
) -> None:
    found, got = lines().say(said).answer()
    assert found == status
    assert b"Traceback" not in got


TOPICS = "/api/v1/collections/paper/topics"


@pytest.mark.parametrize(
    ("said", "status", "sentence"),
    [
        (post(TOPICS, LONGEST_BODY + 1), 413, "larger than the 1 MB"),
        (f"GET {TOPICS}?after=1 HTTP/1.1\r\nX-Long: " + "x" * LONGEST_HEAD, 431, "longer than 32768 bytes"),
        (f"GET {TOPICS} HTTP/1.1\r\nno header\r\n\r\n", 400, "Invalid header"),
        (post(TOPICS, 0).replace(": 0", ": +5"), 400, "Content-Length is invalid"),
        (post(TOPICS, 0).replace(": 0", ": " + "9" * 5000), 400, "Content-Length is invalid"),
        (f"POST {TOPICS} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411, "Content-Length"),
    ],
)
def test_programs_are_refused_in_json(server: Any, lines: Any, said: str, status: int, sentence: str) -> None:
    found, got = lines().say(said).answer()
    head, _, body = got.partition(b"\r\n\r\n")
    told = json.loads(body)
    assert found == told["status"] == status and b"\r\nContent-Type: application/problem+json\r\n" in head
    assert told["instance"] == TOPICS
    assert sentence in told["detail"]
    if status == 413:
        assert told["errors"][0]["field"] == "body"


def test_a_head_alone_is_answered_without_its_body_and_the_connection_goes_on(server: Any, lines: Any) -> None:
    style = requests.get(f"{server.address}/login/", timeout=30).text.split('<link rel="stylesheet" href="')[1]
    for path in ("/login/", "/healthz", style.split('"')[0]):
        head = f"{{}} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        said = head.format("HEAD") + "\r\n" + head.format("GET") + "Connection: close\r\n\r\n"
        _, got = lines().say(said).answer()
        first, _, second = got.partition(b"\r\n\r\n")
        assert second.startswith(b"HTTP/1.1 200 OK\r\n") and b"\r\nContent-Length: " in first


def open_files(server: Any) -> list[str]:
    """What the web processes have open and has no name any longer: temporary files."""
    main = psutil.Process(server._process.pid)
    found = []
    for process in [main, *main.children()]:
        for entry in Path(f"/proc/{process.pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                target = str(entry.readlink())
                if target.startswith(tempfile.gettempdir()) and target.endswith("(deleted)"):
                    found.append(target)
    return found


def test_four_hundred_megabytes_to_the_login_are_refused_early_and_never_on_disk(server: Any, lines: Any) -> None:
    before = open_files(server)
    line = lines().say(post("/login/", 400 * MEGABYTE, "Content-Type: application/x-www-form-urlencoded"))
    sent = 0
    with contextlib.suppress(ConnectionError):
        while sent < 400:
            line.say(b"x" * MEGABYTE)
            sent += 1
            assert open_files(server) == before
    assert sent < 400, "the server hangs up long before"
    assert ask(server) == 200


def test_a_large_file_is_taken_from_a_lead_alone(server: Any, lines: Any, collection: Any) -> None:
    lead = Visitor(server.address, "ada", "a-paper-moon")
    other = Visitor(server.address, "bo", "a-paper-moon")
    path = f"/c/{collection.name}/imports/upload"
    file = b'{"video": "v", "start": 0, "end": 1, "text": "' + b"x" * (2 * MEGABYTE) + b'"}\n'
    answer = lead.post(path, files={"file": ("rows.jsonl", file)}, expect=(302,))
    assert "/imports/" in answer.headers["Location"]
    assert Import.objects.get().size == len(file)
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in other.session.cookies)
    status, _ = lines().say(post(path, 400 * MEGABYTE, f"Cookie: {cookies}")).answer()
    assert status == 403, "bo doesn't lead here"


def test_one_account_cannot_take_the_place_of_everybodys_uploads(server: Any, lines: Any, collection: Any) -> None:
    path = f"/c/{collection.name}/imports/upload"
    Membership.objects.filter(account__username="bo").update(role="lead")
    ada, bo = (Visitor(server.address, name, "a-paper-moon") for name in ("ada", "bo"))
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in ada.session.cookies)
    file = b'{"video": "v", "start": 0, "end": 1, "text": "' + b"x" * (2 * MEGABYTE) + b'"}\n'
    let_in = 0
    for _ in range(3 * UPLOADS_EACH):
        line = lines().say(post(path, 400 * MEGABYTE, f"Cookie: {cookies}", "Expect: 100-continue"))
        if line.socket.recv(65536, socket.MSG_PEEK) == b"HTTP/1.1 100 Continue\r\n\r\n":
            let_in += 1
        else:
            status, got = line.answer()
            assert status == 503 and b"You are sending 4 files already." in got
    assert UPLOADS_EACH <= let_in <= 2 * UPLOADS_EACH, "each of two processes counts for itself"
    bo.post(path, files={"file": ("rows.jsonl", file)}, expect=(302,))


def arriving(head: str, body: bytes = b"") -> Request:
    request = Request(adjustments())
    for part in (head.encode(), body):
        request.received(part)
    return request


def test_a_request_that_comes_more_slowly_than_the_least_rate_is_late() -> None:
    head = arriving("GET / HTTP/1.1\r\nHost: ")
    assert not head.is_late(head.began_at + HEAD_SECONDS) and head.is_late(head.began_at + HEAD_SECONDS + 1)
    body = arriving(post("/login/", LONGEST_BODY), b"x" * 5 * LEAST_RATE)
    assert not body.is_late(body.head_at + BODY_SECONDS + 4)
    assert body.is_late(body.head_at + BODY_SECONDS + 6), "also while bytes come"
    assert arriving(post("/login/", LONGEST_BODY)).is_late(body.head_at + BODY_SECONDS + 1), "with nothing of its body"


def test_deadlines_count_from_when_a_request_would_have_begun_at_the_least_rate() -> None:
    request = arriving(post("/login/", 3 * LEAST_RATE))
    request.began_at -= 75
    assert not request.completed
    request.received(b"x" * 3 * LEAST_RATE)
    assert request.completed
    assert 3 <= request.began_ago() < 4, "and not 75 s ago, when its head came"
    quick = arriving(post("/login/", 3 * LEAST_RATE), b"x" * 3 * LEAST_RATE)
    assert quick.began_ago() < 1, "first byte and last came together"


def test_headers_that_never_end_are_answered_with_a_sentence_and_hung_up_on(unending: Line) -> None:
    status, got = unending.answer()
    assert status == 408 and b"The request took too long to arrive." in got


def test_a_killed_process_is_started_again_and_the_site_goes_on_answering(server: Any) -> None:
    first = psutil.Process(server._process.pid)
    before = [one.pid for one in first.children()]
    psutil.Process(before[0]).kill()
    assert ask(server) == 200
    deadline = time.monotonic() + 30
    # One that was killed may be seen a moment longer.
    while before[0] in (now := [one.pid for one in first.children()]) or len(now) < len(before):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert ask(server) == 200


def test_kept_connections_are_shared_evenly_by_the_processes(server: Any, lines: Any) -> None:
    processes = psutil.Process(server._process.pid).children()

    def held() -> list[list[str]]:
        """The states of the connections that each process holds."""
        found = [process.net_connections() for process in processes]
        return [[one.status for one in ours if one.laddr.port == server.port] for ours in found]

    # What the tests before had open counts for as long as a process holds it, also once its other end is gone.
    deadline = time.monotonic() + 60
    while any(set(states) - {psutil.CONN_LISTEN} for states in held()):
        assert time.monotonic() < deadline
        time.sleep(0.1)

    for _ in range(MANY):
        line = lines().say("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert line.socket.recv(65536).startswith(b"HTTP/1.1 200")
    now = [states.count(psutil.CONN_ESTABLISHED) for states in held()]
    assert sum(now) >= MANY
    assert max(now) - min(now) <= 1


def test_a_server_that_is_told_to_stop_answers_what_it_has_begun(server: Any, lines: Any) -> None:
    line = lines().say(post("/login/", 10) + "user")
    process = psutil.Process(server._process.pid)
    try:
        children = process.children()
        process.terminate()
        line.say("name=a")
        assert line.answer()[0] == 403
        psutil.wait_procs(children, timeout=20)
        assert not [child for child in children if child.is_running()]
    finally:
        server.stop()
        server.start()
