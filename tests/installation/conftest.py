"""The image, built once for all that runs it."""

import shutil
import socket
from collections.abc import Iterator

import pytest

from tests.installation.containers import Containers
from tests.installation.debian import missing

PORT = 8000


@pytest.fixture(scope="session")
def containers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Containers]:
    if reason := missing("mmdebstrap", "buildah", "podman", "runc"):
        pytest.skip(reason)
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", PORT)) == 0:
            pytest.skip(f"the containers share this machine's ports, and {PORT} is taken")
    folder = tmp_path_factory.mktemp("image")
    made = Containers(folder)
    try:
        made.build()
        yield made
    finally:
        made.remove()
        shutil.rmtree(folder, ignore_errors=True)
