"""The page "Leakage": how near pseudo-training captions come to val and test queries, and the worst of them as CSV."""

from typing import Any

from django.http import HttpRequest, HttpResponseBase

from datasets.content.leakage import LEVELS, NAME, leakage_of_draw
from datasets.releases.leakage_csv import COLUMNS
from foundation.access.pages import PageFacts, lead_get, lead_page
from foundation.infra.csv_download import csv_download
from foundation.infra.csv_escape import safe_cell
from foundation.models import Membership


@lead_page("datasets/leakage.html")
def leakage(request: HttpRequest, member: Membership) -> PageFacts:
    """How many queries have a near pseudo-training caption, and the worst hundred."""
    if not member.collection.queries.exists():
        return {"drawn": False}
    result = leakage_of_draw(member.collection)
    found = result.value
    return {
        "drawn": True,
        "result": result,
        "leakage": found,
        "levels": LEVELS,
        "parts": [(part, _in_order(found[part])) for part in ("val", "test", "training")] if found else [],
    }


def _in_order(counts: dict[str, Any]) -> dict[str, Any]:
    """What is counted, with `levels` in the order of `LEVELS`: stored JSON has the key "0.9" before "0.85"."""
    return {**counts, "levels": [counts["from"][f"{level:g}"] for level in LEVELS]}


@lead_get
def leakage_csv(request: HttpRequest, member: Membership) -> HttpResponseBase:
    """The worst hundred; nothing but the header before they are computed."""
    found = leakage_of_draw(member.collection).value or {"worst": []}
    rows = ([safe_cell(row[column]) for column in COLUMNS] for row in found["worst"])
    return csv_download(f"{member.collection.name}-{NAME}", COLUMNS, rows)
