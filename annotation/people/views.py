"""The lead's pages about people: figures, agreement, alerts, status."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext, gettext_lazy

from annotation.assignment.priorities import annotators
from annotation.grades import GRADE_COUNT
from annotation.people.alerts import NAMES
from annotation.people.charts import shares, weeks_chart
from annotation.people.people_figures import NAME, alerts_by_person, matrix_of, names_of
from annotation.people.status import change_standing, dismiss_alert, steps_for
from annotation.precomputed import Result, computed_or_ask
from evaluation.judgments.grade_classes import unit_of
from foundation.access.pages import PageFacts, lead_get, lead_page, lead_post, refusal_told, render_facts
from foundation.collections.views import members_facts
from foundation.infra.csv_download import csv_download
from foundation.infra.csv_escape import safe_cell, safe_row
from foundation.models import Membership
from foundation.refused import Refused

SPANS = {"all": "overall", "recent": "recent"}
FIGURES = {
    "weighted": gettext_lazy("Weighted κ"),
    "kappa": gettext_lazy("κ"),
    "exact": gettext_lazy("Exact"),
    "within_one": gettext_lazy("Within one"),
    "difference": gettext_lazy("Bias"),
}
COLUMNS = (
    *("judgments", "active_seconds", "per_hour", "compared", "difference", "exact", "within_one"),
    *("kappa", "weighted", "second_round", "too_soon", "played", "barely_played"),
)

GOLD = ("answered", "bias", "within")
"""Of people's CSV where anybody had gold."""


def _by_member(result: Result) -> dict[int, Mapping[str, Any]]:
    return {person["member"]: person for person in result.value["people"]} if result.value else {}


def _span(request: HttpRequest) -> str:
    asked = request.GET.get("span", "all")
    return asked if asked in SPANS else "all"


@lead_page("annotation/people.html")
def people(request: HttpRequest, member: Membership) -> PageFacts:
    """The People page: everybody's figures, overall or of the last four weeks, and current alerts."""
    collection, span = member.collection, _span(request)
    result = computed_or_ask(collection=collection, name=NAME)
    known, alerts = _by_member(result), alerts_by_person(collection, result.value)
    rows, drawn, unit = [], [], unit_of(collection.top_grade)
    for person in annotators(collection).select_related("account"):
        figures = known[person.pk][SPANS[span]] if person.pk in known else None
        row = {
            "member": person.pk,
            "worker": person.worker,
            "account": person.account.username if person.account else None,
            "status": person.status,
            "figures": figures,
            "gold": known.get(person.pk, {}).get("gold", {}).get(SPANS[span]),
            "alerts": alerts.get(person.pk, []),
        }
        rows.append(row)
        drawn.append((row, person.get_status_display(), shares(figures["grades"], unit) if figures else []))
    return {
        "span": span,
        "people": rows,
        "drawn": drawn,
        "result": result,
        "any_alert": any(row["alerts"] for row in rows),
        "any_gold": any("gold" in person for person in known.values()),
    }


@lead_page("annotation/person.html")
def person(request: HttpRequest, member: Membership, member_id: int) -> PageFacts:
    """One person's page: figures over time, partners, and the lead's decisions about them."""
    return _person_facts(member, member_id)


def _person_facts(member: Membership, member_id: int, **wrong: str) -> PageFacts:
    """The page; `wrong`: what is wrong with the `reason` of a step, or with the `note` about the alert `noted`."""
    collection = member.collection
    annotator = get_object_or_404(annotators(collection).select_related("account"), pk=member_id)
    result = computed_or_ask(collection=collection, name=NAME)
    figures, unit = _by_member(result).get(annotator.pk), unit_of(collection.top_grade)
    weeks = figures["weeks"] if figures else []
    names = names_of(collection)
    partners = [
        {"worker": names.get(other, "?"), **met}
        for other, met in _partners_of(annotator.pk, result.value["partners"] if result.value else [])
    ]
    dismissals = annotator.alert_dismissals.select_related("dismissed_by").order_by("-pk")[:50]
    return {
        "person": {"member": annotator.pk, "worker": annotator.worker, "status": annotator.status},
        "figures": figures,
        "partners": partners,
        "alerts": alerts_by_person(collection, result.value).get(annotator.pk, []),
        "changes": annotator.status_changes.select_related("changed_by").order_by("-pk"),
        "dismissals": [(NAMES.get(dismissal.kind, dismissal.kind), dismissal) for dismissal in dismissals],
        "wrong": wrong,
        "found": annotator,
        "steps": steps_for(annotator),
        "result": result,
        "spans": [(gettext("All time"), figures["overall"]), (gettext("Last four weeks"), figures["recent"])]
        if figures
        else [],
        "chart": weeks_chart(weeks, unit) if figures else None,
        "weeks": [(week, shares(week["figures"]["grades"], unit)) for week in reversed(weeks)],
    }


def _partners_of(member: int, partners: list[Mapping[str, Any]]) -> list[tuple[int, Mapping[str, Any]]]:
    rows = []
    for met in partners:
        if member == met["one"]:
            rows.append((met["other"], met))
        elif member == met["other"]:
            rows.append((met["one"], {**met, "difference": -met["difference"]}))
    return sorted(rows, key=lambda partner: -partner[1]["met"])


@lead_page("annotation/partners.html")
def partners(request: HttpRequest, member: Membership) -> PageFacts:
    """Agreement of every two people, as a matrix of one figure."""
    figure = request.GET.get("figure", "weighted")
    figure = figure if figure in FIGURES else "weighted"
    result = computed_or_ask(collection=member.collection, name=NAME)
    names = names_of(member.collection)
    met = result.value["partners"] if result.value else []
    order = sorted({*(one["one"] for one in met), *(one["other"] for one in met)}, key=lambda one: names.get(one, "?"))
    rows = [(names.get(person, "?"), person, cells) for person, cells in matrix_of(met, order, figure)]
    return {
        "figure": figure,
        "partners": met,
        "result": result,
        "columns": [names.get(person, "?") for person in order],
        "rows": rows,
        "choices": FIGURES.items(),
    }


@lead_get
def people_csv(request: HttpRequest, member: Membership) -> HttpResponseBase:
    """The figures of the people's page as CSV, one row per person; `?by=week`: per person and week."""
    result = computed_or_ask(collection=member.collection, name=NAME)
    unit = unit_of(member.collection.top_grade)
    names, by_week = names_of(member.collection), request.GET.get("by") == "week"
    classes = [f"grade_{place * unit}" for place in range(GRADE_COUNT)]
    headings = ["worker", *(("week",) if by_week else ()), *COLUMNS, *classes]
    known, span = result.value["people"] if result.value else [], SPANS[_span(request)]
    of_gold = GOLD if any("gold" in person for person in known) else ()
    rows = []
    for person in known:
        gold = person.get("gold", {})
        gold_by_week = {week["begins"]: week["figures"] for week in gold.get("weeks", ())}
        stretches = (
            [((week["begins"],), week["figures"], gold_by_week.get(str(week["begins"]))) for week in person["weeks"]]
            if by_week
            else [((), person[span], gold.get(span))]
        )
        for when, figures, figures_of_gold in stretches:
            cells = ("" if figures[name] is None else figures[name] for name in COLUMNS)
            more = ((figures_of_gold or {}).get(name, "") for name in of_gold)
            rows.append([safe_cell(names.get(person["member"], "?")), *when, *cells, *figures["grades"], *more])
    what = "people-by-week" if by_week else "people"
    headings += [f"gold_{name}" for name in of_gold]
    return csv_download(f"{member.collection.name}-{what}", headings, rows)


@lead_get
def partners_csv(request: HttpRequest, member: Membership) -> HttpResponseBase:
    """Every two people who met, as CSV, one row per pair of people."""
    result = computed_or_ask(collection=member.collection, name=NAME)
    names = names_of(member.collection)
    columns = ("met", "difference", "exact", "within_one", "kappa", "weighted")
    rows = (
        [
            *safe_row(names.get(met[side], "?") for side in ("one", "other")),
            *("" if met[name] is None else met[name] for name in columns),
        ]
        for met in (result.value["partners"] if result.value else [])
    )
    return csv_download(f"{member.collection.name}-partners", ("worker", "partner", *columns), rows)


@lead_post
def change(request: HttpRequest, member: Membership, member_id: int) -> HttpResponse:
    """Pause, bar, admit again or send to the exam again, with a reason; `back_to` tells the page it was asked on."""
    try:
        made = change_standing(
            lead=member,
            member_id=member_id,
            step=request.POST.get("step", ""),
            reason=request.POST.get("reason", ""),
        )
    except Refused as refusal:
        if not request.POST.get("reason", "").strip() and _known(member, member_id):
            if request.POST.get("back_to") == "members":
                facts = members_facts(member, of=member_id, wrong={"reason": str(refusal)})
                return render_facts(request, member, "foundation/members.html", facts, status=400)
            facts = _person_facts(member, member_id, reason=str(refusal))
            return render_facts(request, member, "annotation/person.html", facts, status=400)
        messages.error(request, str(refusal))
    else:
        if made is not None:
            messages.info(
                request,
                gettext("%(worker)s is %(after)s now.")
                % {"worker": made.member.worker, "after": made.get_after_display()},
            )
    if request.POST.get("back_to") == "members":
        return redirect("members", member.collection.name)
    return _back(member, member_id)


@lead_post
def dismiss(request: HttpRequest, member: Membership, member_id: int) -> HttpResponse:
    """Dismiss an alert, with a note on what was found."""
    kind = request.POST.get("kind", "")
    if not request.POST.get("note", "").strip() and _known(member, member_id):
        sentence = gettext("Say what you found: the note is recorded with the alert.")
        facts = _person_facts(member, member_id, note=sentence, noted=kind)
        if any(alert.kind == kind for alert in facts["alerts"]):
            return render_facts(request, member, "annotation/person.html", facts, status=400)
    with refusal_told(request):
        dismiss_alert(
            lead=member,
            member_id=member_id,
            kind=kind,
            told=request.POST.get("told", ""),
            note=request.POST.get("note", ""),
        )
        messages.info(request, gettext("The alert is dismissed for four weeks; your note is kept."))
    return _back(member, member_id)


def _back(member: Membership, member_id: int) -> HttpResponse:
    if _known(member, member_id):
        return redirect("person", member.collection.name, member_id)
    return redirect("people", member.collection.name)


def _known(member: Membership, member_id: int) -> bool:
    return Membership.objects.filter(pk=member_id, collection=member.collection, role="annotator").exists()
