"""PostgreSQL session settings of all connections, and the time limits of web processes."""

import os
from collections.abc import Mapping, MutableMapping
from typing import Any

from config.variables import Servers

SESSION = {
    # For prepared statements (foundation/infra/prepared_sql.py): their values never change what the best plan is, and
    # planning one anew costs more than executing it. Django prepares none of its own.
    "plan_cache_mode": "force_generic_plan",
    # A statement whose process was killed ends within this time, and with it its locks. Without it, it goes on to
    # its end: PostgreSQL looks at the connection only to send the result.
    "client_connection_check_interval": "2s",
    # The same for a machine that is gone without a word; on a Unix socket these have no effect.
    "tcp_keepalives_idle": "30s",
    "tcp_keepalives_interval": "10s",
    "tcp_keepalives_count": "3",
}

IDLE_IN_TRANSACTION = 30
"""Seconds that a request may be idle within a transaction."""


def session_options(settings: Mapping[str, str], *, own: str = "") -> str:
    """libpq's `options`: settings for a connection's session; `own`, from DATABASE_URL, come last and win."""
    return " ".join([*(f"-c {name}={value}" for name, value in settings.items()), *([own] if own else [])])


def limit_web_statements(options: MutableMapping[str, Any]) -> None:
    """Put the web's limits into OPTIONS of this process's connections; call it before the first is made.

    Workers and commands have none: an import takes minutes. A request that waited for one would hold its thread, and
    eight such threads are a site that answers nobody.
    """
    servers = Servers.read(os.environ)
    limits = {
        "lock_timeout": f"{round(servers.QREELS_WEB_LOCK_TIMEOUT * 1000)}ms",
        "statement_timeout": f"{round(servers.QREELS_WEB_STATEMENT_TIMEOUT * 1000)}ms",
        "idle_in_transaction_session_timeout": f"{IDLE_IN_TRANSACTION}s",
    }
    options["options"] = session_options(limits, own=options["options"])
