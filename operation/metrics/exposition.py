"""All figures in the Prometheus text format."""

import os

from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from operation.metrics.gauges import Gauges


def exposed() -> bytes:
    """The figures of all processes of this server, and those of the site."""
    site = CollectorRegistry()
    site.register(Gauges())
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]  # prometheus_client lacks its types
        return bytes(generate_latest(together) + generate_latest(site))
    return bytes(generate_latest(REGISTRY) + generate_latest(site))
