"""The package as researchers have it: built, and installed in environments of its own.

Packages come from the index that pip is configured for, as script/test does.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.evaluation.files import REPOSITORY

PIP = ("-m", "pip", "--disable-pip-version-check", "--retries", "1")
QUIETLY = ("--quiet", "--no-compile")


def run(*command: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **environment}
    told = list(map(str, command))
    return subprocess.run(told, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def done(*command: object, cwd: Path, **environment: str) -> str:
    """What a command says that has to succeed; without an index the test is skipped."""
    ended = run(*command, cwd=cwd, **environment)
    if ended.returncode and "connection broken" in ended.stderr:
        pytest.skip("the package index can't be reached")
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def python_of(version: str) -> str:
    """An interpreter of this version, such as 3.12: on the path, or pyenv's; "" if there is none."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    found = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"))]
    for python in (sys.executable, *filter(None, found)):
        tried = run(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])", cwd=REPOSITORY)
        if tried.stdout.strip() == version:
            return str(python)
    return ""


def environment_of(python: str, folder: Path, *packages: object) -> Path:
    """An empty environment with these packages. Returns: its interpreter."""
    done(python, "-m", "venv", "--without-pip", folder, cwd=REPOSITORY)
    made = folder / "bin" / "python"
    # The interpreter's own pip: an older one doesn't run on a newer Python.
    done(python, *PIP, "--python", made, "install", *QUIETLY, *packages, cwd=REPOSITORY)
    return made


def under_its_own_name(folder: Path) -> str:
    """A path for PYTHONPATH by which the checkout's code is qreels_eval, as it is once it is installed."""
    (folder / "path").mkdir()
    (folder / "path" / "qreels_eval").symlink_to(REPOSITORY / "evaluation")
    return str(folder / "path")


def cells_of(notebook: Path) -> list[str]:
    """The code of a notebook, of which nothing is kept but what was written."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
