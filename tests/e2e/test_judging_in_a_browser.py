"""A person judges in a real browser: login, clip, key, saved grade."""

import os
from typing import Any

import pytest

from annotation.models import Judgment
from corpus.models import Collection

# Playwright's synchronous interface runs an event loop in this thread, where Django sees asynchronous code.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

SEEN = "!document.getElementById('grades').hasAttribute('data-closed')"


def wait_until_open(page: Any) -> None:
    page.wait_for_function("document.querySelector('#stage video:not([hidden])')?.currentTime > 0.1", timeout=15000)
    page.wait_for_function(SEEN, timeout=30000)


def test_from_login_to_a_saved_grade_by_keyboard(log_in: Any, collection: Collection) -> None:
    page = log_in("bo")
    assert page.url.endswith("/c/stage/judge/")
    wait_until_open(page)
    assert page.inner_text("#query").startswith("Somebody does something")
    page.keyboard.press("3")
    page.wait_for_function("document.getElementById('today').textContent === '1'")
    judgment = Judgment.objects.get()
    assert (judgment.grade, judgment.counted, judgment.annotator.account.username) == (3, True, "bo")
    assert judgment.played is not None and judgment.played >= collection.played_fraction


def test_a_grade_before_the_clip_was_seen_is_not_taken(log_in: Any, collection: Collection) -> None:
    page = log_in("bo")
    page.wait_for_selector("#stage video:not([hidden])")
    page.keyboard.press("Space")
    page.keyboard.press("4")
    page.wait_for_function("document.getElementById('state').textContent.startsWith('Watch')")
    assert not Judgment.objects.exists()


def test_the_last_judgment_is_taken_back_and_shown_again(log_in: Any, collection: Collection) -> None:
    page = log_in("bo")
    wait_until_open(page)
    first = page.get_attribute("#stage video:not([hidden])", "src")
    page.keyboard.press("2")
    page.wait_for_function("document.getElementById('today').textContent === '1'")
    page.keyboard.press("z")
    page.wait_for_function("document.getElementById('today').textContent === '0'")
    page.wait_for_selector(f"#stage video[src='{first}']:not([hidden])")
    assert not Judgment.objects.get().counted


def test_what_is_judged_offline_goes_out_when_the_network_returns(log_in: Any, collection: Collection) -> None:
    page = log_in("bo")
    wait_until_open(page)
    page.context.set_offline(True)
    page.keyboard.press("1")
    page.wait_for_selector("#strip:not([hidden])")
    assert "1 judgment waits" in page.inner_text("#strip")
    assert not Judgment.objects.exists()
    page.context.set_offline(False)
    page.wait_for_selector("#strip", state="hidden", timeout=15000)
    assert [judgment.grade for judgment in Judgment.objects.all()] == [1]


def test_nothing_but_query_and_clip_reaches_the_annotators_browser(log_in: Any, collection: Collection) -> None:
    page = log_in("bo")
    page.wait_for_selector("#stage video:not([hidden])")
    source = page.content()
    for video in collection.videos.all():
        assert video.name not in source
    for description in collection.descriptions.all():
        assert description.text not in source


def test_the_lead_reaches_the_overview_and_an_annotator_does_not(log_in: Any, site: str) -> None:
    assert log_in("ada").url.endswith("/c/stage/")
    page = log_in("cy")
    answer = page.goto(f"{site}/c/stage/")
    assert answer.status == 403
