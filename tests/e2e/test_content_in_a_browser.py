"""A clip that somebody may not want to see is veiled until they ask for it, and isn't seen before."""

from typing import Any

from corpus.content.marks import mark_video
from corpus.models import Video
from foundation.models import Collection, Membership
from tests.e2e.axe import found_by_axe
from tests.e2e.judging_steps import judge, wait_for_today, wait_until_open

ON_STAGE = "document.querySelector('#stage video.on').poster"
VEILED = "document.getElementById('stage').hasAttribute('data-veiled')"


def test_a_veil_says_what_a_clip_has_and_space_lifts_it(log_in: Any, collection: Collection) -> None:
    for video in Video.objects.filter(collection=collection):
        mark_video(video=video, content="violence, blood", minimum_age="0")
    page = log_in("bo", viewport={"width": 360, "height": 740}, has_touch=True)
    page.wait_for_function(VEILED)
    assert page.inner_text("#veil p") == "This clip has: blood, violence"
    found = found_by_axe(page)
    assert found.violations_count == 0, found.generate_report()
    before = page.evaluate(ON_STAGE)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("3")
    page.wait_for_timeout(300)
    assert page.evaluate(VEILED) and page.get_attribute("#seen", "aria-valuenow") == "0"
    assert page.evaluate(ON_STAGE) == before, "a grade waits until the clip was seen"
    page.keyboard.press("z")
    page.keyboard.press("Space")
    wait_until_open(page)
    judge(page, "3")
    wait_for_today(page, 1)
    page.wait_for_function(VEILED)
    page.tap("#veil button")
    page.wait_for_function(f"!{VEILED}")
    page.keyboard.press("z")
    page.wait_for_function(f"!{VEILED}")
    page.goto(page.url + "content/")
    page.check("input[value=blood]")
    page.click("button.first")
    page.wait_for_selector(".message, .messages, [role=status]")
    assert Membership.objects.get(account__username="bo").avoids == ["blood"]
    page.goto(page.url.replace("content/", ""))
    page.wait_for_function("!document.getElementById('note').hidden")
    assert page.query_selector("#stage video.on") is None
