"""The page of the annotator model."""

from django.http import HttpRequest

from annotation.grades import GRADE_COUNT
from annotation.people.annotator_model_figures import NAME, decided_pairs, pointed_at
from annotation.people.people_figures import names_of
from annotation.precomputed import computed_or_ask
from evaluation.judgments.grade_classes import unit_of
from foundation.access.pages import PageFacts, lead_page
from foundation.infra.list_pages import numbered_page
from foundation.models import Membership

PAGE = 50


@lead_page("annotation/model_view.html")
def model_view(request: HttpRequest, member: Membership) -> PageFacts:
    """Pairs where the model and the consensus part, and everybody's estimated reliability."""
    result = computed_or_ask(collection=member.collection, name=NAME)
    decided = 0
    if result.as_of is not None and not result.value["pairs"]:
        # Computed before the first decision: what is decided since is looked at without being asked.
        decided = decided_pairs(member.collection)
        if decided and not result.running:
            result = computed_or_ask(collection=member.collection, name=NAME, anew=True)
    value = result.value or {"people": [], "worth_a_look": [], "table": [], "pairs": 0, "judgments": 0}
    names = names_of(member.collection)
    page = numbered_page(value["worth_a_look"], request.GET, size=PAGE)
    rows = pointed_at(member.collection, page.rows)
    people = [{"worker": names.get(person["member"], "?"), **person} for person in value["people"]]
    unit = unit_of(member.collection.top_grade)
    names_of_rows = [*(str(place * unit) for place in range(GRADE_COUNT)), "discarded"]
    table = [
        (name, [(count, column == place) for column, count in enumerate(row)])
        for place, (name, row) in enumerate(zip(names_of_rows, value["table"], strict=False))
    ]
    return {
        "judgments": value["judgments"],
        "pairs": value["pairs"],
        "disagreeing": value.get("disagreeing", 0),
        "changed": value.get("changed"),
        "people": people,
        "worth_a_look": rows,
        "page": page,
        "result": result,
        "drawn": table,
        "grades": range(0, GRADE_COUNT * unit, unit),
        "decided": decided,
    }
