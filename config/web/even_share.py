"""Connections shared evenly by the web processes.

All of them listen to one socket, and whoever wakes first takes a connection. Kept-alive ones stay where they are, so
that of two processes one had most of the people, and the other idled. Here each process says how many connections it
has, and leaves new ones to those that have fewer.
"""

import mmap
import os
import struct
import time

PLACES = 64
"""Processes that can be told apart. Beyond so many, two share a place, and shares are less even."""
UNHEARD_SECONDS = 2.5
"""A process that was silent for so long is no longer waited for. Each says something every second at least."""

_PLACE = struct.Struct("iid")
_EMPTY = bytes(_PLACE.size)


class Shares:
    """How many connections each process has, in memory that all processes forked afterwards share.

    Each writes its own place alone, so there is no lock. Whoever has fewest finds nobody with fewer and accepts: a
    connection is never left to nobody.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, PLACES * _PLACE.size)

    def say(self, place: int, connections: int) -> None:
        """This process has so many connections, and is alive."""
        _PLACE.pack_into(self._memory, self._at(place), os.getpid(), connections, time.monotonic())

    def leave(self, place: int) -> None:
        """This process takes no more connections."""
        at = self._at(place)
        self._memory[at : at + _PLACE.size] = _EMPTY

    def fewer_elsewhere(self, connections: int) -> bool:
        """Whether another process that is alive has fewer connections."""
        oldest = time.monotonic() - UNHEARD_SECONDS
        return any(
            pid and count < connections and said > oldest and pid != os.getpid() and _lives(pid)
            for pid, count, said in _PLACE.iter_unpack(self._memory[:])
        )

    @staticmethod
    def _at(place: int) -> int:
        return place % PLACES * _PLACE.size


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
