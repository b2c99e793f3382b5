"""Figures that are read from the database and the task queue when somebody asks for them."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from django.db import connection
from django.db.models import Count
from django.utils import timezone
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

from annotation.models import Batch, Judgment, Seat
from foundation.infra.task_queue import QueueAway, waiting_messages
from foundation.jobs.selectors import kinds
from foundation.version import this_version
from operation.health import checks
from operation.models import Alert, WorkerHeartbeat


class Gauges:
    """A collector of prometheus_client: every `collect` reads anew."""

    def collect(self) -> Iterator[Any]:
        about = GaugeMetricFamily("qreels_info", "The version that answers.", labels=["version"])
        about.add_metric([this_version().version], 1)
        yield about
        health = GaugeMetricFamily("qreels_check_ok", "1 if a check of /readyz doesn't fail.", labels=["check"])
        findings = checks.look()
        for finding in findings:
            health.add_metric([finding.name], int(finding.ok))
        yield health
        with suppress(QueueAway):  # the check says so
            waiting = waiting_messages()
            yield GaugeMetricFamily("qreels_queue_messages", "Messages that wait for a worker.", value=waiting)
        if next(finding for finding in findings if finding.name == "database").ok:
            yield from _of_the_database()


def _of_the_database() -> Iterator[Any]:
    yield CounterMetricFamily(
        "qreels_judgments", "Judgments stored since the tables were made.", value=_rows_ever(Judgment)
    )
    yield GaugeMetricFamily(
        "qreels_seats_held",
        "Seats that annotators hold now.",
        value=Seat.objects.filter(ended_at=None, expires_at__gt=timezone.now()).count(),
    )
    batches = GaugeMetricFamily("qreels_batches", "Batches by their state.", labels=["state"])
    for state, number in Batch.objects.values_list("status").annotate(number=Count("pk")).order_by("status"):
        batches.add_metric([state], number)
    yield batches
    jobs = GaugeMetricFamily("qreels_jobs", "Jobs by kind and state.", labels=["kind", "state"])
    for kind, model in sorted(kinds().items()):
        rows = model._default_manager.order_by("state").values_list("state").annotate(number=Count("pk"))
        for state, number in rows:
            jobs.add_metric([kind, state], number)
    yield jobs
    seen = GaugeMetricFamily(
        "qreels_worker_seen_seconds", "Seconds since a worker's last sign of life.", labels=["node"]
    )
    now = timezone.now()
    for worker in WorkerHeartbeat.objects.order_by("node"):
        seen.add_metric([worker.node], max(0.0, (now - worker.seen_at).total_seconds()))
    yield seen
    yield GaugeMetricFamily("qreels_alerts_open", "Open alerts.", value=Alert.objects.filter(ended_at=None).count())
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_database_size(current_database()),"
            " (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),"
            " current_setting('max_connections')::int"
        )
        size, used, most = cursor.fetchone()
    yield GaugeMetricFamily("qreels_database_bytes", "The database's size.", value=size)
    yield GaugeMetricFamily("qreels_database_connections", "The database's connections in use.", value=used)
    yield GaugeMetricFamily("qreels_database_connections_most", "The most that it takes.", value=most)


def _rows_ever(model: Any) -> int:
    """How many rows a table ever got, by PostgreSQL's own count: counting a million takes a second."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_get_tuples_inserted(%s::regclass)", [model._meta.db_table])
        return int(cursor.fetchone()[0])
