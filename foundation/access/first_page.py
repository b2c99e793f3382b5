"""Where a member of a collection begins."""

from django.urls import reverse

from foundation.models import Membership


def first_page(member: Membership) -> str:
    """The first page of a member: the overview for leads, judging for annotators, training before that."""
    if member.leads:
        page = "overview"
    elif member.status in (Membership.Status.APPLICANT, Membership.Status.DECLINED):
        page = "qualification"
    else:
        page = "judge"
    return reverse(page, args=[member.collection.name])
