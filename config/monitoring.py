"""Where a server's processes keep the figures of `/metrics`."""

import os
import shutil
import tempfile
from pathlib import Path

import psutil


def figures_folder(var: Path) -> Path:
    """A new folder for the figures of this server's processes. Those of servers that ended are removed."""
    above = var / "run" / "figures"
    above.mkdir(parents=True, exist_ok=True)
    for folder in above.iterdir():
        pid = folder.name.partition("-")[0]
        if not pid.isdecimal() or not psutil.pid_exists(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=above))
