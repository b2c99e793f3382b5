"""A collection that trains and examines, and what an applicant does there without a mouse."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.test import Client

from annotation.models import Exam, ExamSitting
from annotation.qualification.exam_sampling import current_exam
from annotation.qualification.exams import answer_exam, begin_exam, hand_in, items_left, sitting_of
from annotation.qualification.guidelines import answer_practice, confirm_guideline, practice_of
from corpus.models import Clip
from foundation.collections.members import add_member
from foundation.models import Account, Collection, Membership
from queries.pooling.candidates import fetch_candidates
from tests.e2e.captions import have_caption
from tests.e2e.judging_steps import PATIENCE

MOMENTS = 8
"""The shortest ones have captions: two test queries, and six from pseudo-training to draw from."""
GUIDELINE = "# How to judge\n\nWatch the clip, then say how much of the query it shows.\n\n- Names don't matter.\n"
FOCUSED = "document.activeElement"


@dataclass
class School:
    """The lead's side, asked over HTTP: one worked example, one query's practice, an exam of 2 x 2 clips."""

    collection: Collection
    lead: Client

    @property
    def exam(self) -> Exam:
        exam = current_exam(self.collection)
        assert exam is not None
        return exam

    def post(self, path: str, **sent: Any) -> str:
        """Post a form as the lead; the page that follows."""
        answer = self.lead.post(f"/c/stage/{path}", sent, follow=True)
        assert answer.status_code == 200, path
        return str(answer.content.decode())

    def close(self) -> str:
        """Close the first cohort, having read what that means."""
        asked = self.lead.get("/c/stage/applicants/exam/close/")
        return self.post("applicants/exam", step="close", people=asked.context["results"].handed_in)

    def draw(self, what: str, *, queries: int, candidates: int) -> None:
        self.post("prepare/draw", what=what, queries=queries, candidates=candidates, seed=3)

    def explain(self, use: str, *, grade: int, why: str) -> None:
        for item in self.collection.worked_items.filter(use=use):
            self.post(f"prepare/{item.pk}/explain", grade=grade, why=why, use=use)

    def applicant(self, name: str) -> Membership:
        """Somebody else in training."""
        member = add_member(collection=self.collection, account=Account.objects.create(username=name), role="annotator")
        Membership.objects.filter(pk=member.pk).update(status=Membership.Status.APPLICANT)
        return self.collection.memberships.select_related("collection").get(pk=member.pk)

    def sit(self, name: str, grades: list[int]) -> Membership:
        """Another applicant goes through all of it, with these grades in the exam's order."""
        member = self.applicant(name)
        confirm_guideline(member=member, version=member.collection.guideline_version)
        for item in practice_of(member).left:
            answer_practice(member=member, item_id=item.public_id, grade=2, played=1.0)
        self.answer(begin_exam(member=member), grades)
        return member

    def answer(self, sitting: ExamSitting, grades: list[int]) -> None:
        """Grade all items that are left, and hand in."""
        wanted = dict(zip(self.exam.items.order_by("pk").values_list("pk", flat=True), grades, strict=True))
        for item in items_left(sitting):
            key = uuid.uuid4()
            answer_exam(sitting=sitting, item_id=item.public_id, grade=wanted[item.pk], key=key, played=1.0)
        hand_in(sitting=sitting)


def build_school(collection: Collection) -> School:
    """Give the collection what there is to draw from, and have the lead prepare everything and open the exam."""
    clips = Clip.objects.filter(moment__video__collection=collection).select_related("moment").order_by("duration")
    for clip in clips[:MOMENTS]:
        if not clip.moment.descriptions.filter(caption__isnull=False).exists():
            have_caption(clip.moment)
    fetch_candidates(collection=collection)
    lead = Client()
    lead.force_login(Account.objects.get(username="ada"))
    school = School(collection, lead)
    school.draw("example", queries=1, candidates=1)
    school.explain("example", grade=4, why="All of it happens, and nothing else matters.")
    school.draw("practice", queries=1, candidates=2)
    school.explain("practice", grade=3, why="A detail is missing.")
    school.post("guideline/edit/", source=GUIDELINE, action="publish")
    school.draw("exam", queries=2, candidates=2)
    for item in school.exam.items.all():
        school.post(f"prepare/exam/{item.pk}/explain", why="The hands are empty here.")
    school.post("applicants/exam", step="open")
    collection.refresh_from_db()
    return school


def go_to(page: Any, name: str) -> None:
    """Press Tab until what is called `name` has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(f"{FOCUSED}.innerText?.trim() === {name!r}"):
            return
    raise AssertionError(f"no Tab leads to {name!r} on {page.url}")


def press(page: Any, name: str) -> None:
    """Go to a link or button by Tab and press Enter: another page comes."""
    go_to(page, name)
    with page.expect_navigation(timeout=PATIENCE):
        page.keyboard.press("Enter")


def wait_for_focus(page: Any, element: str) -> None:
    page.wait_for_function(f"{FOCUSED}.id === {element!r}", timeout=PATIENCE)


def grades_in_exam(member: Membership) -> list[int]:
    """The independent grades that stand, in the exam's order."""
    sitting = sitting_of(member)
    assert sitting is not None
    mine = sitting.answers.filter(turn=1, taken_back_at__isnull=True).order_by("item_id")
    return list(mine.values_list("grade", flat=True))
