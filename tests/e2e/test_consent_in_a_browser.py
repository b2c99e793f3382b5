"""Consent and survey in a real browser: from the link to training by keyboard on a phone; while judging; withdrawn."""

from collections.abc import Iterator
from typing import Any

import pytest

from annotation.consent.standing import confirm_consent, withdraw_consent
from annotation.consent.survey import ask_question
from annotation.consent.texts import publish_consent
from annotation.models import Judgment, SurveyAnswer
from annotation.qualification.invitations import make_invitation
from foundation.models import Account, Collection, Membership
from tests.e2e.axe import found_by_axe
from tests.e2e.judging_steps import (
    PATIENCE,
    all_loaded,
    grades_of,
    judge,
    wait_for_note,
    wait_for_today,
    wait_for_waiting,
    wait_until_open,
)
from tests.e2e.school_steps import go_to, press
from tests.e2e.test_pages_of_becoming_an_annotator import TOO_WIDE, look

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lead(collection: Collection) -> Membership:
    """The lead of a collection with a consent text and two questions, which bo has confirmed."""
    ada = collection.memberships.get(account__username="ada")
    publish_consent(lead=ada, source="# Taking part\n\nGrades are *published*.", on_withdrawal="kept")
    ask_question(lead=ada, kind="language", text="What is your native language?", options=[])
    ask_question(lead=ada, kind="number", text="How old are you?", options=["18", "25"])
    confirm_consent(member=person("bo"), version=1)
    return Membership.objects.select_related("collection").get(pk=ada.pk)


def person(name: str) -> Membership:
    return Membership.objects.select_related("collection").get(account__username=name)


@pytest.fixture
def phone(browser: Any, site: str) -> Iterator[Any]:
    context = browser.new_context(bypass_csp=True, viewport={"width": 360, "height": 740})
    yield context.new_page()
    context.close()


def fits(page: Any) -> None:
    assert page.evaluate(TOO_WIDE) == [], page.url
    found = found_by_axe(page)
    assert found.violations_count == 0, f"{page.url}: {found.generate_report()}"


def test_from_the_link_to_training_by_keyboard_alone_on_a_phone(lead: Membership, phone: Any, site: str) -> None:
    phone.goto(f"{site}/join/{make_invitation(lead=lead).token}/")
    assert phone.inner_text("article em") == "published"
    fits(phone)
    for _ in range(40):
        phone.keyboard.press("Tab")
        if phone.evaluate("document.activeElement.name") == "consent":
            break
    phone.keyboard.press("Tab")
    phone.keyboard.type("nora")
    phone.keyboard.press("Tab")
    for _ in range(2):
        phone.keyboard.press("Tab")
        phone.keyboard.type("a-paper-lantern")
    # The box isn't ticked: the browser says so, and nobody is stored.
    phone.keyboard.press("Enter")
    phone.wait_for_function("() => document.activeElement.name === 'consent'")
    assert not Account.objects.filter(username="nora").exists()
    phone.keyboard.press("Space")
    with phone.expect_navigation():
        phone.keyboard.press("Enter")
    assert phone.url.endswith("/c/stage/survey/") and person("nora").consent_confirmed == 1
    fits(phone)
    for _ in range(40):
        phone.keyboard.press("Tab")
        if phone.evaluate("document.activeElement.tagName") == "SELECT":
            break
    phone.keyboard.type("Deutsch")
    press(phone, "Save")
    assert [answer.answer for answer in SurveyAnswer.objects.all()] == ["de"]
    press(phone, "Go on")
    assert phone.url.endswith("/c/stage/qualification/")
    phone.goto(f"{site}/c/stage/survey/")
    press(phone, "Delete my answers")
    assert not SurveyAnswer.objects.exists()
    phone.goto(f"{site}/c/stage/consent/")
    fits(phone)
    press(phone, "Withdraw my consent")
    assert "You withdrew your consent" in phone.inner_text("main")
    fits(phone)
    assert person("nora").consent_withdrawn_at is not None


def test_a_version_published_in_a_sitting_is_read_after_it(lead: Membership, log_in: Any) -> None:
    page = log_in("bo")
    judge(page, "3")
    publish_consent(lead=lead, source="# Other words", on_withdrawal="kept", note="clearer")
    for count in range(2, 8):
        judge(page, "3")
        wait_for_today(page, count)
    wait_until_open(page)
    with page.expect_navigation(timeout=PATIENCE):
        page.keyboard.press("3")
    page.wait_for_url("**/c/stage/consent/")
    assert grades_of("bo") == [3] * 8
    press(page, "I have read version 2 and agree")
    assert page.url.endswith("/c/stage/survey/")
    press(page, "Go on without answering")
    wait_for_note(page, "No work for you right now")


def test_withdrawn_in_a_second_tab_while_judging(lead: Membership, log_in: Any, site: str) -> None:
    page = log_in("bo")
    judge(page, "3")
    wait_for_today(page, 1)
    tab = page.context.new_page()
    tab.goto(f"{site}/account/erase/")
    press(tab, "Withdraw my consent")
    wait_until_open(page)
    page.keyboard.press("2")
    wait_for_note(page, "You have withdrawn your consent, so nothing more of you is stored here.")
    assert grades_of("bo") == [3] and Judgment.objects.count() == 1


def test_what_waited_without_a_network_is_refused_in_words(lead: Membership, log_in: Any) -> None:
    page = log_in("bo")
    all_loaded(page, 3)
    page.context.set_offline(True)
    judge(page, "3")
    wait_for_waiting(page, 1)
    withdraw_consent(member=person("bo"))
    page.context.set_offline(False)
    wait_for_note(page, "You have withdrawn your consent")
    assert not Judgment.objects.exists()


def test_the_lead_s_pages(lead: Membership, log_in: Any, site: str) -> None:
    page = log_in("ada")
    for name in ("consent/edit/", "consent/", "survey/edit/?template=education", "survey/"):
        page.goto(f"{site}/c/stage/{name}")
        look(page, name)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{site}/c/stage/survey/edit/?template=education")
    go_to(page, "Ask it")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "What is your highest degree?" in page.inner_text("main")
