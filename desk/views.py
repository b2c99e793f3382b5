"""The overview page, and its form "Run to open"."""

from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from datasets.stopping.selectors import line_of
from desk.charts import day_chart
from desk.menu import GROUPS
from desk.running.form import ProcedureForm
from desk.running.run import ask_to_run
from desk.selectors import overview as overview_of
from desk.selectors import study_at_hand
from desk.steps.rules import next_step, state_of_stage
from desk.steps.states import Step, StepState
from foundation.access.pages import PageFacts, lead_page, lead_post, render_facts
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_told
from foundation.models import Membership

TEMPLATE = "desk/overview.html"
BATCHES = (
    ("open", gettext_lazy("open"), gettext_lazy("nobody has begun")),
    ("judging", gettext_lazy("judging"), gettext_lazy("in the first round")),
    ("second", gettext_lazy("in round two"), gettext_lazy("some pair in dispute")),
    ("decided", gettext_lazy("decided"), gettext_lazy("wait for your review")),
    ("finished", gettext_lazy("finished"), ""),
    ("extended", gettext_lazy("extended"), gettext_lazy("another batch followed")),
)
PAIRS = (
    ("open", gettext_lazy("in the first round"), ""),
    ("disputed", gettext_lazy("in round two"), ""),
    ("consensus", gettext_lazy("graded"), ""),
    ("discarded", gettext_lazy("discarded"), ""),
    ("withdrawn", gettext_lazy("withdrawn"), ""),
)


@lead_page(TEMPLATE)
def overview(request: HttpRequest, member: Membership) -> PageFacts:
    """The overview: stages with backlog, pace, forecast, who is at work, and the lead's tasks."""
    return _facts(member, None)


@lead_post
def run(request: HttpRequest, member: Membership) -> HttpResponse:
    """Have a worker do what remains until judging is open; owners and leads only. While it runs, that run goes on."""
    form = ProcedureForm(request.POST, collection=member.collection)
    if not form.is_valid():
        return render_facts(request, member, TEMPLATE, _facts(member, form), status=400)
    sent = form.cleaned_data
    job = ask_to_run(
        member=member,
        rewriter=sent["rewriter"],
        val=sent["val"],
        test=sent["test"],
        seed=1 if sent["seed"] is None else sent["seed"],
    )
    ask_on_page(request, job)
    return redirect("overview", member.collection.name)


def _facts(member: Membership, form: ProcedureForm | None) -> PageFacts:
    state = overview_of(member.collection)
    standing, pace = state.backlog, state.pace
    work = standing.work if standing else None
    job = state.run
    left = [step for step in state.steps if step.stage == "Prepare" and step.state != StepState.DONE]
    # What it begins with is there: nobody but a person imports descriptions.
    may_run = bool(left) and (job is not None or not any(step.key == "descriptions" for step in left))
    return {
        "pairs": standing and standing.pairs,
        "judgments": standing and standing.judgments,
        "days": pace and pace.days,
        "judged_today": pace and pace.today,
        "hours": pace and pace.hours,
        "paid": pace and pace.paid,
        "currency": pace and pace.currency,
        "lacking": standing.staffing.lacking if standing else "",
        "forecast": pace and pace.forecast,
        "at_work": state.at_work,
        "needs": state.needs,
        "run": progress_told(job) if job else None,
        "study": study_at_hand(member.collection),
        "settled": line_of(member.collection),
        "as_of": state.as_of,
        "problem": state.problem,
        "groups": groups_of(state.steps),
        # One thing to do next: the button that does all of it, where there is one.
        "following": None if may_run else next_step(state.steps),
        "may_run": may_run,
        "run_form": form or ProcedureForm(initial=job and job.asked_for, collection=member.collection),
        "chart": day_chart(pace.days) if pace else None,
        "counted": [
            (gettext("Batches"), _at_hand(BATCHES, state.batches)),
            (gettext("Pairs"), _at_hand(PAIRS, standing.pairs) if standing else []),
        ],
        "second_percent": _percent(work.second_share) if work else None,
        "extended_percent": _percent(work.extended_share) if work else None,
    }


@dataclass(frozen=True, slots=True)
class StageGroup:
    """A stage of the overview with its steps; `over` once all of them are done."""

    key: str
    name: str | Promise
    icon: str
    state: StepState
    steps: list[Step]

    @property
    def done(self) -> int:
        return sum(step.state == StepState.DONE for step in self.steps)

    @property
    def over(self) -> bool:
        return self.state == StepState.DONE


def groups_of(steps: list[Step]) -> list[StageGroup]:
    """The steps by stage, in order, with the icons of the menu."""
    shown = {group.key: group for group in GROUPS}
    stages = [(stage, list(own)) for stage, own in groupby(steps, key=lambda step: step.stage)]
    return [StageGroup(stage, shown[stage].label, shown[stage].icon, state_of_stage(own), own) for stage, own in stages]


def _at_hand(states: tuple[tuple[str, Promise, Any], ...], counts: dict[str, int]) -> list[tuple[Promise, int, Any]]:
    """Title, count and meaning of the states in which there is something."""
    return [(title, counts[name], about) for name, title, about in states if counts[name]]


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
