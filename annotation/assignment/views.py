"""The lead's page of query priorities and reserved annotators."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation.assignment.priorities import (
    BY_PRIORITY,
    PRIORITIES,
    annotators,
    assign_people,
    posters_of,
    queries_at_work,
    set_priority,
)
from annotation.models import Assignment
from foundation.access.guards import lead_required
from foundation.access.pages import refusal_told
from foundation.infra.list_pages import list_page
from foundation.models import Membership
from foundation.text import composed
from queries.models import Query

PAGE = 100


@require_safe
@lead_required
def queries(request: HttpRequest, member: Membership) -> HttpResponse:
    """The queries with their state, by priority; searchable by words."""
    asked = composed(request.GET.get("q", "")).replace("\x00", "").strip()
    page = list_page(queries_at_work(member.collection, asked), request.GET, BY_PRIORITY, size=PAGE)
    posters = posters_of(page)
    rows = [(query, posters.get(query.pk)) for query in page]
    context = {"collection": member.collection, "member": member, "page": page, "rows": rows, "asked": asked}
    return render(request, "annotation/queries.html", context | {"priorities": PRIORITIES.items()})


@require_safe
@lead_required
def query(request: HttpRequest, member: Membership, query_id: int) -> HttpResponse:
    """One query: its priority, and who is reserved for it or barred from it."""
    found = get_object_or_404(Query, pk=query_id, collection=member.collection)
    rules = dict(found.assignments.values_list("annotator_id", "rule"))
    context = {
        "collection": member.collection,
        "member": member,
        "query": found,
        "batches": found.batches.order_by("number"),
        "priorities": PRIORITIES.items(),
        "people": [(person, rules.get(person.pk, "")) for person in annotators(member.collection)],
        "rules": [("", gettext("like everybody")), *Assignment.Rule.choices],
    }
    return render(request, "annotation/query.html", context)


@require_POST
@lead_required
def change(request: HttpRequest, member: Membership, query_id: int) -> HttpResponse:
    """Set a query's priority, its people, or both, as in the form."""
    found = get_object_or_404(Query, pk=query_id, collection=member.collection)
    with refusal_told(request, ValueError):
        if "priority" in request.POST:
            set_priority(query=found, priority=int(request.POST["priority"]))
        if "people" in request.POST:
            said = {
                int(name.removeprefix("person-")): rule
                for name, rule in request.POST.items()
                if name.startswith("person-") and rule
            }
            assign_people(query=found, rules=said)
    return redirect("work-query", member.collection.name, query_id)
