"""The overview page."""

from django.http import HttpRequest

from corpus.access.pages import PageFacts, lead_page
from corpus.models import Membership
from desk.charts import day_chart
from desk.selectors import stages, study_at_hand

BATCHES = (
    ("open", "open", "nobody has begun"),
    ("judging", "judging", "in the first round"),
    ("second", "in round two", "some pair in dispute"),
    ("decided", "decided", "wait for your review"),
    ("finished", "finished", ""),
    ("extended", "extended", "another batch followed"),
)


@lead_page("desk/overview.html")
def overview(request: HttpRequest, member: Membership) -> PageFacts:
    """The overview: stages with backlog, pace, forecast, who is at work, and the lead's tasks."""
    found = stages(member.collection)
    standing, pace = found.backlog, found.pace
    work = standing.work if standing else None
    batches = [(title, found.batches[name], about) for name, title, about in BATCHES]
    return PageFacts(
        {
            "stages": found.stages,
            "batches": found.batches,
            "pairs": standing and standing.pairs,
            "judgments": standing and standing.judgments,
            "waiting_for_clip": standing and standing.waiting_for_clip,
            "days": pace and pace.days,
            "judged_today": pace and pace.today,
            "hours": pace and pace.hours,
            "paid": pace and pace.paid,
            "currency": pace and pace.currency,
            "second_round_share": work and work.second_share,
            "extended_share": work and work.extended_share,
            "forecast": pace and pace.forecast,
            "at_work": found.at_work,
            "needs": found.needs,
            "study": study_at_hand(member.collection),
            "as_of": found.as_of,
            "problem": found.problem,
        },
        only_shown={
            "chart": day_chart(pace.days) if pace else None,
            "batch_rows": batches,
            "second_percent": _percent(work.second_share) if work else None,
            "extended_percent": _percent(work.extended_share) if work else None,
        },
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
