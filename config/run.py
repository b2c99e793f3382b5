"""Production commands: `python -m config.run server|worker [arguments]`, called by script/server and script/worker.

Without DATABASE_URL or REDIS_URL they first start, or join, the embedded servers; these stop with the last process
that uses them. `database` and `broker` run an embedded server as a service of its own (`config/own_servers.py`).
"""

import os
import re
import signal
import subprocess
import sys
from importlib import import_module

from django.core.exceptions import ImproperlyConfigured

from config.embedded import ensure_broker, ensure_database, var_folder
from config.monitoring import figures_folder
from config.own_servers import CannotServe, serve_broker, serve_database
from config.threads import set_threads
from config.variables import Site
from foundation.infra.upgrade_state import current

COMMANDS = ("server", "worker")
OWN_SERVERS = {"database": serve_database, "broker": serve_broker}


def server_command(arguments: list[str]) -> list[str]:
    """The web server's command line; it binds to QREELS_PORT (8000) of 127.0.0.1 unless the arguments say otherwise."""
    bound = any(argument.startswith(("--bind", "-b")) for argument in arguments)
    default = () if bound else ("--bind", f"127.0.0.1:{Site.read(os.environ).QREELS_PORT}")
    return [sys.executable, "-m", "config.web.processes", "config.wsgi:application", *default, *arguments]


def worker_command(arguments: list[str]) -> list[str]:
    """The command line of a Celery worker with one process per core."""
    return [
        *(sys.executable, "-m", "celery", "--app", "config", "worker"),
        *("--loglevel", "info", "--without-gossip", "--without-mingle"),
        *arguments,
    ]


def environment(command: str) -> dict[str, str]:
    """The environment of a started process; web processes share the cores (workers divide them themselves)."""
    environ = dict(os.environ)
    if command != "worker":
        set_threads(environ, processes=Site.read(environ).QREELS_WEB_WORKERS)
        environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(figures_folder(var_folder())))
    return environ


def address(arguments: list[str]) -> list[str]:
    """The option of `owner_link` for a server with these arguments; none where the settings say where the site is."""
    bound = re.findall(r"(?:--bind[= ]|-b[= ]?)\S*:(\d+)(?!\S)", " ".join(arguments))
    if not bound or os.environ.get("QREELS_ENV") == "production":
        return []
    return ["--address", f"http://127.0.0.1:{bound[-1]}"]


def refuse_other_tables() -> bool:
    """End this process, saying why, where the tables are missing or another version's; False during an upgrade.

    While an upgrade is under way everything starts all the same: pages say so, and jobs wait.
    """
    state = subprocess.run(
        [sys.executable, "manage.py", "upgrade", "--check"], capture_output=True, text=True, check=False
    )
    standing = current()
    if standing is not None and not standing.done:
        print("An upgrade is under way: pages say so until manage.py upgrade has ended.", file=sys.stderr)
        return False
    if state.returncode:
        lines = state.stderr.strip().splitlines()
        sys.exit(
            "\n".join(
                [
                    *lines[-1:],
                    "The database is not ready to serve; if its tables are missing or old:"
                    " .venv/bin/python manage.py upgrade",
                ]
            )
        )
    return True


def prepare(arguments: list[str]) -> None:
    """Collect static files, print the way in where nobody owns the site, and refuse tables of another version."""
    if not refuse_other_tables():
        collect_static_files()
        return
    # Beside each other, since each takes a second to start.
    owner_link = subprocess.Popen([sys.executable, "manage.py", "owner_link", "--at-start", *address(arguments)])
    collect_static_files()
    owner_link.wait()


def collect_static_files() -> None:
    """Unless QREELS_STATIC says where that was done before."""
    if not os.environ.get("QREELS_STATIC"):
        subprocess.run([sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"], check=True)


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1] not in (*COMMANDS, *OWN_SERVERS):
        sys.exit("usage: python -m config.run server|worker [arguments]; or: python -m config.run database|broker")
    command, arguments = sys.argv[1], sys.argv[2:]
    if command in OWN_SERVERS:
        try:
            return OWN_SERVERS[command]()
        except CannotServe as error:
            sys.exit(str(error))
    # Before anything starts: a production that is half set up is refused with what is missing. Once the embedded
    # database had started, DATABASE_URL would be set, and nobody would notice that it is the wrong one.
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        import_module("config.settings")
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    ensure_database()
    ensure_broker()
    if command == "server":
        prepare(arguments)
    elif os.environ.get("QREELS_ENV") == "production":
        # What starts it again, starts it until the tables are made (compose.yaml, systemd).
        refuse_other_tables()
    line = server_command(arguments) if command == "server" else worker_command(arguments)
    child = subprocess.Popen(line, env=environment(command), start_new_session=True)
    for received in (signal.SIGTERM, signal.SIGINT):
        signal.signal(received, lambda number, frame: child.send_signal(signal.SIGTERM))
    return child.wait()


if __name__ == "__main__":
    sys.exit(main())
