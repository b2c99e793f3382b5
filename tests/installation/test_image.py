"""The image is built and run: no rights, a root that is only read, PostgreSQL and Valkey, to a judgment."""

import json
import shutil
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
import requests

from config.embedded import free_port
from demo.simulated_annotators import Visitor
from tests.installation.conftest import PORT
from tests.installation.containers import Containers
from tests.paths import ROOT

pytestmark = pytest.mark.slow
PASSWORD = "a-paper-moon-over-the-sea"
KEY = "0123456789abcdef-a-secret-key-of-this-test-alone"
ACTIONS = ("opens a door", "pours tea", "reads a letter", "feeds a cat", "sits on a bench", "closes a window")
PEOPLE = f"""
from foundation.models import Account
for name in ("ada", "bo"):
    Account.objects.create_user(name, password={PASSWORD!r})
"""


def test_nothing_in_it_is_of_one_kind_of_processor_alone() -> None:
    text = (ROOT / "Containerfile").read_text()
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    assert not any(kind in text for kind in ("amd64", "x86_64", "arm64", "aarch64", "--platform"))


def test_the_image_has_no_rights_and_says_how_it_is(containers: Containers) -> None:
    assert containers.inspect("{{.Config.User}}") == "10001:10001"
    assert "/healthz" in containers.inspect("{{json .Config.Healthcheck}}")
    variables = json.loads(containers.inspect("{{json .Config.Env}}"))
    assert not any("SECRET" in variable or "PIP_" in variable for variable in variables)


def test_a_site_of_containers_comes_to_a_judgment(containers: Containers) -> None:
    data, secrets = containers.folder / "data", containers.folder / "secrets"
    sockets = containers.folder / "sockets"
    for folder in (data, sockets):
        folder.mkdir()
        shutil.chown(folder, 10001, 10001)
    secrets.mkdir()
    (secrets / "secret_key").write_text(KEY + "\n")
    (secrets / "database_url").write_text("postgresql://qreels@/qreels?host=/run/qreels-database\n")
    queue = free_port()
    variables = {
        "QREELS_SECRET_KEY_FILE": "/run/secrets/secret_key",
        "DATABASE_URL_FILE": "/run/secrets/database_url",
        "REDIS_URL": f"redis://:queue@127.0.0.1:{queue}/0",
        "QREELS_ALLOWED_HOSTS": "127.0.0.1",
        "QREELS_PLAIN_HTTP": "1",  # no proxy before it here
    }
    options = [f"--env={name}={value}" for name, value in variables.items()]
    options += [f"--volume={data}:/var/lib/qreels", f"--volume={sockets}:/run/qreels-database"]
    options += [f"--volume={secrets}:/run/secrets:ro"]

    # PostgreSQL and Valkey: the image has both.
    containers.start("database", "database", options=options)
    containers.start("broker", "broker", options=options)
    wait_for(lambda: (sockets / ".s.PGSQL.5432").exists(), containers)
    containers.command("upgrade", "--no-backup", options=options)

    # A collection from descriptions: its models are in the image.
    rows = [
        {
            "vid_name": "film",
            "duration": 90.0,
            "ts": [5 * n, 5 * n + 4],
            "desc": f"Rosa {text}.",
            "type": "v",
            "desc_id": n,
        }
        for n, text in enumerate(ACTIONS)
    ]
    (secrets / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    containers.command("shell", "-c", PEOPLE, options=options)
    for line in (
        "import_descriptions film /run/secrets/rows.jsonl --title Film --without-clips",
        "add_member film ada --role owner",
        "add_member film bo",
        "rewrite film",
        "select_queries film --val 1 --test 1 --seed 1",
        "fetch_candidates film",
        "open_annotation film",
    ):
        containers.command(*line.split(), options=options)

    address = f"http://127.0.0.1:{PORT}"
    containers.start("web", options=options)
    containers.start("worker", "worker", "--concurrency", "1", options=options)
    wait_for(lambda: is_ready(address), containers)
    assert containers.is_healthy("web")
    assert containers.inside("web", "id", "-u").stdout.strip() == "10001"
    for place in ("/opt/qreels/x", "/etc/x", "/x"):
        refused = containers.inside("web", "touch", place)
        assert refused.returncode != 0 and "Read-only file system" in refused.stderr

    page = requests.get(f"{address}/login/", timeout=30)
    style = page.text.partition('<link rel="stylesheet" href="')[2].partition('"')[0]
    assert "." in style.removesuffix(".css"), "static files have the names of their content"
    assert requests.get(address + style, timeout=30).ok
    bo = Visitor(address, "bo", PASSWORD)
    task = bo.post("/c/film/judge/next").json()["tasks"][0]
    assert "woman" in task["query"] or "person" in task["query"], "the name was found and replaced"
    grade = {"pair": task["pair"], "grade": 3, "key": str(uuid.uuid4()), "played": 1.0, "active_ms": 3000}
    saved = bo.post("/c/film/judge/grade", json={**grade, "at": datetime.now(UTC).isoformat()}).json()
    assert "saved" in saved
    assert "ok       Workers" in containers.command("check_health", options=options)

    assert [containers.stop(name) for name in ("web", "worker", "broker", "database")] == [0, 0, 0, 0]
    logs = containers.logs()
    assert "database system is shut down" in logs
    assert KEY not in logs


def test_half_set_up_it_is_not_healthy_and_says_what_is_missing(containers: Containers) -> None:
    data = containers.folder / "unready"
    data.mkdir()
    shutil.chown(data, 10001, 10001)
    options = [f"--env=QREELS_SECRET_KEY={KEY}", "--env=QREELS_ALLOWED_HOSTS=x", f"--volume={data}:/var/lib/qreels"]
    options += ["--env=DATABASE_URL=postgresql://qreels:x@127.0.0.1:1/x", "--env=REDIS_URL=redis://127.0.0.1:1/0"]
    containers.start("unready", options=options)
    wait_for(lambda: "The database is not ready to serve" in containers.logs(), containers)
    assert not containers.is_healthy("unready")


def is_ready(address: str) -> bool:
    try:
        return requests.get(f"{address}/readyz", timeout=10).status_code == 200
    except requests.RequestException:
        return False


def wait_for(condition: Callable[[], bool], containers: Containers) -> None:
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.2)
    raise AssertionError(containers.logs()[-6000:])
