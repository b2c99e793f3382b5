"""What no page of ours sends, at every address: other charsets, forms for JSON, wrong types. 4xx, never 500."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from foundation.models import Account
from tests.addresses import JUDGING_REQUESTS, TRAINING_REQUESTS, patterns
from tests.conftest import build_world
from tests.test_blindness import METHOD_NOT_ALLOWED, QUICK_HASHERS, was_read
from tests.test_house import ROOT

pytestmark = pytest.mark.long

FORM = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n'
WRONG = {"pair": [], "grade": {}, "key": 1, "kind": {}, "note": [], "version": [], "played": "x"}
NULS = '{"pair": "a\\u0000", "grade": 1e999, "key": "\\ud800", "kind": "\\u0000", "version": 1e400, "note": "\\ud800"}'
ODD = [
    ("application/json", json.dumps(WRONG).encode()),
    ("application/json; charset=utf-16", "{}".encode("utf-16")),
    ("application/json; charset=nonsense", b"{}"),
    ("application/json", NULS.encode()),
    ("application/json", b"[" * 100_000),
    ("application/x-www-form-urlencoded; charset=base64", b"a=1"),
    ("application/x-www-form-urlencoded", b"\xff=\xfe&a=%00"),
    ("multipart/form-data; boundary=x", FORM),
    ("multipart/form-data; boundary=x; charset=utf-16", FORM),
    ("multipart/form-data", b"x"),
    ("application/octet-stream", b"\xff" * 100),
]
PAGES_SENT_ALL = 20
"""Answers of 405 after which an address that takes no POST is sent one body alone."""
JSON = JUDGING_REQUESTS | TRAINING_REQUESTS


def addresses() -> Iterator[tuple[str, str]]:
    for pattern in patterns():
        words = {"name": "paper", "public_name": "x", "suffix": "mp4", "split": "test", "token": "x"}
        keys = pattern.pattern.regex.groupindex if not pattern.pattern.converters else pattern.pattern.converters
        kinds = {key: type(pattern.pattern.converters.get(key)).__name__ for key in keys}
        values = {key: 1 if kind == "IntConverter" else words.get(key, "x") for key, kind in kinds.items()}
        yield str(pattern.name), reverse(str(pattern.name), kwargs=values)


@pytest.mark.django_db
@pytest.mark.parametrize("who", ["ada", "bo"])
def test_no_address_breaks_over_what_is_sent_to_it(client_of: Any, settings: Any, who: str) -> None:
    settings.PASSWORD_HASHERS = QUICK_HASHERS
    world = build_world()
    client = client_of(world[who].account)
    client.raise_request_exception = False
    client.handler.enforce_csrf_checks = True
    client.cookies["csrftoken"] = token = "a" * 32
    broken, taken = [], []
    takes_none = 0
    for name, path in addresses():
        if name == "logout":
            continue
        unread: set[str] = set()
        for kind, body in ODD:
            if kind in unread:
                continue
            answer = client.generic("POST", path, body, content_type=kind, headers={"X-CSRFToken": token})
            if not was_read(answer):
                unread.add(kind)  # another body of this kind can't be answered differently
            if answer.status_code >= 500:
                broken.append((name, kind, body[:40], answer.status_code))
            if name in JSON and "form" in kind and answer.status_code < 400:
                taken.append((name, kind, answer.status_code))
            if answer.status_code == METHOD_NOT_ALLOWED:
                takes_none += 1
                if takes_none > PAGES_SENT_ALL:
                    break  # what reads a body in front of an address that takes none is the same for all of them
        page = client.get(f"{path}?q=%00&page=%00&kind=%ED%A0%80&sort=%ff&order=x&measure=%00&video=x")
        if page.status_code >= 500:
            broken.append((name, "GET", b"", page.status_code))
    assert not broken
    # Those that read nothing of their body have nothing to refuse.
    assert {name for name, _, _ in taken} <= {"judge-next", "judge-alive", "judge-leave", "judge-answer-read"} | {
        "practice-next",
        "exam-next",
        "again-next",
    }


@pytest.mark.django_db
def test_another_charset_is_refused_in_words() -> None:
    client = Client()
    page = client.generic("POST", "/login/", b"a=1", content_type="application/x-www-form-urlencoded; charset=base64")
    assert page.status_code == 415 and "not UTF-8" in page.content.decode()
    told = client.generic("POST", "/c/paper/judge/next", b"{}", content_type="application/json; charset=utf-16")
    assert told.status_code == 415 and "not UTF-8" in told.json()["message"]
    kept = client.generic("POST", "/c/paper/judge/next", b"{}", content_type='application/json; charset="UTF-8"')
    assert kept.status_code == 401


AWAY = """
import django; django.setup()
from django.test import Client
client = Client(raise_request_exception=False, SERVER_NAME="localhost")
client.cookies["sessionid"] = "x" * 32
page = client.get("/")
told = client.post("/c/paper/judge/grade", "{}", content_type="application/json")
token = client.get("/c/paper/", headers={"Authorization": "Bearer x", "Accept": "application/json"})
for answer in (page, told, token):
    print(answer.status_code, answer["Retry-After"], answer["Content-Type"], "its database" in answer.content.decode())
"""


def test_a_database_that_is_away_is_a_plain_page_or_json_with_503() -> None:
    done = subprocess.run(
        [sys.executable, "-c", AWAY],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": "postgresql://postgres@127.0.0.1:1/nobody-listens-there",
        },
        check=True,
    )
    assert done.stdout.splitlines() == [
        "503 10 text/html; charset=utf-8 True",
        "503 10 application/json True",
        "503 10 application/json True",
    ]


@pytest.mark.django_db
def test_a_nul_in_a_path_is_nothing_here_at_every_address(client_of: Any) -> None:
    """In the place of each varying part that is text: a NUL alone, and behind what would be right."""
    world = build_world()
    Account.objects.filter(username="ada").update(is_superuser=True)
    callers = (Client(raise_request_exception=False), client_of(world["ada"].account))
    callers[1].raise_request_exception = False
    asked, wrong = 0, []
    for name, path in [*addresses(), ("api", "/api/v1/collections/paper"), ("none", "/x/")]:
        for part in {part for part in path.split("/") if part in ("paper", "x", "test")}:
            for nul in (f"{part}%00", "%00"):
                for client in callers:
                    asked += 1
                    answer = client.get("/".join(nul if one == part else one for one in path.split("/")))
                    if answer.status_code not in (404, 410):
                        wrong.append((name, path, answer.status_code))
    assert wrong == [] and asked > 500
