"""Try it for a minute: the judging page for six decided pairs, without an account, then how one compares.

What a visitor gave lies in the visitor's own browser, in a signed cookie; the server keeps nothing of it.
"""

from typing import Any

from django.conf import settings
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from annotation.assignment.next_tasks import AT_HAND, Task
from annotation.batches.transitions import rule_of
from annotation.consensus import PAPER
from annotation.consensus_in_words import rule_in_words
from annotation.judging.requests import ItemGrade, SentUndo
from annotation.judging.task_json import as_json
from annotation.judging.watched_clip import refuse_bad_grade
from annotation.scale import scale_of
from annotation.tryout.selectors import Tryout, TryoutPair, find_tryout
from evaluation.judgments.grade_classes import unit_of
from foundation.access.client_address import client_address
from foundation.access.throttle import Limit, take
from foundation.models import Membership
from foundation.refused import Refused

COOKIE, COOKIE_SECONDS = "qreels_tryout", 24 * 60 * 60
FROM_AN_ADDRESS = Limit("tryout", 600, 10)
"""Requests from one address, behind which a whole class may sit: some twelve a person."""
TOO_MANY = gettext_lazy("Too many requests came from your address.")
DONE = gettext_lazy("Those were all six. See how your grades compare with those that people agreed on.")
GONE = gettext_lazy("That clip is no longer part of the tryout. Reload the page to go on.")


@require_safe
@never_cache
@ensure_csrf_cookie
def page(request: HttpRequest) -> HttpResponse:
    """The judging page with the six pairs, or what is left of them; 404 where no collection offers any."""
    tryout = _tryout(request)
    if not _left(request, tryout):
        return redirect("try-result")
    scale = scale_of(tryout.collection)
    context = {
        "tryout": tryout,
        "scale": scale,
        "grades": scale.named(),
        "played": tryout.collection.played_fraction,
        "idle": tryout.collection.idle_seconds,
        "steps": reverse("try-result"),
    }
    return render(request, "annotation/tryout.html", context)


@require_POST
def next_(request: HttpRequest) -> HttpResponse:
    """The pairs that are left."""
    _count(request)
    tryout = _tryout(request)
    return _answer(tryout, _given(request))


@require_POST
def grade(request: HttpRequest) -> HttpResponse:
    """Take a grade into the visitor's cookie, and respond with what is left. 400 and 409 as for a judgment."""
    try:
        _count(request)
        tryout = _tryout(request)
        sent = ItemGrade.read(request, collection=tryout.collection)
    except ValueError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    given = _given(request)
    if all(pair.id != sent.pair for pair in tryout.pairs):
        return _answer(tryout, given, status=409, message=GONE)
    try:
        refuse_bad_grade(tryout.collection, sent.grade, sent.played)
    except Refused as refusal:
        return _answer(tryout, given, status=409, message=str(refusal))
    # The first grade stands, as when a request was sent twice.
    return _answer(tryout, {str(sent.pair): sent.grade} | given, saved=str(sent.key))


@require_POST
def undo(request: HttpRequest) -> HttpResponse:
    """Take the last grade back; its pair comes again."""
    try:
        _count(request)
        SentUndo.read(request)
    except ValueError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    tryout, given = _tryout(request), _given(request)
    if not given:
        return _answer(tryout, given, status=409, message=_("There is nothing to take back."))
    # The newest stands first.
    last = next(iter(given))
    return _answer(tryout, {pair: value for pair, value in given.items() if pair != last}, first=last)


@require_safe
@never_cache
def result(request: HttpRequest) -> HttpResponse:
    """How the visitor's grades compare with the consensus; back to judging while pairs are left."""
    tryout = _tryout(request)
    given = _given(request)
    if _left(request, tryout):
        return redirect("try")
    off = [given[str(pair.id)] - pair.grade for pair in tryout.pairs]
    rows = [{"pair": pair, "own": pair.grade + gap, "off": gap} for pair, gap in zip(tryout.pairs, off, strict=True)]
    scale, unit = scale_of(tryout.collection), unit_of(tryout.collection.top_grade)
    near = sum(abs(gap) <= unit for gap in off)
    rule = rule_of(tryout.collection)
    context = {"scale": scale, "rows": rows, "exact": off.count(0), "near": near}
    context["rule"] = "" if rule == PAPER else rule_in_words(rule)
    return render(request, "annotation/tryout_result.html", context)


@require_POST
def again(request: HttpRequest) -> HttpResponse:
    """Forget the visitor's grades, and begin anew."""
    response = redirect("try")
    response.delete_cookie(COOKIE, path=reverse("try"))
    return response


def _tryout(request: HttpRequest) -> Tryout:
    """What is offered; not to whom it would tell what others said of a pair of their own. Raises: Http404."""
    tryout = find_tryout()
    if tryout is None:
        raise Http404("no collection offers a tryout")
    annotators = tryout.collection.memberships.filter(role=Membership.Role.ANNOTATOR)
    if request.user.is_authenticated and annotators.filter(account=request.user).exists():
        raise Http404("who judges the collection doesn't try it")
    return tryout


def _count(request: HttpRequest) -> None:
    """Raises: Throttled."""
    take(FROM_AN_ADDRESS, client_address(request), what=str(TOO_MANY))


def _given(request: HttpRequest) -> dict[str, int]:
    """The visitor's grades by the pair's id, the newest first; none where the cookie is missing, old or forged."""
    try:
        given = signing.loads(request.COOKIES.get(COOKIE, ""), salt=COOKIE, max_age=COOKIE_SECONDS)
        return {str(pair): int(value) for pair, value in given}
    except (signing.BadSignature, TypeError, ValueError):
        return {}


def _left(request: HttpRequest, tryout: Tryout) -> list[TryoutPair]:
    given = _given(request)
    return [pair for pair in tryout.pairs if str(pair.id) not in given]


def _answer(tryout: Tryout, given: dict[str, int], *, status: int = 200, first: str = "", **more: Any) -> JsonResponse:
    left = sorted((pair for pair in tryout.pairs if str(pair.id) not in given), key=lambda pair: str(pair.id) != first)
    body: dict[str, Any] = {
        "message": "",
        "tasks": [as_json(Task(str(pair.id), pair.query, pair.clip), tryout.collection) for pair in left[:AT_HAND]],
        "done": len(tryout.pairs) - len(left),
        "total": len(tryout.pairs),
        **more,
    }
    if not left:
        body["empty"] = DONE
        body["step"] = {"text": _("See how you compare"), "address": reverse("try-result"), "changes": False}
    response = JsonResponse(body, status=status)
    response["Cache-Control"] = "no-store"
    known = {str(pair.id) for pair in tryout.pairs}
    grades = [[pair, value] for pair, value in given.items() if pair in known]
    response.set_cookie(
        COOKIE,
        signing.dumps(grades, salt=COOKIE),
        max_age=COOKIE_SECONDS,
        path=reverse("try"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response
