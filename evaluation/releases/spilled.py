"""A mapping in a file of its own rather than in memory, for what grows with a release; deleted with the object."""

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

CACHE_KIB = 8192
"""Of each mapping, in memory."""


class Spilled:
    """Text -> a value of JSON's types (tuples come back as lists), in the order in which keys came first.

    Any text is a key, lone surrogates and all: files that aren't trusted hold such.
    """

    def __init__(self) -> None:
        # Without a name SQLite takes a file that is deleted already, so that nothing stays of a process that is killed.
        self._database = sqlite3.connect("", isolation_level=None)
        for setting in (f"cache_size = -{CACHE_KIB}", "journal_mode = OFF", "synchronous = OFF"):
            self._database.execute(f"PRAGMA {setting}")
        self._database.execute("CREATE TABLE kept (number INTEGER PRIMARY KEY, key BLOB UNIQUE, value TEXT)")
        self._database.execute("BEGIN")

    def __setitem__(self, key: str, value: Any) -> None:
        self._database.execute(
            "INSERT INTO kept (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (_bytes(key), json.dumps(value)),
        )

    def get(self, key: str, default: Any = None) -> Any:
        row = self._database.execute("SELECT value FROM kept WHERE key = ?", (_bytes(key),)).fetchone()
        return default if row is None else json.loads(row[0])

    def __getitem__(self, key: str) -> Any:
        value = self.get(key, self)
        if value is self:
            raise KeyError(key)
        return value

    def __contains__(self, key: str) -> bool:
        return self.get(key, self) is not self

    def __len__(self) -> int:
        return int(self._database.execute("SELECT count(*) FROM kept").fetchone()[0])

    def items(self, *, by_key: bool = False) -> Iterator[tuple[str, Any]]:
        """All of them, in the order in which they came, or by their keys. None may be set meanwhile."""
        order = "key" if by_key else "number"
        for key, value in self._database.execute(f"SELECT key, value FROM kept ORDER BY {order}"):
            yield key.decode("utf-8", "surrogatepass"), json.loads(value)


def _bytes(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")
