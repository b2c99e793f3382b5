"""The Batch endpoints of the OpenAI protocol."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, TypeVar

from queries.rewriting.rewriters.chat import Chat, Completion, HalfAnswer, read_completion
from queries.rewriting.rewriters.reading import clip, storable

ENDPOINT = "/v1/chat/completions"
WINDOW = "24h"
KEY = "qreels_parcel"
OVER = ("completed", "failed", "expired", "cancelled")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Remote:
    """A batch as the server sees it."""

    id: str
    status: str
    output_file: str = ""
    error_file: str = ""
    problem: str = ""

    @property
    def is_over(self) -> bool:
        return self.status in OVER


@dataclass(frozen=True, slots=True)
class BatchLine:
    """A batch's result for one request: a completion, or a status (0: never executed) and a problem."""

    key: str
    completion: Completion | None
    status: int
    problem: str = ""


class BatchApi:
    """Begins and reads batches, with a chat's retries."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    def begin(self, lines: Sequence[tuple[str, dict[str, Any]]], *, key: str) -> str:
        """Upload the requests and begin their batch. Returns its id.

        Args: lines: (key of the request, its parameters); key: what the batch can be found by.
        Raises: RewriterError.

        A batch is never begun twice: after an answer that was lost it is looked for first.
        """
        rows = (
            json.dumps({"custom_id": name, "method": "POST", "url": ENDPOINT, "body": body}, ensure_ascii=False)
            for name, body in lines
        )
        content = "\n".join(rows).encode()
        file = self._chat.insist(
            lambda: self._chat.client().files.create(file=("requests.jsonl", io.BytesIO(content)), purpose="batch")
        )

        tried = False

        def create() -> str:
            nonlocal tried
            known = self.find(key) if tried else ""
            tried = True
            if known:
                return known
            batch = self._chat.client().batches.create(
                input_file_id=file.id, endpoint=ENDPOINT, completion_window=WINDOW, metadata={KEY: key}
            )
            return str(batch.id)

        return self._chat.insist(create)

    def find(self, key: str) -> str:
        """The id of the batch that was begun with this key, "" if there is none."""

        def search() -> str:
            for place, batch in enumerate(self._chat.client().batches.list(limit=100)):
                if (getattr(batch, "metadata", None) or {}).get(KEY) == key:
                    return str(batch.id)
                if place >= 1000:
                    break
            return ""

        return self._chat.insist(search)

    def look(self, remote_id: str) -> Remote:
        """A batch's status. Raises: RewriterError, also when the server doesn't know it."""
        batch = self._chat.insist(lambda: self._chat.client().batches.retrieve(remote_id))
        errors = getattr(getattr(batch, "errors", None), "data", None) or []
        problem = "; ".join(clip(str(getattr(error, "message", "") or error)) for error in errors[:3])
        return Remote(
            id=remote_id,
            status=str(batch.status or ""),
            output_file=str(getattr(batch, "output_file_id", None) or ""),
            error_file=str(getattr(batch, "error_file_id", None) or ""),
            problem=storable(problem),
        )

    def results(self, remote: Remote) -> Iterator[BatchLine]:
        """The lines of the batch's output and error files; unreadable lines are skipped."""
        for name in (remote.output_file, remote.error_file):
            if name:
                content = self._chat.insist(_reader(self._chat, name))
                # Not splitlines: U+2028 is allowed within JSON.
                yield from filter(None, (_read(row) for row in content.split(b"\n")))


def _reader(chat: Chat, file: str) -> Callable[[], bytes]:
    return lambda: bytes(chat.client().files.content(file).read())


def _read(row: bytes) -> BatchLine | None:
    try:
        line = json.loads(row, object_hook=lambda fields: SimpleNamespace(**fields))
        key = str(line.custom_id)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    response, fault = getattr(line, "response", None), getattr(line, "error", None)
    status = getattr(response, "status_code", 0) or 0
    if response is not None and status == 200:
        try:
            return BatchLine(
                key,
                read_completion(getattr(response, "body", None), request_id=getattr(response, "request_id", None)),
                200,
            )
        except HalfAnswer as error:
            return BatchLine(key, None, 0, clip(str(error)))
    reason = fault or getattr(getattr(response, "body", None), "error", None)
    message = " ".join(str(getattr(reason, name, None) or "") for name in ("message", "code", "param")).strip()
    return BatchLine(key, None, status, storable(clip(message or "The batch gives no reason.")))
