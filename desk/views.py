"""The lead's overview of one collection."""

from django.http import HttpRequest

from corpus.lead_pages import Facts, lead_page
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
def overview(request: HttpRequest, member: Membership) -> Facts:
    """Every stage with its backlog, the pace, the forecast, who is at work and what waits for the lead."""
    found = stages(member.collection)
    batches = [(title, found.backlog.batches[name], about) for name, title, about in BATCHES]
    return Facts(
        {
            "stages": found.stages,
            "batches": found.backlog.batches,
            "pairs": found.backlog.pairs,
            "judgments": found.backlog.judgments,
            "waiting_for_clip": found.backlog.waiting_for_clip,
            "days": found.pace.days,
            "judged_today": found.pace.today,
            "hours": found.pace.hours,
            "paid": found.pace.paid,
            "currency": found.pace.currency,
            "second_round_share": found.backlog.work.second_share,
            "extended_share": found.backlog.work.extended_share,
            "forecast": found.pace.forecast,
            "at_work": found.at_work,
            "needs": found.needs,
            "study": study_at_hand(member.collection),
            "as_of": found.as_of,
            "problem": found.problem,
        },
        only_shown={
            "chart": day_chart(found.pace.days),
            "batch_rows": batches,
            "second_percent": _percent(found.backlog.work.second_share),
            "extended_percent": _percent(found.backlog.work.extended_share),
        },
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
