"""The process with more connections waits for the others, as long as that can help."""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from config.web import shares as shares_module
from config.web.shares import Shares


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> Shares:
    """This process has three connections, the other one two. Who waits in vain waits for long."""
    monkeypatch.setattr(shares_module, "HEAD_START", 30)
    shares = Shares(2)
    shares.place = 1
    shares.say(2)
    shares.place = 0
    shares.say(3)
    return shares


@contextlib.contextmanager
def listening(*, somebody_waits: bool) -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener, contextlib.ExitStack() as opened:
        if somebody_waits:
            opened.enter_context(socket.create_connection(listener.getsockname()))
        yield listener


def waited(shares: Shares, connections: int, listener: socket.socket) -> float:
    began = time.monotonic()
    shares.let_others_go_first(connections, listener)
    return time.monotonic() - began


def test_it_waits_until_a_process_that_is_slow_to_wake_has_come(two: Shares) -> None:
    came = threading.Event()

    def come_late() -> None:
        time.sleep(20 * shares_module.LOOK_EVERY)
        came.set()
        two.place = 1
        two.say(3)

    with listening(somebody_waits=True) as listener:
        other = threading.Thread(target=come_late)
        other.start()
        two.let_others_go_first(3, listener)
        assert came.is_set()
        other.join()


def test_it_waits_no_longer_once_nobody_is_left_to_be_accepted(two: Shares) -> None:
    with listening(somebody_waits=False) as listener:
        assert waited(two, 3, listener) < 15


def test_it_waits_for_nobody_who_has_as_many_or_is_gone(two: Shares) -> None:
    with listening(somebody_waits=True) as listener:
        assert waited(two, 2, listener) < 15
        two.leave(1)
        assert waited(two, 3, listener) < 15


def test_it_accepts_by_itself_where_the_other_never_comes(two: Shares, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares_module, "HEAD_START", 0.02)
    with listening(somebody_waits=True) as listener:
        assert 0.02 <= waited(two, 3, listener) < 15
