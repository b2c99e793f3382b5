"""Whether what annotators used beside the picture goes with other grades: read, computed ahead, and as a table."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext as _

from annotation.agreement.evidence_use import UsedJudgment, evidence_use
from annotation.judging.evidence import kinds_asked
from annotation.models import Judgment, Used
from foundation.models import Collection

NAME = "evidence-use"
"""Of the precomputed figures."""
COLUMNS = (
    *("kind", "judgments", "used", "share", "mean_with", "mean_without", "pairs", "queries"),
    *("difference", "low", "high", "both", "both_agree", "one", "one_agree", "neither", "neither_agree"),
)
"""Of the table of a row a kind, in files."""
ROWS_AT_ONCE = 20_000


def compute_evidence_use(collection: Collection) -> dict[str, Any]:
    """By kind an `EvidenceUse`: of kinds that are asked for, or that somebody used. Two SQL queries a kind at most."""
    judgments = Judgment.objects.filter(pair__batch__collection=collection, counted=True, used__isnull=False)
    asked = kinds_asked(collection)
    return {
        kind: asdict(
            evidence_use(
                (
                    UsedJudgment(query, pair, round_, grade, kind in (used or ()))
                    for query, pair, round_, grade, used in judgments.order_by("pk")
                    .values_list("pair__batch__query_id", "pair_id", "round", "grade", "used")
                    .iterator(ROWS_AT_ONCE)
                ),
                largest_difference=collection.largest_difference,
            )
        )
        for kind in Used.values
        if kind in asked or judgments.filter(used__contains=[kind]).exists()
    }


def as_rows(found: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """The table of `COLUMNS`, figures with four decimals; what there is none of is empty."""
    rows = []
    for kind, use in found.items():
        figures = [use[name] for name in ("judgments", "used", "share", "with_it", "without", "pairs", "queries")]
        figures += [use[name] for name in ("difference", "low", "high")]
        for who in ("both", "one", "neither"):
            figures += [use[who]["twos"], use[who]["agree"]]
        rows.append((kind, *("" if one is None else round(one, 4) for one in figures)))
    return rows


def figure_of(found: Mapping[str, Any]) -> str:
    """How much higher who used it grades the same pairs, by kind with its interval, as SVG; "" where nobody knows."""
    from evaluation.figures.intervals import intervals

    rows = {
        str(Used(kind).label): [(use["difference"], use["low"], use["high"])]
        for kind, use in found.items()
        if use["low"] is not None
    }
    if not rows:
        return ""
    return intervals(
        rows,
        kinds=[_("same pair")],
        title=_("Grades of who used it, less those of who didn't"),
        x_label=_("difference, in grades"),
        note=_("95 % intervals over queries drawn again"),
    )
