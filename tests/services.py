"""An early pytest plugin: real servers for the run, started before Django reads its settings.

A scratch var folder of its own, removed at the end: a run leaves nothing behind and meets nothing left behind. Of two
processes of one run (`pytest -n 2`) each has its own, so that they never meet.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

if "PYTEST_XDIST_WORKER" in os.environ and os.environ.get("QREELS_TEST_SCRATCH"):
    # Inherited from the process that hands out the tests.
    for name in ("QREELS_VAR", "DATABASE_URL", "REDIS_URL"):
        os.environ.pop(name, None)

if not os.environ.get("QREELS_VAR"):
    # Short: a Unix socket's path has at most 107 characters.
    _scratch = Path(tempfile.mkdtemp(prefix="qreels-test-"))
    os.environ["QREELS_VAR"] = str(_scratch)
    os.environ["QREELS_TEST_SCRATCH"] = "1"
    atexit.register(shutil.rmtree, _scratch, ignore_errors=True)

from config.embedded import ensure_broker, ensure_database
from config.threads import set_threads

# The processes of one run share the cores.
set_threads(processes=int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))

ensure_database()
ensure_broker()
