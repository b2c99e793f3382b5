"""Waitress with our limits: whoever sends slowly, too much or without a login is answered and hung up on.

Waitress reads all connections in one loop and gives its threads complete requests only, so that half-sent requests and
slow readers block nobody. What it leaves open is here: a least rate, a sentence for each refusal, and senders of large
bodies who are asked for their login before the body is read.
"""

import contextlib
import logging
import shutil
import socket
import tempfile
import threading
import time
from http import HTTPStatus
from typing import Any

from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, WSGITask

from config.web.limits import LONGEST_BODY, BodyRefused, admit_upload, longest_upload, too_large
from config.web.shares import Shares
from foundation.access.arrival_time import note_wait

LONGEST_HEAD = 32 * 1024
"""Bytes of request line and headers."""
HEAD_SECONDS = 10
"""For a request's headers, from their first byte."""
BODY_SECONDS = 20
"""For a body, before it has to have come at the least rate."""
LEAST_RATE = 16 * 1024
"""Bytes a second."""
KEPT_SECONDS = 15
"""For which a connection without a request stays open."""
READER_SECONDS = 30
"""A client that reads nothing for so long is disconnected."""
LINGER_SECONDS = 2
"""After a refusal, input is read and discarded for so long: closing at once would cut off the response."""
LINGER_BYTES = 16 << 20
CONNECTIONS = 1000
"""Of a process. Whoever comes then takes the place of the connection that has been silent for longest."""
ACCEPTED = 8
"""New connections, before those that are there are looked after again, and others have their chance."""
UPLOADS_EACH = 4
"""Large bodies of one account that arrive in a process at the same time; a browser sends three."""
IN_MEMORY = 64 * 1024
"""Bytes of a body; more of it goes to a temporary file."""
API = "/api/"

log = logging.getLogger(__name__)
# It warns whenever two requests come at once.
logging.getLogger("waitress.queue").setLevel(logging.ERROR)


def adjustments() -> Adjustments:
    """Waitress' own settings."""
    return Adjustments(
        ident=None,
        # Django's settings say which of a proxy's headers count.
        clear_untrusted_proxy_headers=False,
        max_request_header_size=LONGEST_HEAD,
        # What an address takes is said by `longest_upload`, and `Request` holds it.
        max_request_body_size=1 << 50,
        inbuf_overflow=IN_MEMORY,
        recv_bytes=64 * 1024,
        # A thread waits for its reader beyond this.
        outbuf_high_watermark=8 << 20,
        connection_limit=CONNECTIONS + 50,
        channel_timeout=KEPT_SECONDS,
        cleanup_interval=1,
        asyncore_use_poll=True,
        log_socket_errors=False,
    )


class Request(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """A request that arrives. Times are of the monotonic clock, in seconds."""

    def __init__(self, adj: Adjustments) -> None:
        super().__init__(adj)
        self.began_at = self.head_at = self.arrived_at = time.monotonic()
        self.size = 0
        self.line = b""
        self.large = False
        """Whether its sender has to be asked for a login, after which `account` is whose it is."""
        self.account: int | None = None

    def received(self, data: bytes) -> int:
        if not self.headers_finished:
            self.line = (self.line + data)[:LONGEST_HEAD]
        in_head = not self.headers_finished
        try:
            consumed: int = super().received(data)
        except OSError:
            self.refuse(507, "There is no room for this at the moment. Nothing of it was kept.")
            return len(data)
        self.size += consumed
        self.arrived_at = time.monotonic()
        if self.error is not None:
            self.expect_continue = False
        elif in_head and self.headers_finished and not self.empty:
            self.head_at = self.arrived_at
            self._look_at_head()
        return consumed

    def parse_header(self, header_plus: bytes) -> None:
        try:
            super().parse_header(header_plus)
        except ValueError as error:  # a length of thousands of digits
            raise ParsingError("Content-Length is invalid") from error

    def _look_at_head(self) -> None:
        longest = LONGEST_BODY
        if self.chunked or "TRANSFER_ENCODING" in self.headers:
            self.refuse(411, "The length of what is sent has to be said first, as Content-Length.")
        elif self.content_length > longest:
            longest = max(longest, longest_upload(self.command, self.path))
            if self.content_length > longest:
                self.refuse(413, too_large(longest))
            else:
                self.large, self.expects, self.expect_continue = True, self.expect_continue, False

    def refuse(self, status: int, text: str) -> None:
        """Have it answered with this, and read no more of it."""
        self.error, self.completed, self.expect_continue = BodyRefused(status, text), True, False

    @property
    def target(self) -> str:
        """The path that is asked for, as it was sent, also where the rest can't be read."""
        parts = self.line.lstrip().split(b"\r\n", 1)[0].split(b" ")
        return parts[1].decode("latin-1").partition("?")[0] if len(parts) > 1 else ""

    def is_late(self, now: float) -> bool:
        """Whether it comes more slowly than it has to."""
        if not self.headers_finished:
            return now - self.began_at > HEAD_SECONDS
        return bool(self.body_bytes_received < (now - self.head_at - BODY_SECONDS) * LEAST_RATE)

    def began_ago(self) -> float:
        """How many seconds ago it began, for deadlines: at its first byte, but no longer before its last one than the
        least rate takes for all of them."""
        took = min(self.arrived_at - self.began_at, self.size / LEAST_RATE)
        return time.monotonic() - self.arrived_at + float(took)


class Answer(WSGITask):  # type: ignore[misc]  # waitress has no types
    """A request that a thread answers."""

    def execute(self) -> None:
        note_wait(self.request.began_ago())
        super().execute()

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        if self.request.command == "HEAD":
            environ.pop("wsgi.file_wrapper", None)
        return environ

    def write(self, data: bytes) -> None:
        super().write(b"" if self.request.command == "HEAD" else data)


class Refusal(ErrorTask):  # type: ignore[misc]  # waitress has no types
    """A refused request that a thread answers: programs as the API answers them, others with a sentence."""

    def execute(self) -> None:
        error, path = self.request.error, self.request.target
        status = error.status if isinstance(error, BodyRefused) else error.code
        text = str(error) if isinstance(error, BodyRefused) else f"This is no request that can be read: {error.body}."
        if status == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE:
            text = f"The request's headers are longer than {LONGEST_HEAD} bytes."
        kind, body = "text/plain; charset=utf-8", f"{text}\n"
        if path.startswith(API):
            from api.frame.problems import PROBLEM_JSON, problem_json

            kind, body = PROBLEM_JSON, problem_json(path, status, text)
        self.status = f"{int(status)} {HTTPStatus(status).phrase}"
        self.response_headers += [("Content-Type", kind), ("X-Content-Type-Options", "nosniff")]
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            self.response_headers.append(("Retry-After", "60"))
        log.warning("%s refused with %d: %s", self.channel.addr, status, text)
        self.channel.lingers = True
        self.set_close_on_finish()
        sent = body.encode()
        self.content_length = len(sent)
        self.write(sent)


class Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A client's connection."""

    parser_class = Request
    task_class = Answer
    error_task_class = Refusal
    request: Request | None = None
    lingers = False
    """Whether it is a refusal that closes it."""
    lingers_until = 0.0
    thrown_away = 0
    asking = False
    """Whether a thread finds out if a large body may come: nothing is read until then."""

    def readable(self) -> bool:
        return not self.asking and bool(super().readable())

    def received(self, data: bytes) -> bool:
        took = bool(super().received(data))
        if self.request is not None and self.request.large:
            self.request.large, self.asking = False, True
            self.server.add_task(Admission(self, self.request))
        return took

    def go_on(self, request: Request, refusal: BodyRefused | None) -> None:
        """In a thread: the body may come, or is refused."""
        with self.requests_lock:
            self.asking = False
            if refusal is not None:
                self._refuse(refusal.status, str(refusal))
            else:
                request.expect_continue, request.head_at = request.expects, time.monotonic()
                if request.expects and not self.requests:
                    self.send_continue()
        self.server.pull_trigger()

    def _refuse(self, status: int, text: str) -> None:
        request, self.request = self.request, None
        if request is not None:
            request.refuse(status, text)
            self.requests.append(request)
            if len(self.requests) == 1:
                self.server.add_task(self)

    @property
    def is_busy(self) -> bool:
        """Whether a request arrives or is answered here."""
        return bool(self.requests or self.request or self.asking or self.total_outbufs_len or self.lingers_until)

    def look(self, now: float) -> None:
        """In the loop, every second: close it if it is past its time."""
        idle = now - self.last_activity
        if self.lingers_until:
            if now > self.lingers_until:
                self.handle_close()
        elif self.total_outbufs_len:
            self.will_close = idle > READER_SECONDS
        elif not self.is_busy:
            self.will_close = idle > KEPT_SECONDS
        elif not (self.requests or self.asking):
            with self.requests_lock:
                if self.request is not None and self.request.is_late(time.monotonic()):
                    self._refuse(408, "The request took too long to arrive.")

    def handle_read(self) -> None:
        if not self.lingers_until:
            super().handle_read()
            return
        self.thrown_away += len(self.recv(self.adj.recv_bytes))
        if self.thrown_away > LINGER_BYTES:
            self.handle_close()

    def handle_close(self) -> None:
        if self.lingers and self.connected and not self.lingers_until:
            with contextlib.suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)
                self.will_close, self.lingers_until = False, time.time() + LINGER_SECONDS
                return
        if self.request is not None:
            self.request.close()
            self.request = None
        super().handle_close()

    def add_channel(self, map: Any = None) -> None:
        super().add_channel(map)
        self.server.shares.say(len(self.server.active_channels))

    def del_channel(self, map: Any = None) -> None:
        super().del_channel(map)
        self.server.shares.say(len(self.server.active_channels))


class Admission:
    """A thread's task: whether a large body may come, and whether there is room for it."""

    def __init__(self, channel: Channel, request: Request) -> None:
        self.channel, self.request = channel, request

    def service(self) -> None:
        refusal = None
        request, headers = self.request, self.request.headers
        try:
            account = admit_upload(request.path, headers.get("COOKIE", ""), headers.get("AUTHORIZATION", ""))
            self.channel.server.let_in(request, account)
        except BodyRefused as refused:
            refusal = refused
        except Exception:
            log.exception("whether an upload may come couldn't be found out")
            refusal = BodyRefused(503, "Uploads can't be taken at the moment. Try again in a minute.")
        self.channel.go_on(request, refusal)

    def cancel(self) -> None:
        self.channel.cancel()


class Server(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    """One listening socket, and the connections that this process has accepted there."""

    channel_class = Channel

    def __init__(self, application: Any, listening: socket.socket, *, shares: Shares, **more: Any) -> None:
        self.shares = shares
        self.admitting = threading.Lock()
        at = (listening.family, listening.type, listening.proto, listening.getsockname())
        super().__init__(application, _sock=listening, sockinfo=at, bind_socket=False, adj=adjustments(), **more)

    def let_in(self, request: Request, account: int) -> None:
        """Count a large body as its account's. Raises: BodyRefused if that has too many, or there is no room for it."""
        with self.admitting:
            arriving = [channel.request for channel in list(self.active_channels.values()) if channel.request]
            large = [other for other in arriving if other.account is not None]
            if sum(other.account == account for other in large) >= UPLOADS_EACH:
                raise BodyRefused(503, f"You are sending {UPLOADS_EACH} files already. Try again when one has arrived.")
            to_come = sum(other.content_length - other.body_bytes_received for other in large) + request.content_length
            if to_come > shutil.disk_usage(tempfile.gettempdir()).free:
                raise BodyRefused(507, "There is no room for this at the moment. Nothing of it was kept.")
            request.account = account

    def maintenance(self, now: float) -> None:
        for channel in list(self.active_channels.values()):
            channel.look(now)

    def handle_accept(self) -> None:
        """Accept some who wait, after processes with fewer connections have had their chance."""
        self.shares.let_others_go_first(len(self.active_channels), self.socket)
        for _ in range(ACCEPTED):
            before = len(self.active_channels)
            super().handle_accept()
            if len(self.active_channels) <= before:
                return
            if before >= CONNECTIONS:
                self._make_room()

    def _make_room(self) -> None:
        waiting = [
            channel for channel in self.active_channels.values() if not (channel.requests or channel.total_outbufs_len)
        ]
        oldest = min(waiting, key=lambda channel: channel.last_activity, default=None)
        if oldest is not None:
            oldest.lingers = False
            oldest.handle_close()
