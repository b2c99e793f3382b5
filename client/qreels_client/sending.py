"""Requests to a site: sent, sent again where that is safe, and their refusals as exceptions."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import httpx2

from .problems import NotReached, NotUnderstood, Refused, refusal

API = "/api/v1"
NOTHING_DONE = (429, 503)
"""Statuses that say that nothing was done: such a request may always be sent again."""
PERHAPS_DONE = (502, 504)
"""Statuses by which a proxy says that it got no answer from the site."""
MOST_KNOWN = 64
LARGEST_KNOWN = 1_000_000


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long a request is tried. The pauses double from `first_pause` on, up to `longest_pause`; a
    site that names its own (Retry-After) is believed. All are in seconds, `total` is of all pauses of a request."""

    tries: int = 6
    first_pause: float = 0.5
    longest_pause: float = 30.0
    total: float = 180.0

    def pause(self, tried: int, asked: float | None) -> float:
        """Seconds to wait after so many tries. Args: asked: what the site asks for."""
        if asked is not None:
            return asked
        # Many programs that were cut off together don't come back together.
        return min(self.longest_pause, self.first_pause * 2.0 ** (tried - 1)) * random.uniform(0.5, 1.0)


class Waiting:
    """What is left of the patience with one request."""

    def __init__(self, patience: Patience) -> None:
        self._patience, self._tried, self._waited = patience, 0, 0.0

    def again(self, asked: float | None = None) -> bool:
        """Pause for another try. Returns False, at once, where patience is at its end."""
        self._tried += 1
        pause = self._patience.pause(self._tried, asked)
        if self._tried >= self._patience.tries or self._waited + pause > self._patience.total:
            return False
        time.sleep(pause)
        self._waited += pause
        return True

    def progressed(self) -> None:
        """Something arrived: the next break is counted as the first."""
        self._tried, self._waited = 0, 0.0


class Sender:
    """A site's API, by one token. Safe to be used from several threads."""

    def __init__(
        self,
        site: str,
        token: str,
        *,
        patience: Patience,
        timeout: float,
        transport: httpx2.BaseTransport | None,
        agent: str,
    ) -> None:
        self.site, self.patience = site.rstrip("/"), patience
        self._http = httpx2.Client(
            headers={"Authorization": f"Bearer {token}", "User-Agent": agent}, timeout=timeout, transport=transport
        )
        self._known: OrderedDict[str, tuple[str, bytes]] = OrderedDict()
        self._lock = threading.Lock()

    def close(self) -> None:
        self._http.close()

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: object = None,
        content: bytes | None = None,
        headers: Mapping[str, str | None] | None = None,
        again: bool | None = None,
    ) -> Any:
        """Send a request and read its answer; None where it has no content.

        Args:
            path: below /api/v1; body: sent as JSON; content: sent as it is.
            again: whether it may be sent again when nobody knows if it arrived; by default what only reads, or says so
                by its method.

        Raises: Refused, NotReached, NotUnderstood.
        """
        asked = {name: _in_query(value) for name, value in (query or {}).items() if value is not None}
        sent = {name: value for name, value in (headers or {}).items() if value is not None}
        if body is not None:
            content = json.dumps(body, default=_as_json).encode()
            sent["Content-Type"] = "application/json"
        elif content is not None:
            sent.setdefault("Content-Type", "application/octet-stream")
        request = self.request(method, f"{API}{path}", query=asked, content=content, headers=sent)
        known = self._remembered(request)
        answer = self.send(request, again=method in ("GET", "PATCH", "PUT", "DELETE") if again is None else again)
        if answer.status_code == 304 and known is not None:
            return json.loads(known)
        self._remember(request, answer)
        return _read(answer)

    def request(
        self,
        method: str,
        address: str,
        *,
        query: Mapping[str, Any] | None = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx2.Request:
        """A request to an address of the site, or a whole one of this site."""
        whole = address if urlsplit(address).scheme else f"{self.site}{address}"
        if not whole.startswith(f"{self.site}/"):
            raise ValueError(f"found an address of another site, expected one of {self.site}: {address}")
        return self._http.build_request(method, whole, params=query or None, content=content, headers=headers)

    def send(self, request: httpx2.Request, *, again: bool, stream: bool = False) -> httpx2.Response:
        """Send a request until it is answered or patience is at its end.

        Returns: an answer below 400, of which nothing was read yet if it is a `stream`.
        """
        waiting = Waiting(self.patience)
        broken = False
        while True:
            try:
                answer = self._http.send(request, stream=stream)
            except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as fault:
                if not waiting.again():
                    raise NotReached(f"{self.site} can't be reached: {fault}") from fault
                continue
            except httpx2.TransportError as fault:
                if not again or not waiting.again():
                    perhaps = "" if again else " It may have been done: look before it is sent again."
                    raise NotReached(f"{_cut_off(request, fault)}{perhaps}") from fault
                broken = True
                continue
            if broken and request.method == "DELETE" and answer.status_code == 404:
                return httpx2.Response(204, request=request)  # what was sent before the connection broke has done it
            if answer.status_code < 300 or answer.status_code == 304:
                return answer
            if answer.is_redirect:
                answer.close()
                raise NotUnderstood(
                    f"{request.url} leads on to {answer.headers.get('Location')}: give that site's address."
                )
            refused = _refused(answer)
            worth = answer.status_code in NOTHING_DONE or (again and answer.status_code in PERHAPS_DONE)
            if not worth or not waiting.again(refused.retry_after):
                raise refused
            broken = broken or answer.status_code in PERHAPS_DONE

    def _remembered(self, request: httpx2.Request) -> bytes | None:
        """The last answer to the same request, which then asks by its ETag whether that still holds."""
        with self._lock:
            known = self._known.get(str(request.url)) if request.method == "GET" else None
        if known is None:
            return None
        request.headers["If-None-Match"] = known[0]
        return known[1]

    def _remember(self, request: httpx2.Request, answer: httpx2.Response) -> None:
        tag = answer.headers.get("ETag")
        if request.method != "GET" or not tag or len(answer.content) > LARGEST_KNOWN:
            return
        with self._lock:
            self._known[str(request.url)] = (tag, answer.content)
            self._known.move_to_end(str(request.url))
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)


def _cut_off(request: httpx2.Request, fault: Exception) -> str:
    return f"The connection broke at {request.method} {request.url.path}: {fault or type(fault).__name__}."


def _read(answer: httpx2.Response) -> Any:
    if not answer.content:
        return None
    try:
        return answer.json()
    except ValueError as fault:
        kind = answer.headers.get("Content-Type", "nothing said")
        raise NotUnderstood(f"{answer.url} answered with {kind}, expected JSON. Is it a Qreels site?") from fault


def _refused(answer: httpx2.Response) -> Refused:
    try:
        problem = json.loads(answer.read())
    except (ValueError, httpx2.TransportError):
        problem = None
    finally:
        answer.close()
    asked = retry_after(answer.headers.get("Retry-After"))
    return refusal(answer.status_code, answer.reason_phrase, problem, retry_after=asked, headers=answer.headers)


def retry_after(header: str | None) -> float | None:
    """Seconds of a header Retry-After, which are a number or a date.

    >>> retry_after("3"), retry_after(None), retry_after("soon")
    (3.0, None, None)
    """
    if header is None:
        return None
    if header.strip().isdecimal():
        return float(header)
    try:
        at = parsedate_to_datetime(header)
    except ValueError:
        return None
    return max(0.0, (at - datetime.now(UTC)).total_seconds())


def _in_query(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else value


def _as_json(value: object) -> object:
    if isinstance(value, date):  # and datetime, which has to say its time zone
        if isinstance(value, datetime) and value.tzinfo is None:
            raise ValueError(f"found the time {value} without a time zone, expected one with tzinfo")
        return value.isoformat()
    if isinstance(value, UUID | Decimal):
        return str(value)
    raise TypeError(f"found {type(value).__name__}, expected what JSON can say")
