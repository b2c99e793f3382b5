"""The pages of becoming an annotator with rows on them: axe finds nothing, and nothing is wider than a phone."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import Invitation
from annotation.qualification.exams import begin_exam, items_left, judge_again, sitting_of
from annotation.qualification.guidelines import confirm_guideline
from annotation.qualification.invitations import make_invitation, withdraw_invitation
from foundation.models import Collection, Membership
from tests.e2e.axe import found_by_axe
from tests.e2e.judging_steps import PATIENCE, wait_until_open
from tests.e2e.school_steps import School, build_school, wait_for_focus

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

LOOKS = (("light", 1280, 720), ("dark", 360, 740))
TOO_WIDE = """
() => {
  const root = document.scrollingElement;
  if (root.scrollWidth <= innerWidth) return [];
  return [...document.querySelectorAll("main *, .bar *")]
    .filter((part) => part.getBoundingClientRect().right > innerWidth + 1)
    .map((part) => `${part.tagName} ${part.className} ${part.textContent.trim().slice(0, 40)}`);
}
"""
COVERING = """
(selector) => {
  const button = document.querySelector(selector).getBoundingClientRect();
  const texts = [...document.querySelectorAll("main p, main li")].map((text) => text.getBoundingClientRect());
  return texts.filter((text) => text.top < button.bottom && text.bottom > button.top).length;
}
"""
"""How many texts lie over the button."""
LEADS = (
    "applicants/",
    "invitations/",
    "guideline/",
    "guideline/1/",
    "guideline/edit/",
    "prepare/?part=example",
    "prepare/?part=practice",
    "prepare/?part=exam",
)


@pytest.fixture
def school(collection: Collection) -> School:
    return build_school(collection)


def look(page: Any, name: str) -> None:
    """Axe and the width: in the light at a desk, in the dark on a phone."""
    page.wait_for_load_state()
    for scheme, width, height in LOOKS:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("width => innerWidth === width", arg=width)
        assert page.evaluate(TOO_WIDE) == [], f"{name}, {width}"
        found = found_by_axe(page)
        assert found.violations_count == 0, f"{name}, {scheme}, {width}: {found.generate_report()}"


def invite(collection: Collection) -> None:
    """Links of every state: open, used up, ended, withdrawn."""
    lead = collection.memberships.get(account__username="ada")
    make_invitation(lead=lead, label="students of the spring", languages=["en", "de"])
    make_invitation(lead=lead, places=3, expires_at=timezone.now() + timedelta(days=9))
    ended = make_invitation(lead=lead, label="the first cohort", places=10)
    Invitation.objects.filter(pk=ended.invitation.pk).update(expires_at=timezone.now() - timedelta(days=1))
    gone = make_invitation(lead=lead, label="sent to the wrong address")
    withdraw_invitation(lead=lead, invitation_id=gone.invitation.pk)


def test_the_lead_s_pages(log_in: Any, school: School, site: str, collection: Collection) -> None:
    invite(collection)
    school.draw("practice", queries=1, candidates=2)
    school.post("guideline/edit/", source="# Again\n\nWatch twice.\n", note="Watch twice", action="publish")
    school.sit("otto", [0, 3, 3, 4])
    school.sit("petra", [3, 3, 3, 4])
    begin_exam(member=_ready(school, "quinn"))
    page = log_in("ada")
    page.goto(f"{site}/c/stage/applicants/")
    look(page, "an open exam")
    page.get_by_role("link", name="Close the cohort").click()
    page.wait_for_selector("text=Fix the true grades of 2 people")
    look(page, "closing it")
    school.close()
    school.post(f"applicants/{collection.memberships.get(account__username='petra').pk}/decide", decision="admit")
    for path in LEADS:
        page.goto(f"{site}/c/stage/{path}")
        look(page, path)
    page.goto(f"{site}/c/stage/invitations/")
    page.click("text=Make a link")
    page.wait_for_selector("#new-link")
    look(page, "a new link")
    page.fill("[name=languages]", "<b>")
    page.click("text=Make a link")
    page.wait_for_selector("#field-languages-wrong")
    look(page, "a link that makes no sense")


def _ready(school: School, name: str) -> Membership:
    """Somebody in training who may begin the exam: practice is dropped, so that only the exam is left."""
    member = school.applicant(name)
    confirm_guideline(member=member, version=member.collection.guideline_version)
    school.collection.worked_items.filter(use="practice").update(grade=None)
    return member


def test_the_applicant_s_pages(log_in: Any, school: School, site: str, browser: Any, collection: Collection) -> None:
    made = make_invitation(lead=collection.memberships.get(account__username="ada"))
    door = browser.new_page(bypass_csp=True)
    door.goto(f"{site}/join/{made.token}/")
    look(door, "the door")
    for width in range(320, 1401, 40):
        door.set_viewport_size({"width": width, "height": 740})
        assert door.evaluate(COVERING, "main form button") == 0, width
    door.close()
    Membership.objects.filter(account__username="bo").update(status=Membership.Status.APPLICANT)
    page = log_in("bo")
    look(page, "the steps at first")
    page.goto(f"{site}/c/stage/training/")
    look(page, "training")
    page.click("text=I have read version 1")
    page.wait_for_url("**/qualification/")
    page.goto(f"{site}/c/stage/practice/")
    wait_until_open(page)
    look(page, "practice")
    page.keyboard.press("0")
    wait_for_focus(page, "onward")
    look(page, "practice's feedback")
    page.click("#onward")
    wait_until_open(page)
    page.keyboard.press("3")
    wait_for_focus(page, "onward")
    page.click("#onward")
    page.wait_for_selector("#note >> text=Start the exam")
    look(page, "the end of practice")
    page.click("#steps")
    wait_until_open(page)
    look(page, "the exam")
    bo = collection.memberships.select_related("collection").get(account__username="bo")
    sitting = sitting_of(bo)
    assert sitting is not None
    school.answer(sitting, [3, 3, 3, 4])
    school.sit("otto", [0, 3, 3, 4])
    page.goto(f"{site}/c/stage/qualification/")
    look(page, "the steps while others sit it")
    school.close()
    for path in ("qualification/", "exam/feedback/"):
        page.goto(f"{site}/c/stage/{path}")
        look(page, path)
    page.goto(f"{site}/c/stage/exam/again/")
    wait_until_open(page)
    page.wait_for_selector("#feedback:visible", timeout=PATIENCE)
    look(page, "judging again")
    (item,) = [item for item in school.exam.items.all() if item.truth == 1.5]
    judge_again(sitting=sitting, item_id=item.public_id, grade=2, key=uuid.uuid4(), played=1.0)
    school.post(f"applicants/{bo.pk}/decide", decision="admit")
    assert not items_left(sitting)
    page.goto(f"{site}/c/stage/qualification/")
    look(page, "the steps at last")
    page.goto(f"{site}/account/erase/")
    look(page, "what is kept")
