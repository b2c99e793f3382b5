"""The lead's desk in a real browser: the overview changes by itself, and settings are changed by keyboard."""

from typing import Any

import pytest

from annotation.assignment.next_tasks import next_tasks
from annotation.judging.judgments import give_judgment
from annotation.judging.notices import ask_question, post_notice
from annotation.models import Notice, Pair
from foundation.models import Collection, Membership
from tests.annotation.judging_steps import graded

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

PATIENCE_MS = 60_000


def member(collection: Collection, name: str) -> Membership:
    return Membership.objects.select_related("collection").get(collection=collection, account__username=name)


def test_the_overview_shows_what_happens_without_being_loaded_again(
    log_in: Any, site: str, collection: Collection
) -> None:
    ada = log_in("ada")
    ada.goto(f"{site}/c/stage/")
    ada.evaluate("window.loadedOnce = true")
    assert "Nobody is judging right now." in ada.inner_text("#now")
    assert "At least 4 admitted people are needed, you have 2" in ada.inner_text("#needs")
    bo = member(collection, "bo")
    (first, *_) = next_tasks(member=bo)
    pair = Pair.objects.get(public_id=first.pair)
    give_judgment(member=bo, sent=graded(pair.public_id, 2, key=pair.public_id, played=1.0))
    ada.wait_for_selector(f"#now :text('{bo.worker}')", timeout=PATIENCE_MS)
    ada.wait_for_selector("#now :text('1 judgment today')", timeout=PATIENCE_MS)
    ada.locator("#stages a").first.focus()
    ask_question(member=bo, pair_id=pair.public_id, text="Is it the same cup?")
    ada.wait_for_selector("#needs [data-need=questions]", timeout=PATIENCE_MS)
    ada.wait_for_selector("#said:has-text('2 things need you')", state="attached", timeout=PATIENCE_MS)
    assert ada.evaluate("document.activeElement.closest('#stages') !== null"), "the focus stays where it was"
    assert ada.evaluate("window.loadedOnce")


def test_a_hidden_tab_asks_nothing_and_looks_at_once_when_it_is_shown(
    log_in: Any, site: str, collection: Collection
) -> None:
    ada = log_in("ada")
    ada.clock.install()
    ada.goto(f"{site}/c/stage/")
    ada.evaluate(
        """() => {
          window.asked = 0;
          const real = window.fetch;
          window.fetch = (...all) => { window.asked += 1; return real(...all); };
          window.away = true;
          Object.defineProperty(document, "hidden", { get: () => window.away });
          document.dispatchEvent(new Event("visibilitychange"));
        }"""
    )
    ada.clock.run_for(60_000)
    assert ada.evaluate("window.asked") == 0
    ada.evaluate("window.away = false; document.dispatchEvent(new Event('visibilitychange'))")
    assert ada.evaluate("window.asked") == 1


def test_a_setting_is_changed_by_keyboard_and_a_wrong_one_says_why(
    log_in: Any, site: str, collection: Collection
) -> None:
    ada = log_in("ada")
    ada.goto(f"{site}/c/stage/settings/")
    ada.get_by_label("Minutes a seat is kept").focus()
    ada.keyboard.press("ControlOrMeta+A")
    ada.keyboard.type("12.5")
    ada.keyboard.press("Enter")
    ada.wait_for_selector(".messages:has-text('Changed: Minutes a seat is kept.')", timeout=PATIENCE_MS)
    assert Collection.objects.get(name="stage").seat_minutes == 12.5
    ada.get_by_label("Share of the clip to watch").fill("3")
    ada.keyboard.press("Enter")
    ada.wait_for_selector("#refusal:has-text('Found 3, expected 0 to 1.')", timeout=PATIENCE_MS)
    assert ada.get_by_label("Share of the clip to watch").input_value() == "3"
    ada.get_by_label("Share of the clip to watch").fill("0.5")
    ada.keyboard.press("Enter")
    ada.wait_for_selector(".messages:has-text('Changed: Share of the clip to watch.')", timeout=PATIENCE_MS)


def test_an_annotator_reads_a_notice_and_puts_it_away(log_in: Any, site: str, collection: Collection) -> None:
    post_notice(lead=member(collection, "ada"), text="We judge until Friday.")
    bo = log_in("bo")
    strip = bo.locator("#notices :text('We judge until Friday.')")
    strip.wait_for(timeout=PATIENCE_MS)
    with bo.expect_response(lambda answer: "/judge/answers/notice-" in answer.url) as put_away:
        bo.locator("#notices button").first.click()
    assert put_away.value.status == 204
    assert Notice.objects.get().reads.get().annotator == member(collection, "bo")
    bo.goto(f"{site}/c/stage/judge/time/")
    assert bo.get_by_text("We judge until Friday.").count() == 0
