"""An applicant's exam: blind judging, handing in, feedback, judging again.

What goes out before the truth is frozen and the exam handed in is a query and a clip, as in judging (rule 5).
"""

from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from annotation.judging.guards import trainee_post, trainee_required
from annotation.judging.requests import NewJudgment, SentNext, SentUndo
from annotation.judging.watched_clip import graded_before
from annotation.models import ExamSitting
from annotation.qualification.exams import (
    ItemFeedback,
    answer_before,
    answer_exam,
    begin_exam,
    exam_feedback,
    hand_in,
    items_left,
    judge_again,
    sitting_of,
    take_back_answer,
)
from annotation.qualification.next_step import next_step
from annotation.qualification.practice_page import (
    answer_json,
    as_said,
    feedback_json,
    graded,
    practice_page,
    task_json,
)
from annotation.qualification.training_time import arrive
from foundation.access.pages import refusal_told, render_facts
from foundation.models import Membership
from foundation.refused import Refused

DONE = gettext_lazy(
    "You have judged every clip of the exam. Your grades are final once you hand it in; until then you can undo them."
)
HANDED_IN = gettext_lazy("You have handed in your exam.")
WAITING = gettext_lazy("There is no feedback yet.")
AGREED = gettext_lazy("All your grades are in consensus now.")


@require_POST
@trainee_required
def begin(request: HttpRequest, member: Membership) -> HttpResponse:
    """Begin or resume the exam."""
    with refusal_told(request):
        begin_exam(member=member)
        return redirect("exam", member.collection.name)
    return redirect("qualification", member.collection.name)


@require_safe
@ensure_csrf_cookie
@trainee_required
def page(request: HttpRequest, member: Membership) -> HttpResponse:
    """The judging page with the exam's items; redirects to the checklist before the exam and after."""
    sitting = sitting_of(member)
    if sitting is None or sitting.handed_in_at is not None:
        return redirect("qualification", member.collection.name)
    return practice_page(request, member, part="exam", title=_("Exam"), undo=True, teaches=False)


@trainee_post
def next_(request: HttpRequest, member: Membership) -> HttpResponse:
    """The next items to judge: at most {"ahead"}."""
    try:
        ahead = SentNext.read(request).ahead
    except ValueError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    arrive(member=member)
    return _answer(member, sitting_of(member), ahead=ahead)


@trainee_post
def grade(request: HttpRequest, member: Membership) -> HttpResponse:
    """Record a grade and return the next items, as `graded` says."""
    sitting = sitting_of(member)

    def give(sent: NewJudgment) -> dict[str, Any]:
        first = answer_before(answer_exam(sitting=_begun(sitting), key=sent.key, **as_said(sent)))
        if first is None:
            return {}
        return {"message": graded_before(member.collection, first.grade), "stands": first.grade}

    return graded(request, member, give, partial(_answer, member, sitting))


@trainee_post
def undo(request: HttpRequest, member: Membership) -> HttpResponse:
    """Take back the last grade; with {"key"}, only if it has that key. 409 says why it can't be."""
    sitting = sitting_of(member)
    try:
        key = SentUndo.read(request).key
        if sitting is None:
            raise Refused(_("There is nothing to take back."))
        answer = take_back_answer(sitting=sitting, key=key)
    except ValueError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    except Refused as refusal:
        return _answer(member, sitting, status=409, message=str(refusal))
    return _answer(member, sitting, first=str(answer.item.public_id))


def _answer(member: Membership, sitting: ExamSitting | None, *, first: str = "", **more: Any) -> HttpResponse:
    left = items_left(sitting) if sitting is not None else []
    # What was taken back comes first again.
    left.sort(key=lambda item: str(item.public_id) != first)
    over = sitting is None or sitting.handed_in_at is not None
    total = sitting.exam.items.count() if sitting is not None else 0
    return answer_json(
        member,
        [task_json(item, member.collection) for item in left],
        done=total - len(left),
        total=total,
        empty=str(HANDED_IN if over else DONE),
        **more,
    )


@require_POST
@trainee_required
def finish(request: HttpRequest, member: Membership) -> HttpResponse:
    """Hand the exam in."""
    with refusal_told(request):
        hand_in(sitting=_begun(sitting_of(member)))
    return redirect("qualification", member.collection.name)


@require_safe
@trainee_required
def feedback(request: HttpRequest, member: Membership) -> HttpResponse:
    """The feedback page: every item with own grade, truth and explanation; items that are out first."""
    sitting = sitting_of(member)
    rows = exam_feedback(sitting) if sitting is not None else []
    if not rows:
        return redirect("qualification", member.collection.name)
    facts = {
        "rows": rows,
        "out": sum(row.now.out for row in rows),
        "first_out": sum(row.first.out for row in rows),
        "step": next_step(member),
    }
    return render_facts(request, member, "annotation/feedback.html", facts)


@require_safe
@ensure_csrf_cookie
@trainee_required
def again(request: HttpRequest, member: Membership) -> HttpResponse:
    """The judging page with the items that are out; without any, a redirect to the checklist."""
    if not _out(sitting_of(member)):
        return redirect("qualification", member.collection.name)
    return practice_page(request, member, part="again", title=_("Judge again"))


@trainee_post
def again_next(request: HttpRequest, member: Membership) -> HttpResponse:
    """The next items that are out, each with its feedback."""
    arrive(member=member)
    return _answer_again(member, sitting_of(member))


@trainee_post
def again_grade(request: HttpRequest, member: Membership) -> HttpResponse:
    """Grade an item again, answered with "feedback" and the items still out, as `graded` says."""
    sitting = sitting_of(member)

    def give(sent: NewJudgment) -> dict[str, Any]:
        answered = judge_again(sitting=_begun(sitting), key=sent.key, **as_said(sent))
        return {"feedback": feedback_json(answered)}

    return graded(request, member, give, partial(_answer_again, member, sitting))


def _begun(sitting: ExamSitting | None) -> ExamSitting:
    if sitting is None:
        raise Refused(_("You haven't begun the exam."))
    return sitting


def _out(sitting: ExamSitting | None) -> list[ItemFeedback]:
    return [row for row in exam_feedback(sitting) if row.now.out] if sitting is not None else []


def _answer_again(member: Membership, sitting: ExamSitting | None, **more: Any) -> HttpResponse:
    rows = exam_feedback(sitting) if sitting is not None else []
    out = [row for row in rows if row.now.out]
    total = sum(row.first.out for row in rows)
    tasks = [{**task_json(row.item, member.collection), "feedback": feedback_json(row.now)} for row in out]
    empty = str(AGREED if rows else WAITING)
    return answer_json(member, tasks, done=total - len(out), total=total, empty=empty, **more)
