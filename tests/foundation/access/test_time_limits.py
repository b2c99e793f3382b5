"""A request whose statement waits or takes too long is answered with 503 and a sentence, within seconds."""

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from annotation.assignment.next_tasks import next_tasks
from annotation.models import Judgment
from foundation.models import Account, Collection
from tests.conftest import World, build_world
from tests.workers import database_url

PAGE = {"HTTP_ACCEPT": "text/html,*/*;q=0.8"}
SAFE = "Everything that was saved before is safe."


@pytest.fixture
def world(transactional_db: None) -> World:
    return build_world()


@contextmanager
def limit(name: str, value: str) -> Iterator[None]:
    """This connection's limit, as a web process has it."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET {name} = %s", [value])
        yield
        cursor.execute(f"RESET {name}")


@contextmanager
def held(statement: str) -> Iterator[None]:
    """Another session has executed the statement, and its transaction is open."""
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute(statement)
            yield
        other.rollback()
    finally:
        other.close()


def client_of(name: str) -> Client:
    client = Client()
    client.force_login(Account.objects.get(username=name))
    return client


@pytest.mark.parametrize(
    ("name", "why"),
    [("lock_timeout", "Somebody else is changing what this needs"), ("statement_timeout", "too much to do")],
)
def test_a_change_that_waits_too_long_is_answered_and_can_be_repeated(world: World, name: str, why: str) -> None:
    client, form = client_of("ada"), {"title": "Cut out"}
    with limit(name, "200ms"), held(f"SELECT FROM foundation_collection WHERE id = {world.collection.pk} FOR UPDATE"):
        answer = client.post("/c/paper/settings/change", form, **PAGE)
        assert answer.status_code == 503
        assert answer["Retry-After"] == "5" and answer["Cache-Control"] == "no-store"
        assert why in answer.content.decode() and SAFE in answer.content.decode()
        assert "<h1>Busy just now</h1>" in answer.content.decode()
    assert Collection.objects.get(pk=world.collection.pk).title == "Paper"
    client.post("/c/paper/settings/change", form, **PAGE)
    assert Collection.objects.get(pk=world.collection.pk).title == "Cut out"


def test_a_judgment_that_waits_too_long_is_told_in_json_and_taken_when_it_comes_again(world: World) -> None:
    (task, *_) = next_tasks(member=world["bo"])
    sent = json.dumps({"pair": task.pair, "grade": 3, "key": str(uuid.uuid4())})
    client = client_of("bo")
    # By a prepared statement, whose errors Django doesn't wrap.
    with limit("lock_timeout", "200ms"), held("SELECT FROM annotation_pair FOR UPDATE"):
        answer = client.post("/c/paper/judge/grade", sent, content_type="application/json")
        assert answer.status_code == 503
        assert SAFE in answer.json()["error"] and answer.json()["retry_after"] == 5
    assert not Judgment.objects.exists()
    assert client.post("/c/paper/judge/grade", sent, content_type="application/json").status_code == 200
    assert Judgment.objects.count() == 1


PROGRAM = """
import sys
{imported}
import django
django.setup()
from django.db import connection
with connection.cursor() as cursor:
    for name in ("lock_timeout", "statement_timeout", "client_connection_check_interval", "plan_cache_mode"):
        cursor.execute("SHOW " + name)
        print(cursor.fetchone()[0])
"""


@pytest.mark.parametrize(
    ("imported", "limits"),
    [("import config.wsgi", ["1500ms", "15s"]), ("", ["0", "0"])],
    ids=["the web server", "workers and commands"],
)
def test_only_web_processes_have_limits(db: None, imported: str, limits: list[str]) -> None:
    # What the address says for itself comes on top of ours.
    url = database_url()
    url += ("&" if "?" in url else "?") + "options=-c%20plan_cache_mode%3Dauto"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(imported=imported)],
        cwd=settings.BASE_DIR,
        env={
            **os.environ,
            "DATABASE_URL": url,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "QREELS_WEB_LOCK_TIMEOUT": "1.5",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [*limits, "2s", "auto"]
