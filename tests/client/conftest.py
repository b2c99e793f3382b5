"""The client on a site in the same process, and on a server that misbehaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from qreels_client import Patience, Qreels

from foundation.access.api_tokens import make_token
from foundation.models import Account, Membership
from tests.api.callers import EVERY_SCOPE
from tests.client.faulty_server import FaultyServer

AT_ONCE = Patience(tries=4, first_pause=0.001)
Enter = Callable[..., Qreels]


@pytest.fixture
def enter() -> Iterator[Enter]:
    """`enter(ada, "read", "judge")`: a client by a new token, on the application itself.

    A request's beginning and end leave the connection alone, which is the test's, as they do for Django's own client.
    """

    def make(who: Membership | Account, *scopes: str, **options: Any) -> Qreels:
        account = who.account if isinstance(who, Membership) else who
        assert account is not None
        token = make_token(account=account, name="a test", scopes=scopes or EVERY_SCOPE).token
        transport = httpx2.WSGITransport(app=WSGIHandler(), raise_app_exceptions=False)
        return Qreels("http://testserver", token, transport=transport, **{"patience": AT_ONCE, **options})

    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield make
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def faulty() -> Iterator[FaultyServer]:
    with FaultyServer() as server:
        yield server


@pytest.fixture
def client(faulty: FaultyServer) -> Iterator[Qreels]:
    """A client on the server that misbehaves."""
    with Qreels(faulty.address, "a-token", patience=AT_ONCE) as made:
        yield made
