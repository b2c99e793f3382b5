"""The judging page and its three requests. What goes out here is all that an annotator may know (rule 5)."""

import json
import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from annotation.judging import JudgmentRefused, give_judgment, take_back_last
from annotation.seats import Task, next_tasks
from annotation.selectors import judged_today, why_no_work
from corpus.access import annotator_api, member_required
from corpus.models import Membership

GRADES = [
    (0, "unrelated"),
    (1, "a few points"),
    (2, "in part"),
    (3, "but a detail"),
    (4, "perfect"),
]


@require_safe
@ensure_csrf_cookie
@member_required
def page(request: HttpRequest, member: Membership) -> HttpResponse:
    """The page itself: for every member of the collection; it asks for its first clip by itself."""
    context = {"collection": member.collection, "member": member, "grades": GRADES}
    return render(request, "annotation/judge.html", context)


@require_POST
@annotator_api
def next_(request: HttpRequest, member: Membership) -> HttpResponse:
    """The pairs to judge now. Takes a seat, so it is a POST."""
    return _answer(member)


@require_POST
@annotator_api
def grade(request: HttpRequest, member: Membership) -> HttpResponse:
    """Keep one judgment and bring the next pairs: {"pair", "grade", "key", "played"}.

    400 says what is wrong with the request, 409 why the judgment isn't taken.
    """
    try:
        sent = _read(request)
    except ValueError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    try:
        given = give_judgment(member=member, **sent)
    except JudgmentRefused as refusal:
        return _answer(member, status=409, message=str(refusal))
    late = "Somebody else has judged that clip meanwhile. Yours is kept, and doesn't count."
    return _answer(member, saved=str(given.judgment.key), message=late if given.kept == "late" else "")


@require_POST
@annotator_api
def undo(request: HttpRequest, member: Membership) -> HttpResponse:
    """Take the last judgment back; 409 says why it stands."""
    try:
        judgment = take_back_last(member=member)
    except JudgmentRefused as refusal:
        return _answer(member, status=409, message=str(refusal))
    return _answer(member, first=str(judgment.pair.public_id))


def _read(request: HttpRequest) -> dict[str, Any]:
    try:
        sent = json.loads(request.body)
        pair, key, graded = uuid.UUID(sent["pair"]), uuid.UUID(sent["key"]), sent["grade"]
        played = sent.get("played")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError('expected JSON with "pair", "grade", "key" and "played"') from error
    if not isinstance(graded, int) or isinstance(graded, bool) or graded not in range(5):
        raise ValueError(f"found the grade {graded!r}, expected 0 to 4")
    if played is not None and (isinstance(played, bool) or not isinstance(played, int | float) or not 0 <= played <= 1):
        raise ValueError(f"found played {played!r}, expected a number from 0 to 1")
    return {"pair_id": pair, "grade": graded, "key": key, "played": played}


def _answer(member: Membership, *, status: int = 200, first: str = "", **more: str) -> JsonResponse:
    tasks = next_tasks(member=member)
    # What was taken back comes first again, wherever the shuffle had put it.
    tasks.sort(key=lambda task: task.pair != first)
    body = {"tasks": [_as_json(task) for task in tasks], "today": judged_today(member), "message": "", **more}
    if not tasks:
        body["empty"] = why_no_work(member)
    response = JsonResponse(body, status=status)
    response["Cache-Control"] = "no-store"
    return response


def _as_json(task: Task) -> dict[str, str | None]:
    clip = poster = None
    if task.clip is not None:
        clip, poster = (reverse("clip", args=[task.clip, suffix]) for suffix in ("mp4", "jpg"))
    return {"pair": task.pair, "query": task.query, "clip": clip, "poster": poster}
