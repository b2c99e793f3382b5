"""The lead's page of query priorities and reserved annotators."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext

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
from foundation.access.pages import PageFacts, lead_page, lead_post, refusal_told
from foundation.infra.list_pages import list_page
from foundation.models import Membership
from foundation.text import composed
from queries.models import Query

PAGE = 100


@lead_page("annotation/queries.html")
def queries(request: HttpRequest, member: Membership) -> PageFacts:
    """The queries with their state, by priority; searchable by words."""
    asked = composed(request.GET.get("q", "")).replace("\x00", "").strip()
    page = list_page(queries_at_work(member.collection, asked), request.GET, BY_PRIORITY, size=PAGE)
    posters = posters_of(page)
    rows = [(query, posters.get(query.pk)) for query in page]
    return {"page": page, "rows": rows, "asked": asked, "priorities": PRIORITIES.items()}


@lead_page("annotation/query.html")
def query(request: HttpRequest, member: Membership, query_id: int) -> PageFacts:
    """One query: its priority, and who is reserved for it or barred from it."""
    query = get_object_or_404(Query, pk=query_id, collection=member.collection)
    rules = dict(query.assignments.values_list("annotator_id", "rule"))
    return {
        "query": query,
        "batches": query.batches.order_by("number"),
        "priorities": PRIORITIES.items(),
        "people": [(person, rules.get(person.pk, "")) for person in annotators(member.collection)],
        "rules": [("", gettext("like everybody")), *Assignment.Rule.choices],
    }


@lead_post
def change(request: HttpRequest, member: Membership, query_id: int) -> HttpResponse:
    """Set a query's priority, its people, or both, as in the form."""
    query = get_object_or_404(Query, pk=query_id, collection=member.collection)
    with refusal_told(request, ValueError):
        if "priority" in request.POST:
            set_priority(query=query, priority=int(request.POST["priority"]))
        if "people" in request.POST:
            rules = {
                int(name.removeprefix("person-")): rule
                for name in request.POST
                if name.startswith("person-") and (rule := request.POST.get(name))
            }
            assign_people(query=query, rules=rules)
    return redirect("work-query", member.collection.name, query_id)
