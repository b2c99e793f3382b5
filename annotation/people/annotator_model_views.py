"""The page of the annotator model."""

from django.http import HttpRequest

from annotation.people.annotator_model_figures import NAME, decided_pairs, pointed_at
from annotation.people.people_figures import names_of
from annotation.precomputed import computed_or_ask
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
    table = [
        (str(grade) if grade < 5 else "discarded", [(count, place == grade) for place, count in enumerate(row)])
        for grade, row in enumerate(value["table"])
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
        "decided": decided,
    }
