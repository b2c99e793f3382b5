"""Label Studio as the peer of `judging.py`: the same number of people, searching and submitting in a loop.

It runs from a virtual environment of its own (`pip install label-studio==1.23.2`), as it installs itself, on the same
PostgreSQL in a database of its own.
"""

import json
import os
import secrets
import subprocess
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.harness.load import Load, Worker, drive
from demo.processes import stop

CONFIG = '<View><Text name="query" value="$query"/><Rating name="grade" toName="query" maxRating="5"/></View>'
LEAD = "lead@example.org"
CHUNK = 5000
START_SECONDS = 300


def measure_label_studio(venv: Path, home: Path, port: int, *, tasks: int, people: int, seconds: float) -> Load:
    """Start it, fill a project, let so many people work for so long, stop it.

    Args:
        venv: the virtual environment that it is installed in.
        home: a scratch folder for its data.
        port: a free port of 127.0.0.1.
    """
    token = secrets.token_hex(20)
    database = _create_database()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("DJANGO", "DATABASE"))},
        "DJANGO_DB": "default",
        "POSTGRE_NAME": "label_studio",
        "POSTGRE_USER": database["user"],
        "POSTGRE_PASSWORD": database["password"],
        "POSTGRE_HOST": database["host"],
        "POSTGRE_PORT": database["port"],
        "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "true",
        "COLLECT_ANALYTICS": "false",
        "SENTRY_DSN": "",
    }
    line = [str(venv / "bin" / "label-studio"), "start", "--no-browser", "--port", str(port)]
    line += ["--data-dir", str(home / "label-studio"), "--username", LEAD, "--password", secrets.token_hex(12)]
    line += ["--user-token", token, "--enable-legacy-api-token"]
    with (home / "label-studio.log").open("wb") as log:
        process = subprocess.Popen(line, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        _wait(port, process)
        call = _caller(port, token)
        project = call("POST", "/api/projects/", {"title": "bench", "label_config": CONFIG, "maximum_annotations": 2})
        for first in range(0, tasks, CHUNK):
            rows = [{"data": {"query": f"thing {number}"}} for number in range(first, min(tasks, first + CHUNK))]
            call("POST", f"/api/projects/{project['id']}/import", rows)
        tokens = [token, *(_add_person(call, number) for number in range(1, people))]
        return drive([_annotator(port, person_token, project["id"]) for person_token in tokens], seconds=seconds)
    finally:
        stop(process)


def _create_database() -> dict[str, str]:
    """A database beside ours; where it is, in libpq's words."""
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        connection.execute("CREATE DATABASE label_studio")
        place = {"host": connection.info.host, "port": str(connection.info.port), "user": connection.info.user}
        return {**place, "password": connection.info.password or ""}


def _wait(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
            return
        except OSError:
            time.sleep(1)
    raise RuntimeError("Label Studio didn't start; its log is in the scratch folder")


def _caller(port: int, token: str) -> Callable[[str, str, Any], Any]:
    def call(method: str, path: str, body: Any) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}{path}",
            data=json.dumps(body).encode(),
            method=method,
            headers={"Authorization": f"Token {token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=600) as answer:
            return json.load(answer)

    return call


def _add_person(call: Callable[[str, str, Any], Any], number: int) -> str:
    """Another annotator; the token is laid beside the account, since only its owner could make one."""
    person = call("POST", "/api/users/", {"email": f"a{number}@example.org", "username": f"a{number}"})
    token = secrets.token_hex(20)
    place = psycopg.conninfo.make_conninfo(os.environ["DATABASE_URL"], dbname="label_studio")
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute("DELETE FROM authtoken_token WHERE user_id = %s", [person["id"]])
        connection.execute(
            "INSERT INTO authtoken_token (key, created, user_id) VALUES (%s, now(), %s)", [token, person["id"]]
        )
    return token


def _annotator(port: int, token: str, project: int) -> Worker:
    head = f"Host: 127.0.0.1:{port}\r\nAuthorization: Token {token}\r\n"
    result = [{"from_name": "grade", "to_name": "query", "type": "rating", "value": {"rating": 3}}]
    body = json.dumps({"result": result, "lead_time": 4.0}).encode()

    def request(answer: dict[str, Any] | None) -> bytes | None:
        if answer is None or "result" in answer:
            return f"GET /api/projects/{project}/next HTTP/1.1\r\n{head}\r\n".encode()
        path = f"/api/tasks/{answer['id']}/annotations/"
        length = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        return f"POST {path} HTTP/1.1\r\n{head}{length}\r\n".encode() + body

    return Worker(port, request, search=b"/next ")
