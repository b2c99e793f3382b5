"""One request to a webhook's address: signed, to a checked network address, bounded in time, without a redirect.

Signed as Standard Webhooks has it (standardwebhooks.com), so that receivers find libraries: HMAC-SHA256 over id,
timestamp and body.
"""

import base64
import hashlib
import hmac
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass

import certifi

from foundation.refused import Refused
from foundation.webhooks.addresses import WebhookAddress, addresses_of, read_address

CONNECT_SECONDS, WHOLE_SECONDS = 5.0, 15.0
"""Until a connection to one address stands; from the look-up of a name to the answer's headers, over all addresses."""
PREFIX = "whsec_"


@dataclass(frozen=True, slots=True)
class SendingResult:
    """What came of a request: the HTTP status, None where none came, and why it doesn't count, "" where it does."""

    status: int | None
    problem: str
    seconds: float


def signature(secret: str, number: str, timestamp: int, body: bytes) -> str:
    """The header `webhook-signature`.

    >>> signature("whsec_" + "A" * 32, "1", 1700000000, b"{}")
    'v1,neNlYbGUsqCM/w6JS1OLTFjfQI/riNdyRFvNoaYDQnA='
    """
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = hmac.new(key, f"{number}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(signed).decode()}"


class _Connection(http.client.HTTPConnection):
    """A connection to a network address that was checked; the name stays in Host, SNI and the certificate's check.

    `until`: when it has to be over, by the monotonic clock.
    """

    def __init__(self, place: WebhookAddress, addresses: list[str], until: float) -> None:
        super().__init__(place.host, place.port)
        self.default_port = 443 if place.tls else 80  # which Host leaves out
        self._place, self._addresses, self._until = place, addresses, until
        self.late = False

    def connect(self) -> None:
        self.sock = self._first_that_answers()
        self.sock.settimeout(self._left())
        if self._place.tls:
            context = ssl.create_default_context()
            context.load_verify_locations(certifi.where())
            # The handshake afterwards, so that `hang_up` finds the socket.
            self.sock = context.wrap_socket(self.sock, server_hostname=self._place.host, do_handshake_on_connect=False)
            self.sock.do_handshake()

    def _left(self) -> float:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def _first_that_answers(self) -> socket.socket:
        """Where a name has addresses of both kinds, this machine may reach only one kind. They share the time."""
        fault: OSError = TimeoutError()
        for place, address in enumerate(self._addresses):
            share = min(CONNECT_SECONDS, self._left() / (len(self._addresses) - place))
            try:
                return socket.create_connection((address, self._place.port), timeout=share)
            except OSError as said:
                fault = said
        raise fault

    def hang_up(self) -> None:
        """Whatever it is at: a receiver that sends a byte now and then is never late by a socket's own clock."""
        self.late = True
        if self.sock is not None:
            with suppress(OSError):
                self.sock.shutdown(socket.SHUT_RDWR)


def post(address: str, *, secret: str, number: str, kind: str, attempt: int, body: str) -> SendingResult:
    """Tell an address of an event. Never raises for what an address, a network or a receiver does."""
    began, sent, now = time.monotonic(), body.encode(), int(time.time())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Qreels-Webhooks",
        "Connection": "close",
        "webhook-id": number,
        "webhook-timestamp": str(now),
        "webhook-signature": signature(secret, number, now, sent),
        "Qreels-Event": kind,
        "Qreels-Attempt": str(attempt),
    }
    status, problem = None, ""
    try:
        place = read_address(address)
        addresses = addresses_of(place, seconds=WHOLE_SECONDS)
        status = _ask(place, addresses, sent, headers, until=began + WHOLE_SECONDS)
    except Refused as refusal:
        problem = str(refusal)
    except TimeoutError:
        problem = "No answer came in time."
    except (OSError, http.client.HTTPException, ValueError) as fault:
        problem = f"No answer: {type(fault).__name__}: {fault}"
    if status is not None and not 200 <= status < 300:
        redirects = ", and redirects aren't followed" if 300 <= status < 400 else ""
        problem = f"It answered {status}{redirects}, expected 200 to 299."
    # What a receiver answers may be anything, and PostgreSQL stores no NUL.
    problem = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in problem[:300])
    return SendingResult(status, problem, round(time.monotonic() - began, 3))


def _ask(place: WebhookAddress, addresses: list[str], body: bytes, headers: Mapping[str, str], *, until: float) -> int:
    """The status of the answer. What else it says isn't read. Raises: OSError, HTTPException, ValueError."""
    with closing(_Connection(place, addresses, until)) as connection:
        clock = threading.Timer(max(0.0, until - time.monotonic()), connection.hang_up)
        clock.daemon = True
        clock.start()
        try:
            connection.request("POST", place.target, body, dict(headers))
            return connection.getresponse().status
        except (OSError, http.client.HTTPException, ValueError) as fault:
            if connection.late:
                raise TimeoutError from fault
            raise
        finally:
            clock.cancel()
