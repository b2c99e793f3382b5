"""The figures of a real server: of all its processes together, also of one that was killed."""

import os
import signal
import time
from urllib.request import Request, urlopen

import psutil
import pytest

from tests.e2e.conftest import WebServer

TOKEN = "a-token-of-the-monitor"


def answered(server: WebServer) -> float:
    """How many requests for the login page the server says it has answered."""
    with urlopen(Request(f"{server.address}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})) as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith('qreels_responses_total{method="GET",st'))


@pytest.mark.django_db(transaction=True)
def test_requests_are_counted_over_all_processes_and_survive_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QREELS_METRICS_TOKEN", TOKEN)
    server = WebServer()
    try:
        server.start()
        before = answered(server)
        for _ in range(20):
            with urlopen(f"{server.address}/login/"):
                pass
        assert answered(server) == before + 20
        assert server._process is not None
        first, _second = psutil.Process(server._process.pid).children()
        os.kill(first.pid, signal.SIGKILL)
        deadline = time.monotonic() + 60
        while first.is_running() and time.monotonic() < deadline:
            time.sleep(0.02)
        assert answered(server) == before + 20
    finally:
        server.stop()
