"""The judging page and its requests. They send everything an annotator may know, and nothing else (rule 5)."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from annotation.assignment.next_tasks import Task, keep_seats, leave_seats, live_seats, next_tasks
from annotation.factors.answers import BadFactors
from annotation.factors.declared import asked_now
from annotation.judging.even_time import in_even_time
from annotation.judging.evidence import kinds_asked
from annotation.judging.flags import raise_flag
from annotation.judging.judgments import BadSpan, give_judgment
from annotation.judging.notices import NoticeRefused, ask_question
from annotation.judging.progress import own_progress, why_no_work
from annotation.judging.requests import NewJudgment, SentFlag, SentNext, SentUndo
from annotation.judging.task_json import as_json
from annotation.judging.undo import take_back_newest
from annotation.models import Flag
from annotation.scale import scale_of
from foundation.access.guards import annotator_get, annotator_post, annotator_required, consent_page
from foundation.access.language import says_who_asks
from foundation.access.pages import render_facts
from foundation.models import Collection, Membership
from foundation.refused import Refused

QUESTION = "question"
"""The kind of flag that is a question: it doesn't hold the pair."""
ASKED = gettext_lazy("Your question is with the lead. You can grade the clip meanwhile.")
RELOAD = gettext_lazy("reload the page: what it asks for may have changed")
FLAGGED = gettext_lazy("Thank you. That clip waits for the lead now.")


@require_safe
@ensure_csrf_cookie
@annotator_required
def page(request: HttpRequest, member: Membership) -> HttpResponse:
    """The judging page; its script requests the first clip. Who has a consent text to confirm before their next
    sitting is sent to it."""
    if not member.agrees and not live_seats(member).exists():
        return redirect(consent_page(member))
    scale = scale_of(member.collection)
    facts = {
        "scale": scale,
        "grades": scale.named(),
        "kinds": Flag.Kind.choices,
        "evidence": kinds_asked(member.collection),
        "context_seconds": member.collection.has_clips and member.collection.context_seconds,
        "compares": member.collection.has_clips and member.collection.compare_clips,
        "session_page": reverse("own-session", args=[member.collection.name]) if member.recruited else "",
        "adjusts": member.collection.has_clips and member.collection.span_agreement is not None,
        "factors": asked_now(member.collection),
    }
    return render_facts(request, member, "annotation/judge.html", facts)


@annotator_post
def next_(request: HttpRequest, member: Membership) -> HttpResponse:
    """The next pairs to judge, at most {"ahead"}. It may take a seat, so it is a POST."""
    try:
        ahead = SentNext.read(request).ahead
    except ValueError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    return answer(member, tasks=next_tasks(member=member, ahead=ahead))


@annotator_post
@in_even_time
def grade(request: HttpRequest, member: Membership) -> HttpResponse:
    """Record a judgment (`NewJudgment`).

    Returns the next pairs. `at` and `sent`, the key's time and the sending's by the browser's clock, and `active_ms`
    apportion time and add none: see `paid_time.py`.
    400 says what is wrong with the request, 409 why the judgment isn't taken. `known` is there only where the grades of
    gold are told.
    """
    try:
        sent = NewJudgment.read(request, collection=member.collection)
    except ValueError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    try:
        result = give_judgment(member=member, sent=sent)
    except (BadSpan, BadFactors) as error:
        # A page that was open when factors were declared asks for none.
        advice = f" ({RELOAD})" if isinstance(error, BadFactors) else ""
        return HttpResponse(f"{error}{advice}", status=400, content_type="text/plain")
    except Refused as refusal:
        return answer(member, status=409, message=str(refusal))
    message = result.message(member.collection)
    more: dict[str, Any] = {"known": result.known} if result.known else {}
    return answer(member, tasks=result.tasks, saved=str(sent.key), message=message, stands=result.stands, **more)


@annotator_post
@in_even_time
def undo(request: HttpRequest, member: Membership) -> HttpResponse:
    """Take back what was done last, or only the judgment of {"key"} or the flag of the pair {"flagged"}.

    The answer's `undone` is "grade" or "flag"; 409 says why it stands.
    """
    try:
        sent = SentUndo.read(request)
    except ValueError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    try:
        undone = take_back_newest(member=member, key=sent.key, flagged=sent.flagged)
    except Refused as refusal:
        return answer(member, status=409, message=str(refusal))
    return answer(member, first=str(undone.pair), undone=undone.what)


@annotator_post
@in_even_time
def flag(request: HttpRequest, member: Membership) -> HttpResponse:
    """Hold a pair for the lead, or ask about it: {"pair", "kind", "note"}; 400 and 409 as for a judgment."""
    try:
        sent = SentFlag.read(request)
        if sent.kind == QUESTION:
            ask_question(member=member, pair_id=sent.pair, text=sent.note)
            return answer(member, message=ASKED, first=str(sent.pair))
        raise_flag(member=member, pair_id=sent.pair, kind=sent.kind, note=sent.note)
    except (ValueError, NoticeRefused) as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    except Refused as refusal:
        return answer(member, status=409, message=str(refusal))
    return answer(member, message=FLAGGED)


@annotator_post
def alive(request: HttpRequest, member: Membership) -> HttpResponse:
    """Renew the annotator's seats."""
    keep_seats(member=member)
    return HttpResponse(status=204)


@annotator_post
def leave(request: HttpRequest, member: Membership) -> HttpResponse:
    """End the annotator's seats: their places are free for others."""
    leave_seats(member=member)
    return HttpResponse(status=204)


@annotator_get
def progress(request: HttpRequest, member: Membership) -> HttpResponse:
    """The annotator's own figures; see `own_progress`."""
    return JsonResponse(own_progress(member), headers={"Cache-Control": "no-store"})


@require_safe
@says_who_asks
def service_worker(request: HttpRequest) -> HttpResponse:
    """The script that lets judging go on without a network, for everybody: it has nobody's data in it.

    It stands at the root, since a service worker's address says which pages are its own.
    """
    response = render(request, "annotation/service_worker.js", content_type="text/javascript")
    response["Cache-Control"] = "no-cache"
    return response


def context_address(collection: Collection) -> str:
    """Where the page asks for the seconds around a clip, with PAIR for the pair's id; "" where the lead allows none."""
    if not (collection.has_clips and collection.context_seconds):
        return ""
    return reverse("judge-context", args=[collection.name, "PAIR"])


def answer(
    member: Membership,
    *,
    status: int = 200,
    tasks: Sequence[Task] | None = None,
    first: str = "",
    **more: Any,
) -> JsonResponse:
    """The response to every request of the page: the next pairs, or why there are none.

    Args:
        tasks: the pairs, where they are known already; looked up otherwise.
        first: the public id of a pair that comes before the others, wherever the shuffle had put it.
    """
    body: dict[str, Any] = {"message": "", **more}
    if tasks is None:
        tasks = next_tasks(member=member)
    if not tasks and not member.knows_guideline:
        body["confirm"] = member.collection.guideline_version
    context = context_address(member.collection)
    shown = sorted(tasks, key=lambda task: task.pair != first)
    body["tasks"] = [as_json(task, member.collection, context) for task in shown]
    if not tasks:
        body["empty"] = why_no_work(member)
        if not member.agrees:
            body["consent"] = consent_page(member)
    return JsonResponse(body, status=status, headers={"Cache-Control": "no-store"})
