"""The exam as a candidate meets it: the blind judging page with addresses of its own, handing in, feedback.

What goes out before the truth is frozen and the exam handed in is a query and a clip, as in judging (rule 5).
"""

import uuid

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from annotation.exams import (
    ExamRefused,
    answer_exam,
    begin_exam,
    exam_feedback,
    exam_tasks,
    first_answers,
    hand_in,
    judge_again,
    sitting_of,
    take_back_answer,
)
from annotation.models import ExamSitting
from annotation.views.guards import trainee_api, trainee_required
from annotation.views.judge import MEANINGS
from annotation.views.sent import read_grade, read_json, read_uuid
from annotation.views.training import feedback_json, lesson
from annotation.watching import NotWatched
from corpus.models import Membership

DONE = "You have judged every clip of the exam. Go back to your steps and hand it in; until then Z takes back."
HANDED_IN = "You have handed in your exam. Your steps say what comes next."


@require_POST
@trainee_required
def begin(request: HttpRequest, member: Membership) -> HttpResponse:
    """Begin the exam, or go on with it."""
    try:
        begin_exam(member=member)
    except ExamRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("qualification", member.collection.name)
    return redirect("exam", member.collection.name)


@require_safe
@ensure_csrf_cookie
@trainee_required
def page(request: HttpRequest, member: Membership) -> HttpResponse:
    """The judging page over the exam's items; back to the steps for who has not begun or is done."""
    sitting = sitting_of(member)
    if sitting is None or sitting.handed_in_at is not None:
        return redirect("qualification", member.collection.name)
    grades = list(enumerate(MEANINGS))[: member.collection.top_grade + 1]
    context = {"collection": member.collection, "member": member, "grades": grades, "kinds": []}
    return render(request, "annotation/exam.html", context)


@require_POST
@trainee_api
def next_(request: HttpRequest, member: Membership) -> HttpResponse:
    """The items to judge now."""
    return _answer(sitting_of(member))


@require_POST
@trainee_api
def grade(request: HttpRequest, member: Membership) -> HttpResponse:
    """Keep one grade and bring the next items: {"pair", "grade", "key", "played"}; 400 and 409 as in judging."""
    sitting = sitting_of(member)
    try:
        sent = read_grade(request)
        if sitting is None:
            raise ExamRefused("You haven't begun the exam.")
        answer_exam(sitting=sitting, item_id=sent.pair, grade=sent.grade, key=sent.key, played=sent.played)
    except ValueError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    except (ExamRefused, NotWatched) as refusal:
        return _answer(sitting, status=409, message=str(refusal))
    return _answer(sitting, saved=str(sent.key))


@require_POST
@trainee_api
def undo(request: HttpRequest, member: Membership) -> HttpResponse:
    """Take the last grade back, or the one of {"key"} if it is the last; 409 says why it stands."""
    sitting = sitting_of(member)
    try:
        key = read_json(request, "expected JSON").get("key") if request.body else None
        if sitting is None:
            raise ExamRefused("There is nothing to take back.")
        answer = take_back_answer(sitting=sitting, key=None if key is None else read_uuid(key))
    except ValueError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    except ExamRefused as refusal:
        return _answer(sitting, status=409, message=str(refusal))
    return _answer(sitting, first=str(answer.item.public_id))


def _answer(sitting: ExamSitting | None, *, status: int = 200, first: str = "", **more: str) -> JsonResponse:
    tasks = exam_tasks(sitting) if sitting is not None else []
    # What was taken back comes first again.
    tasks.sort(key=lambda task: task.pair != first)
    body: dict[str, object] = {"message": "", **more}
    body["tasks"] = [
        {
            "pair": task.pair,
            "query": task.query,
            "clip": reverse("clip", args=[task.clip, "mp4"]) if task.clip else None,
            "poster": reverse("clip", args=[task.clip, "jpg"]) if task.clip else None,
        }
        for task in tasks
    ]
    body["today"] = first_answers(sitting).count() if sitting is not None else 0
    if not tasks:
        body["empty"] = HANDED_IN if sitting is None or sitting.handed_in_at is not None else DONE
    response = JsonResponse(body, status=status)
    response["Cache-Control"] = "no-store"
    return response


@require_POST
@trainee_required
def finish(request: HttpRequest, member: Membership) -> HttpResponse:
    """Hand the exam in."""
    sitting = sitting_of(member)
    try:
        if sitting is None:
            raise ExamRefused("You haven't begun the exam.")
        hand_in(sitting=sitting)
    except ExamRefused as refusal:
        messages.error(request, str(refusal))
    return redirect("qualification", member.collection.name)


@require_safe
@trainee_required
def feedback(request: HttpRequest, member: Membership) -> HttpResponse:
    """Every item with one's own grade, the truth and the lead's explanation; those that are out first."""
    sitting = sitting_of(member)
    rows = exam_feedback(sitting) if sitting is not None else []
    if not rows:
        return redirect("qualification", member.collection.name)
    context = {
        "collection": member.collection,
        "member": member,
        "rows": rows,
        "out": sum(row.now.out for row in rows),
        "first_out": sum(row.first.out for row in rows),
        "next": next((row for row in rows if row.now.out), None),
    }
    return render(request, "annotation/feedback.html", context)


@require_safe
@ensure_csrf_cookie
@trainee_required
def again(request: HttpRequest, member: Membership, item_id: uuid.UUID) -> HttpResponse:
    """One item that is out, with its feedback, to be judged again."""
    sitting = sitting_of(member)
    rows = exam_feedback(sitting) if sitting is not None else []
    row = next((row for row in rows if row.item.public_id == item_id), None)
    if row is None:
        raise Http404("no such item")
    context = {
        **lesson(member.collection, row.item.query, row.clip, str(item_id)),
        "member": member,
        "address": reverse("exam-regrade", args=[member.collection.name]),
        "onward": reverse("exam-feedback", args=[member.collection.name]),
        "title": "Judge again",
        "feedback": row.now,
        "settled": not row.now.out,
    }
    return render(request, "annotation/lesson.html", context)


@require_POST
@trainee_api
def regrade(request: HttpRequest, member: Membership) -> HttpResponse:
    """Grade an item again, answered with feedback; 400 and 409 say why not."""
    sitting = sitting_of(member)
    try:
        sent = read_grade(request)
        if sitting is None:
            raise ExamRefused("You haven't begun the exam.")
        told = judge_again(sitting=sitting, item_id=sent.pair, grade=sent.grade, key=sent.key, played=sent.played)
    except ValueError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    except (ExamRefused, NotWatched) as refusal:
        return JsonResponse({"message": str(refusal)}, status=409)
    return feedback_json(told)
