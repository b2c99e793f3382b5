"""A release's certificate: asked for again, and as files."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from datasets.certificates.downloads import certificate_json, certificate_svg, done_or_404
from datasets.certificates.jobs import certificate_or_ask, newest_done, record_certificate
from datasets.certificates.selectors import certificate_context
from datasets.certificates.systems import missing, systems_of
from datasets.models import Release
from datasets.releases.selectors import release_of
from foundation.access.pages import lead_get, lead_post
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_of
from foundation.models import Membership


def certificate_facts(release: Release) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the release's page says of its certificate to leads: as JSON, and in words."""
    newest = certificate_or_ask(release)
    done = newest_done(release)
    systems = systems_of(release)
    facts = {
        "missing": missing(systems),
        "systems": systems,
        "progress": progress_of(newest) if newest is not None else None,
        "as_of": done.finished_at if done else None,
        "of": done.systems if done else None,
        "splits": done.results if done else None,
    }
    address = reverse("release-certificate", args=[release.collection.name, release.pk])
    words = {
        "certified": certificate_context(done, done.results) if done else None,
        "certificate_address": address.removesuffix(".json"),
        "other_runs": done is not None and done.systems != systems and not facts["missing"],
    }
    return facts, words


@lead_post
def certify(request: HttpRequest, member: Membership, release_id: int) -> HttpResponse:
    """Have a worker compute the certificate over the runs that there are now; owners and leads only."""
    release = release_of(member, release_id)
    certificate, is_new = record_certificate(release)
    if certificate is not None and is_new:
        ask_on_page(request, certificate)
    else:
        messages.info(request, missing(systems_of(release)) or _("The certificate is over the same runs already."))
    return redirect(reverse("release", args=[member.collection.name, release.pk]) + "#certificate")


@lead_get
def as_json(request: HttpRequest, member: Membership, release_id: int) -> HttpResponse:
    """The newest certificate as JSON; owners and leads only."""
    done = done_or_404(release_of(member, release_id))
    return certificate_json(done, done.results)


@lead_get
def figure(request: HttpRequest, member: Membership, release_id: int, split: str) -> HttpResponse:
    """The newest certificate's figure of a split as SVG; owners and leads only."""
    done = done_or_404(release_of(member, release_id))
    return certificate_svg(done, done.results, split)
