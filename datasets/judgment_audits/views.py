"""The pages of audits of judgments: of a file that anybody with an account uploads, and of a release."""

from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from datasets.judgment_audits.jobs import progress_of_audit
from datasets.judgment_audits.of_releases import audit_of_release
from datasets.judgment_audits.selectors import audit_facts, audit_file
from datasets.judgment_audits.services import MOST, ask_for_audit, forget_audits
from datasets.models import JudgmentAudit
from datasets.releases.selectors import facts_of, release_of
from foundation.access.guards import takes_uploads
from foundation.access.needs_login import account_get, account_of, account_post
from foundation.access.pages import PageFacts, lead_get, lead_page, refusal_in, refusal_told
from foundation.infra.job_control import resume_job, stop_job
from foundation.infra.job_pages import ask_on_page
from foundation.infra.uploads import refuse_without_space
from foundation.models import Membership
from foundation.refused import Refused


class AuditForm(forms.Form):
    """A file of judgments, and how to read it."""

    file = forms.FileField(
        max_length=400,
        error_messages={
            "required": gettext_lazy("Choose a file."),
            "empty": gettext_lazy("The file is empty, expected one or more judgments."),
        },
    )
    pairs = forms.FileField(
        max_length=400,
        required=False,
        error_messages={"empty": gettext_lazy("The file is empty, expected one or more pairs.")},
    )
    ratings = forms.ChoiceField(
        choices=JudgmentAudit.Ratings.choices, initial=JudgmentAudit.Ratings.STARS, required=False
    )


def own_audits(request: HttpRequest) -> QuerySet[JudgmentAudit]:
    """The audits of whoever asks, the newest first."""
    return JudgmentAudit.objects.filter(account=request.user.pk or 0).order_by("-pk")


@never_cache
@account_get
def judgment_audits(request: HttpRequest) -> HttpResponse:
    """The form, and one's own audits so far."""
    return _listed(request, AuditForm())


def _listed(request: HttpRequest, form: forms.Form, status: int = 200) -> HttpResponse:
    facts = {"audits": own_audits(request).defer("result"), "form": form, "most": MOST}
    return render(request, "datasets/judgment_audits.html", facts, status=status)


@takes_uploads("accounts", admits=lambda account, values: True)
@account_post
def upload(request: HttpRequest) -> HttpResponse:
    """Keep the file and have a worker audit it. 400 shows the form again with what is wrong in it."""
    full = refuse_without_space(request)
    if full is not None:
        return full
    form = AuditForm(request.POST, request.FILES)
    if form.is_valid():
        sent = form.cleaned_data
        with refusal_in(form):
            job = ask_for_audit(
                account=account_of(request),
                file=sent["file"],
                pairs=sent["pairs"],
                ratings=sent["ratings"] or JudgmentAudit.Ratings.STARS,
            )
            ask_on_page(request, job)
            return redirect(job)
    return _listed(request, form, 400)


@never_cache
@account_get
def judgment_audit(request: HttpRequest, audit_id: int) -> HttpResponse:
    """One's own audit: how far it is; once it has ended what was found, or what is wrong with the file. 404 for all
    others."""
    job = get_object_or_404(own_audits(request), pk=audit_id)
    facts: dict[str, Any] = {"job": job, "progress": progress_of_audit(job)}
    if job.result is not None:
        facts |= {**audit_facts(job.result, request.GET), "files_at": job.get_absolute_url()}
    return render(request, "datasets/judgment_audit.html", facts)


@never_cache
@account_get
def progress(request: HttpRequest, audit_id: int) -> HttpResponse:
    """How far one's own audit is, for the page's script."""
    return JsonResponse(progress_of_audit(get_object_or_404(own_audits(request).defer("result"), pk=audit_id)))


@never_cache
@account_get
def file(request: HttpRequest, audit_id: int, key: str, ending: str) -> HttpResponseBase:
    """One's own audit as text, Markdown, JSON or CSV, or a figure of it; 404 before it is done."""
    job = get_object_or_404(own_audits(request), pk=audit_id)
    if job.result is None:
        raise Http404("no audit yet")
    return audit_file(job.result, job.file_name.partition(".")[0], f"{key}.{ending}")


@account_post
def change(request: HttpRequest, audit_id: int) -> HttpResponse:
    """Stop one's own audit, have it go on, or delete it, by `what`."""
    job, what = get_object_or_404(own_audits(request).defer("result"), pk=audit_id), request.POST.get("what", "")
    with refusal_told(request):
        if what == "stop":
            stop_job(job)
        elif what == "resume":
            if resume_job(job):
                ask_on_page(request, job)
        elif what == "delete":
            forget_audits([job])
            messages.success(request, _("The audit is deleted, and what you uploaded."))
            return redirect("judgment-audits")
        else:
            raise Refused(_("Found %(found)s, expected something this page offers.") % {"found": repr(what[:20])})
    return redirect(job)


@lead_page("datasets/release_audit.html")
def release_audit(request: HttpRequest, member: Membership, release_id: int) -> PageFacts:
    """The audit of a release by its raw judgments; owners and leads only."""
    release = release_of(member, release_id)
    result = audit_of_release(release)
    adjudicated = sum(release.manifest["adjudication"].get("pairs", {}).values())
    facts: PageFacts = {
        "release": facts_of(release),
        "result": result,
        "files_at": request.path,
        "adjudicated": adjudicated,
    }
    return facts | (audit_facts(result.value, request.GET) if result.value is not None else {})


@lead_get
def release_audit_file(
    request: HttpRequest, member: Membership, release_id: int, key: str, ending: str
) -> HttpResponseBase:
    """A release's audit as text, Markdown, JSON or CSV, or a figure of it; owners and leads only."""
    release = release_of(member, release_id)
    result = audit_of_release(release)
    if result.value is None:
        raise Http404("no audit yet")
    return audit_file(result.value, f"{member.collection.name}-{release.name}", f"{key}.{ending}")
