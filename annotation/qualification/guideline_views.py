"""Pages of the guideline: read, confirm, edit, publish."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.judging.requests import SentVersion
from annotation.judging.views import answer
from annotation.models import Guideline
from annotation.qualification.guidelines import (
    confirm_guideline,
    current_guideline,
    draft_examples,
    draft_source,
    examples_of,
    publish_guideline,
    save_draft,
)
from annotation.scale import scale_of
from annotation.versioned_text_views import edited_text
from foundation.access.form_input import whole_number
from foundation.access.guards import lead_required, member_api, member_required
from foundation.access.pages import PageFacts, member_page, refusal_told, render_facts
from foundation.markdown import to_html
from foundation.models import Membership
from foundation.refused import Refused


def guideline_context(guideline: Guideline) -> dict[str, object]:
    """Context of the guideline's partial template for a published version."""
    return {
        "html": to_html(guideline.source),
        "examples": examples_of(guideline),
        "meanings": scale_of(guideline.collection).named(),
    }


@member_page("annotation/guideline.html")
def page(request: HttpRequest, member: Membership, version: int | None = None) -> PageFacts:
    """The guideline page: the newest version, or an older one by number, with the list of all."""
    guidelines = member.collection.guidelines.order_by("-version")
    if version is None:
        guideline = current_guideline(member.collection)
    else:
        guideline = get_object_or_404(guidelines, version=version)
    return {
        "guideline": guideline,
        "versions": guidelines.defer("source", "examples"),
        "to_confirm": not member.leads and not member.knows_guideline,
        **(guideline_context(guideline) if guideline is not None else {}),
    }


@require_POST
@member_required
def confirm_page(request: HttpRequest, member: Membership) -> HttpResponse:
    """Confirm the guideline by the button under it."""
    with refusal_told(request):
        confirm_guideline(member=member, version=whole_number(request.POST.get("version", "")) or 0)
        to_judging = member.status == Membership.Status.ADMITTED and not member.leads
        return redirect(
            "judge" if to_judging else "qualification" if not member.leads else "guideline", member.collection.name
        )
    return redirect("guideline", member.collection.name)


@require_safe
@member_api
def for_drawer(request: HttpRequest, member: Membership) -> HttpResponse:
    """The newest version for the judging page: {"version", "html", "confirmed"}; version 0 where there is none."""
    guideline = current_guideline(member.collection)
    if guideline is None:
        html, version = format_html("<p>{}</p>", _("The lead hasn't published a guideline yet.")), 0
    else:
        facts = {**guideline_context(guideline), "collection": member.collection}
        html, version = render_to_string("annotation/guideline_text.html", facts), guideline.version
    told = {"version": version, "html": html, "confirmed": member.knows_guideline}
    return JsonResponse(told, headers={"Cache-Control": "no-store"})


@require_POST
@member_api
def confirm(request: HttpRequest, member: Membership) -> HttpResponse:
    """Confirm {"version"} from the judging page: annotators get the next pairs, others a 204.

    400 says what is wrong with the request, 409 that another version is the newest.
    """
    judges = member.status in (Membership.Status.ADMITTED, Membership.Status.PAUSED) and not member.leads
    try:
        confirm_guideline(member=member, version=SentVersion.read(request).version)
    except ValueError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    except Refused as refusal:
        if judges:
            return answer(member, status=409, message=str(refusal))
        return JsonResponse({"message": str(refusal)}, status=409)
    return answer(member) if judges else HttpResponse(status=204)


@require_http_methods(["GET", "HEAD", "POST"])
@lead_required
def edit(request: HttpRequest, member: Membership) -> HttpResponse:
    """The lead's editor: save and preview the draft, or publish it with a note on what changed."""
    edited = edited_text(
        request,
        draft_source(member.collection),
        save=lambda source: save_draft(lead=member, source=source),
        publish=lambda source, note: publish_guideline(lead=member, source=source, note=note),
    )
    if edited.published is not None:
        return redirect("guideline", member.collection.name)
    facts = {
        "source": edited.source,
        "note": edited.note,
        "newest": current_guideline(member.collection),
        "preview": {
            "html": to_html(edited.source),
            "examples": draft_examples(member.collection),
            "meanings": scale_of(member.collection).named(),
        },
        "prepare": reverse("prepare", args=[member.collection.name]),
        "wrong": edited.wrong,
    }
    return render_facts(request, member, "annotation/guideline_edit.html", facts, status=400 if edited.wrong else 200)
