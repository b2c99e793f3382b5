"""Connections shared evenly by the web processes.

All of them listen to one socket, and whoever wakes first takes a connection. Kept-alive ones stay where they are, so
that of two processes one had most of the people, and the other idled. Here whoever has more lets the others go first:
an idle process takes a connection within a millisecond, one of a busy machine within some more.
"""

import mmap
import select
import socket
import time

HEAD_START = 0.05
"""Seconds, at most: a process that is stopped or dead keeps nobody waiting for longer."""
LOOK_EVERY = 0.001
"""Seconds."""
GONE = 2**31 - 1


class Shares:
    """How many connections each process has, in memory that all processes forked afterwards share.

    Each writes its own place alone, so there is no lock. `place` is this process's, set once it is forked.
    """

    def __init__(self, processes: int) -> None:
        self._counts = memoryview(mmap.mmap(-1, 4 * processes)).cast("i")
        self.place = 0

    def say(self, connections: int) -> None:
        """This process has so many connections."""
        self._counts[self.place] = connections

    def leave(self, place: int) -> None:
        """The process of this place takes no more connections."""
        self._counts[place] = GONE

    def let_others_go_first(self, connections: int, listening: socket.socket) -> None:
        """Wait while somebody waits at the listening socket and another process has fewer connections."""
        waiting = select.poll()
        waiting.register(listening, select.POLLIN)
        until = time.monotonic() + HEAD_START
        while min(self._counts) < connections and time.monotonic() < until and waiting.poll(0):
            time.sleep(LOOK_EVERY)
