"""A lead reviews captions in a real browser, by keyboard; a real worker checks what is typed and asks again."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import connection

from config.celery import app
from config.run import environment, worker_command
from corpus.models import Description
from demo.processes import stop
from foundation.models import Collection, Membership
from foundation.text import normalise
from queries.models import Attempt, Caption, Decision
from queries.review.decisions import decide_caption
from tests.e2e.conftest import WebServer
from tests.forked import ForkedProcess
from tests.workers import wait_for_worker

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

DOORS = ("red", "blue", "green", "yellow")
CURRENT = "article[data-caption='{}']"
PATIENCE_MS = 120_000
"""A worker loads its models with its first task, on a machine that may be busy."""


def wait_until(true: Callable[[], object], seconds: float = PATIENCE_MS / 1000) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def worker(server: WebServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A Celery worker as script/worker starts it, on the test database."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    database = urlunsplit(parts._replace(path="/" + str(connection.settings_dict["NAME"])))
    app.control.purge()
    log = tmp_path_factory.mktemp("worker") / "log"
    _, *line = worker_command(["--concurrency", "1", "--hostname", f"captions-{os.getpid()}@localhost"])
    own = {"DATABASE_URL": database, "QREELS_VAR": str(settings.VAR)}
    process = ForkedProcess(line, env={**environment("worker"), **own}, log=log)
    try:
        wait_for_worker(process, Path(log))
        yield
    finally:
        stop(process)
        app.control.purge()


@pytest.fixture
def waiting(collection: Collection) -> list[Caption]:
    """Four captions that still name somebody, in the order in which they are shown."""
    moment = collection.descriptions.first().moment
    made = []
    for place, colour in enumerate(DOORS):
        text = f"Rosa opens the {colour} door and walks in."
        description = Description.objects.create(
            collection=collection, moment=moment, source_id=f"door {place}", text=text, normalised=normalise(text)
        )
        attempt = Attempt.objects.create(
            description=description,
            number=1,
            text=text,
            rewriter="rules",
            model="rules",
            temperature=0,
            names=["Rosa"],
            similarity=1.0,
            similarity_passed=True,
            names_passed=False,
        )
        made.append(
            Caption.objects.create(
                description=description, attempt=attempt, text=text, normalised=normalise(text), status="review"
            )
        )
    return made


@pytest.fixture
def review(log_in: Any, site: str, worker: None, waiting: list[Caption]) -> Any:
    """The page of ada, with the first caption shown."""
    page = log_in("ada")
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{site}/c/stage/captions/")
    page.wait_for_selector(CURRENT.format(waiting[0].pk))
    return page


def press(page: Any, key: str, *, then: Caption | None, said: str) -> None:
    """Press a key; the caption `then` is shown next and the page says `said`."""
    page.keyboard.press(key)
    page.wait_for_function("said => document.getElementById('said').textContent.includes(said)", arg=said)
    if then is not None:
        page.wait_for_selector(CURRENT.format(then.pk))


def status(caption: Caption) -> str:
    return Caption.objects.get(pk=caption.pk).status


def test_a_lead_accepts_refuses_and_takes_back_by_keys(review: Any, waiting: list[Caption]) -> None:
    press(review, "x", then=waiting[1], said="Refused")
    assert status(waiting[0]) == "refused" and review.inner_text("#waiting") == "3"
    press(review, "z", then=waiting[0], said="Taken back")
    assert status(waiting[0]) == "review" and review.inner_text("#waiting") == "4"
    press(review, "a", then=waiting[1], said="Accepted")
    review.keyboard.press("n")
    review.wait_for_selector(CURRENT.format(waiting[2].pk))
    assert [status(caption) for caption in waiting] == ["accepted", "review", "review", "review"]
    decision = Decision.objects.get(taken_back_at=None)
    assert (decision.kind, decision.member.account.username) == ("accepted", "ada")


def test_what_is_typed_is_checked_by_the_worker_and_accepted(review: Any, waiting: list[Caption]) -> None:
    review.keyboard.press("e")
    # The text as it stands names somebody: the worker finds it without a key being pressed.
    review.wait_for_selector("form.edit .verdicts .failed:has-text('Rosa')")
    review.keyboard.press("ControlOrMeta+a")
    review.keyboard.type("A woman opens the red door and walks in.")
    review.wait_for_function(
        "() => { const lines = [...document.querySelectorAll('form.edit .verdicts li')];"
        " return lines.length > 2 && lines.every((line) => !line.className); }"
    )
    assert status(waiting[0]) == "review", "a check decides nothing"
    press(review, "Control+Enter", then=waiting[1], said="Your caption is accepted")
    caption = Caption.objects.get(pk=waiting[0].pk)
    assert (caption.status, caption.text) == ("accepted", "A woman opens the red door and walks in.")
    assert caption.attempt.rewriter == "person" and caption.attempt.passed and caption.attempt.similarity < 1
    assert caption.decided_by.account.username == "ada" and caption.reason == "named Rosa"


def test_the_rewriter_is_asked_again_and_the_caption_comes_back(review: Any, waiting: list[Caption]) -> None:
    press(review, "r", then=waiting[1], said="being rewritten")
    wait_until(lambda: Caption.objects.get(pk=waiting[0].pk).asked_again_at is None)
    attempt = waiting[0].description.attempts.get(number=2)
    assert attempt.text and "Rosa" not in attempt.text and attempt.temperature == 0.2
    review.goto(review.url.split("?")[0] + f"?at={waiting[0].pk}")
    review.wait_for_selector(CURRENT.format(waiting[0].pk))
    assert review.inner_text(".attempts > li:first-child .sentence") == attempt.text
    press(review, "a", then=waiting[1], said="Accepted")
    assert Caption.objects.get(pk=waiting[0].pk).text == attempt.text


def test_a_refused_edit_keeps_the_caption_and_what_was_typed(review: Any, waiting: list[Caption]) -> None:
    text = "A woman opens a door, painted red, and walks in."
    review.keyboard.press("e")
    review.keyboard.press("ControlOrMeta+a")
    review.keyboard.type(text)
    other = Membership.objects.get(collection__name="stage", account__username="bo")
    decide_caption(caption_id=waiting[0].pk, member=other, accept=False)
    press(review, "Control+Enter", then=waiting[0], said="bo decided this caption meanwhile")
    assert review.input_value("form.edit textarea") == text
    assert review.is_visible("form.edit textarea") and review.inner_text("#waiting") == "3"
    assert status(waiting[0]) == "refused" and not Attempt.objects.filter(rewriter="person").exists()
    review.keyboard.press("Escape")
    review.keyboard.press("n")
    review.wait_for_selector(CURRENT.format(waiting[1].pk))
