"""The lead browses in a real browser: types, sorts, opens a video and plays its moments by click and key."""

from typing import Any

import pytest

from corpus.models import Clip, Video
from foundation.models import Collection

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

PLAYING = """(clip) => {
    const player = document.getElementById("player");
    return player.getAttribute("src") === clip && player.currentTime > 0.1 && !player.paused;
}"""
CURRENT = ".timeline .moment[aria-current]"


def open_video(page: Any, site: str, collection: Collection) -> list[str]:
    """The page of the collection's one video; returns its bars' clips in order."""
    page.goto(f"{site}/c/stage/videos/")
    page.click("table.videos tbody tr td.number")  # the row is the link
    page.wait_for_url("**/videos/*/")
    return page.eval_on_selector_all(".timeline .moment", "bars => bars.map(bar => bar.dataset.clip)")


def test_the_list_follows_what_is_typed_and_sorted(log_in: Any, site: str, collection: Collection) -> None:
    page = log_in("ada")
    page.click("nav summary:has-text('Prepare')")
    page.click("nav a:has-text('Videos')")
    page.wait_for_load_state()
    word = max(collection.descriptions.first().text.strip(".").split(), key=len)
    page.locator("[name=q]").press_sequentially(word)
    page.wait_for_selector(".matches mark")
    assert word.lower() in page.inner_text(".matches li:first-child").lower()
    assert f"q={word}" in page.url
    page.click("th.duration a")
    page.wait_for_selector("th.duration[aria-sort=ascending]")
    page.click("th.duration a")
    page.wait_for_selector("th.duration[aria-sort=descending]")
    assert page.evaluate("document.activeElement.closest('th')?.classList.contains('duration')")
    page.fill("[name=q]", "nothing like that")
    page.wait_for_selector("text=No videos match.")
    page.reload()
    assert page.input_value("[name=q]") == "nothing like that"
    with page.expect_download() as download:
        page.click("a:has-text('CSV')")
    assert download.value.suggested_filename == "stage-videos.csv"


def test_a_moment_plays_at_a_click_and_by_keys(log_in: Any, site: str, collection: Collection) -> None:
    page = log_in("ada")
    clips = open_video(page, site, collection)
    assert len(clips) > 2
    page.keyboard.press("Enter")
    page.wait_for_function(PLAYING, arg=clips[0])
    page.keyboard.press("Space")
    page.wait_for_function("document.getElementById('player').paused")
    page.keyboard.press("ArrowRight")
    assert page.get_attribute(CURRENT, "data-clip") == clips[1]
    assert page.evaluate("document.activeElement.matches('.moment[aria-current]')")
    page.keyboard.press("Space")
    page.wait_for_function(PLAYING, arg=clips[1])
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.get_attribute(CURRENT, "data-clip") == clips[0]
    page.keyboard.press("End")
    page.keyboard.press("ArrowDown")
    assert page.get_attribute(CURRENT, "data-clip") == clips[-1]
    page.click("#moments li:nth-child(2)")
    page.wait_for_function(PLAYING, arg=clips[1])
    page.click(".timeline .moment >> nth=2", force=True)
    page.wait_for_function(PLAYING, arg=clips[2])


def test_a_poster_shows_under_the_pointer_and_the_focus(log_in: Any, site: str, collection: Collection) -> None:
    page = log_in("ada")
    open_video(page, site, collection)
    page.hover(".timeline .moment >> nth=1", force=True)
    page.wait_for_function("document.querySelector('#preview:not([hidden]) img')?.naturalWidth > 0")
    page.mouse.move(5, 5)
    page.wait_for_selector("#preview", state="hidden")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#preview:not([hidden])")


def test_a_moment_without_a_clip_says_so_and_a_found_one_is_chosen(
    log_in: Any, site: str, collection: Collection
) -> None:
    clip = Clip.objects.order_by("moment__start").last()
    Clip.objects.filter(pk=clip.pk).update(video_file="", poster_file="", problem="the file is cut off")
    page = log_in("ada")
    page.goto(f"{site}/c/stage/videos/")
    page.click(".failures a")
    page.wait_for_url("**/videos/*/#moment-*")
    assert page.get_attribute(CURRENT, "data-moment") == str(clip.moment_id)
    assert "the file is cut off" in page.inner_text(f"#moment-{clip.moment_id}")
    page.keyboard.press("Enter")
    page.wait_for_function("document.getElementById('note').textContent === 'This moment has no clip to play.'")


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_wider_than_the_window(log_in: Any, site: str, collection: Collection, width: int) -> None:
    page = log_in("ada")
    page.set_viewport_size({"width": width, "height": 720})
    open_video(page, site, collection)
    Video.objects.create(collection=collection, name="castle_s02e04_seg02_clip_16252" * 3, duration=12345.67)
    for address in (page.url, f"{site}/c/stage/videos/", f"{site}/c/stage/videos/?q=castle"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
