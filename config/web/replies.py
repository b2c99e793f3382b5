"""A buffering response socket: it keeps what a slow reader hasn't taken yet, so that no thread waits."""

import contextlib
import selectors
import socket
from typing import IO, Any

KEPT_PER_CONNECTION = 8 << 20
"""Bytes kept for one reader; beyond that the thread has to wait."""
PATIENCE = 30
"""Seconds that a thread waits for a reader that takes nothing."""
BLOCK = 256 * 1024


class ReplySocket:
    """A non-blocking socket whose `sendall` returns at once; other methods are the socket's own."""

    def __init__(self, real: socket.socket) -> None:
        self.real = real
        self.kept = bytearray()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def send(self, data: bytes) -> int:
        self.sendall(data)
        return len(data)

    def sendall(self, data: bytes) -> None:
        """Send what goes and keep the rest. Raises: TimeoutError if too much is kept and the reader takes nothing."""
        sent = 0 if self.kept else self._try(data)
        self.kept += memoryview(data)[sent:]
        while len(self.kept) > KEPT_PER_CONNECTION:
            self._wait()
            self.flush()

    def sendfile(self, file: IO[bytes], offset: int = 0, count: int | None = None) -> None:
        """Like `socket.sendfile`, without holding a thread for as long as the reader takes."""
        file.seek(offset)
        left = count
        while left is None or left > 0:
            block = file.read(BLOCK if left is None else min(BLOCK, left))
            if not block:
                return
            self.sendall(block)
            left = None if left is None else left - len(block)

    def flush(self) -> bool:
        """Send kept bytes without waiting. Returns: whether any went. Raises: OSError."""
        sent = self._try(self.kept)
        del self.kept[:sent]
        return sent > 0

    def _try(self, data: bytes | bytearray) -> int:
        """Send without waiting. Returns: how many bytes went."""
        sent = 0
        with memoryview(data) as view, contextlib.suppress(BlockingIOError):
            while sent < len(view):
                with view[sent:] as left:
                    sent += self.real.send(left)
        return sent

    def _wait(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self.real, selectors.EVENT_WRITE)
            if not selector.select(PATIENCE):
                raise TimeoutError(f"the reader took nothing for {PATIENCE} s")
