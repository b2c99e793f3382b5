"""Connections shared evenly by the web processes.

All of them listen to one socket, and whoever wakes first takes a connection. Kept-alive ones stay where they are, so
that of two processes one had most of the people, and the other idled. Here whoever has more lets the others go first:
for a moment only, and whoever is still waiting then is accepted.
"""

import mmap
import time

HEAD_START = 0.001
"""Seconds: an idle process takes a connection in less, and of a crowd that comes at once nobody notices it."""
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

    def let_others_go_first(self, connections: int) -> None:
        """Wait a moment if another process has fewer connections."""
        if min(self._counts) < connections:
            time.sleep(HEAD_START)
