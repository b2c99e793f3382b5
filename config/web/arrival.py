"""Incoming bytes of one connection, until a request is complete. Pure but for the file that holds a large body, and the
clock that says when it began."""

import io
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import IO

LONGEST_HEAD = 32 * 1024
"""Bytes of request line and headers."""
_LENGTH = re.compile(rb"^content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_CODING = re.compile(rb"^transfer-encoding[ \t]*:", re.IGNORECASE | re.MULTILINE)
_COOKIE = re.compile(rb"^cookie[ \t]*:[ \t]*([^\r\n]*)", re.IGNORECASE | re.MULTILINE)
_AUTHORIZATION = re.compile(rb"^authorization[ \t]*:[ \t]*([^\r\n]*)", re.IGNORECASE | re.MULTILINE)
_EXPECTS = re.compile(rb"^expect[ \t]*:[ \t]*100-continue[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)


class Refused(Exception):
    """The request is answered with this status and sentence, before its body is read."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class AwaitedPart(Enum):
    """What a connection waits for next."""

    HEAD = "head"
    ADMISSION = "admission"
    """The head of a large upload is there: somebody has to say whether its body may come."""
    BODY = "body"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class Head:
    """A request's framing: what is needed to know its end; gunicorn parses it fully later."""

    method: str
    path: str
    length: int
    cookies: str
    authorization: str
    expects: bool


class Arrival:
    """The bytes of one request, and the beginning of the next.

    Args:
        longest: bytes that a request's body may have without being asked about.
        longest_upload: the same, for this method and path, if whoever sends it is let in.

    `head_at` is when the request's head had arrived, by the monotonic clock in seconds.
    """

    def __init__(self, longest: int, longest_upload: Callable[[str, str], int]) -> None:
        self.longest = longest
        self.longest_upload = longest_upload
        self.rest = bytearray()
        self.head: Head | None = None
        self.head_bytes = b""
        self.body: IO[bytes] = io.BytesIO()
        self.got = 0
        self.step = AwaitedPart.HEAD
        self.head_at = 0.0

    def feed(self, data: bytes) -> AwaitedPart:
        """Add received bytes. Raises: Refused; OSError if a large body can't be stored."""
        self.rest += data
        if self.step is AwaitedPart.HEAD:
            self._find_head(len(data))
        if self.step is AwaitedPart.BODY:
            self._take_body()
        return self.step

    def admit(self) -> AwaitedPart:
        """Admit the large body: it is written to a file."""
        self.body = tempfile.TemporaryFile()  # noqa: SIM115 - closed by next_request()
        self.step = AwaitedPart.BODY
        self._take_body()
        return self.step

    def next_request(self) -> None:
        """Drop the complete request; `rest` holds the bytes after it."""
        self.close()
        self.head, self.head_bytes, self.body, self.got = None, b"", io.BytesIO(), 0
        self.step = AwaitedPart.HEAD

    def close(self) -> None:
        """Close the file of a large body."""
        self.body.close()

    @property
    def path(self) -> str:
        """The path that is asked for, as it was sent; empty while it isn't known."""
        line = self.head_bytes.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
        return line[1].partition("?")[0] if len(line) > 1 else ""

    @property
    def begun(self) -> bool:
        """Whether an incomplete request has begun to arrive."""
        return bool(self.rest) or self.head is not None

    def _find_head(self, fresh: int) -> None:
        # Only the new bytes can complete the end: a head that comes byte by byte isn't searched anew each time.
        end = self.rest.find(b"\r\n\r\n", max(0, len(self.rest) - fresh - 3) if fresh else 0)
        if end < 0 and len(self.rest) <= LONGEST_HEAD:
            return
        if end < 0 or end > LONGEST_HEAD:
            raise Refused(431, f"The request's headers are longer than {LONGEST_HEAD} bytes.")
        self.head_bytes = bytes(self.rest[: end + 4])
        del self.rest[: end + 4]
        self.head_at = time.monotonic()
        self.head = head = read_head(self.head_bytes)
        if head.length <= self.longest:
            self.step = AwaitedPart.BODY
        elif head.length <= self.longest_upload(head.method, head.path):
            self.step = AwaitedPart.ADMISSION
        else:
            raise Refused(413, too_large(max(self.longest, self.longest_upload(head.method, head.path))))

    def _take_body(self) -> None:
        assert self.head is not None
        part = self.rest[: self.head.length - self.got]
        del self.rest[: len(part)]
        self.body.write(part)
        self.got += len(part)
        if self.got == self.head.length:
            self.body.seek(0)
            self.step = AwaitedPart.READY


def too_large(longest: int) -> str:
    """The message for a body of more than `longest` bytes."""
    return f"This is larger than the {longest / (1 << 20):,.0f} MB that are taken here. Nothing of it was kept."


def read_head(head: bytes) -> Head:
    """The framing of a request from its headers. Malformed HTTP passes: the real parser refuses it.

    Raises: Refused for a body of unknown length, which Django couldn't read.
    """
    line = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
    method, target = (line[0], line[1]) if len(line) > 1 else ("", "")
    headers = head[head.find(b"\n") + 1 :]
    if _CODING.search(headers):
        raise Refused(411, "The length of what is sent has to be said first, as Content-Length.")
    length, cookies, shown = (one.search(headers) for one in (_LENGTH, _COOKIE, _AUTHORIZATION))
    return Head(
        method=method,
        path=target.partition("?")[0],
        length=int(length.group(1)) if length else 0,
        cookies=cookies.group(1).decode("latin-1") if cookies else "",
        authorization=shown.group(1).decode("latin-1") if shown else "",
        expects=bool(_EXPECTS.search(headers)),
    )
