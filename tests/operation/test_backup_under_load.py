"""A site whose people judge while its backup is made, which is then lost and restored elsewhere, where they go on."""

import threading
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.test import Client

from annotation.consensus import decide
from annotation.models import Judgment, Pair
from datasets.models import Release
from datasets.releases.make_release import create_release
from foundation.models import Account
from tests.conftest import build_world
from tests.datasets.conftest import World, judged, unjudged  # noqa: F401 - a collection whose pairs are decided
from tests.operation.sites import empty_site, made, restored, stored, this_process_at
from tests.workers import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
PEOPLE = ("bo", "cy", "di", "ed")


class Person(threading.Thread):
    """Judges over the site's own addresses until told to stop; remembers what was acknowledged."""

    def __init__(self, name: str, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.client = logged_in(name)
        self.acknowledged: list[uuid.UUID] = []
        self.stop = stop
        self.problem = ""

    def run(self) -> None:
        try:
            while not self.stop.is_set() and self.judge():
                pass
        except Exception as error:
            self.problem = repr(error)
        finally:
            connections.close_all()

    def judge(self) -> bool:
        tasks = self.client.post("/c/paper/judge/next", {}, content_type="application/json").json()["tasks"]
        for task in tasks:
            key = uuid.uuid4()
            sent = {"pair": task["pair"], "grade": len(self.acknowledged) % 3, "key": str(key), "played": 1.0}
            answer = self.client.post("/c/paper/judge/grade", sent, content_type="application/json")
            assert answer.status_code in (200, 409), answer.content
            if answer.status_code == 200:
                self.acknowledged.append(key)
        return bool(tasks)


def logged_in(name: str) -> Client:
    client = Client()
    client.force_login(Account.objects.get(username=name))
    return client


def test_what_was_acknowledged_before_is_there_each_pair_is_whole_and_judging_goes_on(
    settings: Any, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    settings.MEDIA_ROOT, settings.VIDEO_FOLDER = str(tmp_path / "media"), tmp_path / "videos"
    settings.VAR = tmp_path / "var"
    create_release(collection=request.getfixturevalue("judged").collection, name="v1")
    build_world(queries=30, candidates=20)
    stop = threading.Event()
    people = [Person(name, stop) for name in PEOPLE]
    for person in people:
        person.start()
    try:
        wait_until(lambda: min(len(person.acknowledged) for person in people) >= 10)
        before = {key for person in people for key in list(person.acknowledged)}
        made(tmp_path / "backups")
    finally:
        stop.set()
        for person in people:
            person.join(30)
    assert not any(person.problem for person in people), [person.problem for person in people]
    ever = {key for person in people for key in person.acknowledged}
    assert len(ever) > len(before), "nobody judged while it was made"
    with empty_site(tmp_path) as there:
        restored(there, tmp_path / "backups")
        assert stored(tmp_path / "elsewhere" / "media") == stored(tmp_path / "media")
        with this_process_at(there):
            kept = set(Judgment.objects.filter(pair__batch__collection__name="paper").values_list("key", flat=True))
            assert before <= kept <= ever
            for pair in Pair.objects.filter(batch__collection__name="paper").prefetch_related("judgments"):
                grades = [judgment.grade for judgment in pair.judgments.all() if judgment.counted]
                decided = decide(grades) if len(grades) in (2, 4) else None
                if decided is not None and decided.status == "consensus":
                    assert (pair.status, pair.grade) == ("consensus", decided.grade)
                else:
                    assert pair.grade is None
            release = Release.objects.get(name="v1")
            archive = logged_in("ada").get(f"/c/tiny/releases/{release.pk}/archive")
            assert archive.status_code == 200
            went_on = Person("bo", threading.Event())
            assert went_on.judge() and set(went_on.acknowledged) <= set(Judgment.objects.values_list("key", flat=True))
