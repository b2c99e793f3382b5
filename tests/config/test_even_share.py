"""Connections shared by web processes: who has fewest accepts, and nobody waits for one that is gone."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from config.web.even_share import Shares

MINE, OTHERS = 1, 2


@contextmanager
def another_process(shares: Shares, connections: int) -> Iterator[int]:
    """A process that says once that it has so many connections; its id."""
    told, tells = os.pipe()
    process = os.fork()
    if not process:
        shares.say(OTHERS, connections)
        os.write(tells, b".")
        while True:
            signal.pause()
    try:
        os.read(told, 1)
        yield process
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(told)
        os.close(tells)


def test_whoever_has_fewest_accepts() -> None:
    shares = Shares()
    shares.say(MINE, 3)
    assert not shares.fewer_elsewhere(3)
    with another_process(shares, 2):
        assert shares.fewer_elsewhere(3)
        assert not shares.fewer_elsewhere(2)
        assert not shares.fewer_elsewhere(1)


def test_a_process_that_was_killed_is_not_waited_for() -> None:
    shares = Shares()
    with another_process(shares, 0):
        assert shares.fewer_elsewhere(3)
    assert not shares.fewer_elsewhere(3)


def test_a_process_that_leaves_is_not_waited_for() -> None:
    shares = Shares()
    with another_process(shares, 0):
        shares.leave(OTHERS)
        assert not shares.fewer_elsewhere(3)


def test_a_process_that_is_silent_is_not_waited_for() -> None:
    shares = Shares()
    with another_process(shares, 0):
        deadline = time.monotonic() + 30
        while shares.fewer_elsewhere(3):
            assert time.monotonic() < deadline
            signal.sigtimedwait([], 0.1)


def test_places_are_taken_again_by_later_processes() -> None:
    shares = Shares()
    with another_process(shares, 0):
        shares.say(OTHERS + 64, 5)
        assert not shares.fewer_elsewhere(3)
