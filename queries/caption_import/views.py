"""The page of captions made elsewhere: a file looked at, imported, taken back."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from corpus.description_formats import CHARSETS, SEPARATORS
from corpus.description_import.row_files import RowChoices
from foundation.access.guards import takes_uploads
from foundation.access.pages import PageFacts, lead_page, lead_post, refusal_in, refusal_told, render_facts
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_told
from foundation.infra.list_pages import numbered_page
from foundation.models import Membership
from queries.caption_import.caption_rows import CAPTIONS
from queries.caption_import.jobs import discard, import_looked_at, keep_captions
from queries.caption_import.taking_back import ask_to_take_back
from queries.models import CaptionImport

TEMPLATE = "queries/caption_imports.html"
PAGE = 25


class CaptionsForm(forms.Form):
    """A file of captions, and how to take it."""

    file = forms.FileField(
        error_messages={"required": gettext_lazy("Choose a file."), "empty": gettext_lazy("The file is empty.")}
    )
    made_by = forms.CharField(required=False)
    format = forms.ChoiceField(
        required=False, choices=[("", gettext_lazy("Detect format")), *((name, name) for name in CAPTIONS.formats)]
    )
    charset = forms.ChoiceField(required=False, choices=[("", gettext_lazy("Detect charset")), *CHARSETS.items()])
    separator = forms.ChoiceField(
        required=False, choices=[("", gettext_lazy("Detect separator")), *((name, name) for name in SEPARATORS)]
    )


def _facts(request: HttpRequest, member: Membership, form: forms.Form | None = None) -> PageFacts:
    rows = member.collection.caption_imports.select_related("member__account").order_by("-pk")
    page = numbered_page(rows, request.GET, size=PAGE)
    newest = rows.first()
    return {
        "form": form or CaptionsForm(initial=_typed_before(newest)),
        "page": page,
        "newest": newest,
        "may_send": newest is None or not newest.looked_at or bool(newest.found.get("problem_count")),
        "waiting": newest and newest.brought.filter(attempt__description__caption__status="review").exists(),
        "progress": newest and newest.stored_file and progress_told(newest),
    }


def _typed_before(newest: CaptionImport | None) -> dict[str, str]:
    """What was chosen for a file that wouldn't do: its corrected one is sent the same way."""
    if newest is None or not (newest.state == CaptionImport.State.REFUSED or newest.found.get("problem_count")):
        return {}
    return {name: getattr(newest, name) for name in ("made_by", "format", "charset", "separator")}


@lead_page(TEMPLATE)
def caption_imports(request: HttpRequest, member: Membership) -> PageFacts:
    """The form, what was understood of the newest file, and former imports; owners and leads only."""
    return _facts(request, member)


@takes_uploads("leads")
@lead_post
def send(request: HttpRequest, member: Membership) -> HttpResponse:
    """Keep a file and have a worker look at it; nothing is imported. Owners and leads only."""
    form = CaptionsForm(request.POST, request.FILES)
    if form.is_valid():
        sent: dict[str, Any] = form.cleaned_data
        choices = RowChoices(sent["format"], sent["charset"], sent["separator"])
        with refusal_in(form):
            job = keep_captions(
                member=member,
                upload=sent["file"],
                choices=choices,
                made_by=sent["made_by"],
                doing=CaptionImport.Doing.LOOK,
            )
            ask_on_page(request, job)
            return redirect("caption-imports", member.collection.name)
    return render_facts(request, member, TEMPLATE, _facts(request, member, form), status=400)


@lead_post
def decide(request: HttpRequest, member: Membership, import_id: int) -> HttpResponse:
    """Import a file that was looked at, discard it, or take an import back, as `do` says; owners and leads only."""
    job = get_object_or_404(member.collection.caption_imports, pk=import_id)
    do = request.POST.get("do", "")
    with refusal_told(request):
        if do == "discard":
            discard(job=job)
            messages.info(request, _("The file is discarded. Nothing was imported."))
        elif do == "import":
            import_looked_at(job=job)
            ask_on_page(request, job)
        elif do == "back":
            ask_to_take_back(job=job)
            ask_on_page(request, job)
    return redirect("caption-imports", member.collection.name)
