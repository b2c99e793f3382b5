"""Import pages: upload, progress, report."""

from django import forms
from django.contrib import messages
from django.core.files.storage import default_storage
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext_lazy as _

from corpus.description_formats import FORMATS, FileChoices
from corpus.description_formats.templates import TEMPLATES
from corpus.description_import.jobs import keep_upload, progress_of_import, report_of
from corpus.models import Import
from foundation.access.guards import takes_uploads
from foundation.access.pages import PageFacts, lead_get, lead_page, lead_post, render_facts
from foundation.infra.job_pages import ask_on_page
from foundation.infra.list_pages import numbered_page
from foundation.infra.storage import StoringError
from foundation.models import Membership

PAGE = 25


class UploadForm(forms.Form):
    """A file of descriptions, and how to take it."""

    file = forms.FileField(error_messages={"required": _("Choose a file."), "empty": _("The file is empty.")})
    format = forms.ChoiceField(
        required=False, choices=[("", _("Detect format")), *((name, format.title) for name, format in FORMATS.items())]
    )
    skip_bad = forms.BooleanField(required=False)


@lead_get
def imports(request: HttpRequest, member: Membership) -> HttpResponse:
    """The form, what waits in previews, and the collection's former imports, newest first; owners and leads only."""
    return imports_page(request, member, UploadForm())


def imports_page(request: HttpRequest, member: Membership, form: UploadForm) -> HttpResponse:
    """The page with a form: status 400 where something is wrong in it."""
    rows = member.collection.imports.select_related("member__account").order_by("-pk")
    facts = {
        "form": form,
        "page": numbered_page(rows, request.GET, size=PAGE),
        "previews": member.collection.import_previews.order_by("-pk")[:PAGE],
        "templates": TEMPLATES,
    }
    return render_facts(request, member, "corpus/imports.html", facts, status=400 if form.errors else 200)


@takes_uploads("leads")
@lead_post
def upload(request: HttpRequest, member: Membership) -> HttpResponse:
    """Keep the file and have a worker import it; owners and leads only."""
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return imports_page(request, member, form)
    try:
        job = keep_upload(
            member=member,
            upload=form.cleaned_data["file"],
            choices=FileChoices(form.cleaned_data["format"]),
            skip_bad=form.cleaned_data["skip_bad"],
        )
    except StoringError as fault:
        messages.error(request, str(fault))
        return redirect("imports", member.collection.name)
    ask_on_page(request, job)
    return redirect("import-report", member.collection.name, job.pk)


def _import_of(member: Membership, import_id: int) -> Import:
    return get_object_or_404(member.collection.imports.select_related("member__account"), pk=import_id)


@lead_page("corpus/import.html")
def report(request: HttpRequest, member: Membership, import_id: int) -> PageFacts:
    """How far one import is; once it is finished, what it did and the first problems."""
    job = _import_of(member, import_id)
    return {
        "job": job,
        "progress": progress_of_import(job),
        "report": report_of(job),
        "unsettled": any(problem.get("choice") for problem in job.problems),
    }


@lead_get
def rejected(request: HttpRequest, member: Membership, import_id: int) -> HttpResponseBase:
    """The rejected rows of an import as JSON Lines, to be mended and imported."""
    job = _import_of(member, import_id)
    if not job.rejected_file or not default_storage.exists(job.rejected_file):
        raise Http404("no rejected rows")
    file = default_storage.open(job.rejected_file)
    name = f"{job.file_name}.rejected.jsonl"
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/jsonl")
