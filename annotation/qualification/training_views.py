"""Training pages: guideline with worked examples, practice with feedback."""

from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from annotation.judging.guards import trainee_post, trainee_required
from annotation.judging.requests import NewJudgment
from annotation.models import WorkedItem
from annotation.qualification.guideline_views import guideline_context
from annotation.qualification.guidelines import answer_practice, current_guideline, practice_of
from annotation.qualification.practice_page import (
    answer_json,
    as_said,
    feedback_json,
    graded,
    practice_page,
    task_json,
)
from annotation.qualification.training_time import arrive
from foundation.access.pages import render_facts
from foundation.models import Membership
from foundation.refused import Refused

DONE = gettext_lazy("You have finished the practice.")


@require_safe
@trainee_required
def page(request: HttpRequest, member: Membership) -> HttpResponse:
    """The training page: guideline to read and confirm, examples, link to practice."""
    guideline = current_guideline(member.collection)
    facts = {
        "guideline": guideline,
        "practice": practice_of(member),
        "to_confirm": not member.knows_guideline,
        **(guideline_context(guideline) if guideline is not None else {}),
    }
    return render_facts(request, member, "annotation/training.html", facts)


@require_safe
@ensure_csrf_cookie
@trainee_required
def practice(request: HttpRequest, member: Membership) -> HttpResponse:
    """The judging page with the practice items left; without any, a redirect to the checklist."""
    if not practice_of(member).left:
        return redirect("qualification", member.collection.name)
    return practice_page(request, member, part="practice", title=_("Practice"))


@trainee_post
def next_(request: HttpRequest, member: Membership) -> HttpResponse:
    """The next practice items."""
    arrive(member=member)
    return _answer(member)


@trainee_post
def grade(request: HttpRequest, member: Membership) -> HttpResponse:
    """Grade a practice item: responds with "feedback" and the next items, as `graded` says."""

    def give(sent: NewJudgment) -> dict[str, Any]:
        try:
            answered = answer_practice(member=member, **as_said(sent))
        except WorkedItem.DoesNotExist as error:
            raise Refused(_("That clip isn't part of the practice any longer.")) from error
        return {"feedback": feedback_json(answered)}

    return graded(request, member, give, partial(_answer, member))


def _answer(member: Membership, **more: Any) -> HttpResponse:
    state = practice_of(member)
    tasks = [task_json(item, member.collection) for item in state.left]
    return answer_json(member, tasks, done=state.done, total=state.items, empty=str(DONE), **more)
