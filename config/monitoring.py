"""Who may read the figures of `/metrics`, and where a server's processes keep theirs."""

import ipaddress
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import psutil
from django.core.exceptions import ImproperlyConfigured

SHORTEST_TOKEN = 16


def metrics_token(environment: Mapping[str, str]) -> str:
    """QREELS_METRICS_TOKEN; "" if nobody may ask by a token. Raises: ImproperlyConfigured if it can be guessed."""
    token = environment.get("QREELS_METRICS_TOKEN", "")
    if token and len(token) < SHORTEST_TOKEN:
        raise ImproperlyConfigured(
            f"QREELS_METRICS_TOKEN can be guessed: at least {SHORTEST_TOKEN} characters are needed, found {len(token)}"
        )
    return token


def networks(environment: Mapping[str, str], variable: str) -> tuple[str, ...]:
    """Addresses and networks listed in a variable, separated by commas. Raises: ImproperlyConfigured."""
    found = []
    for part in (one.strip() for one in environment.get(variable, "").split(",")):
        try:
            found += [str(ipaddress.ip_network(part))] if part else []
        except ValueError as error:
            raise ImproperlyConfigured(
                f"{variable} has {part!r}: expected addresses or networks such as 10.0.0.0/8, separated by commas"
                f" ({error})"
            ) from None
    return tuple(found)


def figures_folder(var: Path) -> Path:
    """A new folder for the figures of this server's processes. Those of servers that ended are removed."""
    above = var / "run" / "figures"
    above.mkdir(parents=True, exist_ok=True)
    for folder in above.iterdir():
        pid = folder.name.partition("-")[0]
        if not pid.isdecimal() or not psutil.pid_exists(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=above))
