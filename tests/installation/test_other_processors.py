"""On arm64: every pinned package can be had, and the image is built and started, emulated by qemu if need be."""

import platform
import shutil
import subprocess
import time
from collections.abc import Iterator

import pytest
import requests

from config.embedded import free_port
from tests.installation.containers import Containers
from tests.installation.debian import does_not_run, missing
from tests.paths import ROOT

pytestmark = pytest.mark.slow
FROM_SOURCE = {"docopt", "langdetect", "pptree", "sqlitedict"}
"""Pure Python without a wheel for anybody."""
KEY = "0123456789abcdef-a-secret-key-of-this-test-alone"
PATIENCE = 1800
"""Seconds until something emulated has to have happened: a process begins in minutes."""


@pytest.mark.parametrize("platform", ["x86_64-manylinux_2_28", "aarch64-manylinux_2_28"])
def test_the_pins_resolve_without_a_compiler(platform: str) -> None:
    uv = [str(ROOT / ".venv" / "bin" / "uv"), "pip", "compile", "--quiet", "--python-version=3.11"]
    exceptions = [f"--no-binary={name}" for name in sorted(FROM_SOURCE)]
    line = [*uv, f"--python-platform={platform}", "--only-binary=:all:", *exceptions, "requirements.txt"]
    found = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr


@pytest.fixture
def arm64(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Containers]:
    if reason := missing("mmdebstrap", "buildah", "podman", "runc"):
        pytest.skip(reason)
    if platform.machine() != "aarch64" and (reason := does_not_run("arm64")):
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("arm64")
    # Valkey's program needs glibc 2.38 there (docs/installing.md).
    made = Containers(folder, architecture="arm64", release="trixie")
    try:
        made.build()
        yield made
    finally:
        made.remove()
        shutil.rmtree(folder, ignore_errors=True)


def test_the_image_of_arm64_comes_to_healthz(arm64: Containers) -> None:
    assert arm64.inspect("{{.Architecture}}") == "arm64"
    data, sockets = arm64.folder / "data", arm64.folder / "sockets"
    for folder in (data, sockets):
        folder.mkdir()
        shutil.chown(folder, 10001, 10001)
    queue, web = free_port(), free_port()
    variables = {
        "QREELS_SECRET_KEY": KEY,
        "DATABASE_URL": "postgresql://qreels@/qreels?host=/run/qreels-database",
        "REDIS_URL": f"redis://:queue@127.0.0.1:{queue}/0",
        "QREELS_ALLOWED_HOSTS": "127.0.0.1",
        "QREELS_PLAIN_HTTP": "1",  # no proxy before it here
    }
    options = [f"--env={name}={value}" for name, value in variables.items()]
    options += [f"--volume={data}:/var/lib/qreels", f"--volume={sockets}:/run/qreels-database"]

    # PostgreSQL, Valkey and the web server are all programs of arm64. Emulated, Valkey ends at once: it asks the kernel
    # for a fault that kernels of arm64 alone can have.
    emulated = platform.machine() != "aarch64"
    servers = ["database"] if emulated else ["broker", "database"]
    for name in servers:
        arm64.start(name, name, options=options)
    deadline = time.monotonic() + PATIENCE
    while not (sockets / ".s.PGSQL.5432").exists():
        assert time.monotonic() < deadline, arm64.logs()[-6000:]
        time.sleep(0.5)
    arm64.command("upgrade", "--no-backup", options=options)
    arm64.start("web", "server", "--bind", f"127.0.0.1:{web}", options=options)
    deadline = time.monotonic() + PATIENCE
    while not answers(f"http://127.0.0.1:{web}/healthz"):
        assert time.monotonic() < deadline, arm64.logs()[-6000:]
        time.sleep(0.5)
    assert arm64.inside("web", "uname", "-m").stdout.strip() == "aarch64"
    # A site that has no owner yet says how to become one.
    assert "manage.py owner_link" in requests.get(f"http://127.0.0.1:{web}/login/", timeout=PATIENCE).text
    # The libraries of clips and models are those of this processor, too. Emulated, torch ends by a segmentation fault:
    # it looks for the processor's number in a file of /sys that kernels of arm64 alone have.
    libraries = "numpy, av" if emulated else "numpy, av, torch"
    said = arm64.inside("web", "python", "-c", f"import {libraries}; print(numpy.ones(3).sum())")
    assert said.stdout.strip() == "3.0", said.stderr
    assert {arm64.stop(name) for name in ("web", *servers)} == {0}, arm64.logs()[-6000:]
    assert "database system is shut down" in arm64.logs()


def answers(address: str) -> bool:
    try:
        return requests.get(address, timeout=60).ok
    except requests.RequestException:
        return False
