"""The judging page with all that a collection may ask for at once: by key, by touch, on a phone, without a network."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from annotation.judging.notices import post_notice
from annotation.models import Judgment
from annotation.scale import GradeText, as_text
from corpus.clips.cut_clips import CuttingPlan, cut_clips_of_video
from corpus.content.marks import mark_video
from foundation.models import Account, Collection
from queries.models import Query, QueryMedium
from tests.annotation.factors.declaring import with_factors
from tests.e2e.axe import found_by_axe
from tests.e2e.judging_steps import (
    HEAR,
    PATIENCE,
    clip_on_stage,
    wait_for_state,
    wait_for_today,
    wait_for_waiting,
    wait_until_open,
)
from tests.e2e.test_factors_in_a_browser import NEXT, pause, press, wait_for_question
from tests.e2e.test_hearing_and_reading_in_a_browser import let_them_sound, say_something
from tests.e2e.test_judging_for_everybody import FITS
from tests.e2e.test_judging_survives import wait_until_kept
from tests.e2e.test_player_in_a_browser import LISTED
from tests.queries.topics.media import picture

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

ON = "document.querySelector('#stage video.on')"
VEILED = "document.getElementById('stage')?.hasAttribute('data-veiled')"
SEEN = "document.getElementById('seen').getAttribute('aria-valuenow')"
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
WORDS = {
    "en": ["nothing of it", "hinted at", "most of it is there", "all of it, clearly"],
    "de": ["nichts davon", "angedeutet", "das meiste ist da", "alles, und deutlich"],
    "zh-hans": ["完全没有", "略有提示", "大部分都有", "全部清楚"],
}
TEXTS = {
    language: {grade: GradeText(word, "") for grade, word in enumerate(words)} for language, words in WORDS.items()
}


@pytest.fixture
def everything(collection: Collection, tmp_path: Path) -> Collection:
    """A scale to 3 in its lead's words, two factors, sound, subtitles, context, comparison, marks, a veil over every
    clip, and a picture beside the query's words."""
    Collection.objects.update(
        evidence=["picture", "sound", "subtitles"],
        context_seconds=1.0,
        compare_clips=True,
        span_agreement=0.5,
        top_grade=3,
        grade_words=as_text(TEXTS, {}),
    )
    say_something(collection)
    for video in collection.videos.all():
        cut_clips_of_video(video_id=video.pk, plan=CuttingPlan())
        mark_video(video=video, content="violence, blood", minimum_age="0")
    let_them_sound(tmp_path)
    add_pictures(collection)
    collection.refresh_from_db()
    return with_factors(collection)


def add_pictures(collection: Collection) -> None:
    name = default_storage.save("query-media/test.png", ContentFile(picture()))
    about = {"kind": "picture", "suffix": "png", "media_file": name, "size": 1, "sha256": "0" * 64, "alone": False}
    for place, query in enumerate(Query.objects.filter(collection=collection)):
        Query.objects.filter(pk=query.pk).update(description=None, topic_id=f"T{place}")
        QueryMedium.objects.create(query=query, **about)


def sitting(page: Any) -> list[str]:
    """What doesn't fit; under the veil and the reminder of the sound a clip may be smaller."""
    return [wrong for wrong in page.evaluate(FITS) if not wrong.startswith("the clip is")]


def checked(page: Any, what: str) -> None:
    assert sitting(page) == [], what
    found = found_by_axe(page)
    assert found.violations_count == 0, f"{what}: {found.generate_report()}"


@pytest.mark.parametrize(("language", "scheme"), [("en", "dark"), ("de", "light"), ("zh-hans", "dark")])
def test_all_of_it_fits_a_phone_and_is_judged_by_touch(
    log_in: Any, everything: Collection, language: str, scheme: str
) -> None:
    Account.objects.filter(username="bo").update(language=language)
    page = log_in("bo", color_scheme=scheme, **PHONE)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.wait_for_function(VEILED, timeout=PATIENCE)
    page.wait_for_selector("#stage video.on", state="attached")
    checked(page, "veiled")
    page.tap("#veil button")
    page.tap("[data-do=sound]")
    wait_until_open(page)
    assert WORDS[language][2] in page.inner_text("#grades [data-grade='2']")
    assert page.evaluate(FITS) == []
    checked(page, "open")
    before = clip_on_stage(page)
    page.tap("#grades [data-grade='2']")
    page.wait_for_selector("[data-factor=action]")
    checked(page, "asked")
    page.wait_for_timeout(600)
    page.tap("[data-factor=action] [data-grade='1']")
    page.wait_for_selector("[data-factor=whole]")
    page.wait_for_timeout(600)
    page.tap("[data-factor=whole] [data-skip]")
    page.wait_for_function(NEXT, arg=before)
    page.wait_for_function(VEILED)
    wait_for_today(page, 1)
    page.tap("[data-do=earlier]")
    page.wait_for_selector("#earlier[open] li video")
    assert WORDS[language][2] in page.inner_text("#earlier li")
    assert found_by_axe(page).violations_count == 0
    page.tap("#earlier [data-close]")
    assert page.evaluate(f"{ON}.paused") and page.evaluate(SEEN) == "0"
    assert errors == []


def heard(page: Any, beginning: str) -> int:
    """How often something that begins so was read out since the last call with this page."""
    said = page.evaluate("window.heard.splice(0)")
    return len([one for one in said if one.startswith(beginning)])


def test_what_changes_is_read_out_and_once(log_in: Any, everything: Collection) -> None:
    post_notice(lead=everything.memberships.get(account__username="ada"), text="Until Friday.")
    page = log_in("bo")
    page.add_init_script(HEAR)
    page.reload()
    page.wait_for_function(VEILED, timeout=PATIENCE)
    page.wait_for_selector("#notices .strip")
    said = page.evaluate("window.heard.splice(0)")
    for beginning in ("This clip has: blood, violence", "Turn the sound on", "Until Friday."):
        assert len([one for one in said if one.startswith(beginning)]) == 1, (beginning, said)
    page.keyboard.press("Space")
    page.keyboard.press("m")
    page.keyboard.press("[")
    assert heard(page, "1.5×") == 1
    page.keyboard.down("x")
    page.wait_for_function("document.querySelector('.context-label')?.dataset.part === 'after'", timeout=PATIENCE)
    page.keyboard.up("x")
    assert heard(page, "before") <= 1
    page.keyboard.press("?")
    page.wait_for_selector("#keys[open]")
    assert page.evaluate("document.activeElement.id") == "keys-title" and page.evaluate(
        "document.getElementById('keys').scrollTop === 0"
    ), "read from its beginning"
    page.keyboard.press("Escape")
    wait_until_open(page)
    pause(page)
    page.keyboard.press("2")
    wait_for_question(page, "1/2 · Is it the same action?")
    assert heard(page, "1/2 · Is it the same action?") == 1
    press(page, "z")
    page.focus("#grades [data-grade='2']")
    press(page, "Enter")
    wait_for_question(page, "1/2 · Is it the same action?")
    assert heard(page, "1/2 · Is it the same action?") == 0, "the focus goes to the group of that name"
    press(page, "z")
    page.click("[popovertarget=progress]")
    page.click("text=Done for now")
    page.wait_for_selector("#note [data-do=return]:visible")
    assert heard(page, "Everything is saved") == 1


HIDE = """
(hidden) => {
  Object.defineProperty(document, "hidden", { get: () => hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}
"""


def test_a_veil_holds_however_a_clip_is_told_to_play(log_in: Any, everything: Collection) -> None:
    page = log_in("bo")
    page.wait_for_function(VEILED, timeout=PATIENCE)
    page.wait_for_function(f"{ON}?.readyState >= 3", timeout=PATIENCE)
    page.keyboard.press("m")
    for key in ("r", "l", "j", "s", "e", "ArrowRight", "ArrowLeft", "Shift+ArrowRight"):
        page.keyboard.press(key)
    page.keyboard.down("x")
    page.wait_for_timeout(300)
    assert page.query_selector("video.context") is None
    page.keyboard.up("x")
    page.evaluate(f"{ON}.play()")  # as by a key of the keyboard's for media
    page.wait_for_function(f"{ON}.paused")
    for hidden in (True, False):
        page.evaluate(HIDE, hidden)
    # It can't be played, and is loaded anew.
    page.evaluate(f"{ON}.dispatchEvent(new Event('error'))")
    page.wait_for_function(f"{ON}.readyState >= 3", timeout=PATIENCE)
    page.keyboard.press("f")
    page.keyboard.press("Escape")
    page.wait_for_timeout(300)
    assert page.evaluate(f"{ON}.paused") and page.evaluate(SEEN) == "0" and page.evaluate(VEILED)
    assert page.is_disabled("[data-do=markWhole]"), "nothing is marked"
    page.keyboard.press("Space")
    page.wait_for_function(f"!{ON}.paused")
    # Out of sight it rests, also where the context was let go there.
    page.keyboard.down("x")
    page.wait_for_selector("video.context")
    page.evaluate(HIDE, True)
    page.keyboard.up("x")
    assert page.evaluate(f"{ON}.paused")
    page.evaluate(HIDE, False)
    page.wait_for_function(f"!{ON}.paused")
    # What opens over the context ends it: the clip rests behind the dialog.
    page.keyboard.down("x")
    page.wait_for_selector("video.context")
    page.keyboard.press("f")
    page.wait_for_selector("#flag[open]")
    page.keyboard.up("x")
    assert page.query_selector("video.context") is None and page.evaluate(f"{ON}.paused")


def answer_all(page: Any, grade: str) -> None:
    """The clip on stage is shown, watched, graded and answered by key."""
    page.wait_for_selector("#stage video.on", state="attached", timeout=PATIENCE)
    page.keyboard.press("Space")
    wait_until_open(page)
    before = clip_on_stage(page)
    page.keyboard.press(grade)
    wait_for_question(page, "1/2 · Is it the same action?")
    press(page, "2")
    wait_for_question(page, "2/2 · Is all of it to be seen?")
    press(page, "9")
    page.wait_for_function(NEXT, arg=before)
    pause(page)


def test_all_of_it_goes_with_the_grade_by_key_without_a_network_in_two_tabs_and_is_taken_back(
    log_in: Any, everything: Collection
) -> None:
    page = log_in("bo")
    page.wait_for_function(VEILED, timeout=PATIENCE)
    assert page.evaluate(LISTED) == {"wrong": [], "clashes": [], "twice": []}
    page.keyboard.press("m")
    page.keyboard.press("Space")
    page.keyboard.down("x")
    page.wait_for_selector("video.context", timeout=PATIENCE)
    page.wait_for_function("document.querySelector('.context-label')?.textContent")
    page.keyboard.up("x")
    wait_until_open(page)
    page.keyboard.press("Space")
    page.wait_for_function(f"{ON}.paused")
    page.evaluate(f"{ON}.currentTime = 0.9")
    page.keyboard.press("e")
    wait_for_state(page, "Fits from 0 s to 0.9 s")
    before = clip_on_stage(page)
    page.keyboard.press("2")
    press(page, "1", "1")
    page.wait_for_function(NEXT, arg=before)
    wait_for_today(page, 1)
    given = Judgment.objects.get()
    assert (given.grade, sorted(given.used or [])) == (2, ["context", "sound", "subtitles"])
    assert round(given.span.end - given.span.start, 1) == 0.9
    assert list(given.factors.order_by("factor__place").values_list("value", flat=True)) == [1, 1]
    wait_until_kept(page)
    page.context.set_offline(True)
    answer_all(page, "3")
    wait_for_waiting(page, 1)
    page.reload()
    page.wait_for_function(VEILED, timeout=PATIENCE)
    assert page.evaluate("document.querySelector('#medium img')?.naturalWidth > 0")
    page.context.set_offline(False)
    wait_for_today(page, 2)
    second = page.context.new_page()
    second.goto(page.url)
    second.wait_for_function(VEILED, timeout=PATIENCE)
    answer_all(page, "1")
    wait_for_today(page, 3)
    answer_all(second, "0")
    wait_for_waiting(second, 0)
    page.keyboard.press("z")
    wait_for_state(page, "taken back")
    counted = Judgment.objects.filter(counted=True)
    assert counted.count() == 3 and {one.factors.count() for one in counted} == {2}


def test_a_slider_with_factors_gives_both_by_key_and_by_touch(log_in: Any, collection: Collection) -> None:
    Collection.objects.update(top_grade=100, grade_step=5)
    with_factors(collection, "between")
    page = log_in("bo", **PHONE)
    wait_until_open(page)
    checked(page, "the slider")
    before = clip_on_stage(page)
    page.wait_for_timeout(200)
    press(page, "6", "5", "Enter")
    wait_for_question(page, "1/2 · Is it the same action?")
    checked(page, "asked")
    press(page, "Escape")
    wait_for_state(page, "Not chosen any more.")
    press(page, "6", "5", "Enter")
    wait_for_question(page, "1/2 · Is it the same action?")
    press(page, "2", "9")
    page.wait_for_function(NEXT, arg=before)
    wait_for_today(page, 1)
    wait_until_open(page)
    before = clip_on_stage(page)
    page.keyboard.press("End")
    box = page.locator("#grades input[type=range]").bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    page.tap("#grades button")
    page.wait_for_function(NEXT, arg=before)
    wait_for_today(page, 2)
    given = Judgment.objects.order_by("pk")
    assert [(one.grade, one.factors.count()) for one in given] == [(65, 2), (100, 0)], "the top is asked nothing"
