"""From the invitation's link to a finished first batch, by keyboard alone, in a real browser."""

from collections.abc import Iterator
from typing import Any

import pytest

from annotation.models import Judgment
from foundation.models import Collection, Membership
from tests.e2e.judging_steps import (
    all_loaded,
    grades_of,
    judge,
    wait_for_note,
    wait_for_strip,
    wait_for_today,
    wait_for_waiting,
    wait_until_open,
)
from tests.e2e.school_steps import School, build_school, grades_in_exam, press, wait_for_focus

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def school(collection: Collection) -> School:
    return build_school(collection)


@pytest.fixture
def stranger(browser: Any, site: str) -> Iterator[Any]:
    """A page of somebody who was never here, in a hurry; what goes wrong in its scripts fails the test."""
    context = browser.new_context(bypass_csp=True, viewport={"width": 1280, "height": 720})
    context.add_init_script("localStorage.setItem('qreels:speed', '2')")
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    yield page
    context.close()
    # The browser itself says so when a request finds no network: the exam is sat without one for a while.
    assert [line for line in wrong if "ERR_INTERNET_DISCONNECTED" not in line] == []


def test_by_keyboard_alone_from_the_link_to_the_first_batch(
    school: School, stranger: Any, site: str, collection: Collection
) -> None:
    page = stranger
    made = school.post("invitations/", places="1")
    token = made.split("/join/")[1].split("/")[0]
    nora = join(page, f"{site}/join/{token}/", collection)
    learn(page, nora)
    sit_the_exam(page, nora)
    school.sit("otto", [grade - 3 if place == 0 else grade for place, grade in enumerate(grades_in_exam(nora))])
    assert "2 people have handed in" in school.post("applicants/exam", step="nonsense")
    assert "true grades are fixed" in school.close()
    judge_again(page)
    assert "can judge now" in school.post(f"applicants/{nora.pk}/decide", decision="admit")
    judge_for_real(page)


def join(page: Any, link: str, collection: Collection) -> Membership:
    page.goto(link)
    # The browser focuses a field with its first frame, which may come after the page has loaded.
    page.wait_for_function("() => document.activeElement.name === 'username'")
    page.keyboard.type("nora")
    page.keyboard.press("Tab")
    for _ in range(2):
        page.keyboard.press("Tab")
        page.keyboard.type("a-paper-lantern")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.url.endswith("/c/stage/qualification/")
    return collection.memberships.get(account__username="nora")


def learn(page: Any, nora: Membership) -> None:
    """Guideline with its example, then practice, each grade with its feedback at once."""
    press(page, "Read it")
    assert "All of it happens" in page.inner_text(".examples")
    press(page, "I have read version 1")
    assert page.url.endswith("/c/stage/qualification/")
    press(page, "Practise")
    wait_until_open(page)
    page.keyboard.press("3")
    wait_for_focus(page, "onward")
    assert page.inner_text("#verdict") == "You gave 3, the truth is 3: an exact match."
    assert page.inner_text("#why") == "A detail is missing."
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    page.wait_for_selector("#feedback", state="hidden")
    assert page.inner_text("#done") == "1 of 2"
    wait_until_open(page)
    page.keyboard.press("0")
    wait_for_focus(page, "onward")
    assert page.inner_text("#verdict") == "You gave 0, the truth is 3: more than one away."
    page.keyboard.press("Enter")
    wait_for_focus(page, "steps")
    wait_for_note(page, "You have finished the practice.")
    assert page.inner_text("#steps") == "Start the exam"
    assert sorted(nora.practice_answers.values_list("grade", flat=True)) == [0, 3]
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.url.endswith("/c/stage/exam/")


def sit_the_exam(page: Any, nora: Membership) -> None:
    """Four clips at the speed of real judging, one of them without a network; the last one is taken back once."""
    judge(page, "3")
    all_loaded(page, 3)
    wait_for_waiting(page, 0)
    page.context.set_offline(True)
    judge(page, "3")
    wait_for_strip(page, "1 judgment waits for the network. Nothing is lost; go on.")
    page.context.set_offline(False)
    wait_for_waiting(page, 0)
    judge(page, "3")
    wait_until_open(page)
    page.keyboard.press("0")
    wait_for_focus(page, "steps")
    wait_for_note(page, "You have judged every clip of the exam.")
    assert page.inner_text("#done") == "4 of 4"
    page.keyboard.press("z")
    wait_until_open(page)
    assert page.inner_text("#done") == "3 of 4"
    page.keyboard.press("3")
    wait_for_focus(page, "steps")
    assert page.is_hidden("#feedback")
    assert page.inner_text("#steps") == "Hand in the exam"
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "Come back in a day or two." in page.inner_text("main")
    assert grades_in_exam(nora) == [3, 3, 3, 3]


def judge_again(page: Any) -> None:
    """What was out, once more wrongly and then in consensus."""
    page.reload()
    press(page, "See all of them")
    assert page.inner_text("h1") == "1 of 4 grades was out"
    assert "The hands are empty here." in page.inner_text(".examples li:first-child")
    press(page, "Judge 1 again")
    wait_until_open(page)
    assert page.inner_text("#verdict") == ("You gave 3; the truth is 1.5. Watch it again, then grade it again.")
    page.keyboard.press("4")
    wait_for_focus(page, "onward")
    assert page.inner_text("#verdict") == "You gave 4, the truth is 1.5: more than one away."
    page.keyboard.press("Enter")
    wait_until_open(page)
    assert page.inner_text("#verdict").startswith("You gave 4; the truth is 1.5.")
    page.keyboard.press("2")
    wait_for_focus(page, "onward")
    assert page.inner_text("#verdict") == "You gave 2, the truth is 1.5: close enough."
    page.keyboard.press("Enter")
    wait_for_focus(page, "steps")
    wait_for_note(page, "All your grades are in consensus now.")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "None is now." in page.inner_text("main")


def judge_for_real(page: Any) -> None:
    page.reload()
    press(page, "Start judging")
    for number, key in enumerate("3021", start=1):
        judge(page, key)
        wait_for_today(page, number)
    assert grades_of("nora") == [3, 0, 2, 1]
    assert len(set(Judgment.objects.values_list("pair__batch", flat=True))) == 1, "a whole batch"
    assert set(Judgment.objects.values_list("guideline", flat=True)) == {1}
