"""Clients of the API: by a token with these scopes, by a login."""

import json
import zlib
from typing import Any

from django.test import Client

from foundation.access.api_tokens import make_token
from foundation.models import Account, ApiToken, Membership

API = "/api/v1"
EVERY_SCOPE = tuple(ApiToken.Scope.values)


def mark_of(content: bytes) -> str:
    """A file's mark, as docs/api.md says it."""
    code, block = 0, 64 * 1024
    for place in (0, max(0, len(content) // 2 - block // 2), max(0, len(content) - block)):
        code = zlib.crc32(content[place : place + block], code)
    return f"{code:08x}"


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

    def piece(self, path: str, offset: int, content: bytes, **headers: str) -> Any:
        """Send a piece of a file."""
        return self.client.generic(
            "PATCH",
            f"{API}{path}",
            content,
            content_type="application/octet-stream",
            headers={"Upload-Offset": str(offset), **headers},
        )

    def send(self, place: str, name: str, content: bytes, size: int = 9_000) -> str:
        """Send a whole file in pieces. Returns: its key."""
        new = {"name": name, "size": len(content), "mark": mark_of(content)}
        path = f"{place}/files"
        key: str = self.post(path, new).json()["file"]
        for offset in range(0, len(content), size):
            sent = self.piece(f"{path}/{key}", offset, content[offset : offset + size])
            assert sent.status_code == 200, sent.content
        return key

    def patch(self, path: str, body: Any = None) -> Any:
        return self.ask("PATCH", path, body)

    def delete(self, path: str) -> Any:
        return self.ask("DELETE", path)


def read(client: Client, path: str, status: int = 200) -> Any:
    """What the API says at an address below /api/v1 to a client that is logged in."""
    answer = client.get(f"{API}/{path}")
    assert answer.status_code == status, answer.content
    return answer.json()
