"""The embedded servers as services: `python -m config.run database` and `broker`, run by a user that isn't root."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from config.embedded import free_port
from config.own_servers import CannotServe, broker_address, database_address
from tests.paths import ROOT

USER = "nobody" if os.geteuid() == 0 else os.environ.get("USER", "")
# As somebody else than root, who may still read this Python, wherever it lies.
AS_USER = (
    *("setpriv", "--reuid", USER, "--clear-groups", "--inh-caps", "-all,+dac_read_search"),
    *("--ambient-caps", "-all,+dac_read_search"),
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short one, since a socket's path has at most 107 characters; the servers' user may write in it."""
    made = Path(tempfile.mkdtemp(prefix="qreels-own-"))
    if os.geteuid() == 0:
        shutil.chown(made, USER)
    try:
        yield made
    finally:
        shutil.rmtree(made)


class Service:
    """A server as systemd would start it: it hears when the server answers."""

    def __init__(self, folder: Path, command: str, **environment: str) -> None:
        notices = folder / "notify"
        notices.unlink(missing_ok=True)
        self._notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._notices.bind(str(notices))
        notices.chmod(0o777)
        self._notices.settimeout(60)
        outside = {key: value for key, value in os.environ.items() if not key.startswith(("DATABASE", "REDIS"))}
        self.process = subprocess.Popen(
            [*(AS_USER if os.geteuid() == 0 else ()), sys.executable, "-m", "config.run", command],
            cwd=ROOT,
            env={
                **outside,
                "QREELS_VAR": str(folder),
                "NOTIFY_SOCKET": str(notices),
                "HOME": str(folder),
                **environment,
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def is_ready(self) -> bool:
        return self._notices.recv(64) == b"READY=1"

    def stop(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Its exit code, and what it said."""
        self.process.send_signal(number)
        _, output = self.process.communicate(timeout=60)
        self._notices.close()
        return self.process.returncode, output.decode()


@pytest.fixture
def start(folder: Path) -> Iterator[Callable[..., Service]]:
    started: list[Service] = []

    def begin(command: str, **environment: str) -> Service:
        started.append(Service(folder, command, **environment))
        return started[-1]

    yield begin
    for service in started:
        if service.process.poll() is None:
            service.stop()


def test_the_database_is_made_asks_who_connects_stops_in_order_and_starts_again(
    folder: Path, start: Callable[..., Service]
) -> None:
    url = f"postgresql://{USER}@/qreels?host={folder}/socket"
    (folder / "database.new").mkdir()  # of a first start that was killed
    (folder / "database.new" / "half").touch()
    if os.geteuid() == 0:
        for path in (folder / "database.new", folder / "database.new" / "half"):
            shutil.chown(path, USER)
    first = start("database", DATABASE_URL=url)
    assert first.is_ready()
    # Whoever isn't that user is refused, though no password is asked for: here root, there a name that isn't one's own.
    other = url if os.geteuid() == 0 else url.replace(USER, "postgres")
    with pytest.raises(psycopg.OperationalError, match=r'Peer authentication failed|role "postgres" does not exist'):
        psycopg.connect(other)
    code, output = first.stop()
    assert code == 0, output
    assert "received fast shutdown request" in output and "database system is shut down" in output

    second = start("database", DATABASE_URL=url)
    assert second.is_ready()
    code, output = second.stop()
    assert code == 0 and "was not properly shut down" not in output


def test_the_broker_wants_its_password_and_keeps_nothing_on_the_disk(
    folder: Path, start: Callable[..., Service]
) -> None:
    port = free_port()
    url = f"redis://:s3cret@127.0.0.1:{port}/0"
    first = start("broker", REDIS_URL=url)
    assert first.is_ready()
    with redis.Redis.from_url(url) as client:
        client.set("message", "of the database's rows")
    with redis.Redis(port=port) as stranger, pytest.raises(redis.AuthenticationError):
        stranger.get("message")
    arguments = Path(f"/proc/{first.process.pid}/task/{first.process.pid}/children").read_text().split()
    assert arguments and "s3cret" not in Path(f"/proc/{arguments[0]}/cmdline").read_text()
    assert first.stop()[0] == 0

    assert start("broker", REDIS_URL=url).is_ready()
    with redis.Redis.from_url(url) as client:
        assert client.get("message") is None
    assert not list(folder.rglob("*.rdb"))


def test_a_server_that_dies_ends_its_service_so_that_systemd_sees_it(
    folder: Path, start: Callable[..., Service]
) -> None:
    service = start("broker", REDIS_URL=f"redis://:s3cret@127.0.0.1:{free_port()}/0")
    assert service.is_ready()
    (server,) = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children").read_text().split()
    os.kill(int(server), signal.SIGKILL)
    deadline = time.monotonic() + 30
    while service.process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert service.process.returncode not in (0, None)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "postgresql://qreels:word@db.example.org/qreels",
        "postgresql://qreels@/qreels",
        "postgresql://qreels@/qreels?host=db.example.org",
        "postgresql:///qreels?host=/run/x",
        'postgresql://qreels@/qr";eels?host=/run/x',
        "mysql://qreels@/qreels?host=/run/x",
    ],
)
def test_a_database_that_cannot_be_ours_is_refused(url: str) -> None:
    with pytest.raises(CannotServe, match="Expected one such as postgresql://qreels@/qreels"):
        database_address(url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "redis://127.0.0.1:6390/0",
        "redis://:word@db.example.org:6390/0",
        "redis://:word@127.0.0.1/0",
        "redis://:word@127.0.0.1:99999/0",
        "redis://:two%0Alines@127.0.0.1:6390/0",
        "rediss://:word@127.0.0.1:6390/0",
    ],
)
def test_a_broker_that_cannot_be_ours_is_refused(url: str) -> None:
    with pytest.raises(CannotServe, match="Expected one such as redis://:password@"):
        broker_address(url)
