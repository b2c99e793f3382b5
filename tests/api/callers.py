"""Clients of the API: by a token with these scopes, by a login."""

import json
from typing import Any

from django.test import Client

from corpus.access.api_tokens import make_token
from corpus.models import Account, ApiToken, Membership

API = "/api/v1"
EVERY_SCOPE = tuple(ApiToken.Scope.values)


class Caller:
    """A program with a token: `get`, `post`, `patch`, `delete` below /api/v1, JSON both ways."""

    def __init__(self, who: Account | Membership, scopes: tuple[str, ...] = EVERY_SCOPE, **options: Any) -> None:
        account = who.account if isinstance(who, Membership) else who
        assert account is not None
        self.made = make_token(account=account, name="a test", scopes=scopes, **options)
        self.client = Client(headers={"Authorization": f"Bearer {self.made.token}"}, raise_request_exception=False)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        return self.client.generic(
            method,
            f"{API}{path}",
            b"" if body is None else json.dumps(body).encode(),
            content_type="application/json",
            headers=headers,
        )

    def get(self, path: str, **headers: str) -> Any:
        return self.ask("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.ask("POST", path, body, **headers)

    def patch(self, path: str, body: Any = None) -> Any:
        return self.ask("PATCH", path, body)

    def delete(self, path: str) -> Any:
        return self.ask("DELETE", path)
