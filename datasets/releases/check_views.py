"""Check a release from its page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from datasets.releases.check_jobs import ask_for_check
from datasets.releases.selectors import release_of
from foundation.access.pages import lead_post
from foundation.infra.job_pages import ask_on_page
from foundation.models import Membership


@lead_post
def check(request: HttpRequest, member: Membership, release_id: int) -> HttpResponse:
    """Have a worker check the release's files; owners and leads only. The result is shown on the release's page."""
    release = release_of(member, release_id)
    ask_on_page(request, ask_for_check(member=member, release=release))
    return redirect("release", member.collection.name, release.pk)
