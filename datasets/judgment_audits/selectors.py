"""An audit as a page shows it, in the reader's language, and as files."""

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.safestring import mark_safe
from django.utils.text import slugify
from django.utils.translation import gettext, gettext_lazy, gettext_noop, pgettext, pgettext_lazy

from annotation.consensus import Rule
from annotation.consensus_in_words import rule_in_words
from annotation.figure_tables import on_page
from evaluation.formats.table import CELL, cells
from evaluation.judgments.agreement import MOST_COMPARED
from evaluation.judgments.audit import Told
from evaluation.judgments.audit_formats import (
    AUDIT_FORMATS,
    FIGURES,
    KINDS,
    STATES,
    estimate_of,
    figures,
    grades_of,
    part_of,
    policies_of,
    sections,
    workers_of,
)
from evaluation.judgments.consensus import ADDED
from foundation.infra.csv_download import csv_download
from foundation.infra.csv_escape import safe_row
from foundation.infra.list_pages import numbered_page

PAGE = 25
MOST_COUPLED = 50
"""Couples of workers on the page; the files have more."""
MOST_NAMED = 20
"""Open pairs that the page names."""
FILES = {"audit.txt": "text", "audit.md": "markdown", "audit.csv": "csv", "audit.json": "json"}
MEDIA = {"text": "text/plain", "markdown": "text/markdown", "json": "application/json"}
COUNTED = (*STATES, "changed_grades")
_COUPLES = {
    "all": pgettext_lazy("judgments", "all"),
    "first round": gettext_lazy("first round"),
    "second round": gettext_lazy("second round"),
    "between rounds": gettext_lazy("between rounds"),
    "repeats of one id": gettext_lazy("repeats of one id"),
}
_POLICIES = {
    "as-published": gettext_lazy("as published: all judgments count"),
    "first": gettext_lazy("first: only an id's first judgment of a pair counts"),
    "last": gettext_lazy("last: only an id's last judgment of a pair counts"),
    "left-out": gettext_lazy("left out: a pair with a repeated id isn't decided"),
}
_RESAMPLED = {
    "workers": gettext_lazy("In brackets the middle 95 %% where workers are drawn anew, %(draws)s times."),
    "queries and workers": gettext_lazy(
        "In brackets the middle 95 %% where queries and workers are drawn anew, %(draws)s times."
    ),
}
_DRAWN = (
    gettext_noop("Lowest and highest grade"),
    gettext_noop("Shares of pairs: lowest by row, highest by column."),
    gettext_noop("Mean grade"),
    gettext_noop("mean grade"),
    gettext_noop("Along the file"),
    gettext_noop("In the file's order, in parts of equal length."),
    gettext_noop("Agreement of two workers"),
    gettext_noop("Cohen's kappa with quadratic weights."),
)
"""What is written in the figures."""


def audit_facts(told: Told, sent: Mapping[str, str]) -> dict[str, Any]:
    """What the page's tables get. Args: sent: the address's parameters, with the page of workers."""
    page = numbered_page(workers_of(told), sent, size=PAGE)
    policies = policies_of(told)
    drawn = figures(told, gettext)
    return {
        "audit": told,
        "grades": grades_of(told),
        "by_grade": zip(grades_of(told), told["by_grade"], strict=True),
        "by_judgments": sorted((int(number), pairs) for number, pairs in told["pairs_by_judgments"].items()),
        "open_named": told["open_pairs"][:MOST_NAMED],
        "open_more": max(0, told["open"] - MOST_NAMED),
        "rule": _rule(told),
        "compared": any(map(any, told["lowest_highest"])),
        "how_compared": _compared(told),
        "agreement": [(_COUPLES[kind], *_agreement(told["agreement"][kind])) for kind in KINDS],
        "page": page,
        "of_workers": [(worker, own["judgments"], *_agreement(own)) for worker, own in page],
        "of_two": [(own["workers"], *_agreement(own)) for own in told["of_two_workers"][:MOST_COUPLED]],
        "more_two": max(0, len(told["of_two_workers"]) - MOST_COUPLED) + told["two_workers_left_out"],
        "policies": [
            (_POLICIES[name], [policy[state] for state in COUNTED], policy["by_grade"]) for name, policy in policies
        ],
        "systems": list(zip(*(policy.get("systems", []) for _, policy in policies), strict=True)),
        "drift": [(part_of(part), part) for part in told["drift"]],
        # Words on a heat map's cells are for the colours of its file: it stands on paper.
        "drawn": {
            name.partition(".")[0]: on_page(svg) if name == "drift.svg" else mark_safe(svg)
            for name, svg in drawn.items()
        },
        "files": [*FILES, *drawn],
    }


def _rule(told: Told) -> str:
    if "rule" not in told:  # an older audit
        return ""
    if told["rule"].keys() & set(ADDED) or told["rule"]["rounding"] == "nearest":
        return rule_in_words(Rule.of(told["rule"]))
    sentence = gettext(
        "The rule: grades from 0 to %(top_grade)s; people in the first round: %(first_round)s, in the second: "
        "%(second_round)s; the largest difference that counts as agreement: %(largest_difference)s; a mean between two "
        "grades is rounded: %(rounded)s."
    )
    up = told["rule"]["rounding"] == "up"
    rounded = pgettext("of a mean grade", "up") if up else pgettext("of a mean grade", "down")
    return sentence % {**told["rule"], "rounded": rounded}


def _compared(told: Told) -> list[str]:
    said = []
    if told["pairs_compared_in_part"]:
        sentence = gettext("Of a pair's judgments the first %(most)s are compared; pairs with more: %(pairs)s.")
        said.append(sentence % {"pairs": f"{told['pairs_compared_in_part']:,}", "most": MOST_COMPARED})
    if told.get("pairs_without_data"):  # an older audit doesn't say it
        sentence = gettext(
            "Pairs that the pairs' data lack, none with a grade: %(pairs)s. Each counts as a query of its own."
        )
        said.append(sentence % {"pairs": f"{told['pairs_without_data']:,}"})
    if told["resampled"]:
        said.append(str(_RESAMPLED[told["resampled"]]) % {"draws": f"{told['draws']:,}"})
    return said


def _agreement(own: Told) -> tuple[int, list[str]]:
    return own["couples"], [estimate_of(own[name]) for name in FIGURES]


def audit_file(told: Told, stem: str, name: str) -> HttpResponseBase:
    """One of an audit's files, saved as STEM-NAME; they are English. Raises: Http404."""
    saved = f"{slugify(stem) or 'judgments'}-{name}"
    if name == "audit.csv":
        # Names of file and workers are people's.
        rows = ([*safe_row(cell[:2]), *cell[2:]] for cell in cells(sections(told)))
        return csv_download(saved.removesuffix(".csv"), CELL, rows, line_end="\n")
    drawn = figures(told) if name.endswith(".svg") else {}
    if name not in FILES and name not in drawn:
        raise Http404("no such file")
    text = drawn[name] if drawn else AUDIT_FORMATS[FILES[name]](told) + "\n"
    media = "image/svg+xml" if drawn else MEDIA[FILES[name]]
    response = HttpResponse(text, content_type=f"{media}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{saved}"'
    return response
