"""Sound and subtitles on the judging page, where the guideline asks for them: by key, remembered, without a network."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files import File
from django.core.files.storage import default_storage

from annotation.models import Batch, Judgment
from corpus.models import Clip, Moment, Subtitles
from foundation.models import Collection, new_public_name
from tests.corpus.conftest import make_film
from tests.e2e.axe import found_by_axe
from tests.e2e.judging_steps import OPEN, PATIENCE, all_loaded, judge, wait_for_state, wait_for_today, wait_until_open
from tests.e2e.test_judging_for_everybody import FITS
from tests.e2e.test_judging_survives import wait_until_kept
from tests.e2e.test_reviewing_in_a_browser import batches, wait_for_sheet

__all__ = ["batches"]

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

ON = "document.querySelector('#stage video.on')"
LOOPED = f"window.back = 0; {ON}.addEventListener('seeked', () => window.back += 1)"
WORDS = f"[...({ON}.textTracks[0].cues ?? [])].map((cue) => [cue.startTime, cue.text])"
HAS_WORDS = f"{ON}?.textTracks[0]?.cues?.length > 0"

REFUSES = """
const play = HTMLMediaElement.prototype.play;
HTMLMediaElement.prototype.play = function () {
  return this.muted ? play.call(this) : Promise.reject(new DOMException("no", "NotAllowedError"));
};
addEventListener("keydown", () => (HTMLMediaElement.prototype.play = play), { capture: true });
"""
"""A browser that plays no sound before a key: this one always does."""


def let_them_sound(folder: Path) -> None:
    """Every clip is one with sound."""
    with make_film(folder / "film.mp4", seconds=1.2, sound=True).open("rb") as film:
        name = default_storage.save("clips/of-sound.mp4", File(film))
    Clip.objects.update(video_file=name, duration=1.2)


def say_something(collection: Collection) -> None:
    """Each moment's words, and what is said before and after it."""
    video = collection.videos.get()
    cues = [[0.0, 4000.0, "<b>Tea</b> & script"]]
    Subtitles.objects.create(video=video, language="en", source="a.srt", cues=cues)


def test_sound_is_off_until_somebody_asks_for_it_and_only_what_is_heard_counts(
    log_in: Any, collection: Collection, tmp_path: Path
) -> None:
    Collection.objects.update(evidence=["picture", "sound"])
    silent = Clip.objects.exclude(video_file="")[0].video_file
    let_them_sound(tmp_path)
    page = log_in("bo", viewport={"width": 360, "height": 740}, has_touch=True)
    all_loaded(page)
    assert page.evaluate(f"{ON}.muted")
    assert page.inner_text(".evidence").startswith("What counts: picture, sound. Turn the sound on")
    assert page.evaluate(FITS) == []
    page.evaluate(LOOPED)
    page.wait_for_function("window.back >= 2", timeout=PATIENCE)
    assert not page.evaluate(OPEN), "it played twice, and nobody heard it"
    assert page.get_attribute("#seen", "aria-valuenow") == "0"
    assert page.inner_text("[data-do=sound]").endswith("sound off"), "it has sound"
    page.keyboard.press("m")
    assert not page.evaluate(f"{ON}.muted") and page.get_attribute("[data-do=sound]", "aria-pressed") == "true"
    assert page.is_hidden("#sound-off")
    judge(page, "3")
    assert not page.evaluate(f"{ON}.muted"), "the next clip is heard as well"
    page.fill("#volume", "0")
    assert page.evaluate(f"{ON}.muted") and page.is_visible("#sound-off")
    page.locator("#volume").blur()
    page.keyboard.press("m")
    assert page.evaluate(f"[{ON}.muted, {ON}.volume]") == [False, 0.5]
    page.fill("#volume", "40")
    assert page.evaluate(f"[{ON}.muted, {ON}.volume]") == [False, 0.4]
    found = found_by_axe(page)
    assert found.violations_count == 0, found.generate_report()
    wait_for_today(page, 1)
    assert Judgment.objects.get().played >= 0.8
    second = page.context.new_page()
    second.add_init_script(REFUSES)
    second.goto(page.url)
    second.wait_for_function(f"{ON} && !{ON}.paused", timeout=PATIENCE)
    assert second.evaluate(f"{ON}.volume") == 0.4, "another tab remembers"
    wait_for_state(second, "The browser plays no sound before")
    assert second.evaluate(f"{ON}.muted") and second.is_visible("#sound-off")
    second.keyboard.press("m")
    assert not second.evaluate(f"{ON}.muted")
    second.tap("[data-do=sound]")
    assert second.evaluate(f"{ON}.muted")
    for clip in Clip.objects.all():
        # Under a new address: a browser never asks for one again.
        Clip.objects.filter(pk=clip.pk).update(video_file=silent, public_name=new_public_name())
    second.reload()
    second.wait_for_function("document.querySelector('[data-do=sound]').innerText.includes('no sound in this clip')")


def test_subtitles_of_the_moment_alone_are_shown_hidden_by_key_and_kept_for_a_reload_without_a_network(
    log_in: Any, collection: Collection
) -> None:
    Collection.objects.update(evidence=["picture", "subtitles"])
    say_something(collection)
    page = log_in("bo")
    page.wait_for_function(HAS_WORDS, timeout=PATIENCE)
    assert page.evaluate(WORDS) == [[0, "&lt;b&gt;Tea&lt;/b&gt; &amp; script"]]
    assert page.evaluate(f"{ON}.textTracks[0].cues[0].getCueAsHTML().textContent") == "<b>Tea</b> & script"
    assert page.evaluate(f"{ON}.textTracks[0].mode") == "showing"
    assert page.inner_text(".evidence") == "What counts: picture, subtitles."
    page.wait_for_function("document.querySelector('[data-do=subtitles]').innerText.endsWith('subtitles')")
    page.keyboard.press("c")
    assert page.evaluate(f"{ON}.textTracks[0].mode") == "hidden"
    judge(page, "2")
    page.wait_for_function(HAS_WORDS, timeout=PATIENCE)
    assert page.evaluate(f"{ON}.textTracks[0].mode") == "hidden"
    wait_for_today(page, 1)
    wait_until_kept(page)
    page.wait_for_function(
        "caches.keys().then((names) => Promise.all(names.map((name) => caches.open(name).then((one) => one.keys()))))"
        ".then((kept) => kept.flat().filter((one) => one.url.endsWith('.vtt')).length >= 4)",
        timeout=PATIENCE,
    )
    page.context.set_offline(True)
    page.reload()
    page.wait_for_function(HAS_WORDS, timeout=PATIENCE)
    assert page.evaluate(f"{ON}.textTracks[0].mode") == "hidden", "remembered"
    page.keyboard.press("c")
    assert page.evaluate(f"{ON}.textTracks[0].mode") == "showing"
    judge(page, "1")
    page.wait_for_function(HAS_WORDS, timeout=PATIENCE)
    page.context.set_offline(False)
    wait_for_today(page, 2)


def test_subtitles_that_are_lost_on_the_way_are_missed_and_come_with_the_network(
    log_in: Any, collection: Collection
) -> None:
    Collection.objects.update(evidence=["picture", "subtitles"])
    say_something(collection)
    page = log_in("bo")
    wait_until_open(page)
    page.route("**/*.vtt", lambda route: route.abort())
    page.evaluate("caches.keys().then((names) => Promise.all(names.map((name) => caches.delete(name))))")
    page.reload()
    lost = "document.querySelector('[data-do=subtitles]').innerText.includes(\"subtitles can't be loaded\")"
    page.wait_for_function(lost, timeout=PATIENCE)
    page.unroute("**/*.vtt")
    page.evaluate("dispatchEvent(new Event('online'))")
    page.wait_for_function(HAS_WORDS, timeout=PATIENCE)
    page.wait_for_function(f"!{lost}", timeout=PATIENCE)


def test_a_collection_that_asks_for_pictures_alone_gives_neither(log_in: Any, collection: Collection) -> None:
    say_something(collection)
    page = log_in("bo")
    wait_until_open(page)
    page.keyboard.press("m")
    page.keyboard.press("c")
    assert page.evaluate(f"[{ON}.muted, {ON}.textTracks.length]") == [True, 0]
    assert page.query_selector("[data-do=sound], [data-do=subtitles], .evidence") is None
    clip = Clip.objects.filter(moment__in=Moment.objects.all()).exclude(video_file="").first()
    assert clip is not None
    status = "address => fetch(address).then((response) => response.status)"
    assert page.evaluate(status, f"/clips/{clip.public_name}.mp4") == 200
    assert page.evaluate(status, f"/clips/{clip.public_name}.vtt") == 404


def test_a_lead_who_reviews_hears_and_reads_what_counted(
    log_in: Any, collection: Collection, batches: list[Batch], site: str
) -> None:
    Collection.objects.update(evidence=["picture", "sound", "subtitles"])
    say_something(collection)
    page = log_in("ada")
    page.goto(f"{site}/c/stage/review/")
    wait_for_sheet(page, batches[0])
    page.focus(".posters li .frame")
    page.wait_for_function("document.querySelector('#preview track').track.activeCues?.length", timeout=PATIENCE)
    preview = "document.querySelector('#preview video')"
    assert page.evaluate(f"[{preview}.muted, {preview}.textTracks[0].mode]") == [True, "showing"]
    page.keyboard.press("m")
    assert not page.evaluate(f"{preview}.muted")
    page.goto(f"{site}/c/stage/discarded/")
    page.focus(".frame")
    page.wait_for_function("document.querySelector('.frame video').textTracks[0].activeCues?.length", timeout=PATIENCE)
    assert page.evaluate("document.querySelector('.frame video').muted")
    page.keyboard.press("m")
    assert not page.evaluate("document.querySelector('.frame video').muted")
