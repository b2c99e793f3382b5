"""A gunicorn threaded worker whose threads get complete requests only.

The plain one gives a thread to whoever connects: eight half-sent requests took all of them. Here one loop reads all
connections, within limits on headers, bodies and time, and keeps what slow readers don't take yet.
"""

import contextlib
import selectors
import socket
import time
from concurrent.futures import Future
from functools import partial
from http import HTTPStatus
from typing import Any

from gunicorn import http
from gunicorn.http.errors import InvalidHeader
from gunicorn.http.unreader import Unreader
from gunicorn.workers.gthread import STOP_KEEPALIVE_LINGER, ThreadWorker
from gunicorn.workers.gthread import TConn as GunicornConnection

from config.web.arrival import Arrival, AwaitedPart, Refused
from config.web.even_share import Shares
from config.web.lanes import Lanes
from config.web.limits import LONGEST_BODY, admit_upload, longest_upload
from config.web.replies import ReplySocket
from corpus.access.arrival_time import note_wait

HEAD_SECONDS = 10
"""For a request's headers, from their first byte."""
BODY_SECONDS = 20
SLOWEST = 16 * 1024
"""For a small body: so many seconds, and one more for each so many bytes."""
LINGER_SECONDS = 2
"""After a refusal, input is read and discarded for so long: closing at once would cut off the response."""
LINGER_BYTES = 16 << 20
"""And at most so many."""
READER_SECONDS = 30
"""A client that reads nothing for so long is disconnected."""
HELD_BYTES = 128 << 20
"""Of all bodies in a process's memory together."""
UPLOADS = 4
"""Large bodies that arrive in one process at the same time."""
API = "/api/"
BLOCK = 64 * 1024
TICK = 0.5
NOTIFY_SECONDS = 1.0
"""Between two signs of life to gunicorn's arbiter. Its own worker gives one with every request."""
LOOK_SECONDS = 0.25
"""A process that leaves new connections to others looks so often whether it is its turn."""
SHARES = Shares()
"""Made where gunicorn's arbiter imports this module, before it forks the workers."""


class Whole(Unreader):  # type: ignore[misc]
    """A complete request in place of the socket that gunicorn's parser reads."""

    def load(self, arrival: Arrival) -> None:
        self.take_buffered()
        self.unread(arrival.head_bytes)
        self.body = arrival.body

    def chunk(self, size_hint: int | None = None) -> bytes:
        return self.body.read(max(8192, size_hint or 0))


class Connection(GunicornConnection):  # type: ignore[misc]
    """A client's connection, owned by the loop or by a thread."""

    def __init__(self, cfg: Any, sock: socket.socket, client: Any, server: Any) -> None:
        super().__init__(cfg, ReplySocket(sock), client, server)
        self.arrival = Arrival(LONGEST_BODY, longest_upload)
        self.parser = http.get_parser(cfg, iter(()), client)
        self.parser.unreader = Whole()
        self.deadline = 0.0
        self.holds = 0
        self.uploads = self.over = False
        self.thrown_away = 0
        self.events = 0


class BufferingWorker(ThreadWorker):  # type: ignore[misc]
    """The loop and its connections; `waiting` are those owned by the loop, oldest first."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # One more than there is room for: whoever comes then takes the place of the oldest that only waits.
        self.room = self.worker_connections
        self.worker_connections = self.room + 1
        self.waiting: dict[Connection, None] = {}
        self.held = self.uploads = 0
        self.next_tick = self.next_notice = 0.0

    def get_thread_pool(self) -> Lanes:
        """The threads that answer complete requests."""
        return Lanes(self.cfg.threads)

    def notify(self) -> None:
        """Tell the arbiter that this worker lives."""
        now = time.monotonic()
        if now >= self.next_notice:
            self.next_notice = now + NOTIFY_SECONDS
            super().notify()

    def set_accept_enabled(self, enabled: bool) -> None:
        """Listen for new connections, or leave them to processes that have fewer."""
        if not self.alive:
            SHARES.leave(self.age)
        super().set_accept_enabled(enabled and self.alive and not SHARES.fewer_elsewhere(self.nr_conns))

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """Serve what is ready; before it, tell the other processes how much there is here."""
        if self.alive:
            SHARES.say(self.age, self.nr_conns)
            self.set_accept_enabled(self.nr_conns < self.worker_connections)
            if not self._accepting:
                timeout = min(timeout, LOOK_SECONDS)
        if (seconds := self.tpool.look()) is not None:
            timeout = min(timeout, seconds)
        super().wait_for_and_dispatch_events(timeout)

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        if cfg.is_ssl:
            raise SystemExit("The web server speaks plain HTTP: leave https to the proxy before it (docs/serving.md).")

    # --- arriving ---

    def accept(self, listener: socket.socket) -> None:
        """Accept a new connection into the loop."""
        try:
            sock, client = listener.accept()
        except OSError:
            return  # another process was faster, or the client has left
        if self.nr_conns >= self.room:
            idle = next((one for one in self.waiting if not one.uploads and not one.sock.kept), None)
            if idle is not None:
                self._drop(idle)
        self.nr_conns += 1
        conn = Connection(self.cfg, sock, client, listener.getsockname())
        self._await(conn, self.cfg.keepalive or HEAD_SECONDS, self._readable)
        self._readable(conn, conn.sock)

    def _await(self, conn: Connection, seconds: float, what: Any, *, write: bool = False) -> None:
        """Have the loop call `what` when the connection is readable (or writable), and close it after `seconds`."""
        self.waiting[conn] = None
        conn.deadline = time.monotonic() + seconds
        self._listen(conn, what, write=write)

    def _listen(self, conn: Connection, what: Any, *, write: bool = False) -> None:
        events = selectors.EVENT_WRITE if write else selectors.EVENT_READ
        data = partial(what, conn)
        if not conn.events:
            self.poller.register(conn.sock.real, events, data)
        else:
            self.poller.modify(conn.sock.real, events, data)
        conn.events = events

    def _take(self, conn: Connection) -> None:
        """Take a connection from the loop, to give it to a thread or close it."""
        self.waiting.pop(conn, None)
        if conn.events:
            conn.events = 0
            self.poller.unregister(conn.sock.real)

    def _readable(self, conn: Connection, _: Any) -> None:
        try:
            data = conn.sock.real.recv(BLOCK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._drop(conn)
            return
        begun = conn.arrival.begun
        self._advance(conn, partial(conn.arrival.feed, data), begun=begun)

    def _advance(self, conn: Connection, move: Any, *, begun: bool = False) -> None:
        before = conn.arrival.step
        try:
            step = move()
            if before is AwaitedPart.HEAD and step is not AwaitedPart.HEAD:
                self._hold(conn)
        except Refused as refusal:
            self._refuse(conn, refusal)
            return
        except OSError:
            self._refuse(conn, Refused(507, "There is no room for this at the moment. Nothing of it was kept."))
            return
        if step is AwaitedPart.READY:
            self._take(conn)
            self.enqueue_req(conn)
        elif step is AwaitedPart.ADMISSION:
            self._take(conn)
            asked = self.tpool.submit(admit_upload, conn.arrival.head)
            asked.add_done_callback(lambda answer: self.method_queue.defer(self._admitted, conn, answer))
        elif step is AwaitedPart.BODY:
            if before is not AwaitedPart.BODY:
                assert conn.arrival.head is not None
                if conn.arrival.head.expects:
                    conn.sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                self._await(conn, BODY_SECONDS + conn.arrival.head.length / SLOWEST, self._readable)
        elif not begun:
            self._await(conn, HEAD_SECONDS, self._readable)

    def _hold(self, conn: Connection) -> None:
        """Account for a body held in memory. Raises: Refused if there is too much already."""
        assert conn.arrival.head is not None
        length = conn.arrival.head.length
        if length > LONGEST_BODY:
            return
        if self.held + length > HELD_BYTES:
            raise Refused(503, "Too much is being sent at the moment. Try again in a minute.")
        conn.holds = length
        self.held += length

    def _admitted(self, conn: Connection, answer: "Future[Any]") -> None:
        """In the loop: a thread has decided whether a large body is admitted."""
        problem = answer.exception()
        refusal = problem if isinstance(problem, Refused) else None
        if problem is not None and refusal is None:
            self.log.error("whether an upload may come couldn't be found out: %s", problem)
            refusal = Refused(503, "Uploads can't be taken at the moment. Try again in a minute.")
        elif refusal is None and self.uploads >= UPLOADS:
            refusal = Refused(503, "Too many uploads at the moment. Try again in some minutes.")
        if refusal is not None:
            self._refuse(conn, refusal)
            return
        self.uploads += 1
        conn.uploads = True
        self._advance(conn, conn.arrival.admit)

    # --- answering ---

    def enqueue_req(self, conn: Connection) -> None:
        """Have a thread answer a complete request."""
        self.tpool.start(partial(self._serve, conn))

    def _serve(self, conn: Connection) -> None:
        again = False
        try:
            again = self.handle(conn)
        finally:
            self.method_queue.defer(self.finish_request, conn, again)

    def handle(self, conn: Connection) -> bool:
        """In a thread: handle one request. Returns: whether the connection can be used again."""
        request = None
        try:
            conn.parser.mesg = None
            conn.parser.unreader.load(conn.arrival)
            request = next(conn.parser)
            told = getattr(request.body.reader, "length", None)
            assert conn.arrival.head is not None
            if told != conn.arrival.head.length:
                # Two readings of one length are how requests are smuggled past a proxy.
                raise InvalidHeader("CONTENT-LENGTH", req=request)
            note_wait(time.monotonic() - conn.arrival.head_at)
            again = self.handle_request(request, conn)
            return bool(again) and not request.should_close()
        except (http.errors.NoMoreData, StopIteration, ConnectionError, TimeoutError) as error:
            self.log.debug("A connection ended early: %r", error)
        except Exception as error:
            self.handle_error(request, conn.sock, conn.client, error)
        return False

    def finish_request(self, conn: Connection, again: bool) -> None:
        """In the loop, after a thread has answered: send what the reader hasn't taken yet."""
        self._release(conn)
        if conn.sock.real.fileno() < 0:
            self._drop(conn)
        elif conn.sock.kept:
            self._await(conn, READER_SECONDS, partial(self._writable, again=again), write=True)
        else:
            self._answered(conn, again=again)

    def _writable(self, conn: Connection, _: Any, *, again: bool) -> None:
        try:
            if conn.sock.flush():
                conn.deadline = time.monotonic() + READER_SECONDS
        except OSError:
            self._drop(conn)
            return
        if not conn.sock.kept:
            self._answered(conn, again=again)

    def _answered(self, conn: Connection, *, again: bool) -> None:
        if not again:
            self._linger(conn)
            return
        seconds = self.cfg.keepalive if self.alive else min(self.cfg.keepalive, STOP_KEEPALIVE_LINGER)
        self._await(conn, seconds, self._readable)
        conn.arrival.next_request()
        if conn.arrival.rest:
            self._advance(conn, partial(conn.arrival.feed, b""))

    def _refuse(self, conn: Connection, refusal: Refused) -> None:
        """Answer with a sentence, and read no more of the request."""
        self._release(conn)
        kind, body = _said(refusal, conn.arrival.path)
        head = (
            f"HTTP/1.1 {refusal.status} {HTTPStatus(refusal.status).phrase}\r\n"
            f"Content-Type: {kind}\r\nX-Content-Type-Options: nosniff\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n"
        )
        if refusal.status == HTTPStatus.SERVICE_UNAVAILABLE:
            head += "Retry-After: 60\r\n"
        self.log.warning("%s refused with %d: %s", conn.client, refusal.status, refusal)
        with contextlib.suppress(OSError):
            conn.sock.sendall(head.encode() + b"\r\n" + body)
        self._linger(conn)

    def _linger(self, conn: Connection) -> None:
        """Close for writing, and discard what still arrives for a moment."""
        conn.over = True
        try:
            conn.sock.real.shutdown(socket.SHUT_WR)
        except OSError:
            self._drop(conn)
            return
        self._await(conn, LINGER_SECONDS, self._throw_away)

    def _throw_away(self, conn: Connection, _: Any) -> None:
        try:
            got = len(conn.sock.real.recv(BLOCK))
        except BlockingIOError:
            return
        except OSError:
            got = 0
        conn.thrown_away += got
        if not got or conn.thrown_away >= LINGER_BYTES:
            self._drop(conn)

    # --- leaving ---

    def _release(self, conn: Connection) -> None:
        self.held -= conn.holds
        self.uploads -= conn.uploads
        conn.holds, conn.uploads = 0, False
        conn.arrival.close()

    def _drop(self, conn: Connection) -> None:
        self._take(conn)
        self._release(conn)
        self.nr_conns -= 1
        conn.close()

    def murder_keepalived(self, force: bool = False) -> None:
        """Close connections that are past their time (if forced, all in the loop)."""
        now = time.monotonic()
        if now < self.next_tick and not force:
            return
        self.next_tick = now + TICK
        for conn in [conn for conn in self.waiting if force or conn.deadline <= now]:
            if force or conn.over or conn.sock.kept or not conn.arrival.begun:
                self._drop(conn)
            else:
                self._refuse(conn, Refused(408, "The request took too long to arrive."))

    def murder_pending(self) -> None:
        """Do nothing: waiting connections are in `waiting`."""

    def _cap_keepalive(self, deadline: float) -> None:
        for conn in self.waiting:
            conn.deadline = min(conn.deadline, deadline)


def _said(refusal: Refused, path: str) -> tuple[str, bytes]:
    """The content type and the body of a refusal: for programs as the API has them, for others a sentence."""
    if path.startswith(API):
        from api.frame.problems import PROBLEM_JSON, problem_json

        return PROBLEM_JSON, problem_json(path, refusal.status, str(refusal)).encode()
    return "text/plain; charset=utf-8", str(refusal).encode() + b"\n"
