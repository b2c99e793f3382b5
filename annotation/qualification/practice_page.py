"""The judging page for items that never count: practice, exam, judging again."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.assignment.next_tasks import AT_HAND, Task
from annotation.judging.requests import NewJudgment
from annotation.judging.task_json import as_json
from annotation.models import ExamItem, WorkedItem
from annotation.qualification.guidelines import Feedback
from annotation.qualification.next_step import NextStep, next_step
from annotation.qualification.training_time import SaidTime
from annotation.scale import scale_of
from foundation.access.pages import render_facts
from foundation.models import Collection, Membership
from foundation.refused import Refused


def practice_page(
    request: HttpRequest, member: Membership, *, part: str, title: str, undo: bool = False, teaches: bool = True
) -> HttpResponse:
    """The judging page with the addresses of `part`. Where it `teaches`, each grade waits for its feedback."""
    collection = member.collection
    scale = scale_of(collection)
    facts = {
        "scale": scale,
        "grades": scale.named(),
        "title": title,
        "next": reverse(f"{part}-next", args=[collection.name]),
        "grade": reverse(f"{part}-grade", args=[collection.name]),
        "undo": reverse(f"{part}-undo", args=[collection.name]) if undo else "",
        "teaches": teaches,
        "steps": reverse("qualification", args=[collection.name]),
    }
    return render_facts(request, member, "annotation/practice_page.html", facts)


def task_json(item: ExamItem | WorkedItem, collection: Collection) -> dict[str, str | None]:
    """An ungraded item as JSON for the page: query and clip, nothing else."""
    return as_json(Task(pair=str(item.public_id), query=item.query, clip=item.moment.clip_name), collection)


def graded(
    request: HttpRequest,
    member: Membership,
    give: Callable[[NewJudgment], dict[str, Any]],
    answer: Callable[..., HttpResponse],
) -> HttpResponse:
    """Record a grade {"pair", "grade", "key", "played", "active_ms", "at", "sent"}, and respond with the next items.

    400 says what is wrong with the request, 409 why `give` doesn't take it; what `give` returns goes into the answer.
    """
    try:
        sent = NewJudgment.read(request, collection=member.collection)
        more = give(sent)
    except ValueError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    except Refused as refusal:
        return answer(status=409, message=str(refusal))
    return answer(saved=str(sent.key), **more)


def as_said(sent: NewJudgment) -> dict[str, Any]:
    """A sent grade as the services of practice and exam take it."""
    said = SaidTime(sent.active_seconds, sent.waited_seconds())
    return {"item_id": sent.pair, "grade": sent.grade, "played": sent.played, "said": said}


def feedback_json(feedback: Feedback) -> dict[str, Any]:
    """Feedback as JSON, sent only after the grade was given."""
    return {"grade": feedback.grade, "truth": feedback.truth, "out": feedback.out, "why": feedback.why}


def answer_json(
    member: Membership,
    tasks: Sequence[Mapping[str, Any]],
    *,
    done: int,
    total: int,
    empty: str,
    status: int = 200,
    ahead: int = AT_HAND,
    **more: Any,
) -> JsonResponse:
    """The next items as JSON, with how many of how many are done; when none is left, the message and what is next.

    Args: ahead: how many items are sent at most.
    """
    body: dict[str, Any] = {"message": "", "tasks": list(tasks[:ahead]), "done": done, "total": total, **more}
    if not tasks:
        step = next_step(member) or NextStep(_("Your steps"), reverse("qualification", args=[member.collection.name]))
        body |= {"empty": empty, "step": step.as_json()}
    return JsonResponse(body, status=status, headers={"Cache-Control": "no-store"})
