"""The client installed alone: an empty environment, `pip install ./client`, a request.

It takes httpx2 and the build's backend from the package index that pip is configured for, as script/test does.
"""

import subprocess
import sys
import venv
from pathlib import Path

import pytest
import qreels_client

from tests.client.faulty_server import FaultyServer, Reply
from tests.paths import ROOT

pytestmark = pytest.mark.long

PROGRAM = """
import importlib.metadata, sys
from qreels_client import Qreels
with Qreels(sys.argv[1], "a-token") as site:
    print(importlib.metadata.version("qreels-client"), site.get_me()["account"])
"""


def run(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_it_installs_alone_and_asks_from_an_empty_environment(tmp_path: Path, faulty: FaultyServer) -> None:
    venv.create(tmp_path / "empty", with_pip=False)
    python = tmp_path / "empty" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "--retries", "1"]
    before = run("git", "status", "--short", "--ignored", "client", cwd=ROOT).stdout
    done = run(*pip, "install", "--quiet", "--no-compile", "./client", cwd=ROOT)
    if done.returncode and "connection broken" in done.stderr:
        pytest.skip("the package index can't be reached")
    assert done.returncode == 0, done.stderr
    assert run("git", "status", "--short", "--ignored", "client", cwd=ROOT).stdout == before
    (package,) = (tmp_path / "empty").glob("lib/*/site-packages/qreels_client")
    assert (package / "py.typed").exists() and not list(package.parent.glob("notebooks"))
    faulty.replies = [Reply(200, {"account": "ada"})]
    asked = run(python, "-c", PROGRAM, faulty.address, cwd=tmp_path)
    assert asked.stdout == f"{qreels_client.__version__} ada\n", asked.stderr
