"""The lead's overview of one collection."""

from django.http import HttpRequest

from annotation.selectors import progress
from corpus.lead_pages import Facts, lead_page
from corpus.models import Membership
from desk.selectors import stages


@lead_page("desk/overview.html")
def overview(request: HttpRequest, member: Membership) -> Facts:
    """Every stage as a figure with its backlog; owners and leads only."""
    people = member.collection.memberships.select_related("account").order_by("role", "worker")
    return Facts(
        {"stages": stages(member.collection), "progress": progress(member.collection)},
        only_shown={"people": people},
    )
