"""What the generated methods stand on: one request each, by the rules of the API."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .downloads import fetch
from .sending import API, Sender

MOST_AT_ONCE = 200


class Calls:
    """A place of the API: the site, or one of its collections."""

    def __init__(self, sender: Sender, here: str) -> None:
        self._sender, self._here = sender, here

    @property
    def path(self) -> str:
        """Where it is below /api/v1."""
        return self._here

    def request(
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
        """Ask what this package has no method for, such as what a newer site can do.

        Args: path: below /api/v1; again: whether it may be sent again when nobody knows if it arrived, by default by
        its method.
        """
        return self._sender.ask(method, path, query=query, body=body, content=content, headers=headers, again=again)

    def _make(self, method: str, path: str, key: str | None, **sent: Any) -> Any:
        """Ask for something that is made once, however often the request has to be sent."""
        headers = {**(sent.pop("headers", None) or {}), "Idempotency-Key": key or str(uuid.uuid4())}
        return self._sender.ask(method, path, headers=headers, again=True, **sent)

    def _pages(self, path: str, query: Mapping[str, Any] | None = None) -> Iterator[Any]:
        """Everything of a list, a page at a time."""
        cursor: str | None = ""
        while cursor is not None:
            page = self._sender.ask("GET", path, query={**(query or {}), "limit": MOST_AT_ONCE, "cursor": cursor})
            yield from page["items"]
            cursor = page["next"]

    def _fetch(self, path: str, to: Path | str, query: Mapping[str, Any] | None = None) -> Path:
        return fetch(self._sender, f"{API}{path}", Path(to), query=query)


def part(value: object) -> str:
    """A value as one part of a path."""
    return quote(str(value), safe="")
