"""A plan as its page shows it, and as files."""

from typing import Any

from django.http import HttpResponseBase, JsonResponse
from django.utils.translation import gettext_lazy

from datasets.leaderboard.plan_came import row_facts
from datasets.models import Plan
from datasets.planning.jobs import GIVEN, HERE, PUBLISHED, THERE
from foundation.access.pages import FactsEncoder
from foundation.infra.csv_download import csv_download

COLUMNS = ("measure", "share", "kappa", "pairs", "judgments", "queries", "fewest", "most", "hours", "cost")
BASIS = {
    GIVEN: gettext_lazy("as you say"),
    HERE: gettext_lazy("as known here"),
    THERE: gettext_lazy("as in the source"),
    PUBLISHED: gettext_lazy("as TVR-Ranking’s, since none is known here"),
}


def plan_facts(plan: Plan) -> dict[str, Any]:
    """What the page of a plan that is made gets."""
    result = plan.result or {}
    return {
        "found": result,
        "rows": [row_facts(plan, place) for place in range(len(result["rows"]))],
        "basis": {name: BASIS[basis] for name, basis in result["basis"].items()},
    }


def as_file(plan: Plan) -> dict[str, Any]:
    """A plan as JSON for other programs: what was asked, and what was found."""
    return {
        "plan": plan.pk,
        "asked_at": plan.asked_at,
        "asked": plan.asked,
        "chosen": plan.chosen,
        **(plan.result or {}),
    }


def plan_file(plan: Plan, ending: str) -> HttpResponseBase:
    """A plan as CSV, a row each way, or as JSON. Args: ending: csv or json."""
    name = f"{plan.collection.name}-plan-{plan.pk}"
    if ending == "csv":
        rows = (plan.result or {})["rows"]
        return csv_download(name, COLUMNS, ([row[column] for column in COLUMNS] for row in rows))
    answer = JsonResponse(as_file(plan), encoder=FactsEncoder, json_dumps_params={"indent": 1})
    answer["Content-Disposition"] = f'attachment; filename="{name}.json"'
    return answer
