"""What comes next on somebody's way to judging: one step, the same on every page and at the end of every part."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import ExamSitting
from annotation.qualification.exams import exam_feedback, items_left, sitting_of, why_not_begin
from annotation.qualification.guidelines import practice_of
from foundation.models import Membership


@dataclass(frozen=True, slots=True)
class NextStep:
    """A button: its words, its address, and whether pressing it changes something (a POST)."""

    text: str
    address: str
    changes: bool = False

    def as_json(self) -> dict[str, Any]:
        """As the judging page's script takes it."""
        return {"text": self.text, "address": self.address, "changes": self.changes}


def next_step(member: Membership) -> NextStep | None:
    """The step that is somebody's own to take now; None while they wait for the lead or for the others."""

    def step(text: str, page: str, *, changes: bool = False) -> NextStep:
        return NextStep(text, reverse(page, args=[member.collection.name]), changes)

    if member.status == Membership.Status.ADMITTED:
        return step(_("Start judging"), "judge")
    if member.status == Membership.Status.DECLINED:
        return None
    if not member.knows_guideline:
        return step(_("Read the guideline"), "training")
    if practice_of(member).left:
        return step(_("Practise"), "practice")
    sitting = sitting_of(member)
    if sitting is None:
        return None if why_not_begin(member) else step(_("Start the exam"), "exam-begin", changes=True)
    if sitting.handed_in_at is None:
        if items_left(sitting):
            return step(_("Go on with the exam"), "exam")
        return step(_("Hand in the exam"), "exam-hand-in", changes=True)
    out = _out(sitting)
    return step(ngettext("Judge %(out)s again", "Judge %(out)s again", out) % {"out": out}, "again") if out else None


def _out(sitting: ExamSitting) -> int:
    return sum(row.now.out for row in exam_feedback(sitting))
