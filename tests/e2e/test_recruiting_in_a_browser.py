"""A worker of Mechanical Turk in a browser, with the site's policy in force; and the pages, for axe and a phone."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs

import pytest

from annotation.consent.survey import ask_question
from annotation.consent.texts import publish_consent
from annotation.models import RecruitSession
from annotation.recruiting.platforms import PREVIEW
from corpus.content.marks import mark_video
from corpus.models import Video
from foundation.models import Collection, Membership
from tests.annotation.recruiting.platform import entry, recruit
from tests.e2e.judging_steps import PATIENCE
from tests.e2e.test_pages_of_becoming_an_annotator import look

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
TURK = "https://workersandbox.mturk.com"
SMALL = """
[...document.querySelectorAll("main .button, .bar a, .bar button")].map((one) => [one, one.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.width < 44 || box.height < 44)).map(([one]) => one.textContent.trim())
"""
READY = "#grades:not([data-closed]):not([hidden])"


@pytest.fixture
def lead(collection: Collection) -> Membership:
    collection.needs_exam = False
    collection.save()
    return collection.memberships.get(account__username="ada")


@pytest.fixture
def phone(browser: Any) -> Iterator[Any]:
    """A dark phone, whose pages obey the policy."""
    context = browser.new_context(viewport={"width": 360, "height": 740}, color_scheme="dark", has_touch=True)
    context.add_init_script("localStorage.getItem('qreels:speed') ?? localStorage.setItem('qreels:speed', '2')")
    yield context
    context.close()


def test_a_worker_comes_out_of_amazon_s_frame_and_goes_back_by_its_form(
    phone: Any, site: str, lead: Membership
) -> None:
    asked = recruit(lead, platform="mturk", name="HIT", amount=1)
    to_us = site + entry(asked, "A1", "3X", "3H") + f"&turkSubmitTo={TURK}"
    framing = (
        f'<!doctype html><title>HIT</title><iframe allow="local-network-access *" src="{to_us}" width="340"></iframe>'
    )
    submitted: list[str] = []

    def amazon(route: Any) -> None:
        if route.request.method == "POST":
            submitted.append(route.request.post_data or "")
        route.fulfill(content_type="text/html", body=framing if route.request.method == "GET" else "Thank you.")

    # A public page may otherwise not load one of this machine, which here stands for a public one.
    phone.grant_permissions(["local-network-access"], origin=TURK)
    phone.route(f"{TURK}/**", amazon)
    hit = phone.new_page()
    hit.goto(f"{TURK}/hit")
    with phone.expect_page() as opened:
        hit.frame_locator("iframe").get_by_role("link", name="Open in a new window").click()
    page = opened.value
    page.get_by_role("button", name="Go on").click()
    page.wait_for_url("**/judge/")
    page.wait_for_selector(READY, timeout=PATIENCE)
    page.keyboard.press("3")
    page.get_by_text("You have done what this session asks for").wait_for(timeout=PATIENCE)
    page.locator("#note").get_by_role("link", name="Your session").click()
    page.wait_for_url("**/session/")
    page.get_by_role("button", name="Finish and get the code").press("Enter")
    page.get_by_role("button", name="Submit to Mechanical Turk").press("Enter")
    page.wait_for_url(f"{TURK}/mturk/externalSubmit")
    assert parse_qs(submitted[0]) == {
        "assignmentId": ["3X"],
        "workerId": ["A1"],
        "code": ["DONE1"],
        "outcome": ["complete"],
    }
    assert RecruitSession.objects.get().outcome == "complete"


def test_nobody_else_can_frame_us(phone: Any, site: str, lead: Membership) -> None:
    asked = recruit(lead)
    phone.route("https://evil.example/**", lambda route: route.fulfill(content_type="text/html", body=framing))
    framing = f'<!doctype html><title>x</title><iframe src="{site}{entry(asked)}"></iframe>'
    page = phone.new_page()
    page.goto("https://evil.example/")
    page.wait_for_load_state("networkidle")
    assert not page.frame_locator("iframe").get_by_role("button", name="Go on").is_visible()


def test_whom_a_platform_sends_confirms_the_text_by_keyboard(phone: Any, site: str, lead: Membership) -> None:
    Collection.objects.filter(pk=lead.collection_id).update(minimum_age=18)
    mark_video(video=Video.objects.filter(collection=lead.collection)[0], content="blood", minimum_age="")
    publish_consent(lead=lead, source="# Taking part\n\nGrades are *published*.", on_withdrawal="undecided")
    ask_question(lead=lead, kind="number", text="How old are you?", options=["18", "25"])
    page = phone.new_page()
    page.goto(site + entry(recruit(lead, reward=3)))
    look(page, "the entry with a consent text")
    page.get_by_role("button", name="Go on").press("Enter")
    assert "/take-part/" in page.url, "the browser asks for the box"
    page.get_by_role("checkbox").press("Space")
    page.get_by_role("button", name="Go on").press("Enter")
    page.wait_for_url("**/survey/")
    look(page, "the survey")
    page.goto(f"{site}/c/stage/judge/content/")
    look(page, "content")
    assert page.get_by_role("link", name="Content", exact=True).get_attribute("aria-current") == "page"
    page.get_by_role("checkbox", name="blood").press("Space")
    page.get_by_role("button", name="Save").press("Enter")
    page.get_by_text("Your next clips are chosen by it").wait_for()
    page.goto(f"{site}/c/stage/session/")
    look(page, "the session")
    assert page.evaluate(SMALL) == [], "large enough for a finger"
    member = Membership.objects.get(recruited=True)
    assert (member.consent_confirmed, member.age, member.avoids) == (1, 18, ["blood"])


def test_the_pages(log_in: Any, site: str, lead: Membership) -> None:
    asked = recruit(lead, amount=2, rate=0, reward=3, known="pid1\npid2", name="A wave of the spring")
    turk = recruit(lead, platform="mturk", name="HIT")
    own = log_in("bo")
    own.context.clear_cookies()
    own.goto(site + entry(asked))
    look(own, "the entry")
    own.goto(site + entry(turk, "", PREVIEW, "3H"))
    look(own, "a preview")
    own.goto(site + entry(asked, "not-listed"))
    own.get_by_role("button", name="Go on").click()
    look(own, "not on the list")
    own.goto(site + entry(asked))
    own.get_by_role("button", name="Go on").click()
    own.wait_for_url("**/judge/")
    own.wait_for_selector(READY, timeout=PATIENCE)
    look(own, "judging in a session")
    own.goto(f"{site}/c/stage/session/")
    look(own, "a session that goes on")
    RecruitSession.objects.update(ended_at="2026-11-20T10:00Z", outcome="complete")
    own.reload()
    look(own, "a complete session")
    page = log_in("ada")
    for path in ("recruiting/", f"recruiting/{asked.pk}/", f"recruiting/{turk.pk}/"):
        page.goto(f"{site}/c/stage/{path}")
        look(page, path)
    page.goto(f"{site}/c/stage/recruiting/")
    page.get_by_role("textbox", name="Note for yourself").fill("x")
    page.get_by_role("button", name="Make it").press("Enter")
    page.wait_for_selector("#field-amount-wrong")
    look(page, "a recruitment that makes no sense")
