"""Training: the guideline with its worked examples, then practice with feedback after each grade."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from annotation.exams import clip_name
from annotation.guidelines import (
    Feedback,
    answer_practice,
    current_guideline,
    has_confirmed,
    practice_of,
)
from annotation.models import WorkedItem
from annotation.views.guards import trainee_api, trainee_required
from annotation.views.guideline import shown
from annotation.views.judge import MEANINGS
from annotation.views.sent import read_grade
from annotation.watching import NotWatched
from corpus.models import Collection, Membership


@require_safe
@trainee_required
def page(request: HttpRequest, member: Membership) -> HttpResponse:
    """The guideline to read and confirm, its examples, and the way to practice."""
    guideline = current_guideline(member.collection)
    context = {
        "collection": member.collection,
        "member": member,
        "guideline": guideline,
        "practice": practice_of(member),
        "to_confirm": not has_confirmed(member),
        **(shown(guideline) if guideline is not None else {}),
    }
    return render(request, "annotation/training.html", context)


@require_safe
@ensure_csrf_cookie
@trainee_required
def practice(request: HttpRequest, member: Membership) -> HttpResponse:
    """The next practice item; without one, back to the steps."""
    state = practice_of(member)
    if state.next is None:
        return redirect("qualification", member.collection.name)
    item = state.next
    context = {
        **lesson(member.collection, item.query, clip_name(item), str(item.public_id)),
        "member": member,
        "address": reverse("practice-grade", args=[member.collection.name]),
        "onward": reverse("practice", args=[member.collection.name]),
        "title": "Practice",
        "progress": f"{state.answered + 1} of {state.items}",
    }
    return render(request, "annotation/lesson.html", context)


@require_POST
@trainee_api
def grade(request: HttpRequest, member: Membership) -> HttpResponse:
    """A practice grade, answered with feedback; see `feedback_json`. 400, 404 and 409 say why there is none."""
    try:
        sent = read_grade(request)
        feedback = answer_practice(member=member, item_id=sent.pair, grade=sent.grade, played=sent.played)
    except ValueError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    except WorkedItem.DoesNotExist:
        return JsonResponse({"message": "That clip isn't in the practice any longer. Reload the page."}, status=409)
    except NotWatched as refusal:
        return JsonResponse({"message": str(refusal)}, status=409)
    return feedback_json(feedback)


def lesson(collection: Collection, query: str, clip: str | None, item: str) -> dict[str, object]:
    """What the page of a single item needs, in practice and where an exam item is judged again."""
    return {
        "collection": collection,
        "query": query,
        "clip": clip,
        "item": item,
        "grades": list(enumerate(MEANINGS))[: collection.top_grade + 1],
    }


def feedback_json(feedback: Feedback) -> JsonResponse:
    """{"grade", "truth", "out", "why"}: how a grade compares, said only after it was given."""
    body = {"grade": feedback.grade, "truth": feedback.truth, "out": feedback.out, "why": feedback.why}
    response = JsonResponse(body)
    response["Cache-Control"] = "no-store"
    return response
