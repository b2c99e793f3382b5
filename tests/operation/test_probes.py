"""`/healthz` and `/readyz`: what they say with each part of the site away, and to whom."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import MiddlewareNotUsed
from django.db import connection
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone

from annotation.models import Seat
from operation import probes
from operation.health.checks import NEEDED
from operation.health.heartbeat import beat
from operation.metrics.requests import CountRequests
from operation.models import Alert, WorkerHeartbeat
from tests.annotation.judging_steps import sit
from tests.conftest import World
from tests.workers import nobody_listens

pytestmark = pytest.mark.django_db


@pytest.fixture
def worker_lives(db: None) -> None:
    beat(node="celery@here", processes=2)


def states(client: Client, query: str = "") -> dict[str, str]:
    checks: dict[str, str] = client.get(f"/readyz{query}").json()["checks"]
    return checks


def test_healthz_answers_without_the_database_and_under_any_host_name(
    client: Client, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(0):
        answer = client.get("/healthz", HTTP_HOST="10.1.2.3:8000")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert answer["Cache-Control"] == "no-store"
    assert client.post("/healthz").status_code == 405


def test_a_site_with_all_it_needs_is_ready(client: Client, worker_lives: None) -> None:
    answer = client.get("/readyz", HTTP_HOST="probe")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "checks": {check.__name__: "ok" for check in NEEDED}}


def test_without_a_worker_it_isn_t_ready_and_a_load_balancer_can_ask_for_less(client: Client) -> None:
    assert client.get("/readyz").status_code == 503
    assert states(client)["worker"] == "failed"
    assert client.get("/readyz?only=database,migrations").status_code == 200
    assert set(states(client, "?only=database,migrations")) == {"database", "migrations"}
    refused = client.get("/readyz?only=databse")
    assert refused.status_code == 400 and "unknown check 'databse'" in refused.json()["error"]


def test_it_isn_t_ready_while_the_broker_is_away(client: Client, worker_lives: None) -> None:
    with nobody_listens():
        answer = client.get("/readyz")
    assert answer.status_code == 503
    assert [name for name, state in answer.json()["checks"].items() if state != "ok"] == ["broker"]


def test_it_isn_t_ready_with_tables_of_another_version(client: Client, worker_lives: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('desk', '9999_later', now())")
        assert states(client)["migrations"] == "failed"
        cursor.execute("DELETE FROM django_migrations WHERE app = 'desk'")
    assert states(client)["migrations"] == "failed"


def test_it_isn_t_ready_where_files_can_t_be_stored(
    client: Client, worker_lives: None, settings: Any, tmp_path: Path
) -> None:
    (tmp_path / "media").write_text("a file where a folder should be")
    settings.MEDIA_ROOT = str(tmp_path / "media")
    assert states(client)["storage"] == "failed"


def test_little_space_is_a_warning_before_it_is_a_fault(
    client: Client, worker_lives: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.FREE_SPACE = 1 << 60
    assert states(client)["disk"] == "warning" and client.get("/readyz").status_code == 200


def test_a_probe_tells_nothing_but_states(client: Client) -> None:
    with nobody_listens():
        text = client.get("/readyz").content.decode()
    assert "127.0.0.1" not in text and "celery" not in text and "PostgreSQL" not in text


def test_figures_are_for_whoever_brings_the_token_or_asks_from_an_allowed_address(
    client: Client, settings: Any, worker_lives: None
) -> None:
    assert client.get("/metrics").status_code == 404
    settings.METRICS_TOKEN = "a-token-of-the-monitor"
    for given in ("", "Bearer wrong", "a-token-of-the-monitor", "Bearer ü"):
        assert client.get("/metrics", HTTP_AUTHORIZATION=given).status_code == 404
    text = client.get("/metrics", HTTP_AUTHORIZATION="Bearer a-token-of-the-monitor").content.decode()
    assert 'qreels_check_ok{check="worker"} 1.0' in text
    assert 'qreels_worker_seen_seconds{node="celery@here"}' in text
    assert "qreels_judgments_total" in text
    settings.METRICS_TOKEN, settings.METRICS_FROM = "", ("10.0.0.0/8",)
    assert client.get("/metrics", REMOTE_ADDR="10.9.8.7").status_code == 200
    for other in ("11.9.8.7", "", "unix:"):  # a Unix socket has no address
        assert client.get("/metrics", REMOTE_ADDR=other).status_code == 404
    # Whoever claims an address in a header is believed only where a proxy sets that header.
    assert client.get("/metrics", REMOTE_ADDR="11.9.8.7", HTTP_X_REAL_IP="10.9.8.7").status_code == 404


def test_figures_are_told_even_while_the_broker_is_away(client: Client, settings: Any) -> None:
    settings.METRICS_TOKEN = "a-token-of-the-monitor"
    with nobody_listens():
        text = client.get("/metrics", HTTP_AUTHORIZATION="Bearer a-token-of-the-monitor").content.decode()
    assert 'qreels_check_ok{check="broker"} 0.0' in text and "qreels_queue_messages" not in text


@pytest.mark.parametrize(("token", "networks"), [("a-token-of-the-monitor", ()), ("", ("10.0.0.0/8",)), ("", ())])
def test_requests_are_counted_where_somebody_may_read_the_figures(
    rf: RequestFactory, settings: Any, token: str, networks: tuple[str, ...]
) -> None:
    settings.METRICS_TOKEN, settings.METRICS_FROM = token, networks
    if not token and not networks:
        with pytest.raises(MiddlewareNotUsed):
            CountRequests(lambda request: HttpResponse())
        return
    request = rf.get("/")
    request.resolver_match = None
    assert CountRequests(lambda request: HttpResponse(status=204))(request).status_code == 204


def test_figures_count_what_there_is(client: Client, settings: Any, world: World) -> None:
    settings.METRICS_TOKEN = "a-token-of-the-monitor"
    beat(node="celery@ahead", processes=2)
    WorkerHeartbeat.objects.update(seen_at=timezone.now() + timedelta(hours=1))
    sit(world["bo"])
    sit(world["cy"])
    Seat.objects.filter(annotator=world["cy"]).update(expires_at=timezone.now())
    Alert.objects.create(check_name="disk", found="x")
    Alert.objects.create(check_name="worker", found="x", ended_at=timezone.now())
    text = client.get("/metrics", HTTP_AUTHORIZATION="Bearer a-token-of-the-monitor").content.decode()
    for line in (
        'qreels_worker_seen_seconds{node="celery@ahead"} 0.0',
        "qreels_seats_held 1.0",
        "qreels_alerts_open 1.0",
        f'qreels_batches{{state="{world.batch.status}"}} 1.0',
        'qreels_check_ok{check="worker"} 1.0',
    ):
        assert line in text, line


def test_what_was_found_is_told_for_some_seconds_and_then_looked_for_anew(
    monkeypatch: pytest.MonkeyPatch, worker_lives: None
) -> None:
    monkeypatch.setattr(probes, "_kept", None)
    monkeypatch.setattr(probes, "KEPT_SECONDS", 60.0)
    first = probes.findings()
    assert probes.findings() is first and [finding.name for finding in first] == [check.__name__ for check in NEEDED]
    monkeypatch.setattr(probes, "KEPT_SECONDS", -1.0)
    assert probes.findings() is not first
